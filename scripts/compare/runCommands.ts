import { spawn } from "node:child_process"
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { splitPage } from "./normalize.ts"
import type { CommandJob } from "./commandJobs.ts"

const shared = ["scenarios", "examples", "manifests"]
const timeoutMillis = 300_000

/** Runs jobs with one tree's command, and writes what each prints, its exit code and the files that it makes. */
export const runCommands = async (options: {
  readonly tree: string
  readonly inputs: string
  readonly out: string
  readonly jobs: ReadonlyArray<CommandJob>
  readonly workers: number
}): Promise<void> => {
  const { tree, inputs, out, jobs, workers } = options
  // Both trees work in paths of the same length, since lines are wrapped.
  const work = `${out}.work`
  rmSync(work, { recursive: true, force: true })
  mkdirSync(join(work, "node_modules"), { recursive: true })
  mkdirSync(out, { recursive: true })
  symlinkSync(tree, join(work, "node_modules/charthouse"))
  for (const name of shared) cpSync(join(inputs, name), join(work, name), { recursive: true })
  const pending = jobs.entries()
  const one = async (): Promise<void> => {
    for (const [index, job] of pending) {
      if (existsSync(join(out, `${job.name}.code`))) continue
      const folder = join(work, `job-${String(index).padStart(4, "0")}`)
      mkdirSync(folder)
      for (const name of shared) symlinkSync(join(work, name), join(folder, name))
      for (const [name, text] of Object.entries(job.files ?? {})) {
        mkdirSync(dirname(join(folder, name)), { recursive: true })
        writeFileSync(join(folder, name), text)
      }
      const { code, ...texts } = await runOne(tree, folder, job.args)
      // The code comes last: what has one is whole.
      const results = { ...texts, ...madeFiles(folder, Object.keys(job.files ?? {})), code }
      for (const [name, text] of Object.entries(results)) {
        const neutral = text.replaceAll(folder, "JOB").replaceAll(work, "WORK").replaceAll(tree, "TREE")
        for (const [part, content] of splitPage(`${job.name}.${name.replaceAll("/", "_")}`, neutral)) {
          writeFileSync(join(out, part), content)
        }
      }
      rmSync(folder, { recursive: true })
    }
  }
  await Promise.all(Array.from({ length: workers }, one))
  rmSync(work, { recursive: true })
}

const runOne = (
  tree: string,
  cwd: string,
  args: ReadonlyArray<string>
): Promise<{ stdout: string; stderr: string; code: string }> =>
  new Promise((resolve) => {
    const command = join(tree, "dist/src/packed/command/start.js")
    const env = { PATH: process.env["PATH"], HOME: cwd, NO_COLOR: "1", COLUMNS: "100", LC_ALL: "C" }
    const child = spawn(process.execPath, [command, ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] })
    const parts = { stdout: "", stderr: "" }
    child.stdout.setEncoding("utf8").on("data", (text: string) => (parts.stdout += text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => (parts.stderr += text))
    const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMillis)
    child.once("close", (code, signal) => {
      clearTimeout(timer)
      resolve({ ...parts, code: String(code ?? signal) })
    })
  })

/** The files that a job has made, by their names. */
const madeFiles = (folder: string, given: ReadonlyArray<string>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .filter((name) => !given.includes(name) && !shared.some((it) => name.startsWith(`${it}/`)))
      .map((name) => [name, readFileSync(join(folder, name), "utf8")])
  )
