import { execFile } from "node:child_process"
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { charthouse, deploymentYaml } from "./charthouse.ts"
import { command } from "./command.ts"
import { aFolder, theirs } from "./kubeconfigs.ts"
import { up } from "./serving.ts"
import { storyOf } from "./storyFiles.ts"

interface Ended {
  readonly code: number | string | null | undefined
  readonly stderr: string
}

/** Runs the command where no file can be longer than a kilobyte, as on a disk that gets full. */
const onFullDisk = (folder: string, words: ReadonlyArray<string>): Promise<Ended> =>
  new Promise((done) => {
    const limited = ["-c", 'ulimit -f 1; exec "$@"', "bash", process.execPath, command, ...words]
    const options = { cwd: folder, env: { ...process.env, NO_COLOR: "1" } }
    execFile("bash", limited, options, (error, _stdout, stderr) => done({ code: error?.code ?? 0, stderr }))
  })

/** Every file of a folder: its bytes and its mode. */
const filesIn = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder).map((name) => {
      const file = join(folder, name)
      return [name, [readFileSync(file, "utf8"), statSync(file).mode]]
    })
  )

describe("on a full disk", () => {
  it.each([
    { why: "a document", words: "chart deployment -o svg" },
    { why: "lines for people", words: "demo" }
  ])(
    "output that is redirected into a file fails, and is not cut off in silence: $why",
    async ({ words }) => {
      const folder = aFolder()
      const redirected = `ulimit -f 1; exec "$0" "$1" ${words} > out`
      const ended = await new Promise<Ended>((done) => {
        execFile(
          "bash",
          ["-c", redirected, process.execPath, command],
          { cwd: folder },
          (error, _out, stderr) => done({ code: error?.code ?? 0, stderr })
        )
      })
      expect(ended.code).toBe(2)
      expect(ended.stderr).toMatch(/^error: the output cannot be written: .*EFBIG/)
    }
  )
})

describe("on a full disk the earlier file stays to the byte, and no part of a new one is left", () => {
  const theirsAndMore = `${theirs}${"# and more\n".repeat(100)}`

  it("of a served cluster: its snapshot, its recording, the recording's page", async () => {
    const [folder, kubeconfig] = [aFolder(), join(aFolder(), "config")]
    const at = (name: string): string => join(folder, name)
    writeFileSync(at("web.yaml"), deploymentYaml({ replicas: 2 }))
    const started = /Ctrl-C ends it/
    const world = await up(["-f", at("web.yaml"), "--clock", "virtual", "--kubeconfig", kubeconfig], started)
    try {
      const place = ["--kubeconfig", kubeconfig]
      await charthouse(["record", "-o", at("web.recording"), ...place])
      writeFileSync(at("world.json"), "an earlier snapshot", { mode: 0o640 })
      writeFileSync(at("web.html"), "an earlier page")
      const before = filesIn(folder)
      const ended = await Promise.all(
        [
          ["snapshot", "save", "world.json", ...place],
          ["record", "-o", "web.recording", ...place],
          ["record", "-w", "-o", "web.recording", ...place],
          ["replay", "web.recording"]
        ].map((words) => onFullDisk(folder, words))
      )
      expect(filesIn(folder)).toEqual(before)
      expect(ended).toEqual(
        ["world.json", "web.recording", "web.recording", "web.html"].map((name) => ({
          code: 2,
          stderr: expect.stringContaining(`error: ${name} cannot be written: no file may be so large here\n`)
        }))
      )
    } finally {
      await world.end("SIGTERM")
    }
  })

  it("of the kubeconfig that is lent a context, and of a story's reports", async () => {
    const [folder, out] = [aFolder(), aFolder()]
    writeFileSync(join(folder, "config"), theirsAndMore, { mode: 0o640 })
    writeFileSync(join(folder, "calm.yaml"), storyOf({ name: "calm" }))
    writeFileSync(join(out, "calm.html"), "an earlier report")
    const before = [folder, out].map(filesIn)
    const [lent, reported] = await Promise.all([
      onFullDisk(folder, ["up", "--kubeconfig", "config"]),
      onFullDisk(folder, ["run", "calm.yaml", "--report", "html", "--out", out])
    ])
    expect([folder, out].map(filesIn)).toEqual(before)
    const why = "cannot be written: no file may be so large here\n"
    expect(lent).toEqual({ code: 2, stderr: `error: config: the kubeconfig ${why}` })
    expect(reported).toEqual({ code: 2, stderr: `error: ${JSON.stringify(join(out, "calm.html"))} ${why}` })
  })
})
