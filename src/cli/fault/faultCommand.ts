import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { servedClusterFlags, servedClusterRef } from "../served/servedClusterFlags.ts"
import { textOrJsonFlag } from "../flags/sharedFlags.ts"
import type { ExitCode } from "../terminal/exitCode.ts"

const clusterFlags = { ...servedClusterFlags, output: textOrJsonFlag("Lines for people, or one JSON object") }

export const faultCommand = (setExitCode: (code: ExitCode) => void) => {
  const list = Command.make(
    "list",
    clusterFlags,
    Effect.fnUntraced(function* (flagValues) {
      const { listFaults } = yield* Effect.promise(() => import("./faultRequests.ts"))
      setExitCode(
        yield* Effect.promise(() =>
          listFaults({ ...servedClusterRef(flagValues), output: flagValues.output })
        )
      )
    })
  ).pipe(Command.withDescription("List active faults, and when each ends"))

  const end = Command.make(
    "end",
    {
      ...clusterFlags,
      all: Flag.Boolean("all").pipe(
        Flag.withDescription("Every active fault, however it was begun"),
        Flag.withDefault(false)
      ),
      ids: Argument.String("ID").pipe(
        Argument.withDescription("The id printed when the fault began, as in the list: fault-1"),
        Argument.variadic()
      )
    },
    Effect.fnUntraced(function* (flagValues) {
      const { endFaults } = yield* Effect.promise(() => import("./faultRequests.ts"))
      const { ids, all, output } = flagValues
      setExitCode(
        yield* Effect.promise(() => endFaults({ ...servedClusterRef(flagValues), ids, all, output }))
      )
    })
  ).pipe(Command.withDescription("End a fault, or all active faults with --all"))

  return Command.make(
    "fault",
    {
      ...clusterFlags,
      fault: Argument.String("FAULT").pipe(
        Argument.withDescription(
          "The kind of fault, such as nodeLost; all kinds are listed when it is left out"
        ),
        Argument.optional
      ),
      fields: Argument.String("FIELD=VALUE").pipe(
        Argument.withDescription(
          "Fields of the fault, as in a story: node=node-2, for=5m, pods='{deployment: web, count: 2}'"
        ),
        Argument.variadic()
      )
    },
    Effect.fnUntraced(function* (flagValues) {
      const fault = Option.getOrUndefined(flagValues.fault)
      if (fault === undefined) {
        const { printFaultKinds } = yield* Effect.promise(() => import("./printFaultKinds.ts"))
        return setExitCode(printFaultKinds(flagValues.output))
      }
      const { beginFault } = yield* Effect.promise(() => import("./faultRequests.ts"))
      const { fields, output } = flagValues
      setExitCode(
        yield* Effect.promise(() => beginFault({ ...servedClusterRef(flagValues), fault, fields, output }))
      )
    })
  ).pipe(
    Command.withDescription(
      "Begin a fault in a served cluster: a node is lost, Pods crash, writes are refused. " +
        "It lasts for the time in `for`, by the cluster's clock, or until `charthouse fault end`. A value that begins " +
        "with {, [ or a quote is YAML. Exits 0 when the fault has begun, 2 when an argument is invalid"
    ),
    Command.withShortDescription("Begin a fault in a served cluster"),
    Command.withExamples([
      { command: "charthouse fault", description: "List the kinds of fault and their fields" },
      {
        command: "charthouse fault nodeLost node=node-2 for=5m",
        description: "A node stops reporting for five minutes"
      },
      {
        command: "charthouse fault crash pods='{deployment: web, count: 2}' reason=OOMKilled",
        description: "Two Pods of web run out of memory"
      },
      { command: "charthouse fault list", description: "List active faults" },
      { command: "charthouse fault end fault-1", description: "End a fault: the node reports again" }
    ]),
    Command.withSubcommands([list, end])
  )
}
