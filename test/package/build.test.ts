import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { beginBuild, isBuilt } from "../../scripts/built.ts"

const folders: Array<string> = []
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })))

const incrementalState = "node_modules/.cache/tsbuildinfo.build"

/** A project after a build. */
const aProject = () => {
  const root = mkdtempSync(join(tmpdir(), "charthouse-built-"))
  folders.push(root)
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  write("src/a.ts", "a")
  write("package.json", "{}")
  const finishBuild = beginBuild(root)
  write("dist/src/a.js", "a")
  write("src/generated/b.json", "{}")
  write(incrementalState, "{}")
  finishBuild()
  return { root, write }
}

describe("a build", () => {
  it("is up to date while nothing has changed", () => {
    const { root } = aProject()
    expect(isBuilt(root)).toBe(true)
  })

  it.each([
    { what: "a source", path: "src/a.ts", text: "b" },
    { what: "a new source", path: "src/deep/c.ts", text: "" },
    { what: "a deleted source", path: "src/a.ts" },
    { what: "a script of the build", path: "scripts/pack.ts", text: "" },
    { what: "the installed packages", path: "node_modules/.package-lock.json", text: "{}" },
    { what: "a built file", path: "dist/src/a.js", text: "b" },
    { what: "a deleted built file", path: "dist/src/a.js" },
    { what: "a generated file", path: "src/generated/b.json", text: "[]" }
  ])("is out of date after a change of $what", ({ path, text }) => {
    const { root, write } = aProject()
    if (text === undefined) rmSync(join(root, path))
    else write(path, text)
    expect(isBuilt(root)).toBe(false)
  })

  it("is out of date if a source has changed during the build", () => {
    const { root, write } = aProject()
    const finishBuild = beginBuild(root)
    write("src/a.ts", "b")
    finishBuild()
    expect(isBuilt(root)).toBe(false)
  })

  it("is out of date after a failed build", () => {
    const { root } = aProject()
    beginBuild(root)
    expect(isBuilt(root)).toBe(false)
  })

  it("discards the compiler's incremental state only if built files were changed", () => {
    const { root, write } = aProject()
    write("src/a.ts", "b")
    beginBuild(root)()
    expect(existsSync(join(root, incrementalState))).toBe(true)
    rmSync(join(root, "dist/src/a.js"))
    beginBuild(root)
    expect(existsSync(join(root, incrementalState))).toBe(false)
  })
})
