import { controllerOf } from "../meta/ownerReferences.ts"
import { isTerminating } from "../meta/deletion.ts"
import { isPodFinished, isPodReady, unschedulableCondition } from "../pods/podState.ts"
import { resolveFenceposts } from "../apps/rolloutBounds.ts"
import { conflictingDisk } from "./diskConflicts.ts"
import { hostPortsOf, portsConflict } from "./hostPorts.ts"
import { lackingResources } from "./nodeResources.ts"
import { makeMutableNodeInfos } from "./nodeInfos.ts"
import { podRevisionLabel } from "../apps/controllerRevisions/controllerRevisions.ts"
import { podClaims } from "../storage/podClaims.ts"
import { podRequestsOf } from "../pods/podRequests.ts"
import { prepareChecks } from "./placementFilters.ts"
import { toObjectKey } from "../meta/objects.ts"
import type { DaemonSet } from "../apps/daemonSets/daemonSetTypes.ts"
import type { Deployment, Labels, Node, Pod } from "../meta/objects.ts"
import type { FilterName } from "./placementFilters.ts"
import type { NodeInfos } from "./placementFilter.ts"
import type { StorageObjects } from "../storage/storageObjects.ts"

export interface PlacementInput {
  readonly nodes: ReadonlyArray<Node>
  readonly pods: ReadonlyArray<Pod>
  readonly namespaces?: ReadonlyArray<{ readonly name: string; readonly labels: Labels | undefined }>
  /** Without `storage`, no claim keeps a Pod from a node. */
  readonly storage?: StorageObjects
}

const deadlockBeginning = "This rollout waits for itself"

export const isPlacementDeadlockText = (reason: string): boolean => reason.startsWith(deadlockBeginning)

/** Why the rollout waits for itself; undefined while something may still change without the user. */
export const placementDeadlockText = (
  deployment: Deployment,
  pods: ReadonlyArray<Pod>,
  readPlacementInput: () => PlacementInput
): string | undefined => {
  const { replicas, strategy } = deployment.spec
  const { unavailableMax } = resolveFenceposts(deployment)
  const unfinished = pods.filter((pod) => !isPodFinished(pod))
  const isAboveFloor = (deployment.status.availableReplicas ?? 0) > replicas - unavailableMax
  if (strategy.rollingUpdate === undefined || isAboveFloor || unfinished.some(isTerminating)) return undefined
  for (const pod of unfinished) {
    if (!isUnschedulable(pod)) continue
    const isOfSameReplicaSet = (it: Pod): boolean => controllerOf(it)?.uid === controllerOf(pod)?.uid
    const placed = unfinished.filter(({ spec }) => spec.nodeName !== undefined)
    if (placed.some((it) => isOfSameReplicaSet(it) && !isPodReady(it))) return undefined
    const oldPods = placed.filter((it) => !isOfSameReplicaSet(it))
    const conflict = oldPods.length === 0 ? undefined : conflictTextOf(pod, oldPods, readPlacementInput())
    if (conflict === undefined) continue
    const { maxUnavailable = unavailableMax } = strategy.rollingUpdate
    const amount = typeof maxUnavailable === "string" ? ` (${unavailableMax} of ${replicas})` : ""
    return (
      `${deadlockBeginning}: ${conflict} keeps its new Pods from the nodes of the old ones, and with ` +
      `maxUnavailable: ${maxUnavailable}${amount} no old one goes before a new one is available`
    )
  }
  return undefined
}

/**
 * With maxSurge, the old Pod of a node stays until the new one is available. Source: daemon/update.go
 * (rollingUpdate).
 */
export const daemonPlacementDeadlockText = (
  { spec }: DaemonSet,
  pods: ReadonlyArray<Pod>,
  readPlacementInput: () => PlacementInput
): string | undefined => {
  const unfinished = pods.filter((pod) => !isPodFinished(pod))
  const maxSurge = spec.updateStrategy?.rollingUpdate?.maxSurge
  if (maxSurge === undefined || unfinished.some(isTerminating)) return undefined
  for (const pod of unfinished) {
    if (!isUnschedulable(pod)) continue
    const oldPods = unfinished.filter(
      (it) => it.spec.nodeName !== undefined && daemonHashOf(it) !== daemonHashOf(pod)
    )
    const conflict = oldPods.length === 0 ? undefined : conflictTextOf(pod, oldPods, readPlacementInput())
    if (conflict === undefined) continue
    return (
      `${deadlockBeginning}: ${conflict} keeps its new Pods from the nodes of the old ones, and with ` +
      `maxSurge: ${maxSurge} no old one goes before the new one beside it is available`
    )
  }
  return undefined
}

const daemonHashOf = ({ metadata }: Pod): string | undefined => metadata.labels?.[podRevisionLabel]

/** A Pod with a nominated node waits for preemption, not for its rollout. */
const isUnschedulable = (pod: Pod): boolean =>
  pod.spec.nodeName === undefined &&
  pod.status.nominatedNodeName === undefined &&
  unschedulableCondition(pod) !== undefined

/** Undefined if no node would fit without the old Pods, or one fits already. */
const conflictTextOf = (pod: Pod, oldPods: ReadonlyArray<Pod>, input: PlacementInput): string | undefined => {
  const oldPodUids = new Set(oldPods.map(({ metadata }) => metadata.uid))
  const remaining = input.pods.filter((it) => !isTerminating(it))
  const nodeInfos = nodeInfosOf(input, remaining)
  const remainingWithoutOld = remaining.filter(({ metadata }) => !oldPodUids.has(metadata.uid))
  const checks = prepareChecks(pod, nodeInfos)
  const checksWithoutOldPods = prepareChecks(pod, nodeInfosOf(input, remainingWithoutOld))
  if (checks.refusal !== undefined || checksWithoutOldPods.refusal !== undefined) return undefined
  let conflict: string | undefined
  for (const node of input.nodes) {
    let failed: FilterName | undefined
    const obstacle = checks.obstacle(node, (filter) => {
      failed = filter
    })
    if (obstacle === undefined || failed === undefined) return undefined
    if (conflict === undefined && checksWithoutOldPods.obstacle(node) === undefined)
      conflict = conflictTexts[failed]?.(pod, node, nodeInfos)
  }
  return conflict
}

const nodeInfosOf = ({ nodes, namespaces, storage }: PlacementInput, pods: ReadonlyArray<Pod>): NodeInfos => {
  const { nodeInfos, add } = makeMutableNodeInfos(nodes, namespaces)
  pods.forEach(add)
  return storage === undefined ? nodeInfos : { ...nodeInfos, storage }
}

/** Only filters that depend on the Pods of the nodes are here. */
const conflictTexts: Partial<
  Readonly<Record<FilterName, (pod: Pod, node: Node, nodeInfos: NodeInfos) => string>>
> = {
  InterPodAffinity: () => "required podAntiAffinity",
  PodTopologySpread: () => "a topology spread constraint with DoNotSchedule",
  NodeVolumeLimits: () => "the number of volumes that a node takes",
  NodePorts: ({ spec }, { metadata }, nodeInfos) => {
    const used = [...nodeInfos.hostPorts(metadata.name)]
    const taken = hostPortsOf(spec).find((it) => used.some((other) => portsConflict(it, other)))
    return `hostPort ${taken?.port ?? 0}`
  },
  NodeResourcesFit: ({ spec }, node, nodeInfos) => {
    const lacking = lackingResources(node, podRequestsOf(spec), nodeInfos.requestedOn(node.metadata.name))
    return lacking.length === 0
      ? "the number of Pods that a node takes"
      : `the request for ${lacking.map(({ name }) => name).join(" and ")}`
  },
  VolumeRestrictions: (pod, node, { storage, podsOn }) => {
    for (const { spec } of podsOn(node.metadata.name)) {
      const disk = conflictingDisk(pod.spec.volumes ?? [], spec)
      if (disk !== undefined) return `the disk of volume ${disk.name}`
    }
    const claims = podClaims(pod).filter(({ name }) =>
      storage
        ?.claim(toObjectKey(pod.metadata.namespace, name))
        ?.spec.accessModes?.includes("ReadWriteOncePod")
    )
    return `claim ${claims.map(({ name }) => name).join(" or ")} with ReadWriteOncePod`
  }
}
