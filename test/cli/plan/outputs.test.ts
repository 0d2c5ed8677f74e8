import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { deploymentYaml } from "../harness/charthouse.ts"
import { inProcess } from "../harness/inProcess.ts"

const folder = mkdtempSync(join(tmpdir(), "charthouse-outputs-"))
afterAll(() => rmSync(folder, { recursive: true }))
const pathOf = (name: string) => join(folder, name)
writeFileSync(pathOf("v1.yaml"), deploymentYaml())
writeFileSync(pathOf("v2.yaml"), deploymentYaml({ image: "web:2" }))
const plan = (...args: ReadonlyArray<string>) =>
  inProcess(["plan", "-f", pathOf("v2.yaml"), "--from", pathOf("v1.yaml"), "--seeds", "1", ...args])

describe("the outputs of plan", () => {
  it("go to files, and the table is printed", async () => {
    const files = { markdown: "c.md", sarif: "p.sarif", junit: "p.xml", github: "g.txt", json: "p.json" }
    const outputs = Object.entries(files).flatMap(([format, file]) => ["-o", `${format}=${pathOf(file)}`])
    const { stdout } = await plan(...outputs)
    expect(stdout).toMatch(/^✓ ships/)
    const beginnings = Object.values(files).map((file) => readFileSync(pathOf(file), "utf8").split("\n")[0])
    expect(beginnings).toEqual([
      "<!-- charthouse plan -->",
      "{",
      '<?xml version="1.0" encoding="UTF-8"?>',
      "::notice title=charthouse plan::1 rollout ships, played with 1 seed",
      "{"
    ])
  })

  it("are one that is printed, and others in files", async () => {
    const { stdout } = await plan("-o", "github", "-o", `table=${pathOf("table.txt")}`)
    expect(stdout).toMatch(/^::notice /)
    expect(readFileSync(pathOf("table.txt"), "utf8")).toMatch(/^✓ ships/)
  })

  const refused = [
    {
      why: "two would be printed",
      args: ["-o", "json", "-o", "sarif"],
      message:
        "error: -o json and -o sarif would both be printed: write all but one to a file, as -o json=FILE"
    },
    {
      why: "two go to one file",
      args: ["-o", `json=${pathOf("x")}`, "-o", `sarif=${pathOf("x")}`],
      message: `error: two outputs go to the file ${JSON.stringify(pathOf("x"))}`
    },
    {
      why: "a folder is missing",
      args: ["-o", `sarif=${pathOf("no/where")}`],
      message: `error: ${pathOf("no/where")} cannot be written: `
    },
    {
      why: "the format is unknown",
      args: ["-o", "yaml"],
      message: "one of table, json, html, markdown, sarif, junit, github, or FORMAT=FILE"
    }
  ]
  it.each(refused)("are refused before anything is played if $why", async ({ args, message }) => {
    const { stdout, stderr } = await plan(...args)
    expect(stdout).not.toContain("ships")
    expect(stderr).toContain(message)
    expect(existsSync(pathOf("x"))).toBe(false)
  })
})
