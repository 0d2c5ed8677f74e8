import * as Effect from "effect/Effect"
import { allKinds, groupResourceOf, resources } from "../domain/kinds.ts"
import { isSameValue } from "../domain/sameness.ts"
import { isTerminating } from "../domain/ownerReferences.ts"
import { keyOf } from "../domain/objects.ts"
import { millisOf } from "../domain/timestamps.ts"
import { namespaceConditions } from "../domain/namespaceContent.ts"
import { inform } from "../runtime/informer.ts"
import { makeKeyTimers } from "../runtime/keyTimers.ts"
import { noMemory } from "../runtime/memory.ts"
import { makeMailbox } from "../runtime/mailbox.ts"
import { retryDelayMillis, workOff } from "../runtime/workers.ts"
import { ranks } from "./services.ts"
import type { Scope } from "effect/Scope"
import type { GroupResource } from "../domain/kinds.ts"
import type { KubeObject, Namespace, Pod } from "../domain/objects.ts"
import type { Content } from "../domain/namespaceContent.ts"
import type { Kernel } from "../runtime/kernel.ts"
import type { StoreError } from "../store/errors.ts"
import type { Change } from "../store/objectStore.ts"
import type { ControllerServices } from "./services.ts"

const finalizer = "kubernetes"

/**
 * What a namespace holds is deleted in this order, the second only when nothing of the first is left: no Pod outlives
 * the policies it lives under.
 */
const stages: ReadonlyArray<ReadonlyArray<GroupResource>> = [
  [resources.pods],
  allKinds.filter(({ namespaced, plural }) => namespaced && plural !== resources.pods).map(groupResourceOf)
]

/**
 * Empties a namespace that is being deleted, says what is left in it, and lets it go when nothing is.
 *
 * Unlike Kubernetes, which looks again when half of the time is over that the content should need, it also looks as
 * soon as the last of the content is gone.
 *
 * Source: pkg/controller/namespace/deletion/namespaced_resources_deleter.go.
 */
export const emptyNamespaces = Effect.fnUntraced(function* (
  services: ControllerServices,
  kernel: Kernel
): Effect.fn.Return<void, never, Scope> {
  const { view, memory = noMemory } = services
  const mailbox = yield* makeMailbox({ kernel, rank: ranks.namespaces, memory })
  const timers = yield* makeKeyTimers({ kernel, rank: ranks.namespaces, mailbox, memory })
  /** Namespaces on their way out; what happens in others concerns nobody. */
  const leaving = new Map<string, Leaving>()
  memory.carry<ReadonlyArray<readonly [string, Leaving]>>("leaving", {
    save: () => Array.from(leaving, ([name, it]) => [name, { ...it }]),
    restore: (state) => {
      for (const [name, it] of state) leaving.set(name, { ...it })
    }
  })

  const lookAgain = (name: string, millis: number): void => {
    if (leaving.has(name)) timers.after(name, millis)
  }

  const onChange = ({ type, resource, object }: Change): void => {
    const { name, namespace } = object.metadata
    if (resource === resources.namespaces) {
      const isLeaving = type !== "DELETED" && isTerminating(object)
      if (isLeaving && !leaving.has(name)) {
        leaving.set(name, { left: 0, failures: 0 })
        mailbox.offer(name)
      } else if (!isLeaving) {
        timers.cancel(name)
        leaving.delete(name)
      }
      return
    }
    const emptied = type === "DELETED" && namespace !== undefined ? leaving.get(namespace) : undefined
    if (namespace === undefined || emptied === undefined) return
    emptied.left -= 1
    if (emptied.left <= 0) mailbox.offer(namespace)
  }

  const attempt = Effect.fnUntraced(function* (name: string) {
    const namespace = view.get(resources.namespaces, name)
    const progress = leaving.get(name)
    if (namespace === undefined || progress === undefined || !isTerminating(namespace)) return
    const { content, failures } = yield* deleteContent(services, namespace)
    yield* report(services, namespace, content, failures)
    const left = [...content.values()].flat()
    progress.left = left.length
    if (failures.length > 0) {
      progress.failures += 1
      return lookAgain(name, retryDelayMillis(progress.failures))
    }
    progress.failures = 0
    if (left.length > 0) return lookAgain(name, waitMillis(namespace, left, kernel.nowMillis()))
    if (yield* isInhabited(services, name)) return lookAgain(name, retryMillis)
    const finalizers = (namespace.spec.finalizers ?? []).filter((it) => it !== finalizer)
    yield* services.store.finalizeNamespace(name, finalizers)
  })

  yield* workOff({
    mailbox,
    attempt: (name) => Effect.catchTag(attempt(name), "NotFound", () => Effect.void),
    delayMillis: () => retryMillis,
    again: lookAgain,
    memory
  })
  yield* inform(services, onChange, resources.namespaces)
})

const retryMillis = 1000

/** A namespace on its way out. */
interface Leaving {
  /** Objects of the present stage that had not gone when they were last counted. */
  left: number
  failures: number
}

/** Custom resources that are in namespaces. */
const customIn = (view: ControllerServices["view"]): ReadonlyArray<GroupResource> =>
  view.kinds
    .custom()
    .filter(({ namespaced }) => namespaced)
    .map(groupResourceOf)

/** Whether there is anything in a namespace by the store's own word: a view may not have seen it yet. */
const isInhabited = Effect.fnUntraced(function* ({ view, store }: ControllerServices, namespace: string) {
  for (const resource of [...stages.flat(), ...customIn(view)]) {
    const { items } = yield* store.list(resource, { namespace })
    if (items.length > 0) return true
  }
  return false
})

/** Deletes what is in a namespace up to the first stage of which something stays; answers what stays, and why. */
const deleteContent = Effect.fnUntraced(function* (
  { view, store }: ControllerServices,
  { metadata: { name } }: Namespace
) {
  const content = new Map<GroupResource, ReadonlyArray<KubeObject>>()
  const failures: Array<string> = []
  const inside = (resource: GroupResource): ReadonlyArray<KubeObject> =>
    [...view.all(resource)].filter(({ metadata }: KubeObject) => metadata.namespace === name)
  for (const stage of [...stages, customIn(view)]) {
    for (const resource of stage) {
      const doomed = inside(resource)
      if (doomed.length === 0) continue
      for (const object of doomed) {
        if (isTerminating(object)) continue
        const deletion = store.delete({ resource, key: keyOf(object) }, { propagationPolicy: "Background" })
        yield* Effect.catch(deletion, (error: StoreError) =>
          Effect.sync(() => (error._tag === "NotFound" ? 0 : failures.push(error.message)))
        )
      }
      const left = inside(resource)
      if (left.length > 0) content.set(resource, left)
    }
    if (content.size > 0 || failures.length > 0) break
  }
  return { content, failures }
})

const report = (
  { store, nowMillis }: ControllerServices,
  namespace: Namespace,
  content: Content,
  failures: ReadonlyArray<string>
): Effect.Effect<void, StoreError> => {
  const conditions = namespaceConditions({ namespace, content, failures, nowMillis: nowMillis() })
  if (isSameValue(conditions, namespace.status.conditions)) return Effect.void
  const status = { ...namespace.status, phase: "Terminating", conditions: [...conditions] }
  return Effect.asVoid(store.updateStatus({ ...namespace, status } as Namespace))
}

/** What is held by a finalizer is thought to need this long. */
const finalizerSeconds = 15

/** Half of the time that what is left should need, and a second: the time of the Pod with the longest grace. */
const waitMillis = (namespace: Namespace, left: ReadonlyArray<KubeObject>, nowMillis: number): number => {
  const beganMillis = millisOf(namespace.metadata.deletionTimestamp ?? "")
  const graces = left.map((object) =>
    object.kind === "Pod" ? ((object as Pod).spec.terminationGracePeriodSeconds ?? 30) : 0
  )
  const held = left.some(({ metadata }) => (metadata.finalizers ?? []).length > 0)
  const graceSeconds = graces.reduce((most, seconds) => Math.max(most, seconds), 0)
  const seconds = Math.ceil(graceSeconds - Math.max(0, nowMillis - beganMillis) / 1000)
  return (Math.floor(Math.max(seconds, held ? finalizerSeconds : 0) / 2) + 1) * 1000
}
