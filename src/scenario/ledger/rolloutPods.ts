import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { checkOwners, unrequestedPod } from "./ruleChecks.ts"
import { forgetIfEmpty, mayBeWrittenBy, mayReadStaleObjects } from "./trackedDeployments.ts"
import type { PodAccount } from "./podAccount.ts"
import type { TrackedDeployments } from "./trackedDeployments.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"
import type { NormalizedEvent } from "../../kubernetes/meta/normalizeEvent.ts"
import type { WriterName } from "../../runtime/reconciler/currentWriter.ts"
import type { Change } from "../../store/objectStore.ts"

const accountOf = (state: TrackedDeployments, uid: string | undefined): PodAccount | undefined =>
  uid === undefined ? undefined : (state.trackedByReplicaSet.get(uid)?.account ?? state.orphanAccount)

export const observePod = (
  state: TrackedDeployments,
  { type, object, old }: Change,
  writer: WriterName | undefined
): void => {
  const pod = object as Pod
  const { uid, name } = pod.metadata
  const owner = controllerOf(pod)?.uid
  const tracked = state.trackedByReplicaSet.get(owner ?? "")
  const formerOwner = controllerOf((old as Pod | undefined) ?? pod)?.uid
  const [account, formerAccount] = [accountOf(state, owner), accountOf(state, formerOwner)]
  if (formerAccount !== undefined && formerAccount !== account) {
    formerAccount.removePod(uid)
    state.trackedByReplicaSet.get(formerOwner ?? "")?.account.record(state.nowMillis())
  }
  const ownersViolation = checkOwners(pod)
  if (ownersViolation !== undefined) state.report(objectKeyOf(pod), ownersViolation)
  // The ReplicaSet's event has come by now, or never will.
  if (type === "DELETED" || owner !== formerOwner) state.podDeletions.delete(`${formerOwner} ${name}`)
  if (owner === undefined || account === undefined) return
  if (type === "DELETED") account.removePod(uid)
  else account.observePod(pod, owner, state.nowMillis())
  if (tracked === undefined) return
  account.record(state.nowMillis())
  tracked.reportsToCheck.add(owner)
  state.changedDeployments.add(tracked)
  const replicaSet = tracked.replicaSets.get(owner)
  if (replicaSet === undefined) return forgetIfEmpty(state, tracked, owner)
  const remaining = tracked.account.activeOf(replicaSet.metadata.uid)
  const desired = replicaSet.spec.replicas
  const isCreatedByController = type === "ADDED" && mayBeWrittenBy(writer, "replicaSet")
  const isExcused =
    mayReadStaleObjects(state, "replicaSet") || state.excuses.mayRepeatWrites("replicaSet", state.nowMillis())
  if (isCreatedByController && remaining > desired && !isExcused) {
    const what = `created Pod ${name}`
    state.report(
      tracked.key,
      unrequestedPod(replicaSet, what, `Pods <= replicas: ${remaining} <= ${desired}`)
    )
  }
  const isTerminating = pod.metadata.deletionTimestamp !== undefined
  const wasTerminating = (old as Pod | undefined)?.metadata.deletionTimestamp !== undefined
  if (isTerminating && !wasTerminating && type !== "DELETED")
    state.podDeletions.set(`${owner} ${name}`, { remaining, desired })
}

/** Only an event tells that the ReplicaSet's controller deleted a Pod. */
export const observeEvent = (
  state: TrackedDeployments,
  { reason, message, involvedObject }: NormalizedEvent
): void => {
  if (reason !== "SuccessfulDelete") return
  const name = message.slice(message.lastIndexOf(" ") + 1)
  const uid = involvedObject.uid ?? ""
  const deletion = state.podDeletions.get(`${uid} ${name}`)
  const tracked = state.trackedByReplicaSet.get(uid)
  const replicaSet = tracked?.replicaSets.get(uid)
  if (deletion === undefined || tracked === undefined || replicaSet === undefined) return
  state.podDeletions.delete(`${uid} ${name}`)
  const { remaining, desired } = deletion
  if (remaining >= desired || mayReadStaleObjects(state, "replicaSet")) return
  state.report(
    tracked.key,
    unrequestedPod(replicaSet, `deleted Pod ${name}`, `Pods left >= replicas: ${remaining} >= ${desired}`)
  )
}

export const ownerHasSurplusPods = (state: TrackedDeployments, { resource, object }: Change): boolean => {
  const uid = resource === resources.pods ? controllerOf(object)?.uid : undefined
  const tracked = uid === undefined ? undefined : state.trackedByReplicaSet.get(uid)
  const replicaSet = uid === undefined ? undefined : tracked?.replicaSets.get(uid)
  // If the counts are unknown, a deletion counts as the owner's.
  if (uid === undefined || tracked === undefined || replicaSet === undefined) return true
  return tracked.account.activeOf(uid) >= replicaSet.spec.replicas
}
