import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { isTerminating } from "../../kubernetes/meta/deletion.ts"
import { isPodActive } from "../../kubernetes/pods/podState.ts"
import { makeDaemonNodes } from "./daemonNodes.ts"
import { makePodAccount } from "./podAccount.ts"
import { makePodOwner, otherPodsOnNodeOf, trackPod, untrackPod } from "./podOwner.ts"
import { nodeFitness } from "../../kubernetes/apps/daemonSets/daemonPods.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import {
  checkDaemonCreated,
  checkDaemonStopped,
  checkJobPodCreated,
  checkReplicaCreated,
  checkReplicaStopped,
  isAvailableAt
} from "./workloadRules.ts"
import type { Change } from "../../store/objectStore.ts"
import type { DaemonSet } from "../../kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { FaultExcuses, JudgedController } from "./faultExcuses.ts"
import type { Job } from "../../kubernetes/batch/jobs/jobTypes.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"
import type { ScheduleCallback } from "./ledgerTimers.ts"
import type { StatefulSet } from "../../kubernetes/apps/statefulSets/statefulSetTypes.ts"
import type { JudgedWorkload, PodOwner } from "./podOwner.ts"
import type { ViolationDetails } from "./violations.ts"
import type { WriterName } from "../../runtime/reconciler/currentWriter.ts"

export interface WorkloadLedger {
  readonly observe: (change: Change, writer: WriterName | undefined) => void
}

const controllersByKind: Readonly<Record<string, JudgedController>> = {
  StatefulSet: "statefulSet",
  DaemonSet: "daemonSet",
  Job: "job"
}

export const makeWorkloadLedger = (options: {
  readonly schedule: ScheduleCallback
  readonly nowMillis: () => number
  readonly report: (subject: string, violation: ViolationDetails) => void
  readonly excuses: FaultExcuses
}): WorkloadLedger => {
  const { nowMillis, report, excuses } = options
  const ownersByUid = new Map<string, PodOwner>()
  // A workload takes the place of a ReplicaSet here.
  const account = makePodAccount(options.schedule)
  const nodes = makeDaemonNodes()

  const observeWorkload = ({ type, object }: Change): void => {
    const { uid } = object.metadata
    if (type === "DELETED") {
      ownersByUid.delete(uid)
      account.releaseReplicaSet(uid)
      return
    }
    const workload = object as JudgedWorkload
    const podOwner = ownersByUid.get(uid)
    if (podOwner !== undefined) podOwner.object = workload
    else ownersByUid.set(uid, makePodOwner(workload))
    account.setMinReadySeconds(uid, minReadySecondsOf(workload), nowMillis())
  }

  /** Returns the Pod's owner, if that is judged. */
  const followPod = ({ type, object, old }: Change): PodOwner | undefined => {
    const pod = object as Pod
    const { uid } = pod.metadata
    const owner = controllerOf(pod)
    const formerOwner = old === undefined ? undefined : controllerOf(old)
    if (formerOwner !== undefined && formerOwner.uid !== owner?.uid) {
      untrackPod(ownersByUid.get(formerOwner.uid), pod)
      account.removePod(uid)
    }
    const podOwner = owner === undefined ? undefined : ownersByUid.get(owner.uid)
    if (owner === undefined || podOwner === undefined) {
      account.removePod(uid)
      return undefined
    }
    if (type === "DELETED") {
      untrackPod(podOwner, pod)
      account.removePod(uid)
    } else {
      trackPod(podOwner, pod)
      account.observePod(pod, owner.uid, nowMillis())
    }
    return podOwner
  }

  const observePod = (change: Change, writer: WriterName | undefined): void => {
    const podOwner = followPod(change)
    if (podOwner === undefined) return
    const controller = controllersByKind[podOwner.object.kind]
    if (controller === undefined || writer !== controller) return
    if (excuses.mayReadStaleObjects(controller, nowMillis())) return
    const violation = checkChange(podOwner, change, controller)
    if (violation !== undefined) report(objectKeyOf(podOwner.object), violation)
  }

  const checkChange = (
    podOwner: PodOwner,
    { type, object, old }: Change,
    controller: JudgedController
  ): ViolationDetails | undefined => {
    const pod = object as Pod
    if (type === "ADDED" && !excuses.mayRepeatWrites(controller, nowMillis()))
      return checkCreated(podOwner, pod)
    const lastState = (old as Pod | undefined) ?? pod
    const isStopped =
      (type === "DELETED" || (type === "MODIFIED" && isTerminating(pod))) &&
      isPodActive(type === "DELETED" ? pod : lastState)
    return isStopped ? checkStopped(podOwner, lastState) : undefined
  }

  const checkCreated = (podOwner: PodOwner, pod: Pod): ViolationDetails | undefined => {
    const { object, podsByName, podsByNode } = podOwner
    const step = { pod, nowMillis: nowMillis() }
    // The kind determines the type, which TypeScript cannot infer.
    switch (object.kind) {
      case "StatefulSet":
        return checkReplicaCreated({ ...step, owner: object as StatefulSet }, (name) => podsByName.get(name))
      case "DaemonSet": {
        const otherPodsOnNode = otherPodsOnNodeOf(podOwner, pod)
        if (otherPodsOnNode.length === 0) return undefined
        const owner = object as DaemonSet
        const desired = nodes.desiredCount(podOwner, owner)
        return checkDaemonCreated({ ...step, owner, desired, otherPodsOnNode }, podsByNode)
      }
      default:
        return checkJobPodCreated({ ...step, owner: object as Job }, account.activeOf(object.metadata.uid))
    }
  }

  /** `pod`: before the controller told it to stop. */
  const checkStopped = (podOwner: PodOwner, pod: Pod): ViolationDetails | undefined => {
    const { object } = podOwner
    const step = { pod, nowMillis: nowMillis() }
    const available = account.availableOf(object.metadata.uid)
    if (object.kind === "StatefulSet")
      return checkReplicaStopped({ ...step, owner: object as StatefulSet }, available)
    if (object.kind !== "DaemonSet") return undefined
    const owner = object as DaemonSet
    const node = nodes.targetOf(pod)
    const wasCountedAsAvailable =
      node !== undefined &&
      nodeFitness(owner, node).mayStay &&
      isAvailableAt(pod, owner.spec.minReadySeconds, step.nowMillis)
    if (!wasCountedAsAvailable) return undefined
    const desired = nodes.desiredCount(podOwner, owner)
    return checkDaemonStopped(
      { ...step, owner, desired, otherPodsOnNode: otherPodsOnNodeOf(podOwner, pod) },
      available
    )
  }

  return {
    observe: (change, writer) => {
      switch (change.resource) {
        case resources.statefulSets:
        case resources.daemonSets:
        case resources.jobs:
          return observeWorkload(change)
        case resources.nodes:
          return nodes.observe(change)
        case resources.pods:
          return observePod(change, writer)
      }
    }
  }
}

const minReadySecondsOf = (workload: JudgedWorkload): number =>
  workload.kind === "Job" ? 0 : ((workload as StatefulSet | DaemonSet).spec.minReadySeconds ?? 0)
