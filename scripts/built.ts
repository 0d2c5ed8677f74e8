import { createHash } from "node:crypto"
import { globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"

const here = resolve(import.meta.dirname, "..")
const cache = "node_modules/.cache"
const stamp = join(cache, "built.json")

/** All that the build reads: whatever is made by it lies elsewhere, but for `src/generated`. */
const read = [
  "src/**",
  "machines/**",
  "scripts/*",
  "scripts/generate/**",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "node_modules/.package-lock.json"
]
const made = ["dist/**", "src/generated/**"]
const isGenerated = (path: string): boolean => /^src[/\\]generated\b/.test(path)

/** Of the names and texts of files. */
const hashOf = (root: string, paths: ReadonlyArray<string>): string => {
  const hash = createHash("sha256")
  for (const path of paths.toSorted()) {
    const file = join(root, path)
    if (statSync(file).isFile()) hash.update(`\0${path}\0`).update(readFileSync(file))
  }
  return hash.digest("hex")
}

const inputs = (root: string): string => {
  const paths = globSync(read, { cwd: root }).filter((path) => !isGenerated(path))
  return `${process.version} ${hashOf(root, paths)}`
}
const outputs = (root: string): string => hashOf(root, globSync(made, { cwd: root }))

interface Stamp {
  readonly inputs: string
  readonly outputs: string
}

const stamped = (root: string): Stamp | undefined => {
  try {
    // Written at the end of a build.
    return JSON.parse(readFileSync(join(root, stamp), "utf8")) as Stamp
  } catch {
    return undefined
  }
}

/** Whether all that a build would make is there, made of just what is there to make it of. */
export const isBuilt = (root = here): boolean => {
  const then = stamped(root)
  return then !== undefined && then.outputs === outputs(root) && then.inputs === inputs(root)
}

/**
 * Prepares a build: the incremental compiler forgets its state when its outputs were changed or removed. The returned
 * function is called after the build and records which sources it was made of, as they were before it.
 */
export const beginBuild = (root = here): (() => void) => {
  if (stamped(root)?.outputs !== outputs(root)) {
    rmSync(join(root, cache, "tsbuildinfo.build"), { force: true })
  }
  rmSync(join(root, stamp), { force: true })
  const begun = inputs(root)
  return () => {
    mkdirSync(join(root, cache), { recursive: true })
    writeFileSync(
      join(root, stamp),
      JSON.stringify({ inputs: begun, outputs: outputs(root) } satisfies Stamp)
    )
  }
}
