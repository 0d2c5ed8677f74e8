import * as Effect from "effect/Effect"
import {
  definitionFinalizer,
  customResourceDefinitionResource,
  type CustomResourceDefinition
} from "../kubernetes/customResources/definitions.ts"
import { withTerminatingCondition } from "../kubernetes/customResources/definitionStatus.ts"
import { isTerminating, withoutFinalizer } from "../kubernetes/meta/deletion.ts"
import { objectKeyOf } from "../kubernetes/meta/objects.ts"
import { runInformer } from "../runtime/workers/informer.ts"
import { noSnapshotParts, snapshotPartOfSet } from "../runtime/snapshotParts.ts"
import { makeMailbox } from "../runtime/workers/mailbox.ts"
import { processMailbox } from "../runtime/workers/worker.ts"
import { ignoreNotFound } from "../store/storeErrors.ts"
import { controllerTurnOrder } from "../runtime/reconciler/controllerTurnOrder.ts"
import type { Scope } from "effect/Scope"
import type { Kernel } from "../runtime/time/kernel.ts"
import type { StoreError } from "../store/storeErrors.ts"
import type { Change } from "../store/objectStore.ts"
import type { ControllerServices } from "./controllerServices.ts"

/** Source: apiextensions-apiserver/pkg/controller/finalizer/crd_finalizer.go. */
export const runCustomResourceFinalizer = Effect.fnUntraced(function* (
  services: ControllerServices,
  kernel: Kernel
): Effect.fn.Return<void, never, Scope> {
  const { view, snapshotParts = noSnapshotParts } = services
  // Within an instant, the finalizer has the namespace controller's turn.
  const mailbox = yield* makeMailbox({ kernel, turnOrder: controllerTurnOrder.namespace, snapshotParts })
  const terminatingNames = new Set<string>()
  // Snapshots name the terminating definitions `leaving`.
  snapshotParts.registerPart("leaving", snapshotPartOfSet(terminatingNames))

  const onChange = ({ type, resource, object }: Change): void => {
    if (resource === customResourceDefinitionResource) {
      const { name } = object.metadata
      if (type === "DELETED" || !isTerminating(object)) terminatingNames.delete(name)
      else if (!terminatingNames.has(name)) {
        terminatingNames.add(name)
        mailbox.offer(name)
      }
    } else if (type === "DELETED" && terminatingNames.has(resource)) mailbox.offer(resource)
  }

  const attempt = Effect.fnUntraced(function* (name: string): Effect.fn.Return<void, StoreError> {
    const definition = view.get(customResourceDefinitionResource, name)
    if (definition === undefined || !isTerminating(definition)) return
    const objects = Array.from(view.all(name))
    for (const object of objects) {
      if (isTerminating(object)) continue
      yield* ignoreNotFound(services.store.delete({ resource: name, key: objectKeyOf(object) }))
    }
    const isEmpty = Array.from(view.all(name)).length === 0
    const ref = { resource: customResourceDefinitionResource, key: name }
    const withCondition = withTerminatingCondition(definition as CustomResourceDefinition, kernel.nowMillis())
    yield* services.store.updateStatus(withCondition)
    if (isEmpty) yield* services.store.modify(ref, (it) => withoutFinalizer(it, definitionFinalizer))
  })

  yield* processMailbox({
    mailbox,
    attempt: (name) => ignoreNotFound(attempt(name)),
    snapshotParts
  })
  yield* runInformer(services, onChange)
})
