import * as Effect from "effect/Effect"
import { conditionOf } from "../domain/conditions.ts"
import { isFinished, isReady } from "../domain/pods.ts"
import { isTerminating } from "../domain/ownerReferences.ts"
import { keyOf } from "../domain/objects.ts"
import { millisOf, timestampOf } from "../domain/timestamps.ts"
import { resources } from "../domain/kinds.ts"
import { refuse } from "../runtime/reconciler.ts"
import { ranks } from "./services.ts"
import type { AnyStateMachine } from "xstate"
import type * as Core from "kubernetes-types/core/v1.js"
import type { NodeObservation } from "../../machines/node.ts"
import type { Command } from "../domain/commands.ts"
import type { KubeObject, Node, Pod } from "../domain/objects.ts"
import type { CommandRefused, Controller } from "../runtime/reconciler.ts"
import type { StoreError } from "../store/errors.ts"
import type { ControllerServices } from "./services.ts"

const component = "node-controller"
const unreachable = "node.kubernetes.io/unreachable"
const leaseNamespace = "kube-node-lease"
const leaseSeconds = 40

/** Set to `stopped` it silences a node's simulated kubelet: no heartbeats, and nothing moves its Pods. */
export const kubeletAnnotation = "charthouse.dev/kubelet"

export const kubeletOf = (node: KubeObject): "running" | "stopped" =>
  node.metadata.annotations?.[kubeletAnnotation] === "stopped" ? "stopped" : "running"

/**
 * Nodes: the heartbeats of their kubelets, and what happens when those stay away.
 *
 * Source: pkg/controller/nodelifecycle/node_lifecycle_controller.go, pkg/controller/tainteviction/taint_eviction.go.
 */
export const nodeController = (
  services: ControllerServices,
  machine: AnyStateMachine
): Controller<typeof resources.nodes> => ({
  resource: resources.nodes,
  rank: ranks.nodes,
  machine,
  wakes: ({ resource, object }, wake) => {
    if (resource === resources.nodes) wake(object.metadata.name)
  },
  look: (node) => look(services, node),
  perform: (node, commands) =>
    Effect.forEach(
      commands,
      (command) =>
        performOne(services, node, command).pipe(
          Effect.mapError(refuse(command.type)),
          Effect.catchIf(
            ({ error }: CommandRefused) => error._tag === "NotFound",
            () => Effect.void
          )
        ),
      { discard: true }
    )
})

const look = ({ view, nowMillis }: ControllerServices, node: Node): NodeObservation => {
  const kubelet = kubeletOf(node)
  const ready = conditionOf(node.status.conditions, "Ready")
  const lost = kubelet === "stopped" && ready?.status === "Unknown"
  const now = nowMillis()
  const since = millisOf(ready?.lastTransitionTime ?? "")
  const ends = lost ? view.nodePods.on(node.metadata.name).flatMap((pod) => toleranceEnd(pod, since)) : []
  const lease = view.get(resources.leases, `${leaseNamespace}/${node.metadata.name}`)
  const waiting = ends.filter(({ atMillis }) => atMillis > now)
  return {
    kubelet,
    ready: ready?.status === "True" ? "True" : ready?.status === "Unknown" ? "Unknown" : "False",
    renewedMillis: renewedAt(lease) ?? now,
    overdue: ends.filter(({ atMillis }) => atMillis <= now).map(({ pod }) => keyOf(pod)),
    nextOverdueMillis:
      waiting.length === 0 ? undefined : Math.min(...waiting.map(({ atMillis }) => atMillis)),
    nowMillis: now
  }
}

/** When a Pod's toleration of its lost node is over; none for one that stays or that goes already. */
const toleranceEnd = (
  pod: Pod,
  sinceMillis: number
): ReadonlyArray<{ readonly pod: Pod; readonly atMillis: number }> => {
  if (isTerminating(pod) || isFinished(pod)) return []
  const toleration = (pod.spec.tolerations ?? []).find(
    ({ key, effect }) =>
      (key === undefined || key === unreachable) && (effect === undefined || effect === "NoExecute")
  )
  if (toleration === undefined) return [{ pod, atMillis: sinceMillis }]
  if (toleration.tolerationSeconds === undefined) return []
  return [{ pod, atMillis: sinceMillis + toleration.tolerationSeconds * 1000 }]
}

const renewedAt = (lease: KubeObject | undefined): number | undefined => {
  const spec =
    lease === undefined || !("spec" in lease) ? undefined : (lease.spec as { readonly renewTime?: string })
  return spec?.renewTime === undefined ? undefined : millisOf(spec.renewTime)
}

const performOne = (
  services: ControllerServices,
  node: Node,
  command: Command
): Effect.Effect<void, StoreError> => {
  switch (command.type) {
    case "renewLease":
      return renewLease(services, node)
    case "reportNode":
      return reportNode(services, node, command.ready)
    case "evictPods":
      return Effect.forEach(command.keys, (key) => evict(services, key), { discard: true })
    default:
      return Effect.die(new Error(`not a command of a node: ${command.type}`))
  }
}

const renewLease = (
  { store, nowMillis }: ControllerServices,
  node: Node
): Effect.Effect<void, StoreError> => {
  const key = `${leaseNamespace}/${node.metadata.name}`
  const spec = {
    holderIdentity: node.metadata.name,
    leaseDurationSeconds: leaseSeconds,
    renewTime: timestampOf(nowMillis()).replace("Z", ".000000Z")
  }
  const lease = {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name: node.metadata.name, namespace: leaseNamespace },
    spec
  }
  return store
    .modify({ resource: resources.leases, key }, (object) => ({ ...object, spec }))
    .pipe(
      Effect.catchTag("NotFound", () => store.create(lease)),
      Effect.asVoid
    )
}

const reportNode = Effect.fnUntraced(function* (
  services: ControllerServices,
  node: Node,
  ready: "True" | "Unknown"
): Effect.fn.Return<void, StoreError> {
  const { store, events, nowMillis } = services
  const present = conditionOf(node.status.conditions, "Ready")
  if (present?.status === ready) return
  const ref = { resource: resources.nodes, key: node.metadata.name }
  const now = timestampOf(nowMillis())
  const condition: Core.NodeCondition = {
    type: "Ready",
    status: ready,
    reason: ready === "True" ? "KubeletReady" : "NodeStatusUnknown",
    message: ready === "True" ? "kubelet is posting ready status" : "Kubelet stopped posting node status.",
    lastHeartbeatTime: now,
    lastTransitionTime: now
  }
  const others = (node.status.conditions ?? []).filter(({ type }) => type !== "Ready")
  const status = { ...node.status, conditions: [...others, condition] }
  yield* store.modify(ref, (object) => ({ ...object, status }) as Node, { status: true })
  yield* store.modify(ref, (object) => withTaint(object as Node, ready === "Unknown", now))
  if (ready === "True") return
  const event = {
    eventType: "Normal",
    reason: "NodeNotReady",
    message: `Node ${node.metadata.name} status is now: NodeNotReady`
  } as const
  yield* events.record({ component, about: node, event })
  for (const pod of services.view.nodePods.on(node.metadata.name)) yield* markUnready(services, pod, now)
})

const withTaint = (node: Node, isLost: boolean, now: string): Node => {
  const others = (node.spec.taints ?? []).filter(({ key }) => key !== unreachable)
  const taints = isLost
    ? [
        ...others,
        { key: unreachable, effect: "NoSchedule", timeAdded: now },
        { key: unreachable, effect: "NoExecute", timeAdded: now }
      ]
    : others
  const { taints: _taints, ...spec } = node.spec
  return { ...node, spec: taints.length === 0 ? spec : { ...spec, taints } }
}

/** A Pod nobody hears of serves nobody: said by the control plane, since its kubelet cannot. */
const markUnready = (
  { store, events }: ControllerServices,
  pod: Pod,
  now: string
): Effect.Effect<void, StoreError> => {
  if (!isReady(pod)) return Effect.void
  const conditions = (pod.status.conditions ?? []).map((it) =>
    it.type === "Ready" ? { ...it, status: "False", lastTransitionTime: now } : it
  )
  const event = { eventType: "Warning", reason: "NodeNotReady", message: "Node is not ready" } as const
  return Effect.andThen(
    store.updateStatus({ ...pod, status: { ...pod.status, conditions } } as Pod),
    events.record({ component, about: pod, event })
  )
}

const evict = ({ store, view, events }: ControllerServices, key: string): Effect.Effect<void, StoreError> => {
  const pod = view.get(resources.pods, key)
  if (pod === undefined) return Effect.void
  const message = `Marking for deletion Pod ${key}`
  const event = { eventType: "Normal", reason: "TaintManagerEviction", message } as const
  return Effect.andThen(
    events.record({ component: "taint-eviction-controller", about: pod, event }),
    Effect.asVoid(store.delete({ resource: resources.pods, key }))
  )
}
