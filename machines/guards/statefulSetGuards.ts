import {
  currentAndUpdateRevisions,
  isOrderedReady,
  nextAvailableMillis,
  replicasOf
} from "../../src/kubernetes/apps/statefulSets/statefulSetObservation.ts"
import {
  condemnedPods,
  condemnedPodsToDelete,
  firstUnavailableReplica,
  podsWithoutIdentity,
  actionableReplicas,
  updateStep
} from "../../src/kubernetes/apps/statefulSets/statefulSetOrder.ts"
import { surplusRevisions } from "../../src/kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import { countText } from "../../src/kubernetes/meta/text/countText.ts"
import { formatDuration } from "../../src/kubernetes/meta/amounts/durations.ts"
import { replicaName } from "../../src/kubernetes/apps/statefulSets/replicaIdentity.ts"
import { revisionNameOf } from "../../src/kubernetes/apps/statefulSets/statefulSetObservation.ts"
import { explainGuard } from "./guard.ts"
import { revisionGuards } from "./revisionGuards.ts"
import type { CommandRefusal } from "../../src/kubernetes/apps/commands.ts"
import type { ControllerRevision } from "../../src/kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import type { GuardWording, ObservedNumbers } from "./guard.ts"
import type {
  OrdinalPod,
  OrdinalState,
  StatefulSetObservation
} from "../../src/kubernetes/apps/statefulSets/statefulSetObservation.ts"

export interface StatefulSetContext {
  readonly seen: StatefulSetObservation | undefined
}

export type StatefulSetEvent =
  | { readonly type: "observed"; readonly seen: StatefulSetObservation }
  | { readonly type: "refused"; readonly refusal: CommandRefusal }

const statefulSetGuard = (
  predicate: (seen: StatefulSetObservation) => boolean,
  words: GuardWording,
  reason: (seen: StatefulSetObservation) => string
) =>
  explainGuard(
    ({ context: { seen } }: { readonly context: StatefulSetContext; readonly event: StatefulSetEvent }) =>
      seen !== undefined && predicate(seen),
    words,
    ({ context: { seen } }) => (seen === undefined ? "nothing has been observed yet" : reason(seen))
  )

/** Revisions that neither the StatefulSet nor a Pod uses, beyond `revisionHistoryLimit`. */
export const revisionsToDrop = (seen: StatefulSetObservation): ReadonlyArray<ControllerRevision> => {
  const { current, update } = currentAndUpdateRevisions(seen) ?? {}
  const used = new Set([
    current?.metadata.name,
    update?.metadata.name,
    ...seen.pods.map(({ pod }) => revisionNameOf(pod))
  ])
  return surplusRevisions(seen.revisions, seen.statefulSet.spec.revisionHistoryLimit ?? 10, (name) =>
    used.has(name)
  )
}

const podNamesText = (pods: ReadonlyArray<OrdinalPod>): string =>
  pods.length === 0 ? "none" : pods.map(({ pod }) => pod.metadata.name).join(", ")

const replicasText = (seen: StatefulSetObservation): string => {
  const replicas = replicasOf(seen)
  const available = replicas.filter(({ state }) => state === "available").length
  const blocked = firstUnavailableReplica(seen)
  const text = `${available} of ${countText(replicas.length, "replica")} available`
  return blocked === undefined
    ? text
    : `${text}; ${replicaName(seen.statefulSet, blocked.ordinal)} is ${blocked.state} and comes first`
}

const hasActionableReplica = (state: OrdinalState, words: GuardWording) =>
  statefulSetGuard((seen) => actionableReplicas(seen, state).length > 0, words, replicasText)

/** In these states only the kubelet or time moves a Pod on; the other states have a step of their own. */
const waitingStates: ReadonlyArray<OrdinalState> = ["terminating", "unready", "unavailable"]

const updateText = (seen: StatefulSetObservation): string => {
  const step = updateStep(seen)
  if (step === undefined) return "every Pod at and above the partition has the update revision"
  return step.type === "replace"
    ? `${step.target.pod.metadata.name} has another revision`
    : `${replicaName(seen.statefulSet, step.awaited.ordinal)} is ${step.awaited.state}`
}

export const statefulSetGuards = {
  ...revisionGuards(statefulSetGuard, (seen: StatefulSetObservation) => seen.statefulSet),
  hasSurplusRevisions: statefulSetGuard(
    (seen) => revisionsToDrop(seen).length > 0,
    "more revisions than the limit",
    (seen) =>
      `${revisionsToDrop(seen).length} beyond a limit of ${seen.statefulSet.spec.revisionHistoryLimit ?? 10}`
  ),
  hasPodWithoutIdentity: statefulSetGuard(
    (seen) => podsWithoutIdentity(seen).length > 0,
    "a Pod lacks its labels or volumes",
    (seen) => podNamesText(podsWithoutIdentity(seen))
  ),
  hasEndedPod: hasActionableReplica("ended", "a Pod has failed or succeeded"),
  hasMissingPod: hasActionableReplica("missing", "an ordinal has no Pod"),
  lacksClaims: hasActionableReplica("claimless", "a Pod's claim is missing"),
  isAwaitingPod: statefulSetGuard(
    (seen) =>
      waitingStates.some((state) => actionableReplicas(seen, state).length > 0) && isOrderedReady(seen),
    "a Pod below has to be available first",
    replicasText
  ),
  hasOtherClaimOwners: statefulSetGuard(
    ({ claimsAgainstRetentionPolicy }) => claimsAgainstRetentionPolicy.length > 0,
    "claims defy the retention policy",
    ({ claimsAgainstRetentionPolicy }) => countText(claimsAgainstRetentionPolicy.length, "claim")
  ),
  hasCondemnedPods: statefulSetGuard(
    (seen) => condemnedPodsToDelete(seen).length > 0,
    "a surplus Pod can go",
    (seen) => `${podNamesText(condemnedPodsToDelete(seen))} of ${podNamesText(condemnedPods(seen))}`
  ),
  isAwaitingRemoval: statefulSetGuard(
    (seen) => isOrderedReady(seen) && condemnedPods(seen).length > 0,
    "a surplus Pod is still there",
    (seen) => podNamesText(condemnedPods(seen))
  ),
  hasOutdatedPods: statefulSetGuard(
    (seen) => updateStep(seen)?.type === "replace",
    "a Pod has an old revision",
    updateText
  ),
  isAwaitingUpdated: statefulSetGuard(
    (seen) => updateStep(seen)?.type === "wait",
    "an updated Pod is unavailable",
    updateText
  ),
  isAwaitingAvailability: statefulSetGuard(
    (seen) => nextAvailableMillis(seen) !== undefined,
    "a ready Pod is not available yet",
    (seen) => {
      const nextMillis = nextAvailableMillis(seen)
      return nextMillis === undefined
        ? "none becomes available by waiting"
        : `the next is available in ${formatDuration(nextMillis - seen.nowMillis)}`
    }
  )
}

export const statefulSetStepNumbers: ObservedNumbers = (context) => {
  const { seen } = context as StatefulSetContext
  if (seen === undefined) return []
  const replicas = replicasOf(seen)
  return [
    ["asked for", replicas.length],
    ["there", seen.pods.length],
    ["available", replicas.filter(({ state }) => state === "available").length],
    ["beyond spec.replicas", condemnedPods(seen).length],
    ["revisions", seen.revisions.length]
  ]
}
