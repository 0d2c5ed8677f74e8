import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { describe, expect, it } from "vitest"

const root = resolve(import.meta.dirname, "..")
const readme = readFileSync(`${root}/README.md`, "utf8")

describe("the README", () => {
  it("shows what its first command really prints", () => {
    const [, command = "", shown = ""] =
      /```console\n\$ npx charthouse ([^\n]+)\n([^]*?)```/.exec(readme) ?? []
    const args = ["src/cli/main.ts", ...command.split(" ")]
    const { stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" })
    const printed = new Set(stdout.split("\n"))
    const lines = shown.split("\n").filter((line) => line.trim() !== "" && line.trim() !== "…")
    expect(lines.length).toBeGreaterThan(5)
    expect(lines.filter((line) => !printed.has(line))).toEqual([])
  })

  it("names every dependency, and no other", () => {
    const table = readme.slice(readme.indexOf("## Dependencies"))
    const named = [...table.matchAll(/^\| \[?(@?[a-z][\w/-]+)\]?(?:\([^)]*\))? \|/gm)].map(([, name]) => name)
    // Read as what npm writes there.
    const { dependencies } = JSON.parse(readFileSync(`${root}/package.json`, "utf8")) as {
      readonly dependencies: Readonly<Record<string, string>>
    }
    expect(new Set(named.filter((name) => name !== "package"))).toEqual(new Set(Object.keys(dependencies)))
  })

  it("links only to what is there", () => {
    const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, path = ""]) => path)
    expect(links.filter((path) => spawnSync("test", ["-e", `${root}/${path}`]).status !== 0)).toEqual([])
  })
})
