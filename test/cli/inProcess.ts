import * as Effect from "effect/Effect"
import { vi } from "vitest"
import { runCommandLine } from "../../src/cli/commandLine.ts"

/** What a command has printed, on both outputs. */
interface Printed {
  readonly stdout: string
  readonly stderr: string
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP", "exit", "beforeExit"] as const

/**
 * Runs a command in this process and leaves the process as it was. A command that serves gets a SIGTERM when it says
 * that Ctrl-C ends it.
 */
export const inProcess = async (words: ReadonlyArray<string>): Promise<Printed> => {
  const printed = { stdout: "", stderr: "" }
  const before = signals.map((name) => [name, process.listeners(name as "exit")] as const)
  const added = () =>
    before.flatMap(([name, listeners]) =>
      process
        .listeners(name as "exit")
        .filter((it) => !listeners.includes(it))
        .map((listener) => [name, listener] as const)
    )
  const catching = (output: "stdout" | "stderr") =>
    vi.spyOn(process[output], "write").mockImplementation((...given: ReadonlyArray<unknown>) => {
      printed[output] += String(given[0])
      const written = given.find((it) => typeof it === "function")
      written?.()
      if (String(given[0]).includes("Ctrl-C ends it")) {
        for (const [name, listener] of added()) if (name === "SIGTERM") listener(0)
      }
      return true
    })
  const outputs = (["stdout", "stderr"] as const).map(catching)
  try {
    await Effect.runPromise(runCommandLine(words, () => {}))
  } finally {
    for (const output of outputs) output.mockRestore()
    for (const [name, listener] of added()) process.off(name, listener)
  }
  return printed
}
