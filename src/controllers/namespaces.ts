import * as Effect from "effect/Effect"
import { allKinds, groupResourceOf, resources } from "../domain/kinds.ts"
import { isTerminating } from "../domain/ownerReferences.ts"
import { keyOf } from "../domain/objects.ts"
import { makeMailbox } from "../runtime/mailbox.ts"
import { ranks } from "./services.ts"
import type { Scope } from "effect/Scope"
import type { KubeObject } from "../domain/objects.ts"
import type { Kernel } from "../runtime/kernel.ts"
import type { StoreError } from "../store/errors.ts"
import type { ControllerServices } from "./services.ts"

const finalizer = "kubernetes"
const namespacedResources = allKinds.filter(({ namespaced }) => namespaced).map(groupResourceOf)

/**
 * Empties a namespace that is being deleted, and lets it go when nothing is left in it.
 *
 * Source: pkg/controller/namespace/deletion/namespaced_resources_deleter.go.
 */
export const emptyNamespaces = Effect.fnUntraced(function* (
  services: ControllerServices,
  kernel: Kernel
): Effect.fn.Return<void, never, Scope> {
  const { view } = services
  const mailbox = yield* makeMailbox({ kernel, rank: ranks.namespaces })
  /** Namespaces on their way out; a deletion elsewhere concerns nobody. */
  const leaving = new Set<string>()

  const work = Effect.fnUntraced(function* () {
    const name = yield* mailbox.take
    yield* empty(services, name).pipe(
      Effect.catch(() =>
        Effect.sync(() => kernel.after(retryMillis, ranks.namespaces, () => mailbox.offer(name)))
      ),
      Effect.ensuring(Effect.sync(() => mailbox.done(name)))
    )
  })
  yield* Effect.forkScoped(Effect.forever(work()))
  const unsubscribe = view.subscribe(({ type, resource, object }) => {
    const { name, namespace } = object.metadata
    if (resource === resources.namespaces) {
      if (type !== "DELETED" && isTerminating(object)) {
        leaving.add(name)
        mailbox.offer(name)
      } else leaving.delete(name)
    } else if (type === "DELETED" && namespace !== undefined && leaving.has(namespace))
      mailbox.offer(namespace)
  })
  yield* Effect.addFinalizer(() => Effect.sync(unsubscribe))
})

const retryMillis = 1000

const empty = Effect.fnUntraced(function* (
  { view, store }: ControllerServices,
  name: string
): Effect.fn.Return<void, StoreError> {
  const namespace = view.get(resources.namespaces, name)
  if (namespace === undefined || !isTerminating(namespace)) return
  let left = 0
  for (const resource of namespacedResources) {
    const inside = [...view.all(resource)].filter((object: KubeObject) => object.metadata.namespace === name)
    for (const object of inside) {
      if (isTerminating(object)) left += 1
      else {
        const ref = { resource, key: keyOf(object) }
        yield* store
          .delete(ref, { propagationPolicy: "Background" })
          .pipe(Effect.catchTag("NotFound", () => Effect.void))
        if (view.get(resource, keyOf(object)) !== undefined) left += 1
      }
    }
  }
  if (left > 0) return
  yield* store.finalizeNamespace(
    name,
    (namespace.spec.finalizers ?? []).filter((it) => it !== finalizer)
  )
})
