import { inspect } from "node:util"
import * as Effect from "effect/Effect"
import { printToStderr, handleOutputErrors } from "./terminal/terminal.ts"
import { runCommandLine } from "./commandLine.ts"
import { expandInspectArgument } from "./flags/expandInspectArgument.ts"

handleOutputErrors()

// Node would print control characters in messages from objects or servers unescaped.
process.on("uncaughtException", (error) => {
  for (const line of inspect(error).split("\n")) printToStderr(line)
  process.exit(1)
})

const commandArguments = expandInspectArgument(process.argv.slice(2))
await Effect.runPromise(
  runCommandLine(commandArguments, (code) => {
    process.exitCode = code
  })
)
