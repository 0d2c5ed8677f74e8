import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { desiredPods, toWorkloadWithKind } from "../workloads.ts"
import { isWorkloadResource } from "../../kubernetes/apps/workloadStatus.ts"
import { makeLedgerTimers } from "../../scenario/ledger/ledgerTimers.ts"
import { makePodAccount } from "../../scenario/ledger/podAccount.ts"
import { podRevisionLabel } from "../../kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import type { Change, ClusterView } from "../../store/objectStore.ts"
import type { ControllerRevision } from "../../kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import type { KubeObject, Pod } from "../../kubernetes/meta/objects.ts"
import type { PodAccount } from "../../scenario/ledger/podAccount.ts"
import type { LedgerRow, RolloutExtremes } from "../../scenario/ledger/ledgerRows.ts"
import type { WorkloadWithKind } from "../workloads.ts"
import type { Workload } from "../../kubernetes/apps/workloadStatus.ts"

export interface PodCountHistory {
  /** Since the last `restart`, one row for each time at which a count changed. */
  readonly rows: () => ReadonlyArray<LedgerRow>
  /** `untilMillis` may lie in the past. */
  readonly extremes: (untilMillis: number) => RolloutExtremes
  readonly now: () => Pick<LedgerRow, "desired" | "available">
}

export interface PodLedger {
  /** Needs all changes, in order. */
  readonly observe: (change: Change, atMillis: number) => void
  readonly observeExisting: (view: Pick<ClusterView["Service"], "all">, atMillis: number) => void
  readonly advanceTo: (atMillis: number) => void
  /** Forgets rows and extremes, but no objects. */
  readonly restart: (atMillis: number) => void
  readonly of: (workloadUid: string) => PodCountHistory | undefined
}

/** The account takes a revision's name or hash in place of a ReplicaSet's uid. */
interface CountedWorkload {
  readonly account: PodAccount
  readonly revisions: Set<string>
  minReadySeconds: number
}

export const makePodLedger = (): PodLedger => {
  const timers = makeLedgerTimers()
  const workloads = new Map<string, CountedWorkload>()
  const latestRevisions = new Map<string, number>()

  const observeWorkload = (workload: WorkloadWithKind, atMillis: number): void => {
    const { uid } = workload.object.metadata
    const countedWorkload: CountedWorkload = workloads.get(uid) ?? {
      account: makePodAccount(timers.add),
      revisions: new Set(),
      minReadySeconds: 0
    }
    workloads.set(uid, countedWorkload)
    countedWorkload.minReadySeconds = minReadySecondsOf(workload)
    for (const revision of countedWorkload.revisions)
      countedWorkload.account.setMinReadySeconds(revision, countedWorkload.minReadySeconds, atMillis)
    countedWorkload.account.setDesired(desiredPods(workload))
    if (workload.kind === "StatefulSet")
      countedWorkload.account.setNewReplicaSet(workload.object.status.updateRevision)
    if (workload.kind === "Job") countedWorkload.account.setNewReplicaSet(jobRevision)
    countedWorkload.account.record(atMillis)
  }
  const observeRevision = (revision: ControllerRevision, atMillis: number): void => {
    const owner = controllerOf(revision)
    if (owner?.kind !== "DaemonSet" || revision.revision < (latestRevisions.get(owner.uid) ?? 0)) return
    latestRevisions.set(owner.uid, revision.revision)
    const countedWorkload = workloads.get(owner.uid)
    countedWorkload?.account.setNewReplicaSet(revisionOf(revision))
    countedWorkload?.account.record(atMillis)
  }
  const observePod = (pod: Pod, type: Change["type"], atMillis: number): void => {
    const countedWorkload = workloads.get(controllerOf(pod)?.uid ?? "")
    if (countedWorkload === undefined) return
    const { account, revisions, minReadySeconds } = countedWorkload
    const revision = revisionOf(pod)
    if (!revisions.has(revision)) {
      revisions.add(revision)
      account.setMinReadySeconds(revision, minReadySeconds, atMillis)
    }
    if (type === "DELETED") account.removePod(pod.metadata.uid)
    else account.observePod(pod, revision, atMillis)
    account.record(atMillis)
  }
  const advanceTo = (atMillis: number): void => {
    for (let next = timers.nextMillis(); next !== undefined && next <= atMillis; next = timers.nextMillis())
      timers.runNext()
  }
  const observe = ({ type, resource, object }: Change, atMillis: number): void => {
    advanceTo(atMillis)
    if (resource === resources.pods) observePod(object as Pod, type, atMillis)
    else if (resource === resources.controllerRevisions && type !== "DELETED")
      observeRevision(object as ControllerRevision, atMillis)
    else if (isWorkloadResource(resource) && resource !== resources.deployments && type !== "DELETED")
      observeWorkload(toWorkloadWithKind(resource, object as Workload), atMillis)
  }
  return {
    observe,
    observeExisting: (view, atMillis) => {
      for (const resource of countedResources)
        for (const object of view.all(resource))
          observe({ type: "ADDED", resource, object, old: undefined, resourceVersion: 0 }, atMillis)
    },
    advanceTo,
    restart: (atMillis) => {
      advanceTo(atMillis)
      for (const { account } of workloads.values()) account.restart(atMillis)
    },
    of: (workloadUid) => workloads.get(workloadUid)?.account
  }
}

/** In this order, objects are counted after those that they refer to. */
const countedResources = [
  resources.statefulSets,
  resources.daemonSets,
  resources.jobs,
  resources.controllerRevisions,
  resources.pods
] as const

/** Pods of a Job have no revision. */
const jobRevision = ""

const revisionOf = ({ metadata }: KubeObject): string => metadata.labels?.[podRevisionLabel] ?? jobRevision

const minReadySecondsOf = (workload: WorkloadWithKind): number =>
  workload.kind === "Job" ? 0 : (workload.object.spec.minReadySeconds ?? 0)
