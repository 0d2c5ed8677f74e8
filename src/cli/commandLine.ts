import * as CliConfig from "effect/cli/CliConfig"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Layer from "effect/Layer"
import * as NodeChildProcessSpawner from "@effect/platform-node-shared/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import * as NodeStdio from "@effect/platform-node-shared/NodeStdio"
import * as NodeTerminal from "@effect/platform-node-shared/NodeTerminal"
import { charthouseCommand } from "./commands.ts"
import { printToStderr, writeUnwrittenLines } from "./terminal/terminal.ts"
import { packageVersion } from "../generated/packageVersion.ts"

/** Help goes to standard output, errors to standard error. */
const presenter = CliOutput.layerPresenter({
  present: (event) => {
    if (event._tag !== "InvalidInvocation") return CliOutput.defaultPresenter.present(event)
    const errorLines = event.errors.flatMap(({ message }) => `error: ${message}`.split("\n"))
    return Effect.sync(() => {
      for (const line of [...errorLines, `See '${event.commandPath.join(" ")} --help'.`]) printToStderr(line)
    })
  }
})

const environment = NodeChildProcessSpawner.layer.pipe(
  Layer.provideMerge(
    Layer.mergeAll(NodeFileSystem.layer, NodePath.layer, NodeStdio.layer, NodeTerminal.layer, presenter)
  ),
  Layer.merge(CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] }))
)

export const runCommandLine = (
  commandArguments: ReadonlyArray<string>,
  setExitCode: (code: 0 | 1 | 2) => void
) =>
  Command.runWith(charthouseCommand(setExitCode), { version: packageVersion })(commandArguments).pipe(
    Effect.catchTag("ShowHelp", ({ errors }) =>
      Effect.sync(() => {
        setExitCode(errors.length === 0 ? 0 : 2)
      })
    ),
    Effect.ensuring(Effect.sync(writeUnwrittenLines)),
    Effect.provide(environment)
  )
