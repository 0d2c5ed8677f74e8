// Compares two built trees of this project byte by byte. See README.md beside this file.
import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { commandJobs, harvestedJobs } from "./commandJobs.ts"
import { compareFolders } from "./compareFolders.ts"
import { compareStores } from "./compareStores.ts"
import { compareTexts } from "./compareTexts.ts"
import { runCommands } from "./runCommands.ts"
import { runSessions } from "./sessions.ts"
import type { CommandJob } from "./commandJobs.ts"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: "string", default: "compared" },
    seeds: { type: "string", default: "20" },
    manifests: { type: "string" },
    workers: { type: "string", default: String(availableParallelism()) },
    accept: { type: "boolean", default: false },
    only: { type: "string", default: "texts,commands,harvested,sessions,clusters,stores" }
  }
})
const [base, next] = positionals.map((it) => resolve(it))
if (base === undefined || next === undefined)
  throw new Error("node scripts/compare/main.ts BASE NEW --out DIR")
const out = resolve(values.out)
const seeds = Number(values.seeds)
const here = import.meta.dirname
const vitest = join(next, "node_modules/vitest/vitest.mjs")
const workers = Number(values.workers)
mkdirSync(out, { recursive: true })

/** The same inputs for both trees, from the older one; `-next` beside each project has other images. */
const prepareInputs = (): string => {
  const inputs = join(out, "inputs")
  if (existsSync(inputs)) return inputs
  for (const name of ["scenarios", "examples"]) {
    cpSync(join(base, "scripts", name), join(inputs, name), { recursive: true })
  }
  mkdirSync(join(inputs, "manifests"))
  if (values.manifests === undefined) return inputs
  for (const entry of readdirSync(values.manifests, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue
    const project = join(inputs, "manifests", entry.name)
    cpSync(join(values.manifests, entry.name), project, { recursive: true })
    cpSync(project, `${project}-next`, { recursive: true })
    for (const file of readdirSync(`${project}-next`)) {
      const path = join(`${project}-next`, file)
      writeFileSync(path, readFileSync(path, "utf8").replaceAll(/^(\s*(?:- )?image: [^\s#]+)/gm, "$1-next"))
    }
  }
  return inputs
}

const runVitest = (tree: string, config: string, env: Readonly<Record<string, string>>): void => {
  const given = [vitest, "run", "--config", join(here, config)]
  const { stdout } = spawnSync(process.execPath, given, {
    cwd: tree,
    env: { ...process.env, ...env, NO_COLOR: "1" },
    encoding: "utf8",
    maxBuffer: 1 << 28
  })
  console.log(
    `  ${stdout
      .split("\n")
      .filter((line) => /^\s+(Tests|Test Files|Duration) /.test(line))
      .join("\n  ")}`
  )
}

const commitOf = (tree: string): string =>
  execFileSync("git", ["-C", tree, "rev-parse", "HEAD"], { encoding: "utf8" }).trim()

/** Runs a part with a tree, unless the same commit has been through it. */
const produce = async (part: string, tree: string, run: (folder: string) => unknown): Promise<string> => {
  const folder = join(out, tree === base ? "base" : "next", part)
  const stamp = `${folder}.commit`
  const commit = ["commands", "harvested", "clusters"].includes(part)
    ? `${commitOf(tree)} ${seeds}`
    : commitOf(tree)
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === commit) return folder
  // A run of the commands that was ended goes on where it was.
  const begun = `${folder}.begun`
  const goesOn = existsSync(begun) && readFileSync(begun, "utf8") === commit
  if (!goesOn) rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(begun, commit)
  const began = Date.now()
  await run(folder)
  console.log(`  ${part} of ${tree}: ${Math.round((Date.now() - began) / 1000)}s`)
  writeFileSync(stamp, commit)
  return folder
}

const both = async (
  part: string,
  run: (tree: string, folder: string) => unknown
): Promise<[string, string]> => {
  const first = await produce(part, base, (folder) => run(base, folder))
  return [first, await produce(part, next, (folder) => run(next, folder))]
}

const compareCommands = async (
  part: string,
  inputs: string,
  jobs: ReadonlyArray<CommandJob>
): Promise<void> => {
  console.log(`  ${jobs.length} jobs`)
  const run = (tree: string, folder: string) => runCommands({ tree, inputs, out: folder, jobs, workers })
  compareFolders(...(await both(part, run)))
}

const parts: Readonly<Record<string, () => Promise<unknown>>> = {
  texts: async () => compareTexts(base, next, values.accept),
  commands: async () => {
    const inputs = prepareInputs()
    return compareCommands("commands", inputs, commandJobs({ inputs, seeds }))
  },
  harvested: async () => {
    const harvest = await produce("harvest", base, (folder) =>
      runVitest(base, "harvest.config.mjs", { HARVEST_OUT: folder })
    )
    return compareCommands("harvested", prepareInputs(), harvestedJobs(harvest, seeds))
  },
  sessions: async () => {
    const inputs = prepareInputs()
    return compareFolders(
      ...(await both("sessions", (tree, folder) => runSessions({ tree, inputs, out: folder })))
    )
  },
  clusters: async () =>
    compareFolders(
      ...(await both("clusters", (tree, folder) =>
        execFileSync(process.execPath, [join(here, "clusterRuns.ts"), tree, folder, String(seeds)], {
          stdio: "inherit"
        })
      ))
    ),
  stores: async () =>
    compareStores(
      ...(await both("stores", (tree, folder) =>
        runVitest(tree, "digestStores.config.mjs", { DIGEST_OUT: folder })
      ))
    )
}

for (const name of values.only.split(",")) {
  const part = parts[name]
  if (part === undefined) throw new Error(`no part ${name}: ${Object.keys(parts).join(", ")}`)
  console.log(`\n# ${name}`)
  await part()
}
