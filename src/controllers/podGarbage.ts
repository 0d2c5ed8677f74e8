import * as Effect from "effect/Effect"
import { byCreation, isTerminating } from "../domain/ownerReferences.ts"
import { conditionOf } from "../domain/conditions.ts"
import { disruptions, withDisruption } from "../domain/disruption.ts"
import { isFinished } from "../domain/pods.ts"
import { keyOf } from "../domain/objects.ts"
import { outOfServiceTaint } from "../domain/taints.ts"
import { resources } from "../domain/kinds.ts"
import { inform } from "../runtime/informer.ts"
import { noMemory } from "../runtime/memory.ts"
import { makeMailbox } from "../runtime/mailbox.ts"
import { workOff } from "../runtime/workers.ts"
import { ranks, unlessGone } from "./services.ts"
import type { Scope } from "effect/Scope"
import type { Key, KubeObject, Node, Pod } from "../domain/objects.ts"
import type { Kernel } from "../runtime/kernel.ts"
import type { StoreError } from "../store/errors.ts"
import type { Change } from "../store/objectStore.ts"
import type { ControllerServices } from "./services.ts"

/** Pods of a node that is gone are left alone for so long: it may have been away from the view only. */
const quarantineMillis = 40_000
/** Everything else is done at the next round. */
const roundMillis = 20_000
/** Pods that have come to an end and are kept to be looked at (terminated-pod-gc-threshold). */
const finishedMaxDefault = 12_500

/**
 * Takes away Pods that nobody else will: those of nodes that are gone or out of service, those that are going and were
 * never placed, and the first of too many that have come to an end.
 *
 * Unlike Kubernetes, which walks all Pods every 20 s, it waits that long from the change that calls for it; and the
 * Pods of a lost node go when their quarantine is over, not at the round after.
 *
 * Source: pkg/controller/podgc/gc_controller.go.
 */
export const collectPodGarbage = Effect.fnUntraced(function* (
  services: ControllerServices,
  kernel: Kernel,
  { finishedMax = finishedMaxDefault }: { readonly finishedMax?: number } = {}
): Effect.fn.Return<void, never, Scope> {
  const { view, memory = noMemory } = services
  const mailbox = yield* makeMailbox({ kernel, rank: ranks.garbage, memory })
  /** Chores that wait for their time. */
  const due = new Set<string>()
  const finished = new Set<Key>()
  memory.carry<{ readonly due: ReadonlyArray<string>; readonly finished: ReadonlyArray<Key> }>("chores", {
    save: () => ({ due: [...due], finished: [...finished] }),
    restore: (state) => {
      for (const chore of state.due) due.add(chore)
      for (const key of state.finished) finished.add(key)
    }
  })

  const after = (chore: string, millis: number): void => {
    if (due.has(chore)) return
    due.add(chore)
    mailbox.offerAfter(chore, millis)
  }

  const onPod = ({ type, object }: Change): void => {
    const pod = object as Pod
    const key = keyOf(pod)
    const { nodeName } = pod.spec
    if (type === "DELETED" || !isFinished(pod)) finished.delete(key)
    else if (finished.add(key).size > finishedMax) after("finished", roundMillis)
    if (type === "DELETED") return
    const isLeaving = isTerminating(pod)
    if (nodeName === undefined) {
      if (isLeaving && !isFinished(pod)) after(`unplaced ${key}`, roundMillis)
      return
    }
    const node = view.get(resources.nodes, nodeName)
    if (node === undefined) after(`orphans ${nodeName}`, quarantineMillis)
    else if (isLeaving && isOutOfService(node)) after(`stranded ${nodeName}`, roundMillis)
  }

  const onChange = (change: Change): void => {
    const { type, resource, object, old } = change
    if (resource === resources.pods && concerns(change)) return onPod(change)
    if (resource !== resources.nodes) return
    const { name } = object.metadata
    if (type === "DELETED") {
      if (view.nodePods.on(name).length > 0) after(`orphans ${name}`, quarantineMillis)
    } else if (isOutOfService(object as Node) && (old === undefined || !isOutOfService(old as Node))) {
      after(`stranded ${name}`, roundMillis)
    }
  }

  const attempt = (chore: string): Effect.Effect<void, StoreError> => {
    due.delete(chore)
    const [what, key = ""] = chore.split(" ")
    switch (what) {
      case "orphans":
        return removeOrphans(services, key)
      case "stranded":
        return removeStranded(services, key)
      case "unplaced": {
        const pod = view.get(resources.pods, key)
        const isForgotten = pod !== undefined && isTerminating(pod) && pod.spec.nodeName === undefined
        return isForgotten ? remove(services, pod) : Effect.void
      }
      default:
        return removeFinished(services, finished, finishedMax)
    }
  }

  yield* workOff({ mailbox, attempt, again: after, memory })
  yield* inform(services, onChange, resources.pods)
})

/** Whether a change of a Pod can make it garbage: nearly none does. */
const concerns = ({ type, object, old }: Change): boolean => {
  if (type !== "MODIFIED" || old === undefined) return true
  const [pod, was] = [object as Pod, old as Pod]
  return (
    pod.spec !== was.spec || isTerminating(pod) !== isTerminating(was) || isFinished(pod) !== isFinished(was)
  )
}

/** Said by hand of a node that is known to be off: what is going on it is gone. */
const isOutOfService = (node: Node): boolean =>
  conditionOf(node.status.conditions, "Ready")?.status !== "True" &&
  (node.spec.taints ?? []).some(({ key }) => key === outOfServiceTaint)

/** The Pods of a node that does not exist: asked of the store, since a view may not have seen it yet. */
const removeOrphans = (services: ControllerServices, nodeName: string): Effect.Effect<void, StoreError> => {
  const { store, view } = services
  return store.get({ resource: resources.nodes, key: nodeName }).pipe(
    Effect.asVoid,
    Effect.catchTag("NotFound", () =>
      Effect.forEach(view.nodePods.on(nodeName), (pod) => remove(services, pod, disruptions.nodeGone), {
        discard: true
      })
    )
  )
}

const removeStranded = (services: ControllerServices, nodeName: string): Effect.Effect<void, StoreError> => {
  const { view } = services
  const node = view.get(resources.nodes, nodeName)
  if (node === undefined || !isOutOfService(node)) return Effect.void
  const stranded = view.nodePods.on(nodeName).filter(isTerminating)
  return Effect.forEach(stranded, (pod) => remove(services, pod), { discard: true })
}

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
  Number(isEvicted(b)) - Number(isEvicted(a)) || byCreation(a, b)

const isEvicted = ({ status }: Pod): boolean => status.phase === "Failed" && status.reason === "Evicted"

/** Takes a Pod away by force. Nobody else will say how it ended: one that has not is said to have failed. */
const remove = (
  { store, nowMillis }: ControllerServices,
  pod: Pod,
  because?: (typeof disruptions)[keyof typeof disruptions]
): Effect.Effect<void, StoreError> => {
  const { uid } = pod.metadata
  const ref = { resource: resources.pods, key: keyOf(pod) }
  const failed = (object: KubeObject): Pod => {
    const present = object as Pod
    if (isFinished(present)) return present
    const status = because === undefined ? present.status : withDisruption(present, because, nowMillis())
    return { ...present, status: { ...status, phase: "Failed" } }
  }
  return store
    .modify(ref, failed, { uid, status: true })
    .pipe(Effect.andThen(store.delete(ref, { gracePeriodSeconds: 0, preconditions: { uid } })), unlessGone)
}
