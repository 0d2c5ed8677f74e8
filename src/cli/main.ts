import { inspect } from "node:util"
import * as Effect from "effect/Effect"
import { complain, watchOutput } from "./terminal.ts"
import { runCommandLine } from "./commandLine.ts"
import { withInspected } from "./inspectWords.ts"

watchOutput()

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
