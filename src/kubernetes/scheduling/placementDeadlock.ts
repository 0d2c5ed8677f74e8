import { conditionOf } from "../meta/conditions.ts"
import { controllerOf } from "../meta/ownerReferences.ts"
import { isTerminating } from "../meta/deletion.ts"
import { isPodFinished, isPodReady } from "../pods/podState.ts"
import { resolveFenceposts } from "../apps/rolloutBounds.ts"
import { conflictingDisk } from "./diskConflicts.ts"
import { hostPortsOf, portsConflict } from "./hostPorts.ts"
import { lackingResources } from "./nodeResources.ts"
import { makeMutablePlacementWorld } from "./placementWorlds.ts"
import { podRevisionLabel } from "../apps/controllerRevisions/controllerRevisions.ts"
import { podClaims } from "../storage/podClaims.ts"
import { podRequestsOf } from "../pods/podRequests.ts"
import { prepareChecks } from "./placementFilters.ts"
import { toObjectKey } from "../meta/objects.ts"
import type { DaemonSet } from "../apps/daemonSets/daemonSetTypes.ts"
import type { Deployment, Labels, Node, Pod } from "../meta/objects.ts"
import type { FilterName } from "./placementFilters.ts"
import type { PlacementWorld } from "./placementFilter.ts"
import type { StorageObjects } from "../storage/storageObjects.ts"

export interface PlacementInput {
  readonly nodes: ReadonlyArray<Node>
  readonly pods: ReadonlyArray<Pod>
  readonly namespaces?: ReadonlyArray<{ readonly name: string; readonly labels: Labels | undefined }>
  /** Without it, no claim keeps a Pod from a node. */
  readonly storage?: StorageObjects
}

const deadlockBeginning = "This rollout waits for itself"

export const isPlacementDeadlock = (reason: string): boolean => reason.startsWith(deadlockBeginning)

/** Undefined while something may still change without the user. */
export const placementDeadlock = (
  deployment: Deployment,
  pods: ReadonlyArray<Pod>,
  readPlacementInput: () => PlacementInput
): string | undefined => {
  const { replicas, strategy } = deployment.spec
  const { unavailableMax } = resolveFenceposts(deployment)
  const living = pods.filter((pod) => !isPodFinished(pod))
  const maySpareOld = (deployment.status.availableReplicas ?? 0) > replicas - unavailableMax
  if (strategy.rollingUpdate === undefined || maySpareOld || living.some(isTerminating)) return undefined
  for (const pod of living) {
    if (!isUnschedulable(pod)) continue
    const isSibling = (it: Pod): boolean => controllerOf(it)?.uid === controllerOf(pod)?.uid
    const placed = living.filter(({ spec }) => spec.nodeName !== undefined)
    if (placed.some((it) => isSibling(it) && !isPodReady(it))) return undefined
    const oldPods = placed.filter((it) => !isSibling(it))
    const field = oldPods.length === 0 ? undefined : conflictingField(pod, oldPods, readPlacementInput())
    if (field === undefined) continue
    const { maxUnavailable = unavailableMax } = strategy.rollingUpdate
    const amount = typeof maxUnavailable === "string" ? ` (${unavailableMax} of ${replicas})` : ""
    return (
      `${deadlockBeginning}: ${field} keeps its new Pods from the nodes of the old ones, and with ` +
      `maxUnavailable: ${maxUnavailable}${amount} no old one goes before a new one is available`
    )
  }
  return undefined
}

/**
 * With maxSurge, the old Pod of a node stays until the new one is available. Source: daemon/update.go
 * (rollingUpdate).
 */
export const daemonPlacementDeadlock = (
  { spec }: DaemonSet,
  pods: ReadonlyArray<Pod>,
  readPlacementInput: () => PlacementInput
): string | undefined => {
  const living = pods.filter((pod) => !isPodFinished(pod))
  const maxSurge = spec.updateStrategy?.rollingUpdate?.maxSurge
  if (maxSurge === undefined || living.some(isTerminating)) return undefined
  for (const pod of living) {
    if (!isUnschedulable(pod)) continue
    const oldPods = living.filter(
      (it) => it.spec.nodeName !== undefined && daemonHashOf(it) !== daemonHashOf(pod)
    )
    const field = oldPods.length === 0 ? undefined : conflictingField(pod, oldPods, readPlacementInput())
    if (field === undefined) continue
    return (
      `${deadlockBeginning}: ${field} keeps its new Pods from the nodes of the old ones, and with ` +
      `maxSurge: ${maxSurge} no old one goes before the new one beside it is available`
    )
  }
  return undefined
}

const daemonHashOf = ({ metadata }: Pod): string | undefined => metadata.labels?.[podRevisionLabel]

/** A Pod with a nominated node waits for preemption, not for its rollout. */
const isUnschedulable = ({ spec, status }: Pod): boolean =>
  spec.nodeName === undefined &&
  status.nominatedNodeName === undefined &&
  conditionOf(status.conditions, "PodScheduled")?.reason === "Unschedulable"

/** Undefined if no node would fit without the old Pods, or one fits already. */
const conflictingField = (
  pod: Pod,
  oldPods: ReadonlyArray<Pod>,
  input: PlacementInput
): string | undefined => {
  const oldPodUids = new Set(oldPods.map(({ metadata }) => metadata.uid))
  const staying = input.pods.filter((it) => !isTerminating(it))
  const world = worldOf(input, staying)
  const others = staying.filter(({ metadata }) => !oldPodUids.has(metadata.uid))
  const checks = prepareChecks(pod, world)
  const checksAlone = prepareChecks(pod, worldOf(input, others))
  if (checks.refusal !== undefined || checksAlone.refusal !== undefined) return undefined
  let field: string | undefined
  for (const node of input.nodes) {
    let failed: FilterName | undefined
    const obstacle = checks.obstacle(node, (filter) => {
      failed = filter
    })
    if (obstacle === undefined || failed === undefined) return undefined
    if (field === undefined && checksAlone.obstacle(node) === undefined)
      field = fieldTexts[failed]?.(pod, node, world)
  }
  return field
}

const worldOf = (
  { nodes, namespaces, storage }: PlacementInput,
  pods: ReadonlyArray<Pod>
): PlacementWorld => {
  const { world, add } = makeMutablePlacementWorld(nodes, namespaces)
  pods.forEach(add)
  return storage === undefined ? world : { ...world, storage }
}

/** Only filters that depend on the Pods of the nodes are here. */
const fieldTexts: Partial<
  Readonly<Record<FilterName, (pod: Pod, node: Node, world: PlacementWorld) => string>>
> = {
  InterPodAffinity: () => "required podAntiAffinity",
  PodTopologySpread: () => "a topology spread constraint with DoNotSchedule",
  NodeVolumeLimits: () => "the number of volumes that a node takes",
  NodePorts: ({ spec }, { metadata }, world) => {
    const used = [...world.hostPorts(metadata.name)]
    const taken = hostPortsOf(spec).find((it) => used.some((other) => portsConflict(it, other)))
    return `hostPort ${taken?.port ?? 0}`
  },
  NodeResourcesFit: ({ spec }, node, world) => {
    const lacking = lackingResources(node, podRequestsOf(spec), world.load(node.metadata.name))
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
