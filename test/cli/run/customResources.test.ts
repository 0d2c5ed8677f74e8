import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { aWebsite, websiteDefinition } from "../../builders/customResources.ts"
import { charthouse } from "../harness/charthouse.ts"
import { temporaryFolder } from "../harness/kubeconfigs.ts"
import { up } from "../harness/servingCommand.ts"

const asText = (...objects: ReadonlyArray<object>): string =>
  objects.map((it) => JSON.stringify(it)).join("\n---\n")

const story = (steps: ReadonlyArray<object>, start: ReadonlyArray<unknown> = []): string =>
  JSON.stringify({
    apiVersion: "charthouse.dev/v1",
    kind: "Scenario",
    metadata: { name: "websites" },
    spec: { start, steps }
  })

const files = {
  "crd.yaml": asText(websiteDefinition()),
  "cr.yaml": asText(aWebsite()),
  "large.yaml": asText(aWebsite({ spec: { size: 10 } })),
  "misspelt.yaml": asText(aWebsite({ spec: { sise: 1 } })),
  "both.yaml": asText(aWebsite(), websiteDefinition()),
  "start.story.yaml": story([{ apply: "cr.yaml" }], ["cr.yaml", "crd.yaml"]),
  "steps.story.yaml": story([{ apply: "crd.yaml" }, { apply: [aWebsite({ spec: { size: 4 } })] }]),
  "late.story.yaml": story([{ apply: "cr.yaml" }, { apply: "crd.yaml" }]),
  "large.story.yaml": story([{ apply: ["crd.yaml", aWebsite({ spec: { size: 10 } })] }])
}

const run = (...args: ReadonlyArray<string>) => charthouse(["run", ...args], files)
const noMatch = 'no matches for kind "Website" in version "example.com/v1"'
const tooLarge = "spec.size in body should be less than or equal to 9"

describe("run with custom resources", () => {
  it.each([
    { why: "the definition in a file before", args: ["-f", "crd.yaml", "-f", "cr.yaml"] },
    { why: "both in one file", args: ["-f", "both.yaml"] },
    { why: "both in the start of a story", args: ["start.story.yaml"] },
    { why: "in two steps of a story", args: ["steps.story.yaml"] }
  ])("applies them: $why", async ({ args }) => {
    const { code, stdout, stderr } = await run(...args)
    expect(stderr).toBe("")
    expect([code, stdout]).toEqual([0, expect.any(String)])
  })

  it("prints what was applied", async () => {
    const { stdout } = await run("-f", "both.yaml")
    expect(stdout).toMatch(
      /CustomResourceDefinition\/websites\.example\.com +Applied +created\n.* Website\/blog +Applied +created/
    )
  })

  it.each([
    {
      why: "before their definition",
      args: ["-f", "cr.yaml", "-f", "crd.yaml"],
      says: `cr.yaml:1:32: ${noMatch}`
    },
    { why: "before their definition in a story", args: ["late.story.yaml"], says: noMatch },
    { why: "invalid by their schema", args: ["-f", "crd.yaml", "-f", "large.yaml"], says: tooLarge },
    { why: "invalid by their schema in a story", args: ["large.story.yaml"], says: tooLarge },
    {
      why: "with a field that their schema does not have",
      args: ["-f", "crd.yaml", "-f", "misspelt.yaml"],
      says: 'unknown field "spec.sise"'
    }
  ])("refuses them before it begins: $why", async ({ args, says }) => {
    const { code, stderr } = await run(...args)
    expect([code, stderr]).toEqual([2, expect.stringContaining(says)])
  })
})

it("up applies custom resources of a definition in the snapshot that it restores", async () => {
  const folder = temporaryFolder()
  const paths = Object.fromEntries(
    ["config", "crd.yaml", "cr.yaml", "world.json"].map((name) => [name, join(folder, name)])
  )
  const { config = "", "crd.yaml": crd = "", "cr.yaml": cr = "", "world.json": snapshot = "" } = paths
  writeFileSync(crd, files["crd.yaml"])
  writeFileSync(cr, files["cr.yaml"])
  const serve = (...args: ReadonlyArray<string>) => up([...args, "--kubeconfig", config], /Ctrl-C ends it/)
  const first = await serve("-f", crd, "--clock", "virtual")
  expect(await charthouse(["snapshot", "save", snapshot, "--kubeconfig", config])).toMatchObject({ code: 0 })
  await first.end("SIGTERM")
  const second = await serve("--snapshot", snapshot, "-f", cr)
  expect(second.printed()).toMatch(/Website\/blog +Applied +created/)
  await second.end("SIGTERM")
})
