import { fork, type ChildProcess } from "node:child_process"
import { projectPath } from "../../projectPath.ts"
import { commandMillisMax, mainModule } from "./testedCommand.ts"
import type { HostedRun, HostMessage } from "./commandHost.ts"

export interface CommandResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

let host: ChildProcess | undefined

/** It ends with this process, and does not keep it alive. */
const startHost = (): ChildProcess => {
  const child = fork(projectPath("test/cli/harness/commandHost.ts"), [mainModule], {
    execArgv: [],
    stdio: ["pipe", "ignore", "inherit", "ipc"]
  })
  child.once("exit", () => (host = undefined))
  child.unref()
  child.channel?.unref()
  return child
}

const run = (task: HostedRun): Promise<CommandResult> =>
  new Promise((done) => {
    const child = (host ??= startHost())
    const printed = { stdout: "", stderr: "" }
    const end = (code: number): void => {
      clearTimeout(timeout)
      child.off("message", onMessage)
      child.off("exit", onExit)
      done({ code, ...printed })
    }
    const onMessage = (message: HostMessage): void => {
      if ("code" in message) end(message.code)
      else printed[message.stream] += message.text
    }
    /** A command may end its process: the next one gets another. */
    const onExit = (code: number | null): void => end(code ?? -1)
    const timeout = setTimeout(() => child.kill("SIGKILL"), commandMillisMax)
    child.on("message", onMessage)
    child.once("exit", onExit)
    child.send(task)
  })

let last: Promise<unknown> = Promise.resolve()

/** Runs a command in a process that has run others; one at a time, since a process has one working directory. */
export const runHosted = (
  args: HostedRun["args"],
  folder: HostedRun["folder"],
  variables: HostedRun["variables"]
): Promise<CommandResult> => {
  const result = last.then(() => run({ args, folder, variables }))
  last = result
  return result
}
