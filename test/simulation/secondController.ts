import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { firstCrash } from "../steering/firstCrash.ts"
import { makeBareSteering } from "../steering/bareSteering.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { withBuiltInSteering } from "../../machines/steering/steeringStrategies.ts"
import type { ClusterService } from "../cluster/testCluster.ts"
import type { SteeringObservation } from "../../src/kubernetes/steering/steeringObservation.ts"
import type { Chance } from "./randomActions.ts"

const strategies = withBuiltInSteering([firstCrash])

/** A steering controller that takes itself for the leader beside the cluster's own. */
export interface SecondController {
  /** Begins to decide on changes, by a clock that is wrong by so much; undefined ends it. */
  readonly lead: (wrongByMillis: number | undefined) => void
  /** How many of its decisions were written. */
  readonly writes: () => number
}

export const makeSecondController = (cluster: ClusterService, chance: Chance): SecondController => {
  let wrongByMillis: number | undefined
  let writes = 0
  const { controller, ...steering } = makeBareSteering(cluster, {
    strategies,
    nowMillis: () => cluster.nowMillis() + (wrongByMillis ?? 0)
  })
  const decide = (): void => {
    const deployment = cluster.view.get(resources.deployments, "default/web")
    if (deployment === undefined) return
    const { commands } = steering.decide(controller.look(deployment) as SteeringObservation)
    if (commands.length === 0) return
    const performing = Effect.map(Effect.exit(steering.perform(deployment, commands)), (exit) => {
      if (Exit.isSuccess(exit)) writes += 1
    })
    cluster.timers.setTimeout(
      () => Effect.runPromise(cluster.run(performing)),
      chance.of([1, 1, 10, 200, 3000]) ?? 0
    )
  }
  cluster.onChange(() => {
    if (wrongByMillis !== undefined && chance.below(3) === 0) decide()
  })
  return {
    lead: (byMillis) => {
      wrongByMillis = byMillis
    },
    writes: () => writes
  }
}
