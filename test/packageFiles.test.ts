import { execFile } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join, posix, resolve } from "node:path"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"

const root = resolve(import.meta.dirname, "..")
const text = (path: string): string => readFileSync(join(root, path), "utf8")

interface Manifest {
  readonly bin: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
}

/** What is in the package, as `npm pack` would put it together. */
const shipped = async (): Promise<ReadonlySet<string>> => {
  const args = ["pack", "--dry-run", "--ignore-scripts", "--json"]
  const { stdout } = await promisify(execFile)("npm", args, { cwd: root, maxBuffer: 2 ** 24 })
  const told = JSON.parse(stdout) as Readonly<
    Record<string, { readonly files: ReadonlyArray<{ path: string }> }>
  >
  return new Set(Object.values(told).flatMap(({ files }) => files.map(({ path }) => path)))
}
const files = await shipped()
const declarations = [...files].filter((path) => path.endsWith(".d.ts"))

describe("the package", () => {
  it("has all that its package.json names", () => {
    const { bin, exports } = JSON.parse(text("package.json")) as Manifest
    const named = [bin, ...Object.values(exports)].flatMap((it) =>
      typeof it === "string" ? [it] : Object.values(it)
    )
    expect(named.map((path) => posix.normalize(path)).filter((path) => !files.has(path))).toEqual([])
  })

  it("has no module that is in its packed files already, and no map", () => {
    const modules = [...files].filter((path) => /\.(js|map)$/.test(path))
    expect(modules.filter((path) => !/^dist\/(src\/packed|page)\//.test(path))).toEqual([])
    expect(modules.filter((path) => path.endsWith(".map"))).toEqual([])
  })

  it("has every type that its types speak of", () => {
    const missing = declarations.flatMap((path) =>
      [...text(path).matchAll(/(?:from |import\()"(\.[^"]+)"/g)].flatMap(([, named = ""]) => {
        const found = posix.join(posix.dirname(path), named.replace(/\.(js|ts)$/, ".d.ts"))
        return files.has(found) || !existsSync(join(root, path)) ? [] : [`${path}: ${named}`]
      })
    )
    expect([declarations.length > 100, missing]).toEqual([true, []])
  })

  it("has what its command and its library read beside themselves", () => {
    const read = [
      /^dist\/charts\/.+\.svg$/,
      /^dist\/src\/generated\/openapi\/.+\.gz$/,
      /^scripts\/examples\//
    ]
    expect(read.filter((pattern) => ![...files].some((path) => pattern.test(path)))).toEqual([])
  })
})
