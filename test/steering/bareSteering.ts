import * as Effect from "effect/Effect"
import { builtInSteering } from "../../machines/steering/steeringStrategies.ts"
import { makePureChart } from "../../src/plan/exhaustive/pureChart.ts"
import { performSteering } from "../../src/steering/performSteering.ts"
import { readStrategy } from "../../src/steering/decodeStrategy.ts"
import { resolveFeatureGates } from "../../src/kubernetes/meta/featureGates.ts"
import { steeringController } from "../../src/steering/steeringController.ts"
import { steeringMachine } from "../../machines/steering.ts"
import type { Cluster } from "../../src/cluster/cluster.ts"
import type { Command } from "../../src/kubernetes/apps/commands.ts"
import type { Deployment } from "../../src/kubernetes/meta/objects.ts"
import type { EventRecorder } from "../../src/controllers/eventRecorder.ts"
import type { SteeringObservation } from "../../src/kubernetes/steering/steeringObservation.ts"
import type { SteeringStrategy } from "../../machines/steering/steeringStrategy.ts"

interface BareSteeringOptions {
  readonly strategies?: ReadonlyArray<SteeringStrategy>
  /** Default: the time of the cluster. */
  readonly nowMillis?: () => number
  /** Default: Events are lost. */
  readonly recordEvent?: EventRecorder["record"]
}

/** A steering controller beside that of the cluster: it looks, decides and writes only when it is told to. */
export const makeBareSteering = (
  { store, view, ...cluster }: Pick<Cluster["Service"], "store" | "view" | "nowMillis">,
  options: BareSteeringOptions = {}
) => {
  const { strategies = builtInSteering, nowMillis = cluster.nowMillis } = options
  const sources = { answer: () => Effect.succeed({ value: 0 }) }
  const events = { record: options.recordEvent ?? (() => Effect.void) }
  const services = { store, view, events, featureGates: resolveFeatureGates(), nowMillis, sources }
  const machine = steeringMachine(strategies)
  const controller = steeringController(services, {
    machine: () => machine,
    strategies,
    strategyReader: () => readStrategy,
    sources
  })
  const chart = makePureChart(machine)
  return {
    controller,
    decide: (seen: SteeringObservation) => {
      const [snapshot, commands, timers] = chart.send(chart.initialSnapshot, {
        type: "observed",
        seen
      } as never)
      return { state: snapshot.value as unknown, tags: snapshot.tags, commands, timers }
    },
    perform: (deployment: Deployment, commands: ReadonlyArray<Command>) =>
      performSteering(services, deployment, commands)
  }
}
