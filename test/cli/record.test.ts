import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { charthouse, deploymentYaml } from "./charthouse.ts"
import { aFolder } from "./kubeconfigs.ts"
import { read, rolledWeb } from "../recording/worlds.ts"
import { serving, up } from "./serving.ts"

const served = async () => {
  const folder = aFolder()
  const at = (name: string): string => join(folder, name)
  const kubeconfig = at("config")
  writeFileSync(at("web.yaml"), deploymentYaml({ replicas: 2 }))
  const world = await up(
    ["-f", at("web.yaml"), "--clock", "virtual", "--kubeconfig", kubeconfig],
    /Ctrl-C ends it/
  )
  return { at, kubeconfig, world }
}

const recordingIn = (file: string) => read(readFileSync(file, "utf8"))

describe("charthouse record", () => {
  it("saves what has happened from the beginning, whole", async () => {
    const { at, kubeconfig, world } = await served()
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
      await world.end("SIGTERM")
    }
  })

  it("says that it cannot be written before it begins, and how far it came where the disk is full", async () => {
    const { at, kubeconfig, world } = await served()
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
      await world.end("SIGTERM")
    }
  })

  it("goes on until Ctrl-C, and is complete then", async () => {
    const { at, kubeconfig, world } = await served()
    try {
      const words = ["record", "-w", "-o", "-", "--kubeconfig", kubeconfig]
      // The time is told when all that is kept has been.
      const caughtUp = /"type":"clock","number":(?!\d\b)\d+/
      const recording = await serving(words, caughtUp)
      await charthouse(["clock", "advance", "1m", "--kubeconfig", kubeconfig])
      expect(await recording.end("SIGINT")).toBe(0)
      const { isCutOff } = read(recording.printed())
      expect(isCutOff).toBe(false)

      const file = at("web.recording")
      writeFileSync(file, "what was there before\n")
      const intoFile = await serving(words.with(3, file), /Ctrl-C ends it/)
      await expect.poll(() => readFileSync(file, "utf8"), { timeout: 60_000 }).toMatch(caughtUp)
      expect(await intoFile.end("SIGTERM")).toBe(0)
      expect(recordingIn(file).isCutOff).toBe(false)
    } finally {
      await world.end("SIGTERM")
    }
  })
})

describe("charthouse replay", () => {
  it("refuses what is no recording, and to write over what it reads", async () => {
    const newer = '{"type":"header","kind":"Recording","apiVersion":"charthouse.dev/v7"}\n'
    expect(await charthouse(["replay", "given"], { given: newer })).toEqual({
      code: 2,
      stdout: "",
      stderr:
        'error: given: its first line has the form "charthouse.dev/v7": charthouse.dev/v1 is read here. Open it with the charthouse that wrote it\n'
    })
    expect(await charthouse(["replay", "a", "-o", "./a"], { a: "" })).toMatchObject({
      code: 2,
      stderr: "error: ./a is the recording: say with -o where else its page goes\n"
    })
  })

  it("writes a page with the recording in it, as far as that goes, and prints where", async () => {
    await using cluster = await rolledWeb({ record: { title: "a <b>bold</b> title" } })
    const text = await cluster.recording()
    const file = join(aFolder(), "web.recording")
    writeFileSync(file, text)
    const { code, stdout, stderr } = await charthouse(["replay", file])
    expect([code, stderr, stdout]).toEqual([0, "", `${file.replace(/recording$/, "html")}\n`])
    const page = readFileSync(stdout.trimEnd(), "utf8")
    expect(page).toContain('<script type="application/vnd.charthouse.recording"')
    expect(page).not.toContain("<b>bold")
    const foreign = text.replace(/"version":"[^"]*"/, '"version":"9.9.0"')
    const { stderr: said } = await charthouse(["replay", "foreign.rec", "-o", "-"], {
      "foreign.rec": foreign
    })
    expect(said).toMatch(
      /^foreign\.rec was written by charthouse 9\.9\.0, this is [\d.]+: charts may differ$/m
    )
    const cut = await charthouse(["replay", "cut", "-o", "-"], { cut: text.slice(0, 40_000) })
    expect([cut.code, cut.stderr]).toEqual([0, "cut is cut off: it is shown as far as it goes\n"])
    expect(cut.stdout).toContain("</html>")
  })
})
