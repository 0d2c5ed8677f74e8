import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { beginBuild, isBuilt } from "../scripts/built.ts"

const folders: Array<string> = []
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })))

const compilersMemory = "node_modules/.cache/tsbuildinfo.build"

/** A project whose build has made one file of another. */
const aProject = () => {
  const root = mkdtempSync(join(tmpdir(), "charthouse-built-"))
  folders.push(root)
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  write("src/a.ts", "a")
  write("package.json", "{}")
  const built = beginBuild(root)
  write("dist/src/a.js", "a")
  write("src/generated/b.json", "{}")
  write(compilersMemory, "{}")
  built()
  return { root, write }
}

describe("what is built", () => {
  it("need not be built again while nothing has changed", () => {
    const { root } = aProject()
    expect(isBuilt(root)).toBe(true)
  })

  it.each([
    { what: "a source", path: "src/a.ts", text: "b" },
    { what: "a source that is new", path: "src/deep/c.ts", text: "" },
    { what: "a source that is gone", path: "src/a.ts" },
    { what: "a script of the build", path: "scripts/pack.ts", text: "" },
    { what: "what is installed", path: "node_modules/.package-lock.json", text: "{}" },
    { what: "what was built", path: "dist/src/a.js", text: "b" },
    { what: "what was built and is gone", path: "dist/src/a.js" },
    { what: "what was generated", path: "src/generated/b.json", text: "[]" }
  ])("is to be built again after a change of $what", ({ path, text }) => {
    const { root, write } = aProject()
    if (text === undefined) rmSync(join(root, path))
    else write(path, text)
    expect(isBuilt(root)).toBe(false)
  })

  it("is to be built again where a source has changed while it was built", () => {
    const { root, write } = aProject()
    const built = beginBuild(root)
    write("src/a.ts", "b")
    built()
    expect(isBuilt(root)).toBe(false)
  })

  it("is to be built again after a build that has failed", () => {
    const { root } = aProject()
    beginBuild(root)
    expect(isBuilt(root)).toBe(false)
  })

  it("is written anew by the compiler only where somebody has touched what it wrote", () => {
    const { root, write } = aProject()
    write("src/a.ts", "b")
    beginBuild(root)()
    expect(existsSync(join(root, compilersMemory))).toBe(true)
    rmSync(join(root, "dist/src/a.js"))
    beginBuild(root)
    expect(existsSync(join(root, compilersMemory))).toBe(false)
  })
})
