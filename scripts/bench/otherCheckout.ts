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

/** Another checkout that is built, and what the table calls it. */
export interface OtherCheckout {
  readonly folder: string
  readonly title: string
}

/**
 * Builds a commit in the folder for temporary files, where it stays for the next time. A folder that has a package is
 * taken for a checkout that is built. Throws `InvalidArgument` for a commit that git does not know, and an error that says
 * what failed.
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
 * Makes a folder that only this user can open, since what is in it is run. Throws an error if one is there that is another
 * user's, or open to others. Systems without user ids are not asked: they have a folder
 * for temporary files for each user.
 */
export const makeFolderOfUser = (folder: string, user = process.getuid?.()): void => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (user === undefined) return
  // Of a link, and not of what it leads to: its owner can let it lead elsewhere.
  const made = lstatSync(folder)
  if (!made.isDirectory() || made.uid !== user || (made.mode & 0o077) !== 0)
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

/** Gives a finished build its name. If another run has built the same commit meanwhile, its build stays. */
export const keepBuild = (made: string, folder: string): void => {
  try {
    renameSync(made, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
    rmSync(made, { recursive: true, force: true })
  }
}

// The build follows in a step of its own.
const quietly = ["--no-audit", "--no-fund"]

const isSameFile = (folder: string, file: string): boolean =>
  readFileSync(join(folder, file), "utf8") === readFileSync(join(here, file), "utf8")

/** The same packages, each as a link; what a build remembers in `.cache` is of one checkout. */
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

/** Answers whether the command succeeded. Throws what it has written if it did not, unless it is optional. */
const run = (
  command: string,
  args: ReadonlyArray<string>,
  folder: string,
  { isOptional = false } = {}
): boolean => {
  // What npm has set for the script that it runs now is about this checkout.
  const isOfScript = /^(npm_(package|lifecycle)_|npm_config_local_prefix$|INIT_CWD$)/
  const own = Object.entries(process.env).filter(([name]) => !isOfScript.test(name))
  const PATH = [dirname(process.execPath), process.env["PATH"]].join(delimiter)
  const env = { ...Object.fromEntries(own), PATH }
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: folder, encoding: "utf8", env })
  if (error !== undefined) throw error
  if (status !== 0 && !isOptional)
    throw new Error(`${[command, ...args].join(" ")} failed in ${folder}:\n${stdout}${stderr}`)
  return status === 0
}
