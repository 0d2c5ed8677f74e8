import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { isTerminating } from "../../kubernetes/meta/deletion.ts"
import { isPodActive } from "../../kubernetes/pods/podState.ts"
import { makePodAccount } from "./podAccount.ts"
import { nodeFitness, targetNodeName } from "../../kubernetes/apps/daemonSets/daemonPods.ts"
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
import type { Node, Pod } from "../../kubernetes/meta/objects.ts"
import type { ScheduleCallback } from "./ledgerTimers.ts"
import type { StatefulSet } from "../../kubernetes/apps/statefulSets/statefulSetTypes.ts"
import type { ViolationDetails } from "./violations.ts"
import type { WriterName } from "../../runtime/reconciler/currentWriter.ts"

export interface WorkloadLedger {
  readonly observe: (change: Change, writer: WriterName | undefined) => void
}

type JudgedWorkload = StatefulSet | DaemonSet | Job

const controllersByKind: Readonly<Record<string, JudgedController>> = {
  StatefulSet: "statefulSet",
  DaemonSet: "daemonSet",
  Job: "job"
}

interface TrackedWorkload {
  object: JudgedWorkload
  readonly podsByName: Map<string, Pod>
  readonly podsByNode: Map<string, ReadonlyArray<Pod>>
  /** How many nodes should have a Pod, as long as neither the template nor a node changes. */
  cachedDesired:
    | { readonly template: unknown; readonly nodesVersion: number; readonly count: number }
    | undefined
}

export const makeWorkloadLedger = (options: {
  readonly schedule: ScheduleCallback
  readonly nowMillis: () => number
  readonly report: (subject: string, violation: ViolationDetails) => void
  readonly excuses: FaultExcuses
}): WorkloadLedger => {
  const { nowMillis, report, excuses } = options
  const trackedByUid = new Map<string, TrackedWorkload>()
  // A workload takes the place of a ReplicaSet here.
  const account = makePodAccount(options.schedule)
  const nodes = new Map<string, Node>()
  let nodesVersion = 0

  const observeWorkload = ({ type, object }: Change): void => {
    const { uid } = object.metadata
    if (type === "DELETED") {
      trackedByUid.delete(uid)
      account.releaseReplicaSet(uid)
      return
    }
    const workload = object as JudgedWorkload
    const tracked = trackedByUid.get(uid)
    if (tracked !== undefined) tracked.object = workload
    else {
      const podsByName = new Map<string, Pod>()
      trackedByUid.set(uid, { object: workload, podsByName, podsByNode: new Map(), cachedDesired: undefined })
    }
    account.setMinReadySeconds(uid, minReadySecondsOf(workload), nowMillis())
  }

  const observeNode = ({ type, object, old }: Change): void => {
    const node = object as Node
    const before = old as Node | undefined
    if (type === "DELETED") nodes.delete(node.metadata.name)
    else nodes.set(node.metadata.name, node)
    const isSameForDaemonSets =
      type === "MODIFIED" && node.spec === before?.spec && node.metadata.labels === before.metadata.labels
    if (!isSameForDaemonSets) nodesVersion += 1
  }

  const desiredOf = (tracked: TrackedWorkload, daemonSet: DaemonSet): number => {
    const { template } = daemonSet.spec
    const cached = tracked.cachedDesired
    if (cached?.template === template && cached.nodesVersion === nodesVersion) return cached.count
    const count = [...nodes.values()].filter((node) => nodeFitness(daemonSet, node).fits).length
    tracked.cachedDesired = { template, nodesVersion, count }
    return count
  }

  const removeTrackedPod = (tracked: TrackedWorkload | undefined, pod: Pod): void => {
    if (tracked === undefined) return
    tracked.podsByName.delete(pod.metadata.name)
    if (tracked.object.kind === "DaemonSet") updatePodsOfNode(tracked, pod, [])
  }
  const trackPod = (tracked: TrackedWorkload, pod: Pod): void => {
    tracked.podsByName.set(pod.metadata.name, pod)
    if (tracked.object.kind === "DaemonSet") updatePodsOfNode(tracked, pod, [pod])
  }
  const updatePodsOfNode = ({ podsByNode }: TrackedWorkload, pod: Pod, added: ReadonlyArray<Pod>): void => {
    const node = targetNodeName(pod) ?? ""
    const otherPods = (podsByNode.get(node) ?? []).filter(({ metadata }) => metadata.uid !== pod.metadata.uid)
    const pods = [...otherPods, ...added]
    if (pods.length === 0) podsByNode.delete(node)
    else podsByNode.set(node, pods)
  }

  const observePod = ({ type, object, old }: Change, writer: WriterName | undefined): void => {
    const pod = object as Pod
    const before = old as Pod | undefined
    const { uid } = pod.metadata
    const owner = controllerOf(pod)
    const formerOwner = before === undefined ? undefined : controllerOf(before)
    if (formerOwner !== undefined && formerOwner.uid !== owner?.uid) {
      removeTrackedPod(trackedByUid.get(formerOwner.uid), pod)
      account.removePod(uid)
    }
    const tracked = owner === undefined ? undefined : trackedByUid.get(owner.uid)
    if (owner === undefined || tracked === undefined) return account.removePod(uid)
    if (type === "DELETED") {
      removeTrackedPod(tracked, pod)
      account.removePod(uid)
    } else {
      trackPod(tracked, pod)
      account.observePod(pod, owner.uid, nowMillis())
    }
    const controller = controllersByKind[tracked.object.kind]
    if (controller === undefined || writer !== controller) return
    if (excuses.mayReadStaleObjects(controller, nowMillis())) return
    const isCreated = type === "ADDED" && !excuses.mayRepeatWrites(controller, nowMillis())
    const lastState = before ?? pod
    const isStopped =
      (type === "DELETED" || (type === "MODIFIED" && isTerminating(pod))) &&
      isPodActive(type === "DELETED" ? pod : lastState)
    const violation = isCreated
      ? checkCreated(tracked, pod)
      : isStopped
        ? checkStopped(tracked, lastState)
        : undefined
    if (violation !== undefined) report(objectKeyOf(tracked.object), violation)
  }

  const otherPodsOnNodeOf = ({ podsByNode }: TrackedWorkload, pod: Pod): ReadonlyArray<Pod> =>
    (podsByNode.get(targetNodeName(pod) ?? "") ?? []).filter(
      ({ metadata }) => metadata.uid !== pod.metadata.uid
    )

  const checkCreated = (tracked: TrackedWorkload, pod: Pod): ViolationDetails | undefined => {
    const { object, podsByName, podsByNode } = tracked
    const step = { pod, nowMillis: nowMillis() }
    // The kind determines the type, which TypeScript cannot infer.
    switch (object.kind) {
      case "StatefulSet":
        return checkReplicaCreated({ ...step, owner: object as StatefulSet }, (name) => podsByName.get(name))
      case "DaemonSet": {
        const otherPodsOnNode = otherPodsOnNodeOf(tracked, pod)
        if (otherPodsOnNode.length === 0) return undefined
        const owner = object as DaemonSet
        const desired = desiredOf(tracked, owner)
        return checkDaemonCreated({ ...step, owner, desired, otherPodsOnNode }, podsByNode)
      }
      default:
        return checkJobPodCreated({ ...step, owner: object as Job }, account.activeOf(object.metadata.uid))
    }
  }

  /** `pod`: before the controller told it to stop. */
  const checkStopped = (tracked: TrackedWorkload, pod: Pod): ViolationDetails | undefined => {
    const { object } = tracked
    const step = { pod, nowMillis: nowMillis() }
    const available = account.availableOf(object.metadata.uid)
    if (object.kind === "StatefulSet")
      return checkReplicaStopped({ ...step, owner: object as StatefulSet }, available)
    if (object.kind !== "DaemonSet") return undefined
    const owner = object as DaemonSet
    const node = nodes.get(targetNodeName(pod) ?? "")
    const wasCountedAsAvailable =
      node !== undefined &&
      nodeFitness(owner, node).mayStay &&
      isAvailableAt(pod, owner.spec.minReadySeconds, step.nowMillis)
    if (!wasCountedAsAvailable) return undefined
    const desired = desiredOf(tracked, owner)
    return checkDaemonStopped(
      { ...step, owner, desired, otherPodsOnNode: otherPodsOnNodeOf(tracked, pod) },
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
          return observeNode(change)
        case resources.pods:
          return observePod(change, writer)
      }
    }
  }
}

const minReadySecondsOf = (workload: JudgedWorkload): number =>
  workload.kind === "Job" ? 0 : ((workload as StatefulSet | DaemonSet).spec.minReadySeconds ?? 0)
