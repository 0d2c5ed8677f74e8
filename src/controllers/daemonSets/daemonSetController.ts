import * as Effect from "effect/Effect"
import { claimChildren } from "../../kubernetes/apps/deploymentObservation.ts"
import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { compareByCreation } from "../../kubernetes/meta/objectOrder.ts"
import { isTerminating } from "../../kubernetes/meta/deletion.ts"
import { isPodFinished } from "../../kubernetes/pods/podState.ts"
import { nodeFitness, targetNodeName } from "../../kubernetes/apps/daemonSets/daemonPods.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { adoptAndRelease, isClaimCommand } from "../adoption.ts"
import { controllerTurnOrder } from "../../runtime/reconciler/controllerTurnOrder.ts"
import { concernsDaemonPods, isOwnDaemonSetReport, mayBeAdopted } from "../changeFilters.ts"
import { keyInNamespaceOf, wakeSelectingOwners } from "../controllerServices.ts"
import { observeRevisions } from "../revisionWrites.ts"
import { performDaemonSetCommand } from "./performDaemonSetCommand.ts"
import type { AnyStateMachine } from "xstate"
import type { Change, ClusterView } from "../../store/objectStore.ts"
import type { Command } from "../../kubernetes/apps/commands.ts"
import type { CommandRefused, Controller, Wake } from "../../runtime/reconciler/controller.ts"
import type { ControllerServices } from "../controllerServices.ts"
import type {
  DaemonNode,
  DaemonSetObservation
} from "../../kubernetes/apps/daemonSets/daemonSetObservation.ts"
import type { DaemonSet } from "../../kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { Node, Pod } from "../../kubernetes/meta/objects.ts"
import type { NodeFitness } from "../../kubernetes/apps/daemonSets/daemonPods.ts"

export const daemonSetController = (
  services: ControllerServices,
  machine: AnyStateMachine
): Controller<typeof resources.daemonSets> => {
  const fitnessOf = memoizeFitness()
  const nodeCache = makeNodeCache(services.view, fitnessOf)
  return {
    resource: resources.daemonSets,
    turnOrder: controllerTurnOrder.daemonSet,
    machine: () => machine,
    watches: [resources.daemonSets, resources.pods, resources.nodes, resources.controllerRevisions],
    needsNoLook: isOwnDaemonSetReport,
    wakeActors: (change, wake) => wakeDaemonSets(services.view, fitnessOf, change, wake),
    look: (daemonSet) => look(services, nodeCache, daemonSet),
    perform: (daemonSet, commands) => perform(services, daemonSet, commands),
    onActorDiscarded: nodeCache.forget
  }
}

type FitnessOf = (daemonSet: DaemonSet, node: Node) => NodeFitness

/** The fitness of a node rarely changes: most looks are about Pods alone. */
const memoizeFitness = (): FitnessOf => {
  const bySpec = new WeakMap<DaemonSet["spec"], WeakMap<Node, NodeFitness>>()
  return (daemonSet, node) => {
    const byNode = bySpec.get(daemonSet.spec) ?? new WeakMap<Node, NodeFitness>()
    bySpec.set(daemonSet.spec, byNode)
    const fitness = byNode.get(node) ?? nodeFitness(daemonSet, node)
    byNode.set(node, fitness)
    return fitness
  }
}

const wakeDaemonSets = (
  view: ClusterView["Service"],
  fitnessOf: FitnessOf,
  change: Change,
  wake: Wake
): void => {
  const { resource, object, old } = change
  if (resource === resources.daemonSets) return wake(objectKeyOf(object))
  if (resource === resources.nodes) return wakeByNode(view, fitnessOf, change, wake)
  const owner = controllerOf(object)
  const formerOwner = old === undefined ? undefined : controllerOf(old)
  if (formerOwner?.kind === "DaemonSet" && formerOwner.uid !== owner?.uid)
    wake(keyInNamespaceOf(object, formerOwner.name))
  if (owner?.kind === "DaemonSet") {
    if (resource !== resources.pods || concernsDaemonPods(change)) wake(keyInNamespaceOf(object, owner.name))
    return
  }
  if (owner === undefined && mayBeAdopted(change))
    wakeSelectingOwners(view.all(resources.daemonSets), object, wake)
}

const wakeByNode = (
  view: ClusterView["Service"],
  fitnessOf: FitnessOf,
  { type, object, old }: Change,
  wake: Wake
): void => {
  const [node, oldNode] = [object as Node, old as Node | undefined]
  const hasSameSpecAndLabels =
    type === "MODIFIED" && node.spec === oldNode?.spec && node.metadata.labels === oldNode.metadata.labels
  if (hasSameSpecAndLabels) return
  for (const daemonSet of view.all(resources.daemonSets)) {
    const fitness = fitnessOf(daemonSet, node)
    const fitnessBefore =
      oldNode === undefined || type !== "MODIFIED" ? undefined : fitnessOf(daemonSet, oldNode)
    const isSameFitness = fitness.fits === fitnessBefore?.fits && fitness.mayStay === fitnessBefore.mayStay
    if (!isSameFitness) wake(objectKeyOf(daemonSet))
  }
}

const look = (
  { view, nowMillis }: ControllerServices,
  nodeCache: NodeCache,
  daemonSet: DaemonSet
): DaemonSetObservation => {
  const { uid, namespace = "" } = daemonSet.metadata
  const { controlled, adopt, release } = claimChildren({
    owner: daemonSet,
    selector: daemonSet.spec.selector,
    owned: view.controlled(resources.pods, uid),
    orphans: view.orphans(resources.pods, namespace)
  })
  return {
    daemonSet,
    nodes: nodeCache.read(daemonSet, controlled),
    claims: { adopt, release },
    ...observeRevisions(view, daemonSet),
    nowMillis: nowMillis()
  }
}

interface NodeCache {
  readonly read: (daemonSet: DaemonSet, pods: ReadonlyArray<Pod>) => ReadonlyArray<DaemonNode>
  readonly forget: (uid: string) => void
}

/** An unchanged node stays the same object, by which its `NodeFacts` are memoized. */
const makeNodeCache = (view: ClusterView["Service"], fitnessOf: FitnessOf): NodeCache => {
  const nodesByDaemonSet = new Map<string, ReadonlyMap<string, DaemonNode>>()
  const read: NodeCache["read"] = (daemonSet, pods) => {
    const { uid } = daemonSet.metadata
    const cachedNodes = nodesByDaemonSet.get(uid)
    const podsByNode = new Map<string, Array<Pod>>()
    for (const pod of pods) {
      if (isTerminating(pod) && isPodFinished(pod)) continue
      const name = targetNodeName(pod) ?? ""
      const sameNodePods = podsByNode.get(name)
      if (sameNodePods === undefined) podsByNode.set(name, [pod])
      else sameNodePods.push(pod)
    }
    const nodes = new Map<string, DaemonNode>()
    const add = (name: string, fitness: Omit<DaemonNode, "name" | "pods">): void => {
      const podsOfNode = podsByNode.get(name) ?? noPods
      const sorted = podsOfNode.length > 1 ? [...podsOfNode].sort(compareBoundThenAge) : podsOfNode
      const cached = cachedNodes?.get(name)
      const isUnchanged = cached !== undefined && isSameNode(cached, fitness, sorted)
      nodes.set(name, isUnchanged ? cached : { name, pods: sorted, ...fitness })
      podsByNode.delete(name)
    }
    for (const node of view.all(resources.nodes))
      add(node.metadata.name, { isGone: false, ...fitnessOf(daemonSet, node) })
    for (const name of podsByNode.keys()) add(name, { isGone: true, fits: false, mayStay: false })
    nodesByDaemonSet.set(uid, nodes)
    return [...nodes.values()]
  }
  return { read, forget: (uid) => nodesByDaemonSet.delete(uid) }
}

const noPods: ReadonlyArray<Pod> = []

const isSameNode = (
  node: DaemonNode,
  { isGone, fits, mayStay }: Omit<DaemonNode, "name" | "pods">,
  pods: ReadonlyArray<Pod>
): boolean =>
  node.isGone === isGone &&
  node.fits === fits &&
  node.mayStay === mayStay &&
  node.pods.length === pods.length &&
  node.pods.every((pod, index) => pod === pods[index])

const compareBoundThenAge = (a: Pod, b: Pod): number =>
  Number(a.spec.nodeName === undefined) - Number(b.spec.nodeName === undefined) || compareByCreation(a, b)

const perform = Effect.fnUntraced(function* (
  services: ControllerServices,
  daemonSet: DaemonSet,
  commands: ReadonlyArray<Command>
): Effect.fn.Return<void, CommandRefused> {
  const claims = commands.filter(isClaimCommand)
  if (claims.length > 0)
    yield* adoptAndRelease({ services, ownerResource: resources.daemonSets, owner: daemonSet, claims })
  for (const command of commands)
    if (!isClaimCommand(command)) yield* performDaemonSetCommand(services, daemonSet, command)
})
