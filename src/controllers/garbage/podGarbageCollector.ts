import * as Effect from "effect/Effect"
import { compareByCreation } from "../../kubernetes/meta/objectOrder.ts"
import { isTerminating } from "../../kubernetes/meta/deletion.ts"
import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import { disruptionReasons, withDisruptionTarget } from "../../kubernetes/pods/disruptionTarget.ts"
import { isPodFinished } from "../../kubernetes/pods/podState.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { outOfServiceTaint } from "../../kubernetes/core/taints.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { runInformer } from "../../runtime/workers/informer.ts"
import { noSnapshotParts } from "../../runtime/snapshotParts.ts"
import { makeMailbox } from "../../runtime/workers/mailbox.ts"
import { processMailbox } from "../../runtime/workers/worker.ts"
import { concernsPodGarbage } from "../changeFilters.ts"
import { ignoreGoneOrReplaced } from "../controllerServices.ts"
import { controllerTurnOrder } from "../../runtime/reconciler/controllerTurnOrder.ts"
import type { Scope } from "effect/Scope"
import type { Key, KubeObject, Node, Pod } from "../../kubernetes/meta/objects.ts"
import type { Kernel } from "../../runtime/time/kernel.ts"
import type { StoreError } from "../../store/storeErrors.ts"
import type { Change } from "../../store/objectStore.ts"
import type { ControllerServices } from "../controllerServices.ts"

/** The view may be late, so Pods of a deleted node are kept this long. */
const quarantineMillis = 40_000
const roundMillis = 20_000
/** `terminated-pod-gc-threshold`. */
const finishedMaxDefault = 12_500

/**
 * Source: pkg/controller/podgc/gc_controller.go. Unlike Kubernetes, which walks all Pods every 20 s, a deletion waits
 * 20 s from the change that causes it.
 */
export const runPodGarbageCollector = Effect.fnUntraced(function* (
  services: ControllerServices,
  kernel: Kernel,
  { finishedMax = finishedMaxDefault }: { readonly finishedMax?: number } = {}
): Effect.fn.Return<void, never, Scope> {
  const { view, snapshotParts = noSnapshotParts } = services
  const mailbox = yield* makeMailbox({
    kernel,
    turnOrder: controllerTurnOrder.podGarbageCollector,
    snapshotParts
  })
  /**
   * `finished`: finished Pods beyond the threshold. `orphans NODE`: Pods of a deleted node. `stranded NODE`:
   * terminating Pods of an out-of-service node. `unplaced POD`: a terminating Pod without a node.
   */
  const scheduled = new Set<string>()
  const finished = new Set<Key>()
  // Snapshots name the scheduled tasks and the finished Pods `chores`.
  snapshotParts.registerPart<{ readonly due: ReadonlyArray<string>; readonly finished: ReadonlyArray<Key> }>(
    "chores",
    {
      save: () => ({ due: [...scheduled], finished: [...finished] }),
      restore: (state) => {
        for (const task of state.due) scheduled.add(task)
        for (const key of state.finished) finished.add(key)
      }
    }
  )

  const schedule = (task: string, millis: number): void => {
    if (scheduled.has(task)) return
    scheduled.add(task)
    mailbox.offerAfter(task, millis)
  }

  const onPod = ({ type, object }: Change): void => {
    const pod = object as Pod
    const key = objectKeyOf(pod)
    const { nodeName } = pod.spec
    if (type === "DELETED" || !isPodFinished(pod)) finished.delete(key)
    else if (finished.add(key).size > finishedMax) schedule("finished", roundMillis)
    if (type === "DELETED") return
    const isBeingDeleted = isTerminating(pod)
    if (nodeName === undefined) {
      if (isBeingDeleted && !isPodFinished(pod)) schedule(`unplaced ${key}`, roundMillis)
      return
    }
    const node = view.get(resources.nodes, nodeName)
    if (node === undefined) schedule(`orphans ${nodeName}`, quarantineMillis)
    else if (isBeingDeleted && isOutOfService(node)) schedule(`stranded ${nodeName}`, roundMillis)
  }

  const onChange = (change: Change): void => {
    const { type, resource, object, old } = change
    if (resource === resources.pods && concernsPodGarbage(change)) return onPod(change)
    if (resource !== resources.nodes) return
    const { name } = object.metadata
    if (type === "DELETED") {
      if (view.nodePods.on(name).length > 0) schedule(`orphans ${name}`, quarantineMillis)
    } else if (isOutOfService(object as Node) && (old === undefined || !isOutOfService(old as Node))) {
      schedule(`stranded ${name}`, roundMillis)
    }
  }

  const attempt = (task: string): Effect.Effect<void, StoreError> => {
    scheduled.delete(task)
    const [type, key = ""] = task.split(" ")
    switch (type) {
      case "orphans":
        return removeOrphans(services, key)
      case "stranded":
        return removeStranded(services, key)
      case "unplaced": {
        const pod = view.get(resources.pods, key)
        const isUnplaced = pod !== undefined && isTerminating(pod) && pod.spec.nodeName === undefined
        return isUnplaced ? remove(services, pod) : Effect.void
      }
      default:
        return removeFinished(services, finished, finishedMax)
    }
  }

  yield* processMailbox({ mailbox, attempt, retryAfter: schedule, snapshotParts })
  yield* runInformer(services, onChange, {
    resources: [resources.pods, resources.nodes],
    initialList: [resources.pods]
  })
})

const isOutOfService = (node: Node): boolean =>
  conditionOf(node.status.conditions, "Ready")?.status !== "True" &&
  (node.spec.taints ?? []).some(({ key }) => key === outOfServiceTaint)

/** Reads the node from the store, since the view may be late. */
const removeOrphans = (services: ControllerServices, nodeName: string): Effect.Effect<void, StoreError> => {
  const { store, view } = services
  return store.get({ resource: resources.nodes, key: nodeName }).pipe(
    Effect.asVoid,
    Effect.catchTag("NotFound", () =>
      Effect.forEach(view.nodePods.on(nodeName), (pod) => remove(services, pod, disruptionReasons.nodeGone), {
        discard: true
      })
    )
  )
}

const removeStranded = (services: ControllerServices, nodeName: string): Effect.Effect<void, StoreError> => {
  const { view } = services
  const node = view.get(resources.nodes, nodeName)
  if (node === undefined || !isOutOfService(node)) return Effect.void
  const strandedPods = view.nodePods.on(nodeName).filter(isTerminating)
  return Effect.forEach(strandedPods, (pod) => remove(services, pod), { discard: true })
}

/** Removes the oldest finished Pods beyond the threshold, evicted ones first. */
const removeFinished = (
  services: ControllerServices,
  finished: ReadonlySet<Key>,
  finishedMax: number
): Effect.Effect<void, StoreError> => {
  const pods = [...finished].flatMap((key) => services.view.get(resources.pods, key) ?? [])
  const surplus = pods.sort(evictedFirst).slice(0, Math.max(0, pods.length - finishedMax))
  return Effect.forEach(surplus, (pod) => remove(services, pod), { discard: true })
}

const evictedFirst = (a: Pod, b: Pod): number =>
  Number(isEvicted(b)) - Number(isEvicted(a)) || compareByCreation(a, b)

const isEvicted = ({ status }: Pod): boolean => status.phase === "Failed" && status.reason === "Evicted"

/** Marks the Pod as failed unless it had finished: no kubelet will report how it ended. */
const remove = (
  { store, nowMillis }: ControllerServices,
  pod: Pod,
  disruption?: (typeof disruptionReasons)[keyof typeof disruptionReasons]
): Effect.Effect<void, StoreError> => {
  const { uid } = pod.metadata
  const ref = { resource: resources.pods, key: objectKeyOf(pod) }
  const failed = (object: KubeObject): Pod => {
    const present = object as Pod
    if (isPodFinished(present)) return present
    const status =
      disruption === undefined ? present.status : withDisruptionTarget(present, disruption, nowMillis())
    return { ...present, status: { ...status, phase: "Failed" } }
  }
  return store
    .modify(ref, failed, { uid, status: true })
    .pipe(
      Effect.andThen(store.delete(ref, { gracePeriodSeconds: 0, preconditions: { uid } })),
      ignoreGoneOrReplaced
    )
}
