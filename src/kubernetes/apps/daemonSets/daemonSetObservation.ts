import { isPodReady, isPodFinished, readySinceMillis } from "../../pods/podState.ts"
import { isTerminating } from "../../meta/deletion.ts"
import { memoizePerObservation } from "../memoizePerObservation.ts"
import { podRevisionLabel } from "../controllerRevisions/controllerRevisions.ts"
import { resolveIntOrPercent } from "../../meta/amounts/intOrPercent.ts"
import type { ControllerRevision, TemplateRecord } from "../controllerRevisions/controllerRevisions.ts"
import type { DaemonSet, DaemonSetStatus } from "./daemonSetTypes.ts"
import type { NodeFitness } from "./daemonPods.ts"
import type { OwnershipChanges } from "../deploymentObservation.ts"
import type { Pod } from "../../meta/objects.ts"

/** Source: daemon_controller.go, update.go. */
export interface DaemonSetObservation {
  readonly daemonSet: DaemonSet
  /** Includes nodes that are gone but still have Pods. */
  readonly nodes: ReadonlyArray<DaemonNode>
  readonly claims: OwnershipChanges<Pod>
  /** Lowest number first. */
  readonly revisions: ReadonlyArray<ControllerRevision>
  readonly orphanedRevisions: ReadonlyArray<ControllerRevision>
  /** How the present template gets its ControllerRevision. */
  readonly templateRecord: TemplateRecord
  readonly nowMillis: number
}

export interface DaemonNode extends NodeFitness {
  readonly name: string
  readonly isGone: boolean
  /** Bound Pods first, then oldest first; without finished Pods that are terminating. */
  readonly pods: ReadonlyArray<Pod>
}

export interface NodePod {
  readonly node: DaemonNode
  readonly pod: Pod
}

/** The hash is "" until the present template has a ControllerRevision. */
export const currentRevisionHash = ({ templateRecord }: DaemonSetObservation): string =>
  templateRecord.type === "create" ? "" : hashOf(templateRecord.revision)

const hashOf = ({ metadata }: ControllerRevision): string => metadata.labels?.[podRevisionLabel] ?? ""

const hasPresentTemplate = (seen: DaemonSetObservation, pod: Pod): boolean =>
  pod.metadata.labels?.[podRevisionLabel] === currentRevisionHash(seen)

/** Facts that do not depend on the time, so that they can be memoized. */
interface NodeFacts {
  readonly node: DaemonNode
  readonly livePods: ReadonlyArray<Pod>
  readonly finished: ReadonlyArray<NodePod>
  readonly unfinished: ReadonlyArray<Pod>
  /** The first live Pod of the present template, and of another template. */
  readonly updated: Pod | undefined
  readonly outdated: Pod | undefined
  /** Whether surplus Pods must be deleted before the update continues. */
  readonly isCrowded: boolean
  /** When each ready Pod became ready, in Unix milliseconds. */
  readonly readySince: ReadonlyMap<Pod, number>
  readonly presentHash: string
}

const factsByNode = new WeakMap<DaemonNode, NodeFacts>()

const nodeFactsOf = (seen: DaemonSetObservation, node: DaemonNode): NodeFacts => {
  const cached = factsByNode.get(node)
  const presentHash = currentRevisionHash(seen)
  if (cached?.presentHash === presentHash) return cached
  const livePods = node.pods.filter((pod) => !isTerminating(pod))
  const updated = livePods.filter((pod) => hasPresentTemplate(seen, pod))
  const outdated = livePods.filter((pod) => !hasPresentTemplate(seen, pod))
  const facts: NodeFacts = {
    node,
    livePods,
    finished: livePods.filter(isPodFinished).map((pod) => ({ node, pod })),
    unfinished: livePods.filter((pod) => !isPodFinished(pod)),
    updated: updated[0],
    outdated: outdated[0],
    isCrowded: updated.length > 1 || outdated.length > 1,
    readySince: new Map(
      node.pods.flatMap((pod) => (isPodReady(pod) ? [[pod, readySinceMillis(pod) ?? 0] as const] : []))
    ),
    presentHash
  }
  factsByNode.set(node, facts)
  return facts
}

const minReadyMillis = ({ daemonSet }: DaemonSetObservation): number =>
  (daemonSet.spec.minReadySeconds ?? 0) * 1000

const isAvailable = (seen: DaemonSetObservation, { readySince }: NodeFacts, pod: Pod): boolean => {
  const since = readySince.get(pod)
  return since !== undefined && since + minReadyMillis(seen) <= seen.nowMillis
}

const allNodeFacts = memoizePerObservation((seen: DaemonSetObservation): ReadonlyArray<NodeFacts> =>
  seen.nodes.map((node) => nodeFactsOf(seen, node))
)

/** In Unix milliseconds; undefined if no Pod will become available. */
export const nextAvailablePodMillis = memoizePerObservation(
  (seen: DaemonSetObservation): number | undefined => {
    const waitMillis = minReadyMillis(seen)
    if (waitMillis === 0) return undefined
    let next = Infinity
    for (const { readySince } of allNodeFacts(seen))
      for (const since of readySince.values())
        if (since + waitMillis > seen.nowMillis) next = Math.min(next, since + waitMillis)
    return next === Infinity ? undefined : next
  }
)

export const nodesWithoutPod = memoizePerObservation((seen: DaemonSetObservation): ReadonlyArray<string> =>
  seen.nodes.filter(({ fits, pods }) => fits && pods.length === 0).map(({ name }) => name)
)

/** Finished Pods on fitting nodes, which new Pods replace. */
export const finishedPods = memoizePerObservation((seen: DaemonSetObservation): ReadonlyArray<NodePod> => {
  const pods: Array<NodePod> = []
  for (const { node, finished } of allNodeFacts(seen))
    if (finished.length > 0 && node.mayStay) pods.push(...finished)
  return pods
})

/** Pods whose node does not fit, is gone, or has more than one Pod. */
export const misplacedPods = memoizePerObservation((seen: DaemonSetObservation): ReadonlyArray<Pod> => {
  const hasSurge = allowsSurge(seen.daemonSet)
  const pods: Array<Pod> = []
  for (const facts of allNodeFacts(seen)) {
    const { node, livePods, unfinished } = facts
    if (node.mayStay && unfinished.length <= 1) continue
    // Pod garbage collection deletes the Pods that are bound to the node.
    if (node.isGone) pods.push(...livePods.filter((pod) => pod.spec.nodeName === undefined))
    else if (!node.mayStay) pods.push(...livePods)
    else pods.push(...(hasSurge ? surplusWithSurge(seen, facts) : unfinished.slice(1)))
  }
  return pods
})

/** With maxSurge two Pods may run until the new Pod is available or the old Pod is unready. */
const surplusWithSurge = (seen: DaemonSetObservation, facts: NodeFacts): ReadonlyArray<Pod> => {
  const pods = facts.unfinished
  const updated = pods.find((pod) => hasPresentTemplate(seen, pod))
  const outdated = pods.find((pod) => !hasPresentTemplate(seen, pod))
  const others = pods.filter((pod) => pod !== updated && pod !== outdated)
  if (updated === undefined || outdated === undefined) return others
  return !facts.readySince.has(outdated) || isAvailable(seen, facts, updated) ? [...others, outdated] : others
}

const podCountOf = (value: number | string | undefined, total: number): number =>
  value === undefined ? 0 : resolveIntOrPercent({ value, total, round: "up" })

const allowsSurge = ({ spec }: DaemonSet): boolean =>
  spec.updateStrategy?.type === "RollingUpdate" &&
  podCountOf(spec.updateStrategy.rollingUpdate?.maxSurge, 1) > 0

export const isOnDelete = ({ daemonSet }: DaemonSetObservation): boolean =>
  daemonSet.spec.updateStrategy?.type === "OnDelete"

export interface DaemonUpdate {
  readonly podsToDelete: ReadonlyArray<Pod>
  /** Nodes that get a new Pod beside the old one. */
  readonly nodesToSurge: ReadonlyArray<string>
  /** Nodes with an outdated Pod, or without an available updated one. */
  readonly pendingNodeCount: number
  readonly maxUnavailable: number
  readonly maxSurge: number
  /** Nodes whose Pod is unavailable, or with maxSurge nodes with two Pods. */
  readonly disruptedNodeCount: number
}

export const daemonUpdate = memoizePerObservation((seen: DaemonSetObservation): DaemonUpdate => {
  const desired = seen.nodes.filter(({ fits }) => fits).length
  const nodes = allNodeFacts(seen).filter(({ node }) => node.fits || node.pods.length > 0)
  const pendingNodeCount = nodes.filter((facts) => !isUpdated(seen, facts)).length
  const limits = { ...daemonUpdateLimits(seen.daemonSet, desired), pendingNodeCount }
  return limits.maxSurge === 0 ? replaceInPlace(seen, nodes, limits) : replaceWithSurge(seen, nodes, limits)
})

/**
 * How many nodes may have no available Pod, and how many may have two. `desired`: nodes that fit.
 */
export const daemonUpdateLimits = (
  { spec }: DaemonSet,
  desired: number
): Pick<DaemonUpdate, "maxSurge" | "maxUnavailable"> => {
  const { rollingUpdate = {} } = spec.updateStrategy ?? {}
  const maxSurge = podCountOf(rollingUpdate.maxSurge, desired)
  const maxUnavailable = podCountOf(rollingUpdate.maxUnavailable, desired)
  return {
    maxSurge,
    maxUnavailable: desired > 0 && maxUnavailable === 0 && maxSurge === 0 ? 1 : maxUnavailable
  }
}

type UpdateLimits = Pick<DaemonUpdate, "maxSurge" | "maxUnavailable" | "pendingNodeCount">

const isUpdated = (seen: DaemonSetObservation, facts: NodeFacts): boolean =>
  facts.outdated === undefined && facts.updated !== undefined && isAvailable(seen, facts, facts.updated)

/** Unavailable old Pods are replaced whatever maxUnavailable is. */
const replaceInPlace = (
  seen: DaemonSetObservation,
  nodes: ReadonlyArray<NodeFacts>,
  limits: UpdateLimits
): DaemonUpdate => {
  const podsToReplace: Array<Pod> = []
  const candidates: Array<Pod> = []
  let disruptedNodeCount = 0
  for (const facts of nodes) {
    const { updated, outdated, isCrowded } = facts
    if (isCrowded || (updated === undefined) === (outdated === undefined)) disruptedNodeCount += 1
    else if (updated !== undefined) disruptedNodeCount += isAvailable(seen, facts, updated) ? 0 : 1
    else if (outdated !== undefined && isAvailable(seen, facts, outdated)) candidates.push(outdated)
    else if (outdated !== undefined) {
      podsToReplace.push(outdated)
      disruptedNodeCount += 1
    }
  }
  const allowed = Math.max(0, limits.maxUnavailable - disruptedNodeCount)
  return {
    ...limits,
    podsToDelete: [...podsToReplace, ...candidates.slice(0, allowed)],
    nodesToSurge: [],
    disruptedNodeCount
  }
}

/** As in Kubernetes, nothing is replaced while an old Pod is left on a node that is gone. */
const replaceWithSurge = (
  seen: DaemonSetObservation,
  nodes: ReadonlyArray<NodeFacts>,
  limits: UpdateLimits
): DaemonUpdate => {
  const outdatedToDelete: Array<Pod> = []
  const nodesToSurge: Array<string> = []
  const nodesWithAvailablePod: Array<string> = []
  const outdatedOnUnfitNodes: Array<Pod> = []
  let disruptedNodeCount = 0
  let available = 0
  for (const facts of nodes) {
    const { node, updated, outdated, isCrowded } = facts
    if (isCrowded) {
      disruptedNodeCount += 1
      continue
    }
    const onlyPod = outdated ?? updated
    const isPodAvailable = onlyPod !== undefined && isAvailable(seen, facts, onlyPod)
    if (isPodAvailable) available += 1
    if (outdated === undefined) continue
    if (updated !== undefined) {
      if (isAvailable(seen, facts, updated)) outdatedToDelete.push(outdated)
      else disruptedNodeCount += 1
    } else if (node.isGone) return { ...limits, podsToDelete: [], nodesToSurge: [], disruptedNodeCount }
    else if (node.fits) (isPodAvailable ? nodesWithAvailablePod : nodesToSurge).push(node.name)
    else (isPodAvailable ? outdatedOnUnfitNodes : outdatedToDelete).push(outdated)
  }
  const desired = nodes.filter(({ node }) => node.fits).length
  const allowed = Math.max(0, limits.maxSurge - disruptedNodeCount)
  return {
    ...limits,
    podsToDelete: [...outdatedToDelete, ...outdatedOnUnfitNodes.slice(0, Math.max(0, available - desired))],
    nodesToSurge: [...nodesToSurge, ...nodesWithAvailablePod.slice(0, allowed)],
    disruptedNodeCount
  }
}

/** Revisions that Pods still use count towards `revisionHistoryLimit`, but stay. */
export const daemonRevisionsToDrop = memoizePerObservation(
  (seen: DaemonSetObservation): ReadonlyArray<ControllerRevision> => {
    const { revisions, templateRecord, nodes, daemonSet } = seen
    if (templateRecord.type === "create") return []
    const old = revisions.filter(({ metadata }) => metadata.uid !== templateRecord.revision.metadata.uid)
    const surplus = old.length - (daemonSet.spec.revisionHistoryLimit ?? 10)
    if (surplus <= 0) return []
    const hashesInUse = new Set(
      nodes.flatMap(({ pods }) => pods.map((pod) => pod.metadata.labels?.[podRevisionLabel]))
    )
    return old.filter((it) => !hashesInUse.has(hashOf(it))).slice(0, surplus)
  }
)

export const daemonSetStatus = (seen: DaemonSetObservation): DaemonSetStatus => {
  const { daemonSet, templateRecord } = seen
  let [fittingNodes, misscheduled, scheduled, ready, available, updated] = [0, 0, 0, 0, 0, 0]
  for (const facts of allNodeFacts(seen)) {
    const { node } = facts
    const [first] = node.pods
    if (!node.fits) {
      if (first !== undefined && !node.isGone) misscheduled += 1
      continue
    }
    fittingNodes += 1
    if (first === undefined) continue
    scheduled += 1
    if (facts.readySince.has(first)) ready += 1
    if (isAvailable(seen, facts, first)) available += 1
    if (hasPresentTemplate(seen, first)) updated += 1
  }
  const unavailable = fittingNodes - available
  const collisionCount =
    templateRecord.type === "create" ? templateRecord.collisionCount : daemonSet.status.collisionCount
  return {
    currentNumberScheduled: scheduled,
    numberMisscheduled: misscheduled,
    desiredNumberScheduled: fittingNodes,
    numberReady: ready,
    observedGeneration: daemonSet.metadata.generation ?? 0,
    ...(updated === 0 ? {} : { updatedNumberScheduled: updated }),
    ...(available === 0 ? {} : { numberAvailable: available }),
    ...(unavailable === 0 ? {} : { numberUnavailable: unavailable }),
    ...(collisionCount === undefined ? {} : { collisionCount })
  }
}
