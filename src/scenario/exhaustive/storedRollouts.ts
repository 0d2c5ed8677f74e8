import * as Effect from "effect/Effect"
import { builtInStrategies } from "../../../machines/deployment.ts"
import { applyDocuments } from "../../manifests/applyManifests.ts"
import { bootstrap } from "../../bootstrap.ts"
import { askersIn, shortageFor } from "./shortage.ts"
import { checkOptions } from "../../clusterOptions.ts"
import { deploymentKeys } from "../plan/documentKeys.ts"
import { makeMemoryStore } from "../../store/memoryStore.ts"
import { bringDocuments } from "../plan/bringUp.ts"
import { frontOf, servicesOf, unfoundText } from "../plan/planRequests.ts"
import { resources } from "../../domain/kinds.ts"
import type { ClusterOptions } from "../../clusterOptions.ts"
import type { Running } from "../plan/bringUp.ts"
import type { Strategy } from "../../../machines/strategies/strategy.ts"
import type { Deployment, Key } from "../../domain/objects.ts"
import type { ManifestDocument } from "../../manifests/manifest.ts"
import type { ManifestsRefused } from "../../manifests/manifestsRefused.ts"

/** A Deployment before and after the next documents are applied, with all that the server fills in. */
export interface StoredRollout {
  readonly key: Key
  /** Undefined where it was not there before. */
  readonly from: Deployment | undefined
  readonly next: Deployment
  /** Why it may never end: what there is too little of. */
  readonly shortage: string | undefined
  /** What must be known of where it leads, a sentence each. */
  readonly warnings: ReadonlyArray<string>
}

/** Applies documents to a store where nothing lives, and reads what became of each Deployment. */
export const storedRollouts = Effect.fnUntraced(function* (options: {
  readonly from?: ReadonlyArray<ManifestDocument>
  /** Where what runs before is as a cluster has it, and not as somebody would apply it. */
  readonly running?: Running
  readonly next: ReadonlyArray<ManifestDocument>
  /** Beside those that are built in: a Deployment that asks for another is refused. */
  readonly strategies?: ReadonlyArray<Strategy>
  readonly nodes?: ClusterOptions["nodes"]
}): Effect.fn.Return<ReadonlyArray<StoredRollout>, ManifestsRefused> {
  const strategies = [...(options.strategies ?? []), ...builtInStrategies].map(({ type }) => type).sort()
  const { store, view } = makeMemoryStore({ nowMillis: () => 0, seed: 1, strategies })
  const read = (key: Key): Deployment | undefined => view.get(resources.deployments, key)
  const { nodes } = yield* Effect.orDie(
    checkOptions(options.nodes === undefined ? {} : { nodes: options.nodes })
  )
  yield* Effect.orDie(bootstrap(store, nodes))
  const { from = [] } = options
  yield* bringDocuments(store, from, options.running)
  const keys = deploymentKeys(options.next)
  const before = keys.map((key) => {
    const deployment = read(key)
    return { deployment, services: deployment === undefined ? [] : servicesOf(view, deployment) }
  })
  const askersBefore = askersIn(view)
  yield* applyDocuments(store, options.next)
  const askers = [...askersBefore, ...askersIn(view)]
  return keys.flatMap((key, index) => {
    const next = read(key)
    if (next === undefined) return []
    const { deployment: from, services = [] } = before[index] ?? {}
    const { unfound } = frontOf(view, next, services)
    return {
      key,
      from,
      next,
      shortage: shortageFor(next, view, askers),
      warnings: unfound.map((service) => unfoundText(service, next))
    }
  })
})
