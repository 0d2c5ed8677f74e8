import { podCountsOf, possibleLossMillisAfterEnd } from "./playChange.ts"
import { evictingTaintOf, taintEvictionText } from "./evictingTaint.ts"
import { isVagueReason } from "./incompleteReasons.ts"
import { podsOfWorkload } from "../../store/ownerLookup.ts"
import { whyNotReady } from "../../scenario/ledger/notReadyReason.ts"
import { countsOverTime, phasesOf } from "./phases.ts"
import { lastTakeBack } from "./steeredSteps.ts"
import { podOwnersOf } from "../workloads.ts"
import {
  servicesInFront,
  servicesOfReadyPods,
  rolloutRequests,
  servingPorts,
  unreachingServiceText
} from "./rolloutRequests.ts"
import type { IncompleteReason } from "./incompleteReasons.ts"
import type { PlayedChange, ObservedCluster } from "./playChange.ts"
import type { WorkloadWithKind, WorkloadReference } from "../workloads.ts"
import type { RolloutExtremes } from "../../scenario/ledger/ledgerRows.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"
import type { Phase, PlayedCounts } from "./phases.ts"
import type { RolloutRequests } from "./rolloutRequests.ts"
import type { AvailabilityBefore, StateBefore } from "./stateBefore.ts"
import type { LongestPodTimes } from "./podTimes.ts"
import type { EvictingTaint } from "./evictingTaint.ts"

export interface RolloutRun {
  readonly seed: number
  /** `late`: complete after the deadline. `stuck`: never complete, or taken back by its steering. */
  readonly outcome: "complete" | "late" | "stuck"
  /** Undefined if the rollout was never complete. */
  readonly millis: number | undefined
  /** Undefined if the rollout was complete. */
  readonly givenUpMillis: number | undefined
  readonly takenBackMillis: number | undefined
  /** Undefined for a new workload. */
  readonly before: AvailabilityBefore | undefined
  readonly extremes: RolloutExtremes
  readonly phases: ReadonlyArray<Phase>
  readonly counts: ReadonlyArray<PlayedCounts>
  readonly reasons: ReadonlyArray<IncompleteReason>
  readonly times: LongestPodTimes
  /** The taint that evicts one of the Pods first, after the rollout. */
  readonly evictingTaint: EvictingTaint | undefined
  readonly requests: RolloutRequests | undefined
  /** The port that gets requests, by the name of its container. */
  readonly servingPorts: ReadonlyMap<string, number>
  /** Names of containers that get no requests before their Pod is ready. */
  readonly servingOnlyWhenReady: ReadonlySet<string>
  readonly warnings: ReadonlyArray<string>
  /** Undefined if no undo was tried or completed. */
  readonly undoMillis: number | undefined
  readonly isUndoPlayed: boolean
}

export const rolloutRunOf = (
  observedCluster: ObservedCluster,
  { reference, workload }: { readonly reference: WorkloadReference; readonly workload: WorkloadWithKind },
  {
    beganMillis,
    endMillis,
    changedIds,
    reasons,
    displacedPods,
    stateBefore
  }: PlayedChange & { readonly stateBefore: StateBefore | undefined }
): Omit<RolloutRun, "seed"> | undefined => {
  const { cluster, ledger, rolloutWatch, podTimes } = observedCluster
  const { id } = reference
  const { object } = workload
  const { completeMillis: firstCompleteMillis, failedMillis } = rolloutWatch.endOf(id)
  const podCounts = podCountsOf(observedCluster, reference)
  if (podCounts === undefined) return undefined
  const owners = podOwnersOf(cluster.view, reference.resource, object)
  const displacedPod = displacedPods.get(id)
  const [lastEviction] = owners.flatMap(({ metadata }) => rolloutWatch.evictingTaintOf(metadata.uid) ?? [])
  const completeMillis = displacedPod === undefined ? firstCompleteMillis : undefined
  const extremes = podCounts.extremes(completeMillis ?? endMillis)
  const steps = observedCluster.steeredSteps.of(id)
  const takeBackReason = lastTakeBack(steps)?.takeBackReason
  // After a rollback, the revision from before is complete.
  const isComplete = completeMillis !== undefined && takeBackReason === undefined
  const outcome = isComplete ? (failedMillis === undefined ? "complete" : "late") : "stuck"
  const playedMillis = (completeMillis ?? endMillis) - beganMillis
  const untilMillis = (completeMillis ?? endMillis) + possibleLossMillisAfterEnd(observedCluster, reference)
  const frontServices = servicesInFront(cluster.view, object, stateBefore?.selectingServices ?? [])
  return {
    outcome,
    before: stateBefore?.availability,
    millis: isComplete ? playedMillis : undefined,
    givenUpMillis: isComplete ? undefined : playedMillis,
    takenBackMillis: takeBackReason === undefined || completeMillis === undefined ? undefined : playedMillis,
    extremes,
    phases: phasesOf({
      rows: podCounts.rows(),
      extremes,
      isChanged: changedIds.has(id),
      isJob: workload.kind === "Job",
      beganMillis,
      endMillis,
      completeMillis,
      failedMillis,
      steps
    }),
    counts: countsOverTime(podCounts.rows(), { beganMillis, endMillis: completeMillis ?? endMillis }),
    reasons:
      takeBackReason !== undefined
        ? [{ text: `taken back: ${takeBackReason}` }]
        : outcome === "complete"
          ? []
          : displacedPod !== undefined && firstCompleteMillis !== undefined
            ? [{ text: preemptionText(displacedPod) }]
            : withEviction(reasons.get(id) ?? [], lastEviction),
    evictingTaint:
      workload.kind === "Job"
        ? undefined
        : evictingTaintOf(cluster.view, podsOfWorkload(cluster.view, reference.resource, object)),
    times: podTimes.longestOf(owners.map(({ metadata }) => metadata.uid)),
    requests: rolloutRequests(ledger, frontServices, {
      servicesBefore: stateBefore?.allServices ?? new Set(),
      untilMillis
    }),
    servingPorts: servingPorts(object, frontServices.services),
    servingOnlyWhenReady: new Set(servingPorts(object, servicesOfReadyPods(frontServices.services)).keys()),
    warnings: frontServices.reachingNoNewPod.map((service) => unreachingServiceText(service, workload)),
    undoMillis: undefined,
    isUndoPlayed: false
  }
}

const preemptionText = (pod: Pod): string =>
  `Pods of higher priority preempt its Pods, and no node takes these again: ${whyNotReady(pod) ?? "they are pending"}`

/** Between two evictions, a Pod looks as if it was about to start. */
const withEviction = (
  reasons: ReadonlyArray<IncompleteReason>,
  taint: EvictingTaint | undefined
): ReadonlyArray<IncompleteReason> =>
  taint === undefined
    ? reasons
    : [{ text: taintEvictionText(taint) }, ...reasons.filter(({ text }) => !isVagueReason(text))]
