import { normalizeEvent } from "../../kubernetes/meta/normalizeEvent.ts"
import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { findNewReplicaSet } from "../../kubernetes/apps/revisions/findNewReplicaSet.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { revisionOf } from "../../kubernetes/apps/revisions/revisions.ts"
import { makePodAccount } from "./podAccount.ts"
import {
  checkReportedCounts,
  checkOwners,
  checkRevisions,
  checkStatus,
  unrequestedPod
} from "./ruleChecks.ts"
import { checkScalingStep } from "./violations.ts"
import type { PodAccount } from "./podAccount.ts"
import type { ViolationDetails } from "./violations.ts"
import type { Strategy } from "../../../machines/strategies/strategy.ts"
import type { Deployment, Key, Pod, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { WriterName } from "../../runtime/reconciler/currentWriter.ts"
import type { Change } from "../../store/objectStore.ts"
import type { ScheduleCallback } from "./ledgerTimers.ts"
import type { FaultExcuses, JudgedController } from "./faultExcuses.ts"
import type { NormalizedEvent } from "../../kubernetes/meta/normalizeEvent.ts"

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

interface TrackedDeployment {
  readonly key: string
  readonly account: PodAccount
  deployment: Deployment
  readonly replicaSets: Map<string, ReplicaSet>
  /** Objects by uid, as last written by their controllers. */
  readonly lastWritten: Map<string, Deployment | ReplicaSet>
  /** Uids of ReplicaSets whose reported counts are checked at the end of the instant. */
  readonly reportsToCheck: Set<string>
  /** Whether the controller gave a ReplicaSet a new revision in this instant. */
  isRenumbered: boolean
}

/** The counts at a Pod's deletion. Only a later Event tells whether the ReplicaSet deleted the Pod. */
interface PodDeletion {
  readonly remaining: number
  readonly desired: number
}

export const makeRolloutLedger = (options: {
  readonly schedule: ScheduleCallback
  readonly nowMillis: () => number
  readonly report: (subject: string, violation: ViolationDetails) => void
  readonly excuses: FaultExcuses
  readonly strategies: ReadonlyArray<Strategy> | undefined
}): RolloutLedger => {
  const { schedule, nowMillis, report, excuses, strategies } = options
  const trackedByUid = new Map<string, TrackedDeployment>()
  const trackedByReplicaSet = new Map<string, TrackedDeployment>()
  const trackedByKey = new Map<string, TrackedDeployment>()
  const orphanAccount = makePodAccount(schedule)
  const podDeletions = new Map<string, PodDeletion>()
  const changedDeployments = new Set<TrackedDeployment>()
  const mayReadStaleObjects = (controller: JudgedController): boolean =>
    excuses.mayReadStaleObjects(controller, nowMillis())

  const endInstant = (): void => {
    for (const tracked of changedDeployments) {
      if (!excuses.mayReportOldCounts("replicaSet", nowMillis())) checkReportsOf(tracked)
      tracked.reportsToCheck.clear()
      const violation = tracked.isRenumbered ? checkRevisions([...tracked.replicaSets.values()]) : undefined
      tracked.isRenumbered = false
      if (violation !== undefined && !mayReadStaleObjects("deployment")) report(tracked.key, violation)
    }
    changedDeployments.clear()
  }
  const checkReportsOf = (tracked: TrackedDeployment): void => {
    for (const uid of tracked.reportsToCheck) {
      const replicaSet = tracked.replicaSets.get(uid)
      const violation =
        replicaSet === undefined ? undefined : checkReportedCounts(tracked.account, replicaSet)
      if (violation !== undefined) report(tracked.key, violation)
    }
  }
  const observeDeployment = ({ type, object, old }: Change, writer: WriterName | undefined): void => {
    const deployment = object as Deployment
    const { uid } = deployment.metadata
    const key = objectKeyOf(deployment)
    const before = old as Deployment | undefined
    const existing = trackedByUid.get(uid)
    const tracked = existing ?? {
      key,
      // A Deployment that is created again may adopt remaining Pods.
      account: trackedByKey.get(key)?.account ?? makePodAccount(schedule),
      deployment,
      replicaSets: new Map(),
      lastWritten: new Map(),
      reportsToCheck: new Set(),
      isRenumbered: false
    }
    if (existing === undefined) {
      trackedByUid.set(uid, tracked)
      trackedByKey.set(key, tracked)
    }
    tracked.deployment = deployment
    if (type === "DELETED") {
      trackedByUid.delete(uid)
      tracked.account.setDesired(0)
      tracked.account.record(nowMillis())
      return
    }
    tracked.account.setDesired(deployment.spec.replicas)
    if (before?.spec.template !== deployment.spec.template) updateNewReplicaSet(tracked)
    tracked.account.record(nowMillis())
    if (!mayBeWrittenBy(writer, "deployment")) return
    for (const violation of checkStatus(tracked.lastWritten.get(uid), deployment)) report(key, violation)
    tracked.lastWritten.set(uid, deployment)
  }

  const observeReplicaSet = ({ type, object, old }: Change, writer: WriterName | undefined): void => {
    const replicaSet = object as ReplicaSet
    const before = old as ReplicaSet | undefined
    const { uid } = replicaSet.metadata
    const tracked = trackedByUid.get(controllerOf(replicaSet)?.uid ?? "")
    const formerOwner = trackedByReplicaSet.get(uid)
    const mayBeByDeploymentController = mayBeWrittenBy(writer, "deployment")
    const hasNewRevision = type !== "MODIFIED" || revisionOf(replicaSet) !== (before && revisionOf(before))
    // After a client's write, the controller may write a lower revision than its last.
    if (formerOwner !== undefined && hasNewRevision && !mayBeByDeploymentController)
      formerOwner.lastWritten.delete(formerOwner.deployment.metadata.uid)
    if (formerOwner !== undefined && (formerOwner !== tracked || type === "DELETED"))
      removeReplicaSet(formerOwner, uid, type)
    if (tracked === undefined || type === "DELETED") return
    if (trackedByReplicaSet.get(uid) === undefined)
      tracked.account.adoptReplicaSet(orphanAccount.releaseReplicaSet(uid))
    const isNew = !tracked.replicaSets.has(uid)
    tracked.account.setMinReadySeconds(uid, replicaSet.spec.minReadySeconds ?? 0, nowMillis())
    tracked.replicaSets.set(uid, replicaSet)
    trackedByReplicaSet.set(uid, tracked)
    if (isNew || before?.spec.template !== replicaSet.spec.template) updateNewReplicaSet(tracked)
    tracked.account.record(nowMillis())
    tracked.reportsToCheck.add(uid)
    tracked.isRenumbered ||= mayBeByDeploymentController && (isNew || hasNewRevision)
    changedDeployments.add(tracked)
    if (mayBeByDeploymentController && (before?.spec.replicas ?? 0) !== replicaSet.spec.replicas) {
      const { deployment, account } = tracked
      const step = { deployment, strategies, account, before, after: replicaSet }
      for (const violation of checkScalingStep({ ...step, replicaSets: [...tracked.replicaSets.values()] }))
        if (!mayReadStaleObjects("deployment")) report(tracked.key, violation)
    }
    if (!mayBeByDeploymentController && !mayBeWrittenBy(writer, "replicaSet")) return
    for (const violation of checkStatus(tracked.lastWritten.get(uid), replicaSet))
      report(tracked.key, violation)
    tracked.lastWritten.set(uid, replicaSet)
  }

  /** The Pods of a deleted ReplicaSet stay in the account until they are gone. */
  const removeReplicaSet = (tracked: TrackedDeployment, uid: string, type: Change["type"]): void => {
    tracked.replicaSets.delete(uid)
    tracked.lastWritten.delete(uid)
    // The old Deployment's templates mean nothing to a new one of the same name.
    if (trackedByKey.get(tracked.key) === tracked) updateNewReplicaSet(tracked)
    if (type === "DELETED") tracked.account.replicaSetDeleted(uid)
    else orphanAccount.adoptReplicaSet(tracked.account.releaseReplicaSet(uid))
    forgetIfEmpty(tracked, uid)
    tracked.account.record(nowMillis())
  }
  const forgetIfEmpty = (tracked: TrackedDeployment, uid: string): void => {
    if (!tracked.replicaSets.has(uid) && tracked.account.presentOf(uid) === 0) trackedByReplicaSet.delete(uid)
  }
  const accountOf = (uid: string | undefined): PodAccount | undefined =>
    uid === undefined ? undefined : (trackedByReplicaSet.get(uid)?.account ?? orphanAccount)

  const observePod = ({ type, object, old }: Change, writer: WriterName | undefined): void => {
    const pod = object as Pod
    const { uid, name } = pod.metadata
    const owner = controllerOf(pod)?.uid
    const tracked = trackedByReplicaSet.get(owner ?? "")
    const formerOwner = controllerOf((old as Pod | undefined) ?? pod)?.uid
    const [account, formerAccount] = [accountOf(owner), accountOf(formerOwner)]
    if (formerAccount !== undefined && formerAccount !== account) {
      formerAccount.removePod(uid)
      trackedByReplicaSet.get(formerOwner ?? "")?.account.record(nowMillis())
    }
    const ownersViolation = checkOwners(pod)
    if (ownersViolation !== undefined) report(objectKeyOf(pod), ownersViolation)
    // The ReplicaSet's event has come by now, or never will.
    if (type === "DELETED" || owner !== formerOwner) podDeletions.delete(`${formerOwner} ${name}`)
    if (owner === undefined || account === undefined) return
    if (type === "DELETED") account.removePod(uid)
    else account.observePod(pod, owner, nowMillis())
    if (tracked === undefined) return
    account.record(nowMillis())
    tracked.reportsToCheck.add(owner)
    changedDeployments.add(tracked)
    const replicaSet = tracked.replicaSets.get(owner)
    if (replicaSet === undefined) return forgetIfEmpty(tracked, owner)
    const remaining = tracked.account.activeOf(replicaSet.metadata.uid)
    const desired = replicaSet.spec.replicas
    const isCreatedByController = type === "ADDED" && mayBeWrittenBy(writer, "replicaSet")
    const isExcused = mayReadStaleObjects("replicaSet") || excuses.mayRepeatWrites("replicaSet", nowMillis())
    if (isCreatedByController && remaining > desired && !isExcused) {
      const what = `created Pod ${name}`
      report(tracked.key, unrequestedPod(replicaSet, what, `Pods <= replicas: ${remaining} <= ${desired}`))
    }
    const isTerminating = pod.metadata.deletionTimestamp !== undefined
    const wasTerminating = (old as Pod | undefined)?.metadata.deletionTimestamp !== undefined
    if (isTerminating && !wasTerminating && type !== "DELETED")
      podDeletions.set(`${owner} ${name}`, { remaining, desired })
  }

  /** Only an event tells that the ReplicaSet's controller deleted a Pod. */
  const observeEvent = ({ reason, message, involvedObject }: NormalizedEvent): void => {
    if (reason !== "SuccessfulDelete") return
    const name = message.slice(message.lastIndexOf(" ") + 1)
    const uid = involvedObject.uid ?? ""
    const deletion = podDeletions.get(`${uid} ${name}`)
    const tracked = trackedByReplicaSet.get(uid)
    const replicaSet = tracked?.replicaSets.get(uid)
    if (deletion === undefined || tracked === undefined || replicaSet === undefined) return
    podDeletions.delete(`${uid} ${name}`)
    const { remaining, desired } = deletion
    if (remaining >= desired || mayReadStaleObjects("replicaSet")) return
    report(
      tracked.key,
      unrequestedPod(replicaSet, `deleted Pod ${name}`, `Pods left >= replicas: ${remaining} >= ${desired}`)
    )
  }

  const ownerHasSurplusPods = ({ resource, object }: Change): boolean => {
    const uid = resource === resources.pods ? controllerOf(object)?.uid : undefined
    const tracked = uid === undefined ? undefined : trackedByReplicaSet.get(uid)
    const replicaSet = uid === undefined ? undefined : tracked?.replicaSets.get(uid)
    // If the counts are unknown, a deletion counts as the owner's.
    if (uid === undefined || tracked === undefined || replicaSet === undefined) return true
    return tracked.account.activeOf(uid) >= replicaSet.spec.replicas
  }

  return {
    observe: (change, writer) => {
      switch (change.resource) {
        case resources.pods:
          return observePod(change, writer)
        case resources.replicaSets:
          return observeReplicaSet(change, writer)
        case resources.deployments:
          return observeDeployment(change, writer)
        case resources.events:
          return observeEvent(normalizeEvent(change.object))
      }
    },
    endInstant,
    checkSettled: () => {
      for (const tracked of trackedByUid.values()) {
        for (const uid of tracked.replicaSets.keys()) tracked.reportsToCheck.add(uid)
        checkReportsOf(tracked)
        tracked.reportsToCheck.clear()
      }
    },
    restart: (atMillis) => {
      for (const { account } of trackedByKey.values()) account.restart(atMillis)
    },
    ownerHasSurplusPods,
    of: (key) => trackedByKey.get(key)?.account,
    keys: () => [...trackedByKey.keys()],
    allCountsText: () =>
      [...trackedByKey.values()].map(({ key, account }) => countsTextOf(key, account)).join("; ")
  }
}

const mayBeWrittenBy = (writer: WriterName | undefined, controller: JudgedController): boolean =>
  writer === undefined || writer === controller

const countsTextOf = (key: Key, account: PodAccount): string => {
  const { desired, existing, ready, available, updated, terminating } = account.now()
  return (
    `${key}: desired ${desired}, Pods ${existing}, ready ${ready}, available ${available}, ` +
    `updated ${updated}, terminating ${terminating}`
  )
}

const updateNewReplicaSet = ({ account, deployment, replicaSets }: TrackedDeployment): void =>
  account.setNewReplicaSet(findNewReplicaSet(deployment, replicaSets.values())?.metadata.uid)
