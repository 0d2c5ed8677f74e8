import { spawn } from "node:child_process"
import * as Effect from "effect/Effect"
import { parseDuration } from "../../src/kubernetes/meta/amounts/durations.ts"
import { readTranscript, writeTranscript } from "./transcript.ts"
import type { KubectlSandbox } from "./sandbox.ts"

/** A command of a story, with its extensions to the shell. */
interface StoryCommand {
  readonly shell: string
  /** `$ advance 30s` advances the cluster's clock; `$ … & advance 30s` does while the command waits. */
  readonly advance: number | undefined
  /** `$ … & advance 30s, then ^C` stops a command that does not end by itself. */
  readonly isStopped: boolean
}

const parseCommand = (line: string): StoryCommand => {
  const [, shell = "", duration, stop] =
    /^([^]*?)(?:(?:^|\s+& )advance (\S+?)(, then \^C)?)?$/.exec(line) ?? []
  const advance = duration === undefined ? undefined : parseDuration(duration)
  if (duration !== undefined && advance === undefined) throw new Error(`${duration} is no length of time`)
  return {
    shell: shell.trim(),
    advance,
    isStopped: stop !== undefined
  }
}

/** Runs a story's commands in a new sandbox, and returns the story with their actual output. */
export const playStory = async (story: string, sandbox: KubectlSandbox): Promise<string> => {
  const steps = []
  for (const step of readTranscript(story)) {
    const storyCommand = parseCommand(step.command.join("\n"))
    const output = await perform(storyCommand, { sandbox, expected: step.output })
    steps.push({ ...step, output })
  }
  return writeTranscript(steps)
}

const commandMillisMax = 60_000
/** A command counts as waiting after so long without output or requests, or after this time in any case. */
const waitingMillis = 300
const askingMillis = 2000
/** Time for an endless command to print the expected output, and then anything else. */
const printingMillis = 4000
const quietMillis = 250

const perform = async (
  { shell, advance, isStopped }: StoryCommand,
  { sandbox, expected }: { readonly sandbox: KubectlSandbox; readonly expected: string }
): Promise<string> => {
  const pass = async (): Promise<void> => {
    if (advance !== undefined) await Effect.runPromise(Effect.orDie(sandbox.cluster.advance(advance)))
  }
  if (shell === "") {
    await pass()
    return ""
  }
  const requestsBefore = sandbox.requests()
  const child = spawn("bash", ["-c", shell], {
    cwd: sandbox.home,
    env: sandbox.environment,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"]
  })
  const stop = (signal: "SIGINT" | "SIGKILL"): void => {
    if (child.pid !== undefined) process.kill(-child.pid, signal)
  }
  const printed = { out: "", err: "" }
  child.stdout.on("data", (bytes: Buffer) => (printed.out += bytes.toString()))
  child.stderr.on("data", (bytes: Buffer) => (printed.err += bytes.toString()))
  const limit = setTimeout(() => stop("SIGKILL"), commandMillisMax)
  let exitCode: number | undefined
  const ended = new Promise<void>((resolve) => {
    child.once("close", (code) => {
      exitCode = code ?? -1
      resolve()
    })
  })
  const until = async (holds: (waited: number) => boolean, millisMax: number): Promise<void> => {
    for (let waited = 0; waited < millisMax && exitCode === undefined && !holds(waited); waited += 20) {
      await pause(20)
    }
  }
  const normalizedOutput = (): string => sandbox.normalize(textOf(printed))
  if (advance !== undefined || isStopped) {
    let lastActivity = ""
    let since = 0
    await until((waited) => {
      const now = `${sandbox.requests() - requestsBefore} ${printed.out.length} ${printed.err.length}`
      if (now !== lastActivity) since = waited
      lastActivity = now
      return !now.startsWith("0 ") && waited - since >= waitingMillis
    }, askingMillis)
    await pass()
  }
  if (isStopped) {
    await until(() => normalizedOutput().length >= expected.length, printingMillis)
    await pause(quietMillis)
    if (exitCode === undefined) stop("SIGINT")
  }
  await ended
  clearTimeout(limit)
  const failed = exitCode === 0 || isStopped ? "" : `[exit ${exitCode}]`
  return [normalizedOutput(), failed].filter((text) => text !== "").join("\n")
}

const pause = (millis: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, millis)
  })

const textOf = ({ out, err }: { readonly out: string; readonly err: string }): string => {
  const errLines = err.trimEnd().split("\n")
  const marked = err === "" ? [] : errLines.map((line) => `! ${line}`)
  return [...(out === "" ? [] : [out.trimEnd()]), ...marked].join("\n")
}
