import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { charthouse, deploymentYaml } from "../harness/charthouse.ts"
import { temporaryFolder } from "../harness/kubeconfigs.ts"
import { parseRecording, rolledOutWeb } from "../../recording/recordedCluster.ts"
import { serving, up } from "../harness/servingCommand.ts"

const serveWeb = async () => {
  const folder = temporaryFolder()
  const at = (name: string): string => join(folder, name)
  const kubeconfig = at("config")
  writeFileSync(at("web.yaml"), deploymentYaml({ replicas: 2 }))
  const server = await up(
    ["-f", at("web.yaml"), "--clock", "virtual", "--kubeconfig", kubeconfig],
    /Ctrl-C ends it/
  )
  return { at, kubeconfig, server }
}

const recordingIn = (file: string) => parseRecording(readFileSync(file, "utf8"))

describe("charthouse record", () => {
  it("saves a complete recording from the beginning", async () => {
    const { at, kubeconfig, server } = await serveWeb()
    try {
      const file = at("web.recording")
      const { code, stdout, stderr } = await charthouse(["record", "-o", file, "--kubeconfig", kubeconfig])
      expect([code, stderr]).toEqual([0, ""])
      const { header, entries, isCutOff } = recordingIn(file)
      expect(stdout).toBe(`${file}: ${entries.length + 2} entries\n`)
      expect([header.title, isCutOff]).toEqual(["charthouse, seed 1", false])
      const web = entries.findLast((it) => it.type === "object" && it.resource === "deployments")
      expect(web).toMatchObject({ object: { metadata: { name: "web" }, status: { readyReplicas: 2 } } })
    } finally {
      await server.end("SIGTERM")
    }
  })

  it("reports a file that cannot be written with 2, and a full disk with 1", async () => {
    const { at, kubeconfig, server } = await serveWeb()
    try {
      const nowhere = at("none/web.recording")
      const [refused, full] = await Promise.all(
        [nowhere, "/dev/full"].map((file) => charthouse(["record", "-o", file, "--kubeconfig", kubeconfig]))
      )
      expect(refused).toEqual({
        code: 2,
        stdout: "",
        stderr: `error: ${nowhere} cannot be written: there is no such place\n`
      })
      expect(full).toMatchObject({ code: 1, stderr: expect.stringContaining("no space is left") })
    } finally {
      await server.end("SIGTERM")
    }
  })

  it("-w records until Ctrl-C, and the recording is not cut off", async () => {
    const { at, kubeconfig, server } = await serveWeb()
    try {
      const args = ["record", "-w", "-o", "-", "--kubeconfig", kubeconfig]
      // The server sends its clock after the last entry of the past.
      const caughtUp = /"type":"clock","number":(?!\d\b)\d+/
      const recording = await serving(args, caughtUp)
      await charthouse(["clock", "advance", "1m", "--kubeconfig", kubeconfig])
      expect(await recording.end("SIGINT")).toBe(0)
      const { isCutOff } = parseRecording(recording.printed())
      expect(isCutOff).toBe(false)

      const file = at("web.recording")
      writeFileSync(file, "what was there before\n")
      const intoFile = await serving(args.with(3, file), /Ctrl-C ends it/)
      await expect.poll(() => readFileSync(file, "utf8"), { timeout: 60_000 }).toMatch(caughtUp)
      expect(await intoFile.end("SIGTERM")).toBe(0)
      expect(recordingIn(file).isCutOff).toBe(false)
    } finally {
      await server.end("SIGTERM")
    }
  })
})

describe("charthouse replay", () => {
  it("refuses a file that is no recording, and to overwrite its input", async () => {
    const newer = '{"type":"header","kind":"Recording","apiVersion":"charthouse.dev/v7"}\n'
    expect(await charthouse(["replay", "given"], { given: newer })).toEqual({
      code: 2,
      stdout: "",
      stderr:
        'error: given: its first line has apiVersion "charthouse.dev/v7", and this charthouse reads charthouse.dev/v1. Open it with the charthouse that wrote it\n'
    })
    expect(await charthouse(["replay", "a", "-o", "./a"], { a: "" })).toMatchObject({
      code: 2,
      stderr: "error: ./a is the recording: say with -o where else its page goes\n"
    })
  })

  it("writes a page with the recording in it, cut off or not, and prints the page's path", async () => {
    await using cluster = await rolledOutWeb({ record: { title: "a <b>bold</b> title" } })
    const text = await cluster.recording()
    const file = join(temporaryFolder(), "web.recording")
    writeFileSync(file, text)
    const { code, stdout, stderr } = await charthouse(["replay", file])
    expect([code, stderr, stdout]).toEqual([0, "", `${file.replace(/recording$/, "html")}\n`])
    const page = readFileSync(stdout.trimEnd(), "utf8")
    expect(page).toContain('<script type="application/vnd.charthouse.recording"')
    expect(page).not.toContain("<b>bold")
    const foreign = text.replace(/"version":"[^"]*"/, '"version":"9.9.0"')
    const { stderr: warning } = await charthouse(["replay", "foreign.rec", "-o", "-"], {
      "foreign.rec": foreign
    })
    expect(warning).toMatch(
      /^foreign\.rec was written by charthouse 9\.9\.0, this is [\d.]+: charts may differ$/m
    )
    const cut = await charthouse(["replay", "cut", "-o", "-"], { cut: text.slice(0, 40_000) })
    expect([cut.code, cut.stderr]).toEqual([0, "cut is incomplete: it is shown up to its last entry\n"])
    expect(cut.stdout).toContain("</html>")
  })
})
