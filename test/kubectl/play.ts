import { spawn } from "node:child_process"
import * as Effect from "effect/Effect"
import { parseDuration } from "../../src/kubernetes/meta/amounts/durations.ts"
import { readTranscript, writeTranscript } from "./transcript.ts"
import type { KubectlWorld } from "./world.ts"

/** How a command is typed in a story, beside what a shell knows. */
interface Typed {
  readonly shell: string
  /** `$ advance 30s` lets time pass, `$ … & advance 30s` while the command is waiting. */
  readonly advance: number | undefined
  /** `$ … & advance 30s, then ^C` stops a command that has no end. */
  readonly isStopped: boolean
}

const readTyped = (line: string): Typed => {
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

/** Plays a story in a fresh world and tells it again with what came of it, whatever stood there before. */
export const playStory = async (told: string, world: KubectlWorld): Promise<string> => {
  const steps = []
  for (const step of readTranscript(told)) {
    const typed = readTyped(step.command.join("\n"))
    const output = await perform(typed, { world, expected: step.output })
    steps.push({ ...step, output })
  }
  return writeTranscript(steps)
}

const commandMillisMax = 60_000
/** A command is waiting when it has been quiet for so long, or has been running for so long and asks now and then. */
const waitingMillis = 300
const askingMillis = 2000
/** How long one without an end is given to print what it is expected to, and then anything else. */
const printingMillis = 4000
const quietMillis = 250

const perform = async (
  { shell, advance, isStopped }: Typed,
  { world, expected }: { readonly world: KubectlWorld; readonly expected: string }
): Promise<string> => {
  const pass = async (): Promise<void> => {
    if (advance !== undefined) await Effect.runPromise(Effect.orDie(world.cluster.advance(advance)))
  }
  if (shell === "") {
    await pass()
    return ""
  }
  const requestsBefore = world.requests()
  const child = spawn("bash", ["-c", shell], {
    cwd: world.home,
    env: world.environment,
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
  const shown = (): string => world.neutral(textOf(printed))
  if (advance !== undefined || isStopped) {
    let seen = ""
    let since = 0
    await until((waited) => {
      const now = `${world.requests() - requestsBefore} ${printed.out.length} ${printed.err.length}`
      if (now !== seen) since = waited
      seen = now
      return !now.startsWith("0 ") && waited - since >= waitingMillis
    }, askingMillis)
    await pass()
  }
  if (isStopped) {
    await until(() => shown().length >= expected.length, printingMillis)
    await pause(quietMillis)
    if (exitCode === undefined) stop("SIGINT")
  }
  await ended
  clearTimeout(limit)
  const failed = exitCode === 0 || isStopped ? "" : `[exit ${exitCode}]`
  return [shown(), failed].filter((text) => text !== "").join("\n")
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
