import { execFile } from "node:child_process"
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { charthouse, deploymentYaml } from "../harness/charthouse.ts"
import { command } from "../harness/testedCommand.ts"
import { temporaryFolder, userKubeconfig } from "../harness/kubeconfigs.ts"
import { up } from "../harness/servingCommand.ts"
import { storyOf } from "../harness/storyFiles.ts"

interface CommandResult {
  readonly code: number | string | null | undefined
  readonly stderr: string
}

/** Runs the command with a file size limit of one kilobyte, as on a disk that gets full. */
const onFullDisk = (folder: string, args: ReadonlyArray<string>): Promise<CommandResult> =>
  new Promise((done) => {
    const limited = ["-c", 'ulimit -f 1; exec "$@"', "bash", process.execPath, command, ...args]
    const options = { cwd: folder, env: { ...process.env, NO_COLOR: "1" } }
    execFile("bash", limited, options, (error, _stdout, stderr) => done({ code: error?.code ?? 0, stderr }))
  })

/** Text and mode of every file in a folder. */
const filesIn = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder).map((name) => {
      const file = join(folder, name)
      return [name, [readFileSync(file, "utf8"), statSync(file).mode]]
    })
  )

describe("output redirected to a full disk", () => {
  it.each([
    { why: "a document", args: "chart deployment -o svg" },
    { why: "lines for people", args: "demo" }
  ])("ends the command with 2 and an error: $why", async ({ args }) => {
    const folder = temporaryFolder()
    const redirected = `ulimit -f 1; exec "$0" "$1" ${args} > out`
    const ended = await new Promise<CommandResult>((done) => {
      execFile(
        "bash",
        ["-c", redirected, process.execPath, command],
        { cwd: folder },
        (error, _out, stderr) => done({ code: error?.code ?? 0, stderr })
      )
    })
    expect(ended.code).toBe(2)
    expect(ended.stderr).toMatch(/^error: the output cannot be written: .*EFBIG/)
  })
})

describe("a full disk leaves earlier files unchanged and no partial new files:", () => {
  const longKubeconfig = `${userKubeconfig}${"# and more\n".repeat(100)}`

  it("a served cluster's snapshot, its recording, the recording's page", async () => {
    const [folder, kubeconfig] = [temporaryFolder(), join(temporaryFolder(), "config")]
    const at = (name: string): string => join(folder, name)
    writeFileSync(at("web.yaml"), deploymentYaml({ replicas: 2 }))
    const started = /Ctrl-C ends it/
    const server = await up(["-f", at("web.yaml"), "--clock", "virtual", "--kubeconfig", kubeconfig], started)
    try {
      const kubeconfigFlag = ["--kubeconfig", kubeconfig]
      await charthouse(["record", "-o", at("web.recording"), ...kubeconfigFlag])
      writeFileSync(at("world.json"), "an earlier snapshot", { mode: 0o640 })
      writeFileSync(at("web.html"), "an earlier page")
      const before = filesIn(folder)
      const ended = await Promise.all(
        [
          ["snapshot", "save", "world.json", ...kubeconfigFlag],
          ["record", "-o", "web.recording", ...kubeconfigFlag],
          ["record", "-w", "-o", "web.recording", ...kubeconfigFlag],
          ["replay", "web.recording"]
        ].map((args) => onFullDisk(folder, args))
      )
      expect(filesIn(folder)).toEqual(before)
      expect(ended).toEqual(
        ["world.json", "web.recording", "web.recording", "web.html"].map((name) => ({
          code: 2,
          stderr: expect.stringContaining(`error: ${name} cannot be written: no file may be so large here\n`)
        }))
      )
    } finally {
      await server.end("SIGTERM")
    }
  })

  it("the kubeconfig that up adds a context to, and a story's reports", async () => {
    const [folder, out] = [temporaryFolder(), temporaryFolder()]
    writeFileSync(join(folder, "config"), longKubeconfig, { mode: 0o640 })
    writeFileSync(join(folder, "calm.yaml"), storyOf({ name: "calm" }))
    writeFileSync(join(out, "calm.html"), "an earlier report")
    const before = [folder, out].map(filesIn)
    const [upResult, runResult] = await Promise.all([
      onFullDisk(folder, ["up", "--kubeconfig", "config"]),
      onFullDisk(folder, ["run", "calm.yaml", "--report", "html", "--out", out])
    ])
    expect([folder, out].map(filesIn)).toEqual(before)
    const why = "cannot be written: no file may be so large here\n"
    expect(upResult).toEqual({ code: 2, stderr: `error: config: the kubeconfig ${why}` })
    expect(runResult).toEqual({ code: 2, stderr: `error: ${JSON.stringify(join(out, "calm.html"))} ${why}` })
  })
})
