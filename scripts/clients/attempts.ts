import { execFile } from "node:child_process"

/** What a foreign client tried, and whether the server did as the client expects of Kubernetes. */
export interface Attempt {
  readonly client: string
  readonly what: string
  readonly isOk: boolean
  /** The result in one line. */
  readonly detail: string
}

export type Report = (attempt: Attempt) => void

export interface CommandResult {
  readonly code: number
  readonly out: string
  readonly errors: string
}

const commandMillisMax = 600_000

export const runCommand = (
  file: string,
  args: ReadonlyArray<string>,
  environment: NodeJS.ProcessEnv
): Promise<CommandResult> =>
  new Promise((resolve) => {
    const options = { env: environment, timeout: commandMillisMax, maxBuffer: 64 * 1024 * 1024 }
    execFile(file, [...args], options, (error, out, errors) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1
      resolve({ code, out, errors: errors === "" && error !== null ? error.message : errors })
    })
  })

export const firstLine = (text: string): string => text.trim().split("\n")[0] ?? ""
