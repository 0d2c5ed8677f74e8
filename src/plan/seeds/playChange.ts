import * as Effect from "effect/Effect"
import { incompleteReasons, missedBeforeReason } from "./incompleteReasons.ts"
import { containersThatEnd } from "./endlessCommand.ts"
import { sleepMillisOf } from "./briefCommand.ts"
import { batchDelayMillis } from "../applyBatches.ts"
import { findWorkload, podOwnersOf } from "../workloads.ts"
import { decodedStrategyOf } from "../../steering/decodeStrategy.ts"
import { progressDeadlineMillis } from "../../kubernetes/apps/progress.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { isSameTemplate } from "../../kubernetes/apps/revisions/podTemplates.ts"
import { advanceAndPromote } from "./steeredSteps.ts"
import { hasDeadline, isRolloutOver, rolloutState } from "./rolloutState.ts"
import type { IncompleteReason } from "./incompleteReasons.ts"
import type { Cluster } from "../../cluster/cluster.ts"
import type { PodLedger, PodCountHistory } from "./podLedger.ts"
import type { WorkloadId, WorkloadReference } from "../workloads.ts"
import type { Workload } from "../../kubernetes/apps/workloadStatus.ts"
import type { PodTimesRecorder } from "./podTimes.ts"
import type { Deployment, Pod, PodSpec } from "../../kubernetes/meta/objects.ts"
import type { Ledger } from "../../scenario/ledger/ledger.ts"
import type { LedgerRow } from "../../scenario/ledger/ledgerRows.ts"
import type { ConfigAndVolumes } from "./containerConfig.ts"
import type { RolloutWatch } from "./rolloutWatch.ts"
import type { SteeredSteps } from "./steeredSteps.ts"
import type { QuotaPeaks, QuotaUse } from "./quotaPeaks.ts"
import type { ClusterRecording } from "../../scenario/clusterRecording.ts"

export interface ObservedCluster {
  readonly cluster: Cluster["Service"]
  readonly ledger: Ledger
  /** Pods of other workloads than Deployments. */
  readonly podLedger: PodLedger
  readonly rolloutWatch: RolloutWatch
  readonly quotaPeaks: QuotaPeaks
  readonly steeredSteps: SteeredSteps
  readonly podTimes: PodTimesRecorder
  readonly limitMillis: number
  /** How long clients take to know a change of endpoints. */
  readonly propagationMillis: number
  readonly configAndVolumes: ConfigAndVolumes
  readonly readRecording: (() => ClusterRecording) | undefined
}

export interface PlayedChange {
  readonly beganMillis: number
  /** When every workload was complete or given up. */
  readonly endMillis: number
  readonly changedIds: ReadonlySet<WorkloadId>
  readonly appliedWorkloads: ReadonlyMap<WorkloadId, Workload | undefined>
  readonly reasons: ReadonlyMap<WorkloadId, ReadonlyArray<IncompleteReason>>
  /** For each workload whose preempted Pods find no room: one of its Pods. Empty with `endsAtDeadline`. */
  readonly displacedPods: ReadonlyMap<WorkloadId, Pod>
  readonly quotas: ReadonlyArray<QuotaUse>
}

interface ManifestChange<E> {
  readonly verb: "apply" | "undo"
  readonly workloads: ReadonlyArray<WorkloadReference>
  /** Made `batchDelayMillis` apart. */
  readonly writes: ReadonlyArray<Effect.Effect<unknown, E>>
  readonly endsAtDeadline?: boolean | undefined
}

/** With `endsAtDeadline`, plays only until each Deployment is complete or has missed its deadline. */
export const playChange = Effect.fnUntraced(function* <E>(
  observedCluster: ObservedCluster,
  { verb, workloads, writes, endsAtDeadline = false }: ManifestChange<E>
): Effect.fn.Return<PlayedChange, E> {
  const { cluster, ledger, podLedger, rolloutWatch, quotaPeaks, steeredSteps, podTimes } = observedCluster
  const { view } = cluster
  const beganMillis = cluster.nowMillis()
  const workloadsBefore = presentWorkloads(view, workloads)
  ledger.restart(beganMillis)
  podLedger.restart(beganMillis)
  rolloutWatch.begin(workloads)
  podTimes.begin()
  steeredSteps.begin(view.all(resources.deployments))
  quotaPeaks.begin(view.all(resources.resourceQuotas))
  if (workloads.length > 0) cluster.addNote("step", `${verb} ${workloads.map(({ id }) => id).join(", ")}`)
  for (const [index, write] of writes.entries()) {
    if (index > 0) yield* cluster.until(() => false, batchDelayMillis)
    yield* cluster.run(write)
  }
  const appliedWorkloads = presentWorkloads(view, workloads)
  const changedIds = new Set(
    [...appliedWorkloads].flatMap(([id, applied]) =>
      applied?.metadata.generation === workloadsBefore.get(id)?.metadata.generation ? [] : [id]
    )
  )
  const withDeadline = workloads.filter(hasDeadline)
  for (const workload of workloads.filter(({ id }) => !changedIds.has(id))) {
    const state = rolloutState(view, workload)
    if (state === "complete") rolloutWatch.markComplete(workload.id, beganMillis)
    if (state === "failed" && hasDeadline(workload)) rolloutWatch.markFailed(workload.id, beganMillis)
  }
  yield* playWhileProgress(observedCluster, {
    workloads: withDeadline,
    isRemaining: (workload) => rolloutWatch.stateOf(workload) === "waiting",
    beganMillis,
    patienceMillis: patienceMillisFor(view.all(resources.deployments))
  })
  const reasons = new Map<WorkloadId, ReadonlyArray<IncompleteReason>>()
  const wasMissedBefore = (workload: WorkloadReference): boolean => {
    if (rolloutWatch.endOf(workload.id).failedMillis !== beganMillis) return false
    const before = workloadsBefore.get(workload.id)?.spec.template
    const after = findWorkload(view, workload)?.spec.template
    return before !== undefined && after !== undefined && isSameTemplate(before, after)
  }
  const recordIncomplete = (incomplete: ReadonlyArray<WorkloadReference>): void => {
    for (const workload of incomplete) {
      const presentReasons = incompleteReasons(cluster, workload, observedCluster.configAndVolumes)
      const workloadReasons = wasMissedBefore(workload)
        ? [missedBeforeReason, ...presentReasons]
        : presentReasons
      reasons.set(workload.id, workloadReasons)
      if (rolloutWatch.stateOf(workload) === "complete") continue
      cluster.addNote(
        "failure",
        [`${workload.id} is not complete`, ...workloadReasons.map(({ text }) => text)].join(": ")
      )
    }
  }
  ledger.advanceTo(cluster.nowMillis())
  recordIncomplete(withDeadline)
  if (!endsAtDeadline) yield* playPastDeadline(observedCluster, { workloads, beganMillis })
  const displacedPods = new Map(
    (endsAtDeadline ? [] : workloads).flatMap((workload) => {
      const pod = rolloutWatch.displacedPodOf(workload)
      return pod === undefined ? [] : [[workload.id, pod] as const]
    })
  )
  const endMillis = cluster.nowMillis()
  ledger.advanceTo(endMillis)
  podLedger.advanceTo(endMillis)
  recordIncomplete(workloads.filter((workload) => !hasDeadline(workload)))
  if (ledger.services().length > 0 && !endsAtDeadline) {
    const waits = workloads.map((workload) => possibleLossMillisAfterEnd(observedCluster, workload))
    yield* cluster.until(() => false, Math.max(observedCluster.propagationMillis, ...waits))
  }
  ledger.advanceTo(cluster.nowMillis())
  const deploymentKeys = withDeadline.map(({ key }) => key)
  return {
    beganMillis,
    endMillis,
    changedIds,
    appliedWorkloads,
    reasons,
    displacedPods,
    quotas: quotaPeaks.peaks(view, deploymentKeys)
  }
})

/** Pods that do not answer by this time count as Pods that never do. */
const readyToAnswerMaxMillis = 600_000

/**
 * Terminating Pods get requests until clients know the change of endpoints; Pods without a readiness probe get some
 * before they answer.
 */
export const possibleLossMillisAfterEnd = (
  { cluster: { view }, rolloutWatch, podTimes, propagationMillis }: ObservedCluster,
  workload: WorkloadReference
): number => {
  const object = findWorkload(view, workload) ?? rolloutWatch.lastSeen(workload.id)
  if (object === undefined) return propagationMillis
  const owners = podOwnersOf(view, workload.resource, object)
  const { readyToAnswerMillis } = podTimes.longestOf(owners.map(({ metadata }) => metadata.uid))
  return Math.max(propagationMillis, Math.min(readyToAnswerMillis, readyToAnswerMaxMillis))
}

const presentWorkloads = (
  view: Cluster["Service"]["view"],
  workloads: ReadonlyArray<WorkloadReference>
): ReadonlyMap<WorkloadId, Workload | undefined> =>
  new Map(workloads.map((workload) => [workload.id, findWorkload(view, workload)]))

export const podCountsOf = (
  { cluster, ledger, podLedger, rolloutWatch }: ObservedCluster,
  workload: WorkloadReference
): PodCountHistory | undefined => {
  if (hasDeadline(workload)) return ledger.of(workload.key)
  const object = findWorkload(cluster.view, workload) ?? rolloutWatch.lastSeen(workload.id)
  return podLedger.of(object?.metadata.uid ?? "")
}

/** A rollout is given up after this time without a new available Pod or one old Pod less. */
const noProgressMillis = 3_600_000

const playPastDeadline = Effect.fnUntraced(function* (
  observedCluster: ObservedCluster,
  {
    workloads,
    beganMillis
  }: { readonly workloads: ReadonlyArray<WorkloadReference>; readonly beganMillis: number }
) {
  const { cluster, rolloutWatch } = observedCluster
  const isRemaining = (workload: WorkloadReference): boolean => {
    const state = rolloutWatch.stateOf(workload)
    // A preempted Pod may find room once terminating Pods are gone.
    return state === "complete"
      ? rolloutWatch.displacedPodOf(workload) !== undefined
      : !isRolloutOver(workload.resource, state)
  }
  const sleepMillis = longestPodSleepMillis(cluster.view, workloads)
  yield* playWhileProgress(
    { ...observedCluster, limitMillis: observedCluster.limitMillis + sleepMillis },
    { workloads, isRemaining, beganMillis, patienceMillis: noProgressMillis + sleepMillis }
  )
  for (const { id } of workloads.filter(isRemaining)) cluster.addNote("failure", `${id} is given up`)
})

const longestPodSleepMillis = (
  view: Cluster["Service"]["view"],
  workloads: ReadonlyArray<WorkloadReference>
): number => {
  const sleeps = workloads.map((workload) =>
    podSleepMillis(findWorkload(view, workload)?.spec.template.spec ?? {})
  )
  return Math.max(0, ...sleeps)
}

/** Init containers run one after another, a Job's other containers together. */
const podSleepMillis = (spec: Partial<PodSpec>): number => {
  const [initSleeps, otherSleeps] = [[0], [0]]
  for (const container of containersThatEnd(spec)) {
    const isInit = spec.initContainers?.includes(container) ?? false
    ;(isInit ? initSleeps : otherSleeps).push(sleepMillisOf(container))
  }
  return initSleeps.reduce((total, millis) => total + millis) + Math.max(...otherSleeps)
}

/** Ends when no rollout remains, or none of them has had progress for `patienceMillis`. */
const playWhileProgress = Effect.fnUntraced(function* (
  observedCluster: ObservedCluster,
  {
    workloads,
    isRemaining,
    beganMillis,
    patienceMillis
  }: {
    readonly workloads: ReadonlyArray<WorkloadReference>
    readonly isRemaining: (workload: WorkloadReference) => boolean
    readonly beganMillis: number
    readonly patienceMillis: number
  }
) {
  const { cluster, ledger, podLedger, steeredSteps, limitMillis } = observedCluster
  const fromMillis = cluster.nowMillis()
  for (;;) {
    const remaining = workloads.filter(isRemaining)
    if (remaining.length === 0) return
    ledger.advanceTo(cluster.nowMillis())
    podLedger.advanceTo(cluster.nowMillis())
    const progressTimes = remaining.map((workload) =>
      lastProgressMillis(podCountsOf(observedCluster, workload)?.rows() ?? [])
    )
    const untilMillis = Math.min(
      Math.max(fromMillis, ...progressTimes) + patienceMillis,
      beganMillis + limitMillis
    )
    const leftMillis = untilMillis - cluster.nowMillis()
    if (leftMillis <= 0) return
    yield* advanceAndPromote(cluster, steeredSteps, () => !workloads.some(isRemaining), leftMillis)
  }
})

/** By then, a container that crashes waits for its longest back-off. */
const leastPatienceMillis = 1_200_000

/**
 * Each Pod that takes the place of an evicted one is progress to the controller, which then reports no missed deadline.
 * The steps of a steered rollout may wait for longer than its deadline.
 */
const patienceMillisFor = (deployments: Iterable<Deployment>): number => {
  const patience = Array.from(deployments, (deployment) =>
    decodedStrategyOf(deployment) === undefined ? 2 * progressDeadlineMillis(deployment) : Infinity
  )
  return Math.max(leastPatienceMillis, ...patience)
}

const lastProgressMillis = (rows: ReadonlyArray<LedgerRow>): number => {
  let atMillis = 0
  let mostNew = 0
  let fewestOld = Infinity
  for (const { atMillis: rowMillis, updatedAvailable, existing, updated } of rows) {
    const old = existing - updated
    if (updatedAvailable <= mostNew && old >= fewestOld) continue
    atMillis = rowMillis
    mostNew = Math.max(mostNew, updatedAvailable)
    fewestOld = Math.min(fewestOld, old)
  }
  return atMillis
}
