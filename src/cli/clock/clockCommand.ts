import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { servedClusterFlags, servedClusterRef } from "../served/servedClusterFlags.ts"
import { textOrJsonFlag } from "../flags/sharedFlags.ts"
import type { ExitCode } from "../terminal/exitCode.ts"

const clusterFlags = { ...servedClusterFlags, output: textOrJsonFlag("Lines for people, or one JSON object") }
type ClusterFlags = Command.Command.Config.Infer<typeof clusterFlags>

const limit = Flag.String("limit").pipe(
  Flag.withMetavar("DURATION"),
  Flag.withDescription("The longest time to advance; a day by default"),
  Flag.optional
)

export const clockCommand = (setExitCode: (code: ExitCode) => void) => {
  const move = Effect.fnUntraced(function* (requestPath: string, flagValues: ClusterFlags) {
    const { moveClock } = yield* Effect.promise(() => import("./moveClock.ts"))
    const { output } = flagValues
    setExitCode(
      yield* Effect.promise(() => moveClock({ requestPath, ...servedClusterRef(flagValues), output }))
    )
  })
  const subcommand = (name: string, description: string, { requestPath } = { requestPath: name }) =>
    Command.make(name, clusterFlags, (flagValues) => move(requestPath, flagValues)).pipe(
      Command.withDescription(description)
    )

  return Command.make("clock").pipe(
    Command.withDescription("Advance, pause or read the clock of a served cluster"),
    Command.withShortDescription("Advance, pause or read the clock of a served cluster"),
    Command.withExamples([
      { command: "charthouse up --clock virtual", description: "Serve a cluster with a virtual clock" },
      { command: "charthouse clock advance 10m", description: "Advance ten minutes at once" },
      { command: "charthouse clock speed 60x", description: "Run at a minute each second from now on" }
    ]),
    Command.withSubcommands([
      subcommand("now", "Print the time, the speed and the next timer", { requestPath: "" }),
      Command.make(
        "advance",
        {
          ...clusterFlags,
          by: Argument.String("DURATION").pipe(Argument.withDescription("Such as 90s, 10m, 1h30m"))
        },
        (flagValues) => move(`advance?${new URLSearchParams({ by: flagValues.by }).toString()}`, flagValues)
      ).pipe(Command.withDescription("Advance a virtual or paused clock")),
      subcommand("step", "Advance to the next timer"),
      Command.make("settle", { ...clusterFlags, limit }, (flagValues) => {
        const params = Option.match(flagValues.limit, {
          onNone: () => "",
          onSome: (text) => `?${new URLSearchParams({ limit: text }).toString()}`
        })
        return move(`settle${params}`, flagValues)
      }).pipe(
        Command.withDescription(
          "Advance until no object is changing any more, except for retries such as a Pod in CrashLoopBackOff or a " +
            "refused creation. Exits 1 when --limit is reached first"
        )
      ),
      subcommand("pause", "Pause the clock"),
      subcommand("resume", "Resume the clock at its speed before the pause"),
      Command.make(
        "speed",
        { ...clusterFlags, of: Argument.String("SPEED").pipe(Argument.withDescription("Such as 1x, 60x")) },
        (flagValues) => move(`speed?${new URLSearchParams({ of: flagValues.of }).toString()}`, flagValues)
      ).pipe(Command.withDescription("Set the speed as a multiple of real time"))
    ])
  )
}
