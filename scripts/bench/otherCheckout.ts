import { spawnSync } from "node:child_process"
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync
} from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join, resolve } from "node:path"
import { InvalidArgument } from "./benchArguments.ts"

const here = resolve(import.meta.dirname, "../..")

export interface OtherCheckout {
  readonly folder: string
  readonly title: string
}

/**
 * Builds a commit in the temporary folder, where the build stays for later runs. A folder with a package counts as a
 * built checkout. Throws `InvalidArgument` for an unknown commit.
 */
export const otherCheckout = (reference: string): OtherCheckout => {
  if (existsSync(join(reference, "package.json"))) return { folder: resolve(reference), title: reference }
  const commit = git(["rev-parse", "--verify", "--quiet", "--end-of-options", `${reference}^{commit}`])
  if (commit === undefined) throw new InvalidArgument(`--against: git knows no commit ${reference}`)
  const title = git(["log", "-1", "--format=%h %s", commit]) ?? commit
  const builds = join(tmpdir(), `charthouse-bench-${process.getuid?.() ?? "built"}`)
  makeFolderOfUser(builds)
  const folder = join(builds, commit)
  if (!existsSync(folder)) build(commit, folder)
  return { folder, title }
}

/**
 * Makes a folder that only this user can open, since programs in it are run. Throws if it exists and belongs to another
 * user or is open to others. Systems without user ids have a temporary folder per user.
 */
export const makeFolderOfUser = (folder: string, user = process.getuid?.()): void => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (user === undefined) return
  // `lstat`, since the owner of a link could redirect it.
  const stats = lstatSync(folder)
  if (!stats.isDirectory() || stats.uid !== user || (stats.mode & 0o077) !== 0)
    throw new Error(
      `${folder} is not a folder of this user alone, so nothing is built there and run: remove it`
    )
}

const build = (commit: string, folder: string): void => {
  const making = mkdtempSync(`${folder}-`)
  process.stderr.write(`building ${commit} in ${folder}\n`)
  try {
    run("git", ["clone", "--quiet", "--no-checkout", here, making], here)
    run("git", ["fetch", "--quiet", here, commit], making, { isOptional: true })
    run("git", ["checkout", "--quiet", "--detach", commit], making)
    if (isSameFile(making, "package-lock.json")) linkPackages(making)
    // The lock files of some commits lack what other systems need, which npm ci refuses and npm install adds.
    else if (!run("npm", ["ci", ...quietly], making, { isOptional: true }))
      run("npm", ["install", "--no-save", ...quietly], making)
    run("npm", ["run", "build"], making)
    keepBuild(making, folder)
  } catch (error) {
    rmSync(making, { recursive: true, force: true })
    throw error
  }
}

/** If another run has built the same commit meanwhile, its build stays. */
export const keepBuild = (made: string, folder: string): void => {
  try {
    renameSync(made, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
    rmSync(made, { recursive: true, force: true })
  }
}

const quietly = ["--no-audit", "--no-fund"]

const isSameFile = (folder: string, file: string): boolean =>
  readFileSync(join(folder, file), "utf8") === readFileSync(join(here, file), "utf8")

/** Links each package; `.cache` belongs to one checkout. */
const linkPackages = (folder: string): void => {
  mkdirSync(join(folder, "node_modules"))
  for (const name of readdirSync(join(here, "node_modules")))
    if (name !== ".cache")
      symlinkSync(join(here, "node_modules", name), join(folder, "node_modules", name), "junction")
}

const git = (args: ReadonlyArray<string>): string | undefined => {
  const { status, stdout } = spawnSync("git", args, { cwd: here, encoding: "utf8" })
  return status === 0 ? stdout.trim() : undefined
}

/** Returns whether the command succeeded. Throws its output if it failed, unless it is optional. */
const run = (
  command: string,
  args: ReadonlyArray<string>,
  folder: string,
  { isOptional = false } = {}
): boolean => {
  // npm's variables for the running script describe this checkout.
  const isOfScript = /^(npm_(package|lifecycle)_|npm_config_local_prefix$|INIT_CWD$)/
  const ownVariables = Object.entries(process.env).filter(([name]) => !isOfScript.test(name))
  const PATH = [dirname(process.execPath), process.env["PATH"]].join(delimiter)
  const env = { ...Object.fromEntries(ownVariables), PATH }
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: folder, encoding: "utf8", env })
  if (error !== undefined) throw error
  if (status !== 0 && !isOptional)
    throw new Error(`${[command, ...args].join(" ")} failed in ${folder}:\n${stdout}${stderr}`)
  return status === 0
}
