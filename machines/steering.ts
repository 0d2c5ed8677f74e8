import { assign, setup } from "xstate"
import { emitEach } from "./emitEach.ts"
import { rateLimitMillis } from "../src/kubernetes/apps/progress.ts"
import { deleteHookJobs } from "../src/kubernetes/steering/hookJobs.ts"
import { endSteering, reportInvalid } from "../src/kubernetes/steering/steeringActions.ts"
import { steeringGuards, steeringStrategyGuards } from "./guards/steeringGuards.ts"
import { composeState, strategyDelays } from "./strategies/composeState.ts"
import { builtInSteering } from "./steering/steeringStrategies.ts"
import type { RecordEvent } from "../src/kubernetes/apps/sharedCommands.ts"
import type { SteeringCommand, SteeringCommands } from "../src/kubernetes/steering/steeringCommands.ts"
import type { SteeringContext, SteeringEvent } from "./guards/steeringGuards.ts"
import type { SteeringObservation } from "../src/kubernetes/steering/steeringObservation.ts"
import type { SteeringStrategy } from "./steering/steeringStrategy.ts"

type Emitted = SteeringCommand | RecordEvent

const emitSteering = (commands: (seen: SteeringObservation) => SteeringCommands) =>
  emitEach<SteeringContext, SteeringEvent, Emitted>(({ context: { seen } }) =>
    seen === undefined ? [] : commands(seen)
  )

const steeringSetup = setup({
  types: {} as {
    context: SteeringContext
    events: SteeringEvent
    emitted: Emitted
    tags: "moving" | "awaitsCounts"
  },
  guards: steeringGuards,
  actions: {
    remember: assign(({ event }) => (event.type === "observed" ? { seen: event.seen } : {})),
    lookAgain: emitSteering(() => [{ type: "lookAgain" }]),
    reportInvalid: emitSteering(reportInvalid),
    deleteHookJobs: emitSteering(deleteHookJobs),
    endSteering: emitSteering(endSteering)
  }
})

const strategyImplementations = (strategies: ReadonlyArray<SteeringStrategy>) => ({
  guards: steeringStrategyGuards(strategies),
  actions: Object.fromEntries(
    strategies.flatMap(({ state, commands }) =>
      Object.entries(commands).map(([name, command]) => [`${state}.${name}`, emitSteering(command)])
    )
  ),
  delays: Object.fromEntries(
    strategies.flatMap((strategy) =>
      Object.entries(strategyDelays(strategy)).map(([name, millisAt]) => [
        name,
        // Only an observation leads to a chart's state, so `seen` is never undefined here.
        ({ context: { seen } }: { readonly context: SteeringContext }) =>
          seen === undefined ? rateLimitMillis : millisAt(seen)
      ])
    )
  )
})

/** Steers the rollouts of a Deployment whose annotation names one of these charts. */
export const steeringMachine = (strategies: ReadonlyArray<SteeringStrategy> = builtInSteering) =>
  steeringSetup
    .createMachine({
      id: "steering",
      context: { seen: undefined },
      initial: "unseen",
      on: { observed: { target: ".routing", actions: "remember" } },
      states: {
        unseen: { description: "No observation has arrived yet." },
        routing: {
          description: "Which chart does the annotation name?",
          always: [
            { guard: "isTerminating", target: "terminating" },
            { guard: "isInvalid", target: "invalid" },
            { guard: "hasObsoleteHookJobs", target: "deletingHookJobs" },
            { guard: "isUnsteered", target: "unsteered" },
            ...strategies.map((it) => ({ guard: it.state, target: it.state }) as never),
            { target: "unsteered" }
          ]
        },
        terminating: { description: "The Deployment is being deleted." },
        invalid: {
          description: "The strategy is invalid: says so on the Deployment, and touches nothing else.",
          entry: "reportInvalid"
        },
        deletingHookJobs: {
          description: "Deletes Jobs of hooks that run on although their rollout or their step is over.",
          entry: "deleteHookJobs"
        },
        unsteered: {
          description: "The strategy was removed: removes the record and the condition.",
          entry: "endSteering"
        },
        ...Object.fromEntries(strategies.map((it) => [it.state, composeState(it)])),
        complete: { description: "The revision is complete. Waits for another template." }
      }
    })
    .provide(strategyImplementations(strategies))
