import * as Effect from "effect/Effect"
import { restoreDocuments, startOrder, ownerId, createOrUpdateDocuments } from "./previousDocuments.ts"
import { applyBatches } from "../applyBatches.ts"
import { documentId, keysAmong } from "../documentKeys.ts"
import { fieldsOrEmpty } from "../../kubernetes/meta/fields.ts"
import { isWorkload, workloadsAmong } from "../workloads.ts"
import { playChange } from "../seeds/playChange.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { rolloutState } from "../seeds/rolloutState.ts"
import type { Key } from "../../kubernetes/meta/objects.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { ManifestsRefused } from "../../manifests/manifestsRefused.ts"
import type { WorkloadReference } from "../workloads.ts"
import type { LivePods } from "./previousDocuments.ts"
import type { ObservedCluster } from "../seeds/playChange.ts"

/** Pods that are not ready by the default progress deadline count as failed. */
const readyTimeoutMillis = 600_000

interface PreviousManifests {
  readonly from?: ReadonlyArray<ManifestDocument>
  /** Set if `from` was read from a live cluster. */
  readonly livePods?: LivePods
}

/** Heartbeats of nodes, which change no other object, end no wait. */
const skippingHeartbeats = { skipsHeartbeats: true }

/**
 * Starts each wave once the Pods of the wave before are available or have failed. Then waits until all have been ready
 * for as long as `minReadySeconds` of `next` says.
 */
export const bringUpPrevious = Effect.fnUntraced(function* (
  observedCluster: ObservedCluster,
  { from = [], livePods, next }: PreviousManifests & { readonly next: ReadonlyArray<ManifestDocument> }
): Effect.fn.Return<void, ManifestsRefused> {
  for (const documents of startOrder(from, livePods).waves) {
    const writes = applyBatches(documents).map((batch) =>
      restoreDocuments(observedCluster.cluster.store, batch, livePods)
    )
    const workloads = workloadsAmong(documents)
    yield* playChange<ManifestsRefused>(observedCluster, { verb: "apply", workloads, writes })
    const { cluster } = observedCluster
    const isSettled = (workload: WorkloadReference): boolean =>
      rolloutState(cluster.view, workload) !== "waiting"
    yield* cluster.until(() => workloads.every(isSettled), readyTimeoutMillis, skippingHeartbeats)
    yield* waitForReplicaSets(observedCluster, documents, livePods)
  }
  const readySeconds = readySecondsToWait(from, next)
  if (readySeconds > 0)
    yield* observedCluster.cluster.until(() => false, readySeconds * 1000, skippingHeartbeats)
  yield* forgetProgressChecks(observedCluster)
})

/**
 * These rollouts leave a progress check in the work queue, which would report the next deadline as missed a second too
 * early. Rollouts of long ago leave none.
 */
const forgetProgressChecks = ({ cluster }: ObservedCluster): Effect.Effect<void> => {
  const restart = { fault: "controllerRestarted", controller: "deployment" } as const
  return Effect.asVoid(Effect.orDie(cluster.faultInjector.begin(restart, { isValidated: true })))
}

/**
 * Pods of Deployments and DaemonSets are already available by the `minReadySeconds` of `from`; Pods of StatefulSets
 * are only ready.
 */
const readySecondsToWait = (
  from: ReadonlyArray<ManifestDocument>,
  next: ReadonlyArray<ManifestDocument>
): number => {
  const waitedSeconds = new Map(
    from
      .filter(isWorkload)
      .map((document) => [
        documentId(document),
        document.kind.kind === "StatefulSet" ? 0 : minReadySeconds(document)
      ])
  )
  const seconds = next
    .filter(isWorkload)
    .filter((document) => minReadySeconds(document) > (waitedSeconds.get(documentId(document)) ?? Infinity))
    .map(minReadySeconds)
  return Math.max(0, ...seconds)
}

const minReadySeconds = ({ draft }: ManifestDocument): number => {
  const seconds = fieldsOrEmpty(fieldsOrEmpty(draft)["spec"])["minReadySeconds"]
  return typeof seconds === "number" ? seconds : 0
}

/** Goes on with unfinished rollouts, for each seed anew: Pods draw delays from the seed. */
export const resumePrevious = Effect.fnUntraced(function* (
  { cluster }: ObservedCluster,
  { from = [], livePods }: PreviousManifests
): Effect.fn.Return<void, ManifestsRefused> {
  const { unfinishedWorkloads } = startOrder(from, livePods)
  if (unfinishedWorkloads.length === 0) return
  yield* cluster.run(createOrUpdateDocuments(cluster.store, unfinishedWorkloads))
  // The rollout begins at the next instant.
  yield* cluster.until(() => true)
})

const waitForReplicaSets = Effect.fnUntraced(function* (
  { cluster }: ObservedCluster,
  documents: ReadonlyArray<ManifestDocument>,
  { failingReplicaSets = [] }: Partial<LivePods> = {}
) {
  const keys = keysAmong(documents, resources.replicaSets)
  if (keys.length === 0) return
  const hasAllAvailable = (key: Key): boolean => {
    const replicaSet = cluster.view.get(resources.replicaSets, key)
    const { replicas = 0 } = replicaSet?.spec ?? {}
    if (replicas === 0) return true
    return (
      replicaSet?.status.availableReplicas === replicas &&
      !failingReplicaSets.includes(ownerId("ReplicaSet", key))
    )
  }
  // The next ReplicaSet must be younger, and creation timestamps have whole seconds.
  yield* cluster.until(() => false, 1000)
  yield* cluster.until(() => keys.every(hasAllAvailable), readyTimeoutMillis, skippingHeartbeats)
})
