import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import type { DataTask } from "./runDataTask.ts"
import type { ExitCode } from "../terminal/exitCode.ts"

const directoryArgument = Argument.String("DIR").pipe(
  Argument.withDescription("The directory that was given to `charthouse up --data`")
)

export const dataCommand = (setExitCode: (code: ExitCode) => void) => {
  const run = (directory: string, task: DataTask) =>
    Effect.gen(function* () {
      const { runDataTask } = yield* Effect.promise(() => import("./runDataTask.ts"))
      setExitCode(yield* runDataTask(directory, task))
    })
  const taskCommand = (verb: "check" | "compact" | "accept-loss", description: string) =>
    Command.make(verb, { directory: directoryArgument }, ({ directory }) => run(directory, { verb })).pipe(
      Command.withDescription(description)
    )
  return Command.make("data").pipe(
    Command.withDescription(
      "Check, compact or export a directory of `charthouse up --data`, while no cluster runs on it"
    ),
    Command.withShortDescription("Look after a directory of up --data"),
    Command.withExamples([
      { command: "charthouse data check ~/cluster", description: "Verify every byte, and say what is there" },
      { command: "charthouse data export ~/cluster world.json", description: "Write it as a snapshot" }
    ]),
    Command.withSubcommands([
      taskCommand("check", "Verify the directory, and say what it holds. It is not changed"),
      taskCommand("compact", "Make the directory as small as what it holds"),
      Command.make(
        "export",
        {
          directory: directoryArgument,
          file: Argument.String("FILE").pipe(
            Argument.withDescription("The snapshot to write, or - for standard output")
          )
        },
        ({ directory, file }) => run(directory, { verb: "export", file })
      ).pipe(Command.withDescription("Write the cluster as a snapshot, for `charthouse up --snapshot`")),
      taskCommand(
        "accept-loss",
        "Go on without changes that a power failure has lost; open watches begin anew"
      )
    ])
  )
}
