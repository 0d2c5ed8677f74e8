import { afterDeadlineTexts } from "../kubernetes/steering/steeringNames.ts"
import { controllerOf } from "../kubernetes/meta/ownerReferences.ts"
import { isSteeringInProgress } from "../kubernetes/steering/steeringRequests.ts"
import { isEvictedByTaint } from "../kubernetes/pods/disruptionTarget.ts"
import { isTerminating } from "../kubernetes/meta/deletion.ts"
import { isNodeReady } from "../kubernetes/core/nodeStatus.ts"
import { podsOfWorkload } from "../store/ownerLookup.ts"
import { workloadCounts } from "./workloadCounts.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { rolloutBounds } from "../../machines/strategies/strategies.ts"
import { workloadStatus } from "../kubernetes/apps/workloadStatus.ts"
import type { Change, ClusterView } from "../store/objectStore.ts"
import type { Deployment, Key, Node, Pod } from "../kubernetes/meta/objects.ts"
import type { FutureCounts, Milestone, MilestoneKind } from "./forecast.ts"
import type { RolloutStatus } from "../kubernetes/apps/rolloutStatus.ts"
import type { Workload, WorkloadResource } from "../kubernetes/apps/workloadStatus.ts"

export interface FutureWatch {
  readonly onChange: (change: Change) => void
  /** Undefined once the workload is deleted. */
  readonly status: () => RolloutStatus | undefined
  readonly stateSinceMillis: () => number
  readonly changeCount: () => number
  readonly milestones: ReadonlyArray<Milestone>
  readonly counts: ReadonlyArray<FutureCounts>
}

export const watchFuture = (cluster: {
  readonly view: Pick<ClusterView["Service"], "get" | "controlled">
  readonly nowMillis: () => number
  readonly resource: WorkloadResource
  readonly key: Key
}): FutureWatch => {
  const { view, nowMillis, resource, key } = cluster
  const currentWorkload = (): Workload | undefined => view.get(resource, key)
  const milestones: Array<Milestone> = []
  const counts: Array<FutureCounts> = []
  let changeCount = 0
  let uid = currentWorkload()?.metadata.uid
  let status: RolloutStatus | undefined
  let stateSinceMillis = nowMillis()
  let isBelowFloor = false

  const addMilestone = (
    kind: MilestoneKind,
    details: Pick<Milestone, "node" | "count" | "text"> = {}
  ): void => {
    const millis = nowMillis()
    // A status may change and change back within one instant.
    const index = milestones.findLastIndex(
      (it) => it.kind === kind && it.millis === millis && it.node === details.node
    )
    milestones[index === -1 ? milestones.length : index] = { kind, millis, ...details }
  }

  const recordEviction = (node: string): void => {
    const index = milestones.findIndex((milestone) => milestone.kind === "evicted" && milestone.node === node)
    const earlier = milestones[index]
    if (earlier === undefined) addMilestone("evicted", { node, count: 1 })
    else milestones[index] = { ...earlier, count: (earlier.count ?? 0) + 1 }
  }

  const recordStatus = (workload: Workload): void => {
    const next = workloadStatus(resource, workload)
    const before = status?.state
    status = next
    if (next.state === before) return
    stateSinceMillis = nowMillis()
    const isJob = resource === resources.jobs
    if (next.state === "complete") addMilestone(isJob ? "succeeded" : "complete")
    if (next.state !== "failed") return
    if (isJob) addMilestone("failed", { text: next.message })
    else if (isSteeringInProgress(workload))
      addMilestone("deadlineMissed", { text: afterDeadlineTexts.steered })
    else addMilestone("deadlineMissed")
  }

  const recordCounts = (workload: Workload): void => {
    const next = workloadCounts(view, resource, workload)
    const before = counts.at(-1)
    if (before !== undefined && isSameCounts(before, next)) return
    const millis = nowMillis()
    if (before?.millis === millis) counts.pop()
    counts.push({ millis, ...next })
    const floor =
      resource === resources.deployments ? rolloutBounds(workload as Deployment).availableMin : undefined
    const wasBelowFloor = isBelowFloor
    isBelowFloor = floor !== undefined && next.available < floor
    if (before === undefined) return
    if (next.desired !== before.desired) addMilestone("scaled", { count: next.desired })
    if (isBelowFloor && !wasBelowFloor) addMilestone("floorLost", { count: next.available })
    if (!isBelowFloor && wasBelowFloor) addMilestone("floorRegained", { count: next.available })
    if (resource !== resources.jobs && hasAllNewPods(next) && !hasAllNewPods(before))
      addMilestone("newPodsAvailable", { count: next.desired })
  }

  const observeWorkload = (): void => {
    const workload = currentWorkload()
    if (workload === undefined) {
      if (uid !== undefined) addMilestone("deleted")
      uid = undefined
      status = undefined
      return
    }
    recordCounts(workload)
    recordStatus(workload)
  }

  const isOwnPod = (pod: Pod): boolean => {
    const owner = controllerOf(pod)?.uid
    if (owner === undefined || uid === undefined) return false
    if (owner === uid) return true
    return view.controlled(resources.replicaSets, uid).some(({ metadata }) => metadata.uid === owner)
  }

  const observeNode = (node: Node, old: Node | undefined): void => {
    const wasReady = old !== undefined && isNodeReady(old)
    if (old === undefined || isNodeReady(node) === wasReady) return
    const { name } = node.metadata
    const workload = currentWorkload()
    if (workload === undefined) return
    const pods = podsOfWorkload(view, resource, workload).filter(({ spec }) => spec.nodeName === name)
    if (pods.length > 0) addMilestone(wasReady ? "nodeLost" : "nodeReady", { node: name, count: pods.length })
  }

  const initialWorkload = currentWorkload()
  if (initialWorkload !== undefined) {
    status = workloadStatus(resource, initialWorkload)
    recordCounts(initialWorkload)
  }
  return {
    onChange: ({ object, old, resource: changedResource }) => {
      changeCount += 1
      const concernsWorkload =
        uid !== undefined && (object.metadata.uid === uid || controllerOf(object)?.uid === uid)
      if (changedResource === resources.pods) {
        const pod = object as Pod
        const { nodeName } = pod.spec
        const isEvicted = old !== undefined && !isTerminating(old) && isTaintEviction(pod)
        if (isEvicted && nodeName !== undefined && isOwnPod(pod)) recordEviction(nodeName)
      } else if (changedResource === resources.nodes) observeNode(object as Node, old as Node | undefined)
      else if (concernsWorkload) observeWorkload()
    },
    status: () => status,
    stateSinceMillis: () => stateSinceMillis,
    changeCount: () => changeCount,
    milestones,
    counts
  }
}

const isTaintEviction = (pod: Pod): boolean => isTerminating(pod) && isEvictedByTaint(pod)

const hasAllNewPods = ({ desired, updatedAvailable }: Omit<FutureCounts, "millis">): boolean =>
  desired > 0 && updatedAvailable >= desired

const isSameCounts = (a: FutureCounts, b: Omit<FutureCounts, "millis">): boolean =>
  a.desired === b.desired &&
  a.updated === b.updated &&
  a.available === b.available &&
  a.updatedAvailable === b.updatedAvailable
