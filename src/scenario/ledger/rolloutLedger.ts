import { wholeEvent } from "../../domain/wholeEvent.ts"
import { controllerOf } from "../../domain/ownerReferences.ts"
import { nextReplicaSet } from "../../domain/nextReplicaSet.ts"
import { keyOf } from "../../domain/objects.ts"
import { resources } from "../../domain/kinds.ts"
import { revisionOf } from "../../domain/revisions.ts"
import { makeAccount } from "./account.ts"
import { judgeCounts, judgeOwners, judgeRevisions, judgeStatus, unasked } from "./judgements.ts"
import { judgeStep } from "./violations.ts"
import type { Account } from "./account.ts"
import type { Broken } from "./violations.ts"
import type { Deployment, Key, Pod, ReplicaSet } from "../../domain/objects.ts"
import type { Writer } from "../../faults/writing.ts"
import type { Change } from "../../store/objectStore.ts"
import type { DueAt } from "./dueTimes.ts"
import type { Excuses, Judged } from "./excuses.ts"
import type { WholeEvent } from "../../domain/wholeEvent.ts"

/** The Pods of every Deployment, and the rules that its controllers keep. */
export interface RolloutLedger {
  /** A Deployment, a ReplicaSet, a Pod or an event; by whom, where somebody says so. */
  readonly see: (change: Change, by: Writer | undefined) => void
  /** Once nothing is left to do at an instant, what is reported must be what is there. */
  readonly endInstant: () => void
  /** Judges all reports, whoever was touched. */
  readonly judgeSettled: () => void
  readonly begin: (atMillis: number) => void
  /** Whether a Pod's ReplicaSet has more than it was asked for: who takes one away then is that. */
  readonly isSurplus: (change: Change) => boolean
  readonly of: (key: Key) => Account | undefined
  readonly keys: () => ReadonlyArray<Key>
  /** The numbers of all Deployments in a line. */
  readonly sums: () => string
}

interface Family {
  readonly key: string
  readonly account: Account
  deployment: Deployment
  readonly replicaSets: Map<string, ReplicaSet>
  /** By uid, the Deployment and its ReplicaSets as their controllers have left them. */
  readonly left: Map<string, Deployment | ReplicaSet>
  /** Of the ReplicaSets whose report is to be counted when the instant is over. */
  readonly reported: Set<string>
  /** Whether a ReplicaSet has another number since the last instant. */
  isRenumbered: boolean
}

/** What a Pod's deletion has left, until its ReplicaSet says that it was its own. */
interface Departure {
  readonly left: number
  readonly wanted: number
}

export const makeRolloutLedger = (options: {
  readonly dueAt: DueAt
  readonly nowMillis: () => number
  readonly tell: (subject: string, broken: Broken) => void
  readonly excuses: Excuses
}): RolloutLedger => {
  const { dueAt, nowMillis, tell, excuses } = options
  const families = new Map<string, Family>()
  const byReplicaSet = new Map<string, Family>()
  const byKey = new Map<string, Family>()
  /** The Pods of ReplicaSets that belong to no Deployment: one may take them up. */
  const nobodys = makeAccount(dueAt)
  const departures = new Map<string, Departure>()
  const touched = new Set<Family>()
  const isLate = (of: Judged): boolean => excuses.isLate(of, nowMillis())

  /** Once nothing is left to do at an instant, what is reported must be what is there. */
  const endInstant = (): void => {
    for (const family of touched) {
      if (!excuses.areReportsOld("replicaSet", nowMillis())) judgeReported(family)
      family.reported.clear()
      const broken = family.isRenumbered ? judgeRevisions([...family.replicaSets.values()]) : undefined
      family.isRenumbered = false
      if (broken !== undefined && !isLate("deployment")) tell(family.key, broken)
    }
    touched.clear()
  }
  const judgeReported = (family: Family): void => {
    for (const uid of family.reported) {
      const replicaSet = family.replicaSets.get(uid)
      const broken = replicaSet === undefined ? undefined : judgeCounts(family.account, replicaSet)
      if (broken !== undefined) tell(family.key, broken)
    }
  }
  const seeDeployment = ({ type, object, old }: Change, by: Writer | undefined): void => {
    const deployment = object as Deployment
    const { uid } = deployment.metadata
    const key = keyOf(deployment)
    const before = old as Deployment | undefined
    const known = families.get(uid)
    const family = known ?? {
      key,
      // One that is made anew goes on with what was counted under its name, and with the Pods that are left of that.
      account: byKey.get(key)?.account ?? makeAccount(dueAt),
      deployment,
      replicaSets: new Map(),
      left: new Map(),
      reported: new Set(),
      isRenumbered: false
    }
    if (known === undefined) {
      families.set(uid, family)
      byKey.set(key, family)
    }
    family.deployment = deployment
    if (type === "DELETED") {
      families.delete(uid)
      family.account.setDesired(0)
      family.account.note(nowMillis())
      return
    }
    family.account.setDesired(deployment.spec.replicas)
    if (before?.spec.template !== deployment.spec.template) chooseNext(family)
    family.account.note(nowMillis())
    if (!isOf(by, "deployment")) return
    for (const broken of judgeStatus(family.left.get(uid), deployment)) tell(key, broken)
    family.left.set(uid, deployment)
  }

  const seeReplicaSet = ({ type, object, old }: Change, by: Writer | undefined): void => {
    const replicaSet = object as ReplicaSet
    const before = old as ReplicaSet | undefined
    const { uid } = replicaSet.metadata
    const family = families.get(controllerOf(replicaSet)?.uid ?? "")
    const former = byReplicaSet.get(uid)
    const isOwn = isOf(by, "deployment")
    const isRenumbered = type !== "MODIFIED" || revisionOf(replicaSet) !== (before && revisionOf(before))
    // Whoever takes a number away, or writes another, lets the controller count from there.
    if (former !== undefined && isRenumbered && !isOwn) former.left.delete(former.deployment.metadata.uid)
    if (former !== undefined && (former !== family || type === "DELETED")) leave(former, uid, type)
    if (family === undefined || type === "DELETED") return
    if (byReplicaSet.get(uid) === undefined) family.account.take(nobodys.release(uid))
    const isNew = !family.replicaSets.has(uid)
    family.account.setMinReady(uid, replicaSet.spec.minReadySeconds ?? 0, nowMillis())
    family.replicaSets.set(uid, replicaSet)
    byReplicaSet.set(uid, family)
    if (isNew || before?.spec.template !== replicaSet.spec.template) chooseNext(family)
    family.account.note(nowMillis())
    family.reported.add(uid)
    family.isRenumbered ||= isOwn && (isNew || isRenumbered)
    touched.add(family)
    if (isOwn && (before?.spec.replicas ?? 0) !== replicaSet.spec.replicas) {
      const { deployment, account } = family
      const step = { deployment, account, before, after: replicaSet }
      for (const broken of judgeStep({ ...step, family: [...family.replicaSets.values()] }))
        if (!isLate("deployment")) tell(family.key, broken)
    }
    if (!isOwn && !isOf(by, "replicaSet")) return
    for (const broken of judgeStatus(family.left.get(uid), replicaSet)) tell(family.key, broken)
    family.left.set(uid, replicaSet)
  }

  /** A ReplicaSet is no longer of a Deployment. Where it is gone its Pods are known by it until they are as well. */
  const leave = (family: Family, uid: string, type: Change["type"]): void => {
    family.replicaSets.delete(uid)
    family.left.delete(uid)
    // The Pods of one that is gone are of no template of whoever has its name now.
    if (byKey.get(family.key) === family) chooseNext(family)
    if (type === "DELETED") family.account.bury(uid)
    else nobodys.take(family.account.release(uid))
    dismiss(family, uid)
    family.account.note(nowMillis())
  }
  const dismiss = (family: Family, uid: string): void => {
    if (!family.replicaSets.has(uid) && family.account.presentOf(uid) === 0) byReplicaSet.delete(uid)
  }
  const accountOf = (uid: string | undefined): Account | undefined =>
    uid === undefined ? undefined : (byReplicaSet.get(uid)?.account ?? nobodys)

  const seePod = ({ type, object, old }: Change, by: Writer | undefined): void => {
    const pod = object as Pod
    const { uid, name } = pod.metadata
    const owner = controllerOf(pod)?.uid
    const family = byReplicaSet.get(owner ?? "")
    const formerOwner = controllerOf((old as Pod | undefined) ?? pod)?.uid
    const [account, former] = [accountOf(owner), accountOf(formerOwner)]
    if (former !== undefined && former !== account) {
      former.forgetPod(uid)
      byReplicaSet.get(formerOwner ?? "")?.account.note(nowMillis())
    }
    const torn = judgeOwners(pod)
    if (torn !== undefined) tell(keyOf(pod), torn)
    // Its ReplicaSet says so at once or never, and may be gone before it is.
    if (type === "DELETED" || owner !== formerOwner) departures.delete(`${formerOwner} ${name}`)
    if (owner === undefined || account === undefined) return
    if (type === "DELETED") account.forgetPod(uid)
    else account.seePod(pod, owner, nowMillis())
    if (family === undefined) return
    account.note(nowMillis())
    family.reported.add(owner)
    touched.add(family)
    const replicaSet = family.replicaSets.get(owner)
    if (replicaSet === undefined) return dismiss(family, owner)
    const left = family.account.activeOf(replicaSet.metadata.uid)
    const wanted = replicaSet.spec.replicas
    const isMade = type === "ADDED" && isOf(by, "replicaSet")
    const mayBeTwice = isLate("replicaSet") || excuses.areAnswersLost("replicaSet", nowMillis())
    if (isMade && left > wanted && !mayBeTwice) {
      const what = `created Pod ${name}`
      tell(family.key, unasked(replicaSet, what, `Pods <= replicas: ${left} <= ${wanted}`))
    }
    const isLeaving = pod.metadata.deletionTimestamp !== undefined
    const wasLeaving = (old as Pod | undefined)?.metadata.deletionTimestamp !== undefined
    if (isLeaving && !wasLeaving && type !== "DELETED") departures.set(`${owner} ${name}`, { left, wanted })
  }

  /** Who deleted a Pod is told by nothing but the event of its ReplicaSet. */
  const seeEvent = ({ reason, message, involvedObject }: WholeEvent): void => {
    if (reason !== "SuccessfulDelete") return
    const name = message.slice(message.lastIndexOf(" ") + 1)
    const uid = involvedObject.uid ?? ""
    const departure = departures.get(`${uid} ${name}`)
    const family = byReplicaSet.get(uid)
    const replicaSet = family?.replicaSets.get(uid)
    if (departure === undefined || family === undefined || replicaSet === undefined) return
    departures.delete(`${uid} ${name}`)
    const { left, wanted } = departure
    if (left >= wanted || isLate("replicaSet")) return
    tell(
      family.key,
      unasked(replicaSet, `deleted Pod ${name}`, `Pods left >= replicas: ${left} >= ${wanted}`)
    )
  }

  const isSurplus = ({ resource, object }: Change): boolean => {
    const uid = resource === resources.pods ? controllerOf(object)?.uid : undefined
    const family = uid === undefined ? undefined : byReplicaSet.get(uid)
    const replicaSet = uid === undefined ? undefined : family?.replicaSets.get(uid)
    if (uid === undefined || family === undefined || replicaSet === undefined) return true
    return family.account.activeOf(uid) >= replicaSet.spec.replicas
  }

  return {
    see: (change, by) => {
      // The store says of what resource an object is; the types cannot follow.
      switch (change.resource) {
        case resources.pods:
          return seePod(change, by)
        case resources.replicaSets:
          return seeReplicaSet(change, by)
        case resources.deployments:
          return seeDeployment(change, by)
        case resources.events:
          return seeEvent(wholeEvent(change.object))
      }
    },
    endInstant,
    judgeSettled: () => {
      for (const family of families.values()) {
        for (const uid of family.replicaSets.keys()) family.reported.add(uid)
        judgeReported(family)
        family.reported.clear()
      }
    },
    begin: (atMillis) => {
      for (const { account } of byKey.values()) account.begin(atMillis)
    },
    isSurplus,
    of: (key) => byKey.get(key)?.account,
    keys: () => [...byKey.keys()],
    sums: () => [...byKey.values()].map(({ key, account }) => sumsOf(key, account)).join("; ")
  }
}

/** Whether a step is judged as this controller's. */
const isOf = (by: Writer | undefined, controller: Judged): boolean => by === undefined || by === controller

const sumsOf = (key: Key, account: Account): string => {
  const { desired, existing, ready, available, updated, terminating } = account.now()
  return (
    `${key}: desired ${desired}, Pods ${existing}, ready ${ready}, available ${available}, ` +
    `updated ${updated}, terminating ${terminating}`
  )
}

const chooseNext = ({ account, deployment, replicaSets }: Family): void =>
  account.setNext(nextReplicaSet(deployment, replicaSets.values())?.metadata.uid)
