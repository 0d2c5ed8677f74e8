import { execFile } from "node:child_process"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { runHosted, type CommandResult } from "./hostedCommand.ts"
import { command, commandMillisMax } from "./testedCommand.ts"

type Run = (
  args: ReadonlyArray<string>,
  folder: string,
  variables: Readonly<Record<string, string>>
) => Promise<CommandResult>

const inFolder =
  (run: Run) =>
  async (
    args: ReadonlyArray<string>,
    files: Readonly<Record<string, string>> = {},
    variables: Readonly<Record<string, string>> = {}
  ): Promise<CommandResult> => {
    const folder = await mkdtemp(join(tmpdir(), "charthouse-"))
    try {
      for (const [name, text] of Object.entries(files)) {
        await mkdir(dirname(join(folder, name)), { recursive: true })
        await writeFile(join(folder, name), text)
      }
      return await run(args, folder, { NO_COLOR: "1", ...variables })
    } finally {
      await rm(folder, { recursive: true })
    }
  }

/** Runs the command line in a temporary folder with these files, and these variables beside those of the tests. */
export const charthouse = inFolder(runHosted)

/** As `charthouse`, in a process of its own: for commands that serve, or that end their process. */
export const charthouseProcess = inFolder(
  (args, folder, variables) =>
    new Promise((done) => {
      const env = { ...process.env, ...variables }
      const options = { cwd: folder, env, maxBuffer: 64 * 1024 * 1024, timeout: commandMillisMax }
      execFile(process.execPath, [command, ...args], options, (error, stdout, stderr) => {
        done({ code: typeof error?.code === "number" ? error.code : error === null ? 0 : -1, stdout, stderr })
      })
    })
)

/** The YAML of a Deployment; `more` is appended to its spec, from line 18 on. */
export const deploymentYaml = (
  options: {
    readonly name?: string
    readonly replicas?: number | string
    readonly selects?: string
    readonly image?: string
    readonly more?: string
  } = {}
): string => {
  const { name = "web", replicas = 3, selects = "web", image = "web:1", more = "" } = options
  return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
spec:
  replicas: ${replicas}
  selector:
    matchLabels:
      app: ${selects}
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
        - name: web
          image: ${image}
${more}`
}
