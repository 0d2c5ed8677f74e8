import * as Effect from "effect/Effect"
import { withBuiltInStrategies } from "../../../machines/strategies/strategies.ts"
import { applyDocuments } from "../../manifests/applyManifests.ts"
import { bootstrapStore } from "../../cluster/bootstrap.ts"
import { podDemandsIn, findShortage } from "./shortage.ts"
import { checkClusterOptions } from "../../cluster/clusterOptions.ts"
import { deploymentKeys } from "../documentKeys.ts"
import { makeMemoryStore } from "../../store/memoryStore.ts"
import { restoreDocuments } from "../previous/previousDocuments.ts"
import { servicesInFront, servicesSelecting, unreachingServiceText } from "../seeds/rolloutRequests.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import type { ClusterOptions } from "../../cluster/clusterOptions.ts"
import type { LivePods } from "../previous/previousDocuments.ts"
import type { Strategy } from "../../../machines/strategies/strategy.ts"
import type { Deployment, Key } from "../../kubernetes/meta/objects.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { ManifestsRefused } from "../../manifests/manifestsRefused.ts"

export interface DefaultedRollout {
  readonly key: Key
  readonly from: Deployment | undefined
  readonly next: Deployment
  /** Undefined if quotas and nodes have room for all Pods. */
  readonly shortage: string | undefined
  readonly warnings: ReadonlyArray<string>
}

/** Reads the Deployments before and after the change from a store, which fills in their defaults. */
export const defaultedRollouts = Effect.fnUntraced(function* (options: {
  readonly from?: ReadonlyArray<ManifestDocument>
  readonly livePods?: LivePods
  readonly next: ReadonlyArray<ManifestDocument>
  readonly strategies?: ReadonlyArray<Strategy>
  readonly nodes?: ClusterOptions["nodes"]
}): Effect.fn.Return<ReadonlyArray<DefaultedRollout>, ManifestsRefused> {
  const strategies = withBuiltInStrategies(options.strategies)
  const strategyTypes = strategies.map(({ type }) => type).sort()
  const { store, view } = makeMemoryStore({ nowMillis: () => 0, seed: 1, strategies: strategyTypes })
  const readDeployment = (key: Key): Deployment | undefined => view.get(resources.deployments, key)
  const { nodes } = yield* Effect.orDie(
    checkClusterOptions(options.nodes === undefined ? {} : { nodes: options.nodes })
  )
  yield* Effect.orDie(bootstrapStore(store, nodes))
  const { from = [] } = options
  yield* restoreDocuments(store, from, options.livePods)
  const keys = deploymentKeys(options.next)
  const statesBefore = keys.map((key) => {
    const deployment = readDeployment(key)
    return { deployment, services: deployment === undefined ? [] : servicesSelecting(view, deployment) }
  })
  const demandsBefore = podDemandsIn(view, strategies)
  yield* applyDocuments(store, options.next)
  // Pods from before and after the change may exist at once.
  const demands = [...demandsBefore, ...podDemandsIn(view, strategies)]
  return keys.flatMap((key, index) => {
    const next = readDeployment(key)
    if (next === undefined) return []
    const { deployment, services = [] } = statesBefore[index] ?? {}
    const { reachingNoNewPod } = servicesInFront(view, next, services)
    return {
      key,
      from: deployment,
      next,
      shortage: findShortage(next, view, demands),
      warnings: reachingNoNewPod.map((service) =>
        unreachingServiceText(service, { kind: "Deployment", object: next })
      )
    }
  })
})
