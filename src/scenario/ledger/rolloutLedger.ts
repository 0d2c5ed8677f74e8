import { normalizeEvent } from "../../kubernetes/meta/normalizeEvent.ts"
import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { findNewReplicaSet } from "../../kubernetes/apps/revisions/findNewReplicaSet.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { revisionOf } from "../../kubernetes/apps/revisions/revisions.ts"
import { makePodAccount } from "./podAccount.ts"
import { checkReportedCounts, checkRevisions, checkStatus } from "./ruleChecks.ts"
import { checkScalingStep } from "./violations.ts"
import { observeEvent, observePod, ownerHasSurplusPods } from "./rolloutPods.ts"
import {
  forgetIfEmpty,
  makeTrackedDeployments,
  mayBeWrittenBy,
  mayReadStaleObjects
} from "./trackedDeployments.ts"
import type { PodAccount } from "./podAccount.ts"
import type { Deployment, Key, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { WriterName } from "../../runtime/reconciler/currentWriter.ts"
import type { Change } from "../../store/objectStore.ts"
import type { RolloutLedgerOptions, TrackedDeployment, TrackedDeployments } from "./trackedDeployments.ts"

export interface RolloutLedger {
  readonly observe: (change: Change, writer: WriterName | undefined) => void
  /** Called once all writes of an instant are done. */
  readonly endInstant: () => void
  readonly checkSettled: () => void
  readonly restart: (atMillis: number) => void
  readonly ownerHasSurplusPods: (change: Change) => boolean
  readonly of: (key: Key) => PodAccount | undefined
  readonly keys: () => ReadonlyArray<Key>
  readonly allCountsText: () => string
}

export const makeRolloutLedger = (options: RolloutLedgerOptions): RolloutLedger => {
  const state = makeTrackedDeployments(options)
  return {
    observe: (change, writer) => {
      switch (change.resource) {
        case resources.pods:
          return observePod(state, change, writer)
        case resources.replicaSets:
          return observeReplicaSet(state, change, writer)
        case resources.deployments:
          return observeDeployment(state, change, writer)
        case resources.events:
          return observeEvent(state, normalizeEvent(change.object))
      }
    },
    endInstant: () => endInstant(state),
    checkSettled: () => {
      for (const tracked of state.trackedByUid.values()) {
        for (const uid of tracked.replicaSets.keys()) tracked.reportsToCheck.add(uid)
        checkReportsOf(state, tracked)
        tracked.reportsToCheck.clear()
      }
    },
    restart: (atMillis) => {
      for (const { account } of state.trackedByKey.values()) account.restart(atMillis)
    },
    ownerHasSurplusPods: (change) => ownerHasSurplusPods(state, change),
    of: (key) => state.trackedByKey.get(key)?.account,
    keys: () => [...state.trackedByKey.keys()],
    allCountsText: () =>
      [...state.trackedByKey.values()].map(({ key, account }) => countsTextOf(key, account)).join("; ")
  }
}

const observeDeployment = (
  state: TrackedDeployments,
  { type, object, old }: Change,
  writer: WriterName | undefined
): void => {
  const deployment = object as Deployment
  const { uid } = deployment.metadata
  const key = objectKeyOf(deployment)
  const before = old as Deployment | undefined
  const existing = state.trackedByUid.get(uid)
  const tracked = existing ?? {
    key,
    // A Deployment that is created again may adopt remaining Pods.
    account: state.trackedByKey.get(key)?.account ?? makePodAccount(state.schedule),
    deployment,
    replicaSets: new Map(),
    lastWritten: new Map(),
    reportsToCheck: new Set(),
    isRenumbered: false
  }
  if (existing === undefined) {
    state.trackedByUid.set(uid, tracked)
    state.trackedByKey.set(key, tracked)
  }
  tracked.deployment = deployment
  if (type === "DELETED") {
    state.trackedByUid.delete(uid)
    tracked.account.setDesired(0)
    tracked.account.record(state.nowMillis())
    return
  }
  tracked.account.setDesired(deployment.spec.replicas)
  if (before?.spec.template !== deployment.spec.template) updateNewReplicaSet(tracked)
  tracked.account.record(state.nowMillis())
  if (!mayBeWrittenBy(writer, "deployment")) return
  for (const violation of checkStatus(tracked.lastWritten.get(uid), deployment)) state.report(key, violation)
  tracked.lastWritten.set(uid, deployment)
}

const observeReplicaSet = (
  state: TrackedDeployments,
  { type, object, old }: Change,
  writer: WriterName | undefined
): void => {
  const replicaSet = object as ReplicaSet
  const before = old as ReplicaSet | undefined
  const { uid } = replicaSet.metadata
  const tracked = state.trackedByUid.get(controllerOf(replicaSet)?.uid ?? "")
  const formerOwner = state.trackedByReplicaSet.get(uid)
  const mayBeByDeploymentController = mayBeWrittenBy(writer, "deployment")
  const hasNewRevision = type !== "MODIFIED" || revisionOf(replicaSet) !== (before && revisionOf(before))
  // After a client's write, the controller may write a lower revision than its last.
  if (formerOwner !== undefined && hasNewRevision && !mayBeByDeploymentController)
    formerOwner.lastWritten.delete(formerOwner.deployment.metadata.uid)
  if (formerOwner !== undefined && (formerOwner !== tracked || type === "DELETED"))
    removeReplicaSet(state, formerOwner, uid, type)
  if (tracked === undefined || type === "DELETED") return
  if (state.trackedByReplicaSet.get(uid) === undefined)
    tracked.account.adoptReplicaSet(state.orphanAccount.releaseReplicaSet(uid))
  const isNew = !tracked.replicaSets.has(uid)
  tracked.account.setMinReadySeconds(uid, replicaSet.spec.minReadySeconds ?? 0, state.nowMillis())
  tracked.replicaSets.set(uid, replicaSet)
  state.trackedByReplicaSet.set(uid, tracked)
  if (isNew || before?.spec.template !== replicaSet.spec.template) updateNewReplicaSet(tracked)
  tracked.account.record(state.nowMillis())
  tracked.reportsToCheck.add(uid)
  tracked.isRenumbered ||= mayBeByDeploymentController && (isNew || hasNewRevision)
  state.changedDeployments.add(tracked)
  if (mayBeByDeploymentController && (before?.spec.replicas ?? 0) !== replicaSet.spec.replicas) {
    const { deployment, account } = tracked
    const step = { deployment, strategies: state.strategies, account, before, after: replicaSet }
    for (const violation of checkScalingStep({ ...step, replicaSets: [...tracked.replicaSets.values()] }))
      if (!mayReadStaleObjects(state, "deployment")) state.report(tracked.key, violation)
  }
  if (!mayBeByDeploymentController && !mayBeWrittenBy(writer, "replicaSet")) return
  for (const violation of checkStatus(tracked.lastWritten.get(uid), replicaSet))
    state.report(tracked.key, violation)
  tracked.lastWritten.set(uid, replicaSet)
}

/** The Pods of a deleted ReplicaSet stay in the account until they are gone. */
const removeReplicaSet = (
  state: TrackedDeployments,
  tracked: TrackedDeployment,
  uid: string,
  type: Change["type"]
): void => {
  tracked.replicaSets.delete(uid)
  tracked.lastWritten.delete(uid)
  // The old Deployment's templates mean nothing to a new one of the same name.
  if (state.trackedByKey.get(tracked.key) === tracked) updateNewReplicaSet(tracked)
  if (type === "DELETED") tracked.account.replicaSetDeleted(uid)
  else state.orphanAccount.adoptReplicaSet(tracked.account.releaseReplicaSet(uid))
  forgetIfEmpty(state, tracked, uid)
  tracked.account.record(state.nowMillis())
}

const endInstant = (state: TrackedDeployments): void => {
  for (const tracked of state.changedDeployments) {
    if (!state.excuses.mayReportOldCounts("replicaSet", state.nowMillis())) checkReportsOf(state, tracked)
    tracked.reportsToCheck.clear()
    const violation = tracked.isRenumbered ? checkRevisions([...tracked.replicaSets.values()]) : undefined
    tracked.isRenumbered = false
    if (violation !== undefined && !mayReadStaleObjects(state, "deployment"))
      state.report(tracked.key, violation)
  }
  state.changedDeployments.clear()
}

const checkReportsOf = (state: TrackedDeployments, tracked: TrackedDeployment): void => {
  for (const uid of tracked.reportsToCheck) {
    const replicaSet = tracked.replicaSets.get(uid)
    const violation = replicaSet === undefined ? undefined : checkReportedCounts(tracked.account, replicaSet)
    if (violation !== undefined) state.report(tracked.key, violation)
  }
}

const updateNewReplicaSet = ({ account, deployment, replicaSets }: TrackedDeployment): void =>
  account.setNewReplicaSet(findNewReplicaSet(deployment, replicaSets.values())?.metadata.uid)

const countsTextOf = (key: Key, account: PodAccount): string => {
  const { desired, existing, ready, available, updated, terminating } = account.now()
  return (
    `${key}: desired ${desired}, Pods ${existing}, ready ${ready}, available ${available}, ` +
    `updated ${updated}, terminating ${terminating}`
  )
}
