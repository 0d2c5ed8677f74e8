import * as Effect from "effect/Effect"
import { storedKinds, groupResourceOf, resources } from "../kubernetes/meta/kinds.ts"
import { isSemanticallyEqual } from "../kubernetes/meta/semanticEquality.ts"
import { isTerminalPhase } from "../kubernetes/pods/podState.ts"
import { isTerminating } from "../kubernetes/meta/deletion.ts"
import { objectKeyOf } from "../kubernetes/meta/objects.ts"
import { timestampMillis } from "../kubernetes/meta/amounts/timestamps.ts"
import { namespaceDeletionConditions } from "../kubernetes/core/namespaceDeletion.ts"
import { runInformer } from "../runtime/workers/informer.ts"
import { makeKeyTimers } from "../runtime/time/keyTimers.ts"
import { noSnapshotParts } from "../runtime/snapshotParts.ts"
import { makeMailbox } from "../runtime/workers/mailbox.ts"
import { retryDelayMillis, processMailbox } from "../runtime/workers/worker.ts"
import { ignoreNotFound } from "../store/storeErrors.ts"
import { controllerTurnOrder } from "../runtime/reconciler/controllerTurnOrder.ts"
import type { Scope } from "effect/Scope"
import type { GroupResource } from "../kubernetes/meta/kinds.ts"
import type { KubeObject, Namespace } from "../kubernetes/meta/objects.ts"
import type { NamespaceContent } from "../kubernetes/core/namespaceDeletion.ts"
import type { Kernel } from "../runtime/time/kernel.ts"
import type { StoreError } from "../store/storeErrors.ts"
import type { Change } from "../store/objectStore.ts"
import type { ControllerServices } from "./controllerServices.ts"

const finalizer = "kubernetes"

/** A stage begins when the one before is empty, so that no Pod outlives its NetworkPolicies. */
const deletionStages: ReadonlyArray<ReadonlyArray<GroupResource>> = [
  [resources.pods],
  storedKinds.filter(({ namespaced, plural }) => namespaced && plural !== resources.pods).map(groupResourceOf)
]

/**
 * Source: pkg/controller/namespace/deletion/namespaced_resources_deleter.go. Unlike Kubernetes, which only looks
 * again after half of the estimated time, the controller also looks when the last object is gone.
 */
export const runNamespaceController = Effect.fnUntraced(function* (
  services: ControllerServices,
  kernel: Kernel
): Effect.fn.Return<void, never, Scope> {
  const { view, snapshotParts = noSnapshotParts } = services
  const mailbox = yield* makeMailbox({ kernel, turnOrder: controllerTurnOrder.namespace, snapshotParts })
  const timers = yield* makeKeyTimers({
    kernel,
    turnOrder: controllerTurnOrder.namespace,
    mailbox,
    snapshotParts
  })
  const terminating = new Map<string, NamespaceProgress>()
  // Snapshots name the terminating namespaces `leaving`.
  snapshotParts.registerPart<ReadonlyArray<readonly [string, NamespaceProgress]>>("leaving", {
    save: () => Array.from(terminating, ([name, it]) => [name, { ...it }]),
    restore: (state) => {
      for (const [name, it] of state) terminating.set(name, { ...it })
    }
  })

  const lookAgain = (name: string, millis: number): void => {
    if (terminating.has(name)) timers.after(name, millis)
  }

  const onChange = ({ type, resource, object }: Change): void => {
    const { name, namespace } = object.metadata
    if (resource === resources.namespaces) {
      const isTerminatingNow = type !== "DELETED" && isTerminating(object)
      if (isTerminatingNow && !terminating.has(name)) {
        terminating.set(name, { left: 0, failures: 0 })
        mailbox.offer(name)
      } else if (!isTerminatingNow) {
        timers.cancel(name)
        terminating.delete(name)
      }
      return
    }
    const progress = type === "DELETED" && namespace !== undefined ? terminating.get(namespace) : undefined
    if (namespace === undefined || progress === undefined) return
    progress.left -= 1
    if (progress.left <= 0) mailbox.offer(namespace)
  }

  const attempt = Effect.fnUntraced(function* (name: string) {
    const namespace = view.get(resources.namespaces, name)
    const progress = terminating.get(name)
    if (namespace === undefined || progress === undefined || !isTerminating(namespace)) return
    const graceSeconds = podGraceSeconds(services, namespace)
    const { content, failures } = yield* deleteContent(services, namespace)
    yield* report(services, namespace, content, failures)
    const remaining = [...content.values()].flat()
    progress.left = remaining.length
    if (failures.length > 0) {
      progress.failures += 1
      return lookAgain(name, retryDelayMillis(progress.failures))
    }
    progress.failures = 0
    if (remaining.length > 0) return lookAgain(name, recheckMillis(content, graceSeconds))
    if (yield* hasContent(services, name)) return lookAgain(name, retryMillis)
    const finalizers = (namespace.spec.finalizers ?? []).filter((it) => it !== finalizer)
    yield* services.store.finalizeNamespace(name, finalizers)
  })

  yield* processMailbox({
    mailbox,
    attempt: (name) => ignoreNotFound(attempt(name)),
    delayMillis: () => retryMillis,
    retryAfter: lookAgain,
    snapshotParts
  })
  yield* runInformer(services, onChange, { initialList: [resources.namespaces] })
})

const retryMillis = 1000

interface NamespaceProgress {
  /** Objects that the last attempt left, less those that are gone since. */
  left: number
  /** Failed attempts in a row. */
  failures: number
}

const customResourcesOf = (view: ControllerServices["view"]): ReadonlyArray<GroupResource> =>
  view.kinds
    .custom()
    .filter(({ namespaced }) => namespaced)
    .map(groupResourceOf)

/** Reads the store, since the view may be late. */
const hasContent = Effect.fnUntraced(function* ({ view, store }: ControllerServices, namespace: string) {
  for (const resource of [...deletionStages.flat(), ...customResourcesOf(view)]) {
    const { items } = yield* store.list(resource, { namespace })
    if (items.length > 0) return true
  }
  return false
})

/** Stops at the first stage with remaining objects. */
const deleteContent = Effect.fnUntraced(function* (
  { view, store }: ControllerServices,
  { metadata: { name } }: Namespace
) {
  const content = new Map<GroupResource, ReadonlyArray<KubeObject>>()
  const failures: Array<string> = []
  const objectsOf = (resource: GroupResource): ReadonlyArray<KubeObject> =>
    [...view.all(resource)].filter(({ metadata }: KubeObject) => metadata.namespace === name)
  for (const stage of [...deletionStages, customResourcesOf(view)]) {
    for (const resource of stage) {
      const objects = objectsOf(resource)
      if (objects.length === 0) continue
      for (const object of objects) {
        if (isTerminating(object)) continue
        const deletion = store.delete(
          { resource, key: objectKeyOf(object) },
          { propagationPolicy: "Background" }
        )
        yield* Effect.catch(ignoreNotFound(deletion), (error) =>
          Effect.sync(() => failures.push(error.message))
        )
      }
      const remaining = objectsOf(resource)
      if (remaining.length > 0) content.set(resource, remaining)
    }
    if (content.size > 0 || failures.length > 0) break
  }
  return { content, failures }
})

const report = (
  { store, nowMillis }: ControllerServices,
  namespace: Namespace,
  content: NamespaceContent,
  failures: ReadonlyArray<string>
): Effect.Effect<void, StoreError> => {
  const conditions = namespaceDeletionConditions({
    namespace,
    content,
    deletionErrors: failures,
    nowMillis: nowMillis()
  })
  if (isSemanticallyEqual(conditions, namespace.status.conditions)) return Effect.void
  const status = { ...namespace.status, phase: "Terminating", conditions: [...conditions] }
  return Effect.asVoid(store.updateStatus({ ...namespace, status } as Namespace))
}

/** The estimated time until other controllers remove finalizers. */
const finalizerSeconds = 15

/** The longest grace of the Pods; 0 once it has passed since the namespace was deleted. */
const podGraceSeconds = (
  { view, nowMillis }: ControllerServices,
  { metadata: { name, deletionTimestamp = "" } }: Namespace
): number => {
  let longest = 0
  for (const { metadata, spec, status } of view.all(resources.pods))
    if (metadata.namespace === name && !isTerminalPhase(status.phase))
      longest = Math.max(longest, spec.terminationGracePeriodSeconds ?? 0)
  return nowMillis() - timestampMillis(deletionTimestamp) < longest * 1000 ? longest : 0
}

/** Half of the estimated time until the remaining objects are gone, and a second. */
const recheckMillis = (content: NamespaceContent, graceSeconds: number): number => {
  const estimates = Array.from(content, ([resource, objects]) =>
    resource === resources.pods && graceSeconds > 0
      ? graceSeconds
      : objects.some(({ metadata }) => (metadata.finalizers ?? []).length > 0)
        ? finalizerSeconds
        : 0
  )
  return (Math.floor(Math.max(0, ...estimates) / 2) + 1) * 1000
}
