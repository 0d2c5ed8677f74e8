import * as CliConfig from "effect/cli/CliConfig"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Layer from "effect/Layer"
import * as NodeChildProcessSpawner from "@effect/platform-node-shared/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import * as NodeStdio from "@effect/platform-node-shared/NodeStdio"
import * as NodeTerminal from "@effect/platform-node-shared/NodeTerminal"
import { charthouse } from "./commands.ts"
import { withInspected } from "./inspectWords.ts"
import { packageVersion } from "../packageRoot.ts"

/**
 * Help that is asked for goes to the standard output; what is wrong, and nothing else, to the standard
 * error.
 */
const presenter = CliOutput.layerPresenter({
  present: (event) => {
    if (event._tag !== "InvalidInvocation") return CliOutput.defaultPresenter.present(event)
    const complaints = event.errors.map(({ message }) => `error: ${message}`)
    return Console.error([...complaints, `See '${event.commandPath.join(" ")} --help'.`].join("\n"))
  }
})

const environment = NodeChildProcessSpawner.layer.pipe(
  Layer.provideMerge(
    Layer.mergeAll(NodeFileSystem.layer, NodePath.layer, NodeStdio.layer, NodeTerminal.layer, presenter)
  ),
  Layer.merge(CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] }))
)

// A reader that has seen enough (`| head`) is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error
  process.exit()
})

const command = charthouse((code) => {
  process.exitCode = code
})
const words = withInspected(process.argv.slice(2))
const program = Command.runWith(command, { version: packageVersion() })(words).pipe(
  Effect.catchTag("ShowHelp", ({ errors }) =>
    Effect.sync(() => {
      process.exitCode = errors.length === 0 ? 0 : 2
    })
  ),
  Effect.provide(environment)
)
await Effect.runPromise(program)
