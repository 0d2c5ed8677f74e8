import { execFile } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { projectPath } from "../projectPath.ts"

const root = projectPath()
const text = (path: string): string => readFileSync(join(root, path), "utf8")

interface Manifest {
  readonly bin: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
}

/** The files that `npm pack` puts into the package. */
const packedFiles = async (): Promise<ReadonlySet<string>> => {
  const args = ["pack", "--dry-run", "--ignore-scripts", "--json"]
  const { stdout } = await promisify(execFile)("npm", args, { cwd: root, maxBuffer: 2 ** 24 })
  const output = JSON.parse(stdout) as Readonly<
    Record<string, { readonly files: ReadonlyArray<{ path: string }> }>
  >
  return new Set(Object.values(output).flatMap(({ files }) => files.map(({ path }) => path)))
}
const files = await packedFiles()
const declarations = [...files].filter((path) => path.endsWith(".d.ts"))

describe("the package", () => {
  it("has all files that package.json names", () => {
    const { bin, exports } = JSON.parse(text("package.json")) as Manifest
    const named = [bin, ...Object.values(exports)].flatMap((it) =>
      typeof it === "string" ? [it] : Object.values(it)
    )
    expect(named.map((path) => posix.normalize(path)).filter((path) => !files.has(path))).toEqual([])
  })

  it("has no modules besides the packed ones and those of files, and no source maps", () => {
    const modules = [...files].filter((path) => /\.(js|map)$/.test(path))
    expect(modules.filter((path) => !/^dist\/src\/(packed|generated\/(openapi|page))\//.test(path))).toEqual(
      []
    )
    expect(modules.filter((path) => path.endsWith(".map"))).toEqual([])
  })

  it("has every declaration file that its declarations import", () => {
    const missing = declarations.flatMap((path) =>
      [...text(path).matchAll(/(?:from |import\()"(\.[^"]+)"/g)].flatMap(([, named = ""]) => {
        const found = posix.join(posix.dirname(path), named.replace(/\.(js|ts)$/, ".d.ts"))
        return files.has(found) || !existsSync(join(root, path)) ? [] : [`${path}: ${named}`]
      })
    )
    expect([declarations.length > 100, missing]).toEqual([true, []])
  })

  it("has every module that its modules import", () => {
    const modules = [...files].filter((path) => path.endsWith(".js"))
    const imported = modules.flatMap((path) =>
      [...text(path).matchAll(/\b(?:from|import)\s*\(?["`](\.{1,2}\/[^"`$]+)["`]/g)].map(([, name = ""]) =>
        posix.join(posix.dirname(path), name)
      )
    )
    expect(imported).toContain("dist/src/generated/page/page.js.js")
    expect(imported.filter((path) => !files.has(path))).toEqual([])
  })

  it("has the files that its command reads", () => {
    expect([...files].filter((path) => path.startsWith("scripts/examples/"))).not.toEqual([])
  })

  it("has every file and folder that its pages link to", () => {
    const pages = [...files].filter((path) => path.endsWith(".md"))
    const folders = new Set([...files].flatMap(foldersOf))
    const missing = pages.flatMap((page) =>
      linksOf(text(page))
        .map((link) => posix.join(posix.dirname(page), link).replace(/\/$/, ""))
        .filter((target) => !files.has(target) && !folders.has(target))
        .map((target) => `${page}: ${target}`)
    )
    expect([pages.length > 10, missing]).toEqual([true, []])
  })
})

const foldersOf = (path: string): ReadonlyArray<string> => {
  const folder = posix.dirname(path)
  return folder === "." ? [] : [folder, ...foldersOf(folder)]
}

/** The relative paths of a page's links and pictures, without the headings in them. */
const linksOf = (page: string): ReadonlyArray<string> =>
  [...page.matchAll(/\]\(([^)#\s]+)|\b(?:href|src)="([^"#]+)"/g)]
    .map(([, link, attribute]) => link ?? attribute ?? "")
    .filter((link) => !/^[a-z]+:/.test(link))
