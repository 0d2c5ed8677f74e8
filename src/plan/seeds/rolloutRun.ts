import { resources } from "../../kubernetes/meta/kinds.ts"
import { podCountsOf, lossAfterEndMillis } from "./playChange.ts"
import { countsOverTime, phasesOf } from "./phases.ts"
import { takeBackAmong } from "./steeredSteps.ts"
import {
  servicesInFront,
  servicesOfReadyPods,
  rolloutRequests,
  servingPorts,
  unfoundServiceText
} from "./rolloutRequests.ts"
import type { IncompleteReason } from "./incompleteReasons.ts"
import type { PlayedChange, ObservedCluster } from "./playChange.ts"
import type { WorkloadWithKind, WorkloadReference } from "../workloads.ts"
import type { RolloutExtremes } from "../../scenario/ledger/podAccount.ts"
import type { Phase, PlayedCounts } from "./phases.ts"
import type { RolloutRequests } from "./rolloutRequests.ts"
import type { AvailabilityBefore, StateBefore } from "./stateBefore.ts"
import type { LongestPodTimes } from "./podTimes.ts"

/** One rollout with one seed. */
export interface RolloutRun {
  readonly seed: number
  /** `late`: complete after the deadline. `stuck`: never complete, or taken back by its steering. */
  readonly outcome: "complete" | "late" | "stuck"
  /** How long it took until it was complete; undefined if it never was. */
  readonly millis: number | undefined
  /** How long it was played until it was given up; undefined if it was complete. */
  readonly givenUpMillis: number | undefined
  /** How long it took until its steering had taken it back; undefined if it was not. */
  readonly takenBackMillis: number | undefined
  /** Available Pods before the rollout; undefined for a new workload. */
  readonly before: AvailabilityBefore | undefined
  readonly extremes: RolloutExtremes
  readonly phases: ReadonlyArray<Phase>
  /** The numbers of its Pods until it was complete or given up. */
  readonly counts: ReadonlyArray<PlayedCounts>
  /** Why it was late or stuck. */
  readonly reasons: ReadonlyArray<IncompleteReason>
  readonly times: LongestPodTimes
  readonly requests: RolloutRequests | undefined
  /** By the names of the containers to which Services send requests: the port that gets them. */
  readonly servingPorts: ReadonlyMap<string, number>
  /** The names of those containers that get no requests before their Pod is ready. */
  readonly servingOnlyWhenReady: ReadonlySet<string>
  readonly warnings: ReadonlyArray<string>
  /** How long `kubectl rollout undo` took; undefined if it was not tried, or never complete. */
  readonly undoMillis: number | undefined
  /** Whether an undo was tried. */
  readonly isUndone: boolean
}

/** What one seed showed of a workload's rollout; undefined if no ledger knows its Pods. */
export const rolloutRunOf = (
  observedCluster: ObservedCluster,
  { reference, workload }: { readonly reference: WorkloadReference; readonly workload: WorkloadWithKind },
  {
    beganMillis,
    endMillis,
    changed,
    reasons,
    stateBefore
  }: PlayedChange & { readonly stateBefore: StateBefore | undefined }
): Omit<RolloutRun, "seed"> | undefined => {
  const { cluster, ledger, watch, times } = observedCluster
  const { id } = reference
  const { object } = workload
  const { completeMillis, failedMillis } = watch.endOf(id)
  const entry = podCountsOf(observedCluster, reference)
  if (entry === undefined) return undefined
  const owners =
    workload.kind === "Deployment"
      ? cluster.view.controlled(resources.replicaSets, object.metadata.uid)
      : [object]
  const extremes = entry.extremes(completeMillis ?? endMillis)
  const steps = observedCluster.steps.of(id)
  const takenBackFor = takeBackAmong(steps)?.takenBackFor
  // What is complete after a rollback is the revision from before.
  const isComplete = completeMillis !== undefined && takenBackFor === undefined
  const outcome = isComplete ? (failedMillis === undefined ? "complete" : "late") : "stuck"
  const playedMillis = (completeMillis ?? endMillis) - beganMillis
  // Until clients know the last change of endpoints, requests are lost for this rollout.
  const untilMillis = (completeMillis ?? endMillis) + lossAfterEndMillis(observedCluster, reference)
  const frontServices = servicesInFront(cluster.view, object, stateBefore?.services ?? [])
  return {
    outcome,
    before: stateBefore?.before,
    millis: isComplete ? playedMillis : undefined,
    givenUpMillis: isComplete ? undefined : playedMillis,
    takenBackMillis: takenBackFor === undefined || completeMillis === undefined ? undefined : playedMillis,
    extremes,
    phases: phasesOf({
      rows: entry.rows(),
      extremes,
      isChanged: changed.has(id),
      runsToEnd: workload.kind === "Job",
      beganMillis,
      endMillis,
      completeMillis,
      failedMillis,
      steps
    }),
    counts: countsOverTime(entry.rows(), { beganMillis, endMillis: completeMillis ?? endMillis }),
    reasons:
      takenBackFor !== undefined
        ? [{ text: `taken back: ${takenBackFor}` }]
        : outcome === "complete"
          ? []
          : (reasons.get(id) ?? []),
    times: times.of(owners.map(({ metadata }) => metadata.uid)),
    requests: rolloutRequests(ledger, frontServices, {
      existingServices: stateBefore?.existingServices ?? new Set(),
      untilMillis
    }),
    servingPorts: servingPorts(object, frontServices.services),
    servingOnlyWhenReady: new Set(servingPorts(object, servicesOfReadyPods(frontServices.services)).keys()),
    warnings: frontServices.unfound.map((service) => unfoundServiceText(service, workload)),
    undoMillis: undefined,
    isUndone: false
  }
}
