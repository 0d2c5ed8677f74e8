import { inspect } from "node:util"
import * as Effect from "effect/Effect"
import { complain } from "./terminal.ts"
import { runCommandLine } from "./commandLine.ts"
import { withInspected } from "./inspectWords.ts"

// A reader that has seen enough (`| head`) is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error
  process.exit()
})

// Node would print the error as it is, with all that its message has from objects and servers.
process.on("uncaughtException", (error) => {
  for (const line of inspect(error).split("\n")) complain(line)
  process.exit(1)
})

const words = withInspected(process.argv.slice(2))
await Effect.runPromise(
  runCommandLine(words, (code) => {
    process.exitCode = code
  })
)
