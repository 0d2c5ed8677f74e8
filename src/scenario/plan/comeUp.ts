import * as Effect from "effect/Effect"
import { bringDocuments, comingUp, ownerText, putDocuments } from "./bringUp.ts"
import { deploymentKeys, keysAmong } from "./documentKeys.ts"
import { playAct } from "./acts.ts"
import { resources } from "../../domain/kinds.ts"
import { stateOf } from "./planWatch.ts"
import type { Key } from "../../domain/objects.ts"
import type { ManifestDocument } from "../../manifests/manifest.ts"
import type { ManifestsRefused } from "../../manifests/manifestsRefused.ts"
import type { Running } from "./bringUp.ts"
import type { Stage } from "./acts.ts"

/** Who is not there by then does not come: a progress deadline's usual length. */
const comingMostMillis = 600_000

/** What runs before. */
interface Before {
  readonly from?: ReadonlyArray<ManifestDocument>
  /** Where it is as a cluster has it, and not as somebody would apply it. */
  readonly running?: Running
}

/** Brings up what runs before, but for what `goOn` finds. */
export const comeUp = Effect.fnUntraced(function* (
  stage: Stage,
  { from = [], running }: Before
): Effect.fn.Return<void, ManifestsRefused> {
  for (const documents of comingUp(from, running).turns) {
    const deed = bringDocuments(stage.cluster.store, documents, running)
    const keys = deploymentKeys(documents)
    yield* playAct<ManifestsRefused>(stage, { verb: "apply", keys, deed })
    // One that was complete first may be short again by now.
    const isStill = (key: Key): boolean => stateOf(stage.cluster.view, key) !== "waiting"
    yield* stage.cluster.until(() => keys.every(isStill), comingMostMillis)
    yield* waitForReplicaSets(stage, documents, running)
  }
})

/** What is in the middle of something goes on with it, each time as chance has it. */
export const goOn = Effect.fnUntraced(function* (
  { cluster }: Stage,
  { from = [], running }: Before
): Effect.fn.Return<void, ManifestsRefused> {
  const { last } = comingUp(from, running)
  if (last.length === 0) return
  yield* cluster.run(putDocuments(cluster.store, last))
  // Nothing is left to do at this instant, and the next is the plan's.
  yield* cluster.until(() => true)
})

const waitForReplicaSets = Effect.fnUntraced(function* (
  { cluster }: Stage,
  documents: ReadonlyArray<ManifestDocument>,
  { failing = [] }: Partial<Running> = {}
) {
  const keys = keysAmong(documents, resources.replicaSets)
  if (keys.length === 0) return
  const isThere = (key: Key): boolean => {
    const replicaSet = cluster.view.get(resources.replicaSets, key)
    const { replicas = 0 } = replicaSet?.spec ?? {}
    if (replicas === 0) return true
    return (
      replicaSet?.status.availableReplicas === replicas && !failing.includes(ownerText("ReplicaSet", key))
    )
  }
  // Which of two came first is told by the second of their creation.
  yield* cluster.until(() => false, 1000)
  yield* cluster.until(() => keys.every(isThere), comingMostMillis)
})
