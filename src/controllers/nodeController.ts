import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { conditionOf } from "../kubernetes/meta/conditions.ts"
import { evictingTaints, withConditionTaints } from "../kubernetes/core/taints.ts"
import { healthyNodeConditions, kubeletState, unknownNodeConditions } from "../kubernetes/core/nodeStatus.ts"
import { isPodReady } from "../kubernetes/pods/podState.ts"
import { isSemanticallyEqual } from "../kubernetes/meta/semanticEquality.ts"
import { objectKeyOf } from "../kubernetes/meta/objects.ts"
import { timestampMillis, timestampOf } from "../kubernetes/meta/amounts/timestamps.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { toCommandRefused } from "../runtime/reconciler/controller.ts"
import { controllerManager, kubeletManager } from "../kubernetes/apply/managedFields/fieldManagers.ts"
import { cancelEvictions, evictPods, makeTaintEvictions } from "./taintEvictions.ts"
import { ignoreNotFound } from "../store/storeErrors.ts"
import { concernsTaintEvictions } from "./changeFilters.ts"
import { ignoreGoneOrReplaced, modifyWithoutFiber } from "./controllerServices.ts"
import { controllerTurnOrder } from "../runtime/reconciler/controllerTurnOrder.ts"
import type { AnyStateMachine } from "xstate"
import type { OwnerReference } from "kubernetes-types/meta/v1.js"
import type { NodeObservation } from "../../machines/guards/nodeGuards.ts"
import type { Command } from "../kubernetes/apps/commands.ts"
import type { Draft, KubeObject, Node, Pod } from "../kubernetes/meta/objects.ts"
import type { TaintEvictions } from "./taintEvictions.ts"
import type { CommandRefused, Controller } from "../runtime/reconciler/controller.ts"
import type { Ref } from "../store/objectStore.ts"
import type { StoreError } from "../store/storeErrors.ts"
import type { ControllerServices } from "./controllerServices.ts"
import type { ControllerSelection, ManagerController } from "./managerControllers.ts"

const component = "node-controller"
const leaseNamespace = "kube-node-lease"
/** The kubelet's `nodeLeaseDurationSeconds`. */
const leaseSeconds = 40
/** `node-startup-grace-period`, from the node's creation. */
const startupMillis = 60_000

interface NodeServices extends ControllerServices, Pick<ControllerSelection, "runs"> {
  /** `node-monitor-grace-period`: a node without a heartbeat for so long is lost. */
  readonly lostAfterMillis: number
}

/**
 * Source: pkg/controller/nodelifecycle/node_lifecycle_controller.go, pkg/controller/tainteviction/taint_eviction.go.
 */
export const nodeController = (
  services: NodeServices,
  machine: AnyStateMachine
): Controller<typeof resources.nodes> => {
  const evictions = makeTaintEvictions(services)
  return {
    resource: resources.nodes,
    turnOrder: controllerTurnOrder.node,
    machine: () => machine,
    // While nothing else happens, the kernel may skip all heartbeats but the last.
    repeatedDelay: "heartbeat",
    watches: [resources.nodes, resources.pods],
    wakeActors: (change, wake) => {
      const { resource, object } = change
      if (resource === resources.nodes) return wake(object.metadata.name)
      if (resource !== resources.pods || !concernsTaintEvictions(change)) return
      const { nodeName } = (object as Pod).spec
      const node = nodeName === undefined ? undefined : services.view.get(resources.nodes, nodeName)
      if (node !== undefined && evictingTaints(node).length > 0) wake(node.metadata.name)
    },
    look: (node) => look(services, evictions, node),
    perform: (node, commands) => {
      // Most looks write only a heartbeat, which needs no Effect fiber.
      const isHeartbeat = commands.length === 1 && commands[0]?.type === "renewLease"
      const renewal = isHeartbeat ? renewLeaseWithoutFiber(services, node) : undefined
      return renewal ?? performAll(services, node, commands)
    },
    onActorDiscarded: evictions.forget
  }
}

const performAll = (
  services: NodeServices,
  node: Node,
  commands: ReadonlyArray<Command>
): Effect.Effect<void, CommandRefused> =>
  Effect.forEach(
    commands.filter((command) => isPerformedHere(services, command)),
    (command) =>
      Effect.mapError(ignoreNotFound(performOne(services, node, command)), toCommandRefused(command.type)),
    { discard: true }
  )

const look = (
  { view, nowMillis, lostAfterMillis }: NodeServices,
  evictions: TaintEvictions,
  node: Node
): NodeObservation => {
  const now = nowMillis()
  const { name, creationTimestamp } = node.metadata
  const ready = conditionOf(node.status.conditions, "Ready")?.status
  const renewedMillis = renewedMillisOf(view.get(resources.leases, `${leaseNamespace}/${name}`))
  return {
    kubelet: kubeletState(node),
    ready: ready === "True" || ready === "Unknown" ? ready : "False",
    lostMillis:
      renewedMillis === undefined
        ? timestampMillis(creationTimestamp) + startupMillis
        : renewedMillis + lostAfterMillis,
    hasStaleReadyPods: ready !== "True" && view.nodePods.on(name).some(isPodReady),
    isMistainted: withConditionTaints(node, timestampOf(now)) !== node,
    ...evictions.look(node),
    nowMillis: now
  }
}

/** False for the commands of a controller that another program replaces. */
const isPerformedHere = ({ runs }: NodeServices, command: Command): boolean => {
  const controller = managerControllerOf(command)
  return controller === undefined || runs(controller)
}

/** Undefined for the commands of the kubelet. */
const managerControllerOf = (command: Command): ManagerController | undefined => {
  switch (command.type) {
    case "markPodsUnready":
    case "taintNode":
      return "node-lifecycle-controller"
    case "reportNode":
      return command.ready === "Unknown" ? "node-lifecycle-controller" : undefined
    case "evictPods":
    case "cancelEvictions":
      return "taint-eviction-controller"
    default:
      return undefined
  }
}

const renewedMillisOf = (lease: KubeObject | undefined): number | undefined => {
  const spec =
    lease === undefined || !("spec" in lease) ? undefined : (lease.spec as { readonly renewTime?: string })
  return spec?.renewTime === undefined ? undefined : timestampMillis(spec.renewTime)
}

const performOne = (
  services: NodeServices,
  node: Node,
  command: Command
): Effect.Effect<void, StoreError> => {
  switch (command.type) {
    case "renewLease":
      return renewLease(services, node)
    case "reportNode":
      return reportNode(services, node, command.ready)
    case "taintNode":
      return taintNode(services, node)
    case "markPodsUnready":
      return Effect.forEach(
        services.view.nodePods.on(node.metadata.name),
        (pod) => markUnready(services, pod),
        { discard: true }
      )
    case "evictPods":
      return evictPods(services, command.keys)
    case "cancelEvictions":
      return cancelEvictions(services, command.keys)
    default:
      return Effect.die(new Error(`not a command of a node: ${command.type}`))
  }
}

/** Undefined where the lease has to be created, or the store cannot write without a fiber. */
const renewLeaseWithoutFiber = (services: ControllerServices, node: Node): Exit.Exit<void> | undefined =>
  modifyWithoutFiber(services.store, leaseOf(node), makeLeaseRenewal(services, node), kubeletWrites) &&
  Exit.void

const renewLease = (services: ControllerServices, node: Node): Effect.Effect<void, StoreError> => {
  const { store } = services
  const { name } = node.metadata
  const renew = makeLeaseRenewal(services, node)
  const newLease = {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name, namespace: leaseNamespace }
  }
  return store.modify(leaseOf(node), renew, kubeletWrites).pipe(
    Effect.catchTag("NotFound", () => store.create(renew(newLease), kubeletWrites)),
    Effect.asVoid
  )
}

const kubeletWrites = { manager: kubeletManager }

const leaseOf = ({ metadata: { name } }: Node): Ref => ({
  resource: resources.leases,
  key: `${leaseNamespace}/${name}`
})

const makeLeaseRenewal = ({ nowMillis }: ControllerServices, node: Node) => {
  const { name, uid } = node.metadata
  const spec = {
    holderIdentity: name,
    leaseDurationSeconds: leaseSeconds,
    // The field is a MicroTime.
    renewTime: timestampOf(nowMillis()).replace("Z", ".000000Z")
  }
  const ownerReferences: ReadonlyArray<OwnerReference> = [{ apiVersion: "v1", kind: "Node", name, uid }]
  return <Lease extends Draft>(lease: Lease): Lease & { readonly spec: object } => {
    const { metadata } = lease
    const isOwnedByNode = isSemanticallyEqual(metadata.ownerReferences, ownerReferences)
    return { ...lease, spec, ...(isOwnedByNode ? {} : { metadata: { ...metadata, ownerReferences } }) }
  }
}

const reportNode = Effect.fnUntraced(function* (
  { store, events, nowMillis }: ControllerServices,
  node: Node,
  ready: "True" | "Unknown"
): Effect.fn.Return<void, StoreError> {
  const { name, uid } = node.metadata
  const before = conditionOf(node.status.conditions, "Ready")?.status
  if (before === ready) return
  const conditionsOf = ready === "True" ? healthyNodeConditions : unknownNodeConditions
  const withReport = (object: KubeObject): Node => {
    const present = object as Node
    return { ...present, status: { ...present.status, conditions: [...conditionsOf(present, nowMillis())] } }
  }
  const manager = ready === "True" ? kubeletManager : controllerManager
  yield* store.modify({ resource: resources.nodes, key: name }, withReport, { uid, status: true, manager })
  // A new node's first report is recorded in no Event.
  if (before === undefined) return
  const reason = ready === "True" ? "NodeReady" : "NodeNotReady"
  const event = {
    eventType: "Normal",
    reason,
    message: `Node ${name} status is now: ${reason}`
  } as const
  const source = ready === "True" ? { component: "kubelet", host: name } : { component }
  if (ready === "True" || before === "True") yield* events.record({ ...source, about: node, event })
})

const taintNode = (
  { store, nowMillis }: ControllerServices,
  { metadata: { name, uid } }: Node
): Effect.Effect<void, StoreError> =>
  Effect.asVoid(
    store.modify(
      { resource: resources.nodes, key: name },
      (object) => withConditionTaints(object as Node, timestampOf(nowMillis())),
      { uid }
    )
  )

const markUnready = (
  { store, events, nowMillis }: ControllerServices,
  pod: Pod
): Effect.Effect<void, StoreError> => {
  if (!isPodReady(pod)) return Effect.void
  const now = timestampOf(nowMillis())
  const unready = (object: KubeObject): Pod => {
    const present = object as Pod
    const conditions = (present.status.conditions ?? []).map((it) =>
      it.type === "Ready" && it.status === "True" ? { ...it, status: "False", lastTransitionTime: now } : it
    )
    return { ...present, status: { ...present.status, conditions } }
  }
  const ref = { resource: resources.pods, key: objectKeyOf(pod) }
  const event = { eventType: "Warning", reason: "NodeNotReady", message: "Node is not ready" } as const
  return store
    .modify(ref, unready, { uid: pod.metadata.uid, status: true })
    .pipe(Effect.andThen(events.record({ component, about: pod, event })), ignoreGoneOrReplaced)
}
