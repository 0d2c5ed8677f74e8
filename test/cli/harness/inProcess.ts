import * as Effect from "effect/Effect"
import { vi } from "vitest"
import { runCommandLine } from "../../../src/cli/commandLine.ts"

interface Printed {
  readonly stdout: string
  readonly stderr: string
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP", "exit", "beforeExit"] as const

/**
 * Runs a command in this process and removes its signal listeners afterwards. A serving command gets a SIGTERM when it
 * prints that Ctrl-C ends it.
 */
export const inProcess = async (args: ReadonlyArray<string>): Promise<Printed> => {
  const printed = { stdout: "", stderr: "" }
  const before = signals.map((name) => [name, process.listeners(name as "exit")] as const)
  const added = () =>
    before.flatMap(([name, listeners]) =>
      process
        .listeners(name as "exit")
        .filter((it) => !listeners.includes(it))
        .map((listener) => [name, listener] as const)
    )
  const capture = (output: "stdout" | "stderr") =>
    vi.spyOn(process[output], "write").mockImplementation((...writeArgs: ReadonlyArray<unknown>) => {
      printed[output] += String(writeArgs[0])
      const written = writeArgs.find((it) => typeof it === "function")
      written?.()
      if (String(writeArgs[0]).includes("Ctrl-C ends it")) {
        for (const [name, listener] of added()) if (name === "SIGTERM") listener(0)
      }
      return true
    })
  const outputs = (["stdout", "stderr"] as const).map(capture)
  try {
    await Effect.runPromise(runCommandLine(args, () => {}))
  } finally {
    for (const output of outputs) output.mockRestore()
    for (const [name, listener] of added()) process.off(name, listener)
  }
  return printed
}
