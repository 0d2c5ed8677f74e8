import { createHash } from "node:crypto"
import { globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"

const here = resolve(import.meta.dirname, "..")
const cache = "node_modules/.cache"
const stamp = join(cache, "built.json")

/** Everything that the build reads; of its outputs, only `src/generated` lies among them. */
const inputPatterns = [
  "src/**",
  "machines/**",
  "scripts/*",
  "scripts/generate/**",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "node_modules/.package-lock.json"
]
const outputPatterns = ["dist/**", "src/generated/**"]
const isGenerated = (path: string): boolean => /^src[/\\]generated\b/.test(path)

const hashOf = (root: string, paths: ReadonlyArray<string>): string => {
  const hash = createHash("sha256")
  for (const path of paths.toSorted()) {
    const file = join(root, path)
    if (statSync(file).isFile()) hash.update(`\0${path}\0`).update(readFileSync(file))
  }
  return hash.digest("hex")
}

const inputs = (root: string): string => {
  const paths = globSync(inputPatterns, { cwd: root }).filter((path) => !isGenerated(path))
  return `${process.version} ${hashOf(root, paths)}`
}
const outputs = (root: string): string => hashOf(root, globSync(outputPatterns, { cwd: root }))

interface Stamp {
  readonly inputs: string
  readonly outputs: string
}

const readStamp = (root: string): Stamp | undefined => {
  try {
    return JSON.parse(readFileSync(join(root, stamp), "utf8")) as Stamp
  } catch {
    return undefined
  }
}

/** Whether the outputs of the last build are unchanged and made of the present inputs. */
export const isBuilt = (root = here): boolean => {
  const lastStamp = readStamp(root)
  return lastStamp !== undefined && lastStamp.outputs === outputs(root) && lastStamp.inputs === inputs(root)
}

/**
 * Makes the incremental compiler forget its state if its outputs were changed or removed. Call the returned function
 * after the build: it records the inputs as they were before.
 */
export const beginBuild = (root = here): (() => void) => {
  if (readStamp(root)?.outputs !== outputs(root)) {
    rmSync(join(root, cache, "tsbuildinfo.build"), { force: true })
  }
  rmSync(join(root, stamp), { force: true })
  const inputsAtBegin = inputs(root)
  return () => {
    mkdirSync(join(root, cache), { recursive: true })
    writeFileSync(
      join(root, stamp),
      JSON.stringify({ inputs: inputsAtBegin, outputs: outputs(root) } satisfies Stamp)
    )
  }
}
