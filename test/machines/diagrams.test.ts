import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, describe, expect, it } from "vitest"

const root = resolve(import.meta.dirname, "../..")
const readme = join(root, "machines/README.md")
const folder = mkdtempSync(join(tmpdir(), "diagrams-"))
afterAll(() => rmSync(folder, { recursive: true }))

const check = (path: string) => {
  const { status, stderr } = spawnSync(process.execPath, ["scripts/diagrams.ts", "--check", path], {
    cwd: root,
    encoding: "utf8"
  })
  return { status, stderr }
}

describe("scripts/diagrams.ts --check", () => {
  it.each(["machines/README.md", "src/steering/README.md"])(
    "finds the diagrams and listings of %s up to date",
    (path) => {
      expect(check(join(root, path))).toEqual({ status: 0, stderr: "" })
    }
  )

  it("fails for an outdated diagram and names the command to run", () => {
    const path = join(folder, "stale.md")
    writeFileSync(path, readFileSync(readme, "utf8").replace("(1) [isTerminating]", "[isTerminating]"))
    const { status, stderr } = check(path)
    expect(status).toBe(1)
    expect(stderr).toContain("run node scripts/diagrams.ts")
  })
})
