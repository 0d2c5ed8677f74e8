import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { servedClusterFlags, servedClusterRef } from "../served/servedClusterFlags.ts"
import { textOrJsonFlag } from "../flags/sharedFlags.ts"
import type { ExitCode } from "../terminal/exitCode.ts"

const clusterFlags = { ...servedClusterFlags, output: textOrJsonFlag("Lines for people, or one JSON object") }

export const faultCommand = (exit: (code: ExitCode) => void) => {
  const list = Command.make(
    "list",
    clusterFlags,
    Effect.fnUntraced(function* (given) {
      const { listFaults } = yield* Effect.promise(() => import("./faultRequests.ts"))
      exit(yield* Effect.promise(() => listFaults({ ...servedClusterRef(given), output: given.output })))
    })
  ).pipe(Command.withDescription("Those that last, and until when"))

  const end = Command.make(
    "end",
    {
      ...clusterFlags,
      all: Flag.Boolean("all").pipe(
        Flag.withDescription("Every active fault, however it was begun"),
        Flag.withDefault(false)
      ),
      ids: Argument.String("ID").pipe(
        Argument.withDescription("As it was called when it began, and is in the list: fault-1"),
        Argument.variadic()
      )
    },
    Effect.fnUntraced(function* (given) {
      const { endFaults } = yield* Effect.promise(() => import("./faultRequests.ts"))
      const { ids, all, output } = given
      exit(yield* Effect.promise(() => endFaults({ ...servedClusterRef(given), ids, all, output })))
    })
  ).pipe(Command.withDescription("End a fault, or with --all each of them"))

  return Command.make(
    "fault",
    {
      ...clusterFlags,
      fault: Argument.String("FAULT").pipe(
        Argument.withDescription("Such as nodeLost; without it those are listed that there are"),
        Argument.optional
      ),
      fields: Argument.String("FIELD=VALUE").pipe(
        Argument.withDescription("As in a story: node=node-2, for=5m, pods='{deployment: web, count: 2}'"),
        Argument.variadic()
      )
    },
    Effect.fnUntraced(function* (given) {
      const fault = Option.getOrUndefined(given.fault)
      if (fault === undefined) {
        const { printFaultKinds } = yield* Effect.promise(() => import("./printFaultKinds.ts"))
        return exit(printFaultKinds(given.output))
      }
      const { beginFault } = yield* Effect.promise(() => import("./faultRequests.ts"))
      const { fields, output } = given
      exit(yield* Effect.promise(() => beginFault({ ...servedClusterRef(given), fault, fields, output })))
    })
  ).pipe(
    Command.withDescription(
      "Let something go wrong in a cluster that is being served: a node is lost, Pods crash, writes are refused. " +
        "It begins now, by the cluster's clock, and ends when `for` is over or when it is told to. A value that begins " +
        "with {, [ or a quote is YAML. Exits 0 when it has begun, 2 when what was given is no good"
    ),
    Command.withShortDescription("Let something go wrong in a served cluster"),
    Command.withExamples([
      { command: "charthouse fault", description: "What can go wrong, and what has to be said of it" },
      { command: "charthouse fault nodeLost node=node-2 for=5m", description: "A node falls silent" },
      {
        command: "charthouse fault crash pods='{deployment: web, count: 2}' reason=OOMKilled",
        description: "Two of its Pods run out of memory"
      },
      { command: "charthouse fault list", description: "Those that last" },
      { command: "charthouse fault end fault-1", description: "The node is back" }
    ]),
    Command.withSubcommands([list, end])
  )
}
