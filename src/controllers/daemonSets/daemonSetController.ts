import * as Effect from "effect/Effect"
import { claimChildren } from "../../kubernetes/apps/deploymentObservation.ts"
import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { compareByCreation } from "../../kubernetes/meta/objectOrder.ts"
import { isTerminating } from "../../kubernetes/meta/deletion.ts"
import { isPodFinished } from "../../kubernetes/pods/podState.ts"
import { nodeFitness, targetNode } from "../../kubernetes/apps/daemonSets/daemonPods.ts"
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
  const nodesOf = memoizeNodes(services.view, fitnessOf)
  return {
    resource: resources.daemonSets,
    turnOrder: controllerTurnOrder.daemonSet,
    machine,
    watches: [resources.daemonSets, resources.pods, resources.nodes, resources.controllerRevisions],
    needsNoLook: isOwnDaemonSetReport,
    wakeActors: (change, wake) => wakeDaemonSets(services.view, fitnessOf, change, wake),
    look: (daemonSet) => look(services, nodesOf, daemonSet),
    perform: (daemonSet, commands) => perform(services, daemonSet, commands),
    onActorDiscarded: nodesOf.forget
  }
}

type FitnessOf = (daemonSet: DaemonSet, node: Node) => NodeFitness

/** Most looks are about Pods alone, so the fitness of a node rarely changes. */
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
  const isSame =
    type === "MODIFIED" && node.spec === oldNode?.spec && node.metadata.labels === oldNode.metadata.labels
  if (isSame) return
  for (const daemonSet of view.all(resources.daemonSets)) {
    const fitness = fitnessOf(daemonSet, node)
    const before = oldNode === undefined || type !== "MODIFIED" ? undefined : fitnessOf(daemonSet, oldNode)
    if (fitness.fits !== before?.fits || fitness.mayStay !== before.mayStay) wake(objectKeyOf(daemonSet))
  }
}

const look = (
  { view, nowMillis }: ControllerServices,
  nodesOf: NodesOf,
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
    nodes: nodesOf.read(daemonSet, controlled),
    claims: { adopt, release },
    ...observeRevisions(view, daemonSet),
    nowMillis: nowMillis()
  }
}

interface NodesOf {
  readonly read: (daemonSet: DaemonSet, pods: ReadonlyArray<Pod>) => ReadonlyArray<DaemonNode>
  readonly forget: (uid: string) => void
}

/** A node with the same Pods stays the same value, so that what was computed of the node stays, too. */
const memoizeNodes = (view: ClusterView["Service"], fitnessOf: FitnessOf): NodesOf => {
  const byDaemonSet = new Map<string, ReadonlyMap<string, DaemonNode>>()
  const read: NodesOf["read"] = (daemonSet, pods) => {
    const { uid } = daemonSet.metadata
    const before = byDaemonSet.get(uid)
    const podsByNode = new Map<string, Array<Pod>>()
    for (const pod of pods) {
      if (isTerminating(pod) && isPodFinished(pod)) continue
      const name = targetNode(pod) ?? ""
      const others = podsByNode.get(name)
      if (others === undefined) podsByNode.set(name, [pod])
      else others.push(pod)
    }
    const nodes = new Map<string, DaemonNode>()
    const add = (name: string, place: Omit<DaemonNode, "name" | "pods">): void => {
      const podsThere = podsByNode.get(name) ?? noPods
      const sorted = podsThere.length > 1 ? [...podsThere].sort(byAge) : podsThere
      const same = before?.get(name)
      nodes.set(
        name,
        same !== undefined && isSameNode(same, place, sorted) ? same : { name, pods: sorted, ...place }
      )
      podsByNode.delete(name)
    }
    for (const node of view.all(resources.nodes))
      add(node.metadata.name, { isGone: false, ...fitnessOf(daemonSet, node) })
    for (const name of podsByNode.keys()) add(name, { isGone: true, fits: false, mayStay: false })
    byDaemonSet.set(uid, nodes)
    return [...nodes.values()]
  }
  return { read, forget: (uid) => byDaemonSet.delete(uid) }
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

/** Bound Pods first, then the oldest. */
const byAge = (a: Pod, b: Pod): number =>
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
