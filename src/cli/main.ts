import { inspect } from "node:util"
import * as Effect from "effect/Effect"
import { complain, watchOutput } from "./terminal.ts"
import { runCommandLine } from "./commandLine.ts"
import { withInspected } from "./inspectWords.ts"

watchOutput()

// Messages may have control characters from objects or servers, which Node would print unescaped.
process.on("uncaughtException", (error) => {
  for (const line of inspect(error).split("\n")) complain(line)
  process.exit(1)
})

const commandArguments = withInspected(process.argv.slice(2))
await Effect.runPromise(
  runCommandLine(commandArguments, (code) => {
    process.exitCode = code
  })
)
