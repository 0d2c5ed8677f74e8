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
  Flag.withDescription("The most time that may pass; a day by default"),
  Flag.optional
)

export const clockCommand = (exit: (code: ExitCode) => void) => {
  const move = Effect.fnUntraced(function* (request: string, given: ClusterFlags) {
    const { moveClock } = yield* Effect.promise(() => import("./moveClock.ts"))
    const { output } = given
    exit(yield* Effect.promise(() => moveClock({ request: request, ...servedClusterRef(given), output })))
  })
  const plain = (word: string, description: string, request = word) =>
    Command.make(word, clusterFlags, (given) => move(request, given)).pipe(
      Command.withDescription(description)
    )

  return Command.make("clock").pipe(
    Command.withDescription("Move the clock of a cluster that is being served, or ask how its time goes"),
    Command.withShortDescription("Move the clock of a served cluster"),
    Command.withExamples([
      { command: "charthouse up --clock virtual", description: "A cluster whose time is yours" },
      { command: "charthouse clock advance 10m", description: "Ten minutes later, at once" },
      { command: "charthouse clock speed 60x", description: "A minute each second from now on" }
    ]),
    Command.withSubcommands([
      plain("now", "How time goes, and when the next thing happens by itself", ""),
      Command.make(
        "advance",
        {
          ...clusterFlags,
          by: Argument.String("DURATION").pipe(Argument.withDescription("Such as 90s, 10m, 1h30m"))
        },
        (given) => move(`advance?${new URLSearchParams({ by: given.by }).toString()}`, given)
      ).pipe(Command.withDescription("Let so much time pass at once; the clock must stand still")),
      plain("step", "Move to the next moment at which something happens by itself"),
      Command.make("settle", { ...clusterFlags, limit }, (given) => {
        const params = Option.match(given.limit, {
          onNone: () => "",
          onSome: (text) => `?${new URLSearchParams({ limit: text }).toString()}`
        })
        return move(`settle${params}`, given)
      }).pipe(
        Command.withDescription(
          "Let time pass until everything has got where it can; what is only tried again and again, a Pod in " +
            "CrashLoopBackOff or a creation that was refused, has. Exits 1 where --limit comes first"
        )
      ),
      plain("pause", "Let time stand still"),
      plain("resume", "Let time go on as before"),
      Command.make(
        "speed",
        { ...clusterFlags, of: Argument.String("SPEED").pipe(Argument.withDescription("Such as 1x, 60x")) },
        (given) => move(`speed?${new URLSearchParams({ of: given.of }).toString()}`, given)
      ).pipe(Command.withDescription("Let time go so many times as fast as the machine's"))
    ])
  )
}
