import { groupResourceOf, resources } from "../kubernetes/meta/kinds.ts"
import { nameInKey } from "../kubernetes/meta/objects.ts"
import type { Effect } from "effect/Effect"
import type { GroupResource, KindRegistry } from "../kubernetes/meta/kinds.ts"
import type { Draft, KubeObject } from "../kubernetes/meta/objects.ts"
import type { StoreError } from "./storeErrors.ts"
import type { SingleObjectWrites, ObjectStore, Ref } from "./objectStore.ts"

export interface WriteAttributes {
  readonly verb: "create" | "update" | "patch" | "delete" | "status"
  /** Empty for an unknown kind, which the store then refuses. */
  readonly resource: GroupResource
  readonly name: string
}

export type WriteEffect = Effect<KubeObject, StoreError>

/** A store that runs every write, dry runs included, through `intercept`. */
export const interceptWrites = (
  store: ObjectStore["Service"],
  kinds: KindRegistry,
  intercept: (write: WriteAttributes, effect: WriteEffect) => WriteEffect
): ObjectStore["Service"] => {
  const attributesOfDraft = (
    verb: WriteAttributes["verb"],
    { apiVersion, kind, metadata }: Draft
  ): WriteAttributes => {
    const registered = kinds.findStored({ apiVersion, kind })
    const name = metadata.name ?? metadata.generateName ?? ""
    return { verb, resource: registered === undefined ? "" : groupResourceOf(registered), name }
  }
  const interceptSingleObjectWrites = (writes: SingleObjectWrites): SingleObjectWrites => ({
    ...writes,
    create: (draft, options) => intercept(attributesOfDraft("create", draft), writes.create(draft, options)),
    update: (draft, options) =>
      intercept(
        attributesOfDraft(options?.isPatch === true ? "patch" : "update", draft),
        writes.update(draft, options)
      )
  })
  const { beginDryRun } = store
  return {
    ...store,
    ...interceptSingleObjectWrites(store),
    ...(beginDryRun === undefined ? {} : { beginDryRun: () => interceptSingleObjectWrites(beginDryRun()) }),
    updateStatus: (draft, options) =>
      intercept(attributesOfDraft("status", draft), store.updateStatus(draft, options)),
    modify: (ref, change, options) =>
      intercept(
        attributesOfRef(options?.status === true ? "status" : "patch", ref),
        store.modify(ref, change, options)
      ),
    // `intercept` may wait, which needs a fiber: callers fall back on `modify`.
    modifyNow: undefined,
    bind: (binding) =>
      intercept(
        attributesOfRef("create", { resource: resources.pods, key: binding.key }),
        store.bind(binding)
      ),
    finalizeNamespace: (name, finalizers) =>
      intercept(
        attributesOfRef("update", { resource: resources.namespaces, key: name }),
        store.finalizeNamespace(name, finalizers)
      ),
    delete: (ref, options) => intercept(attributesOfRef("delete", ref), store.delete(ref, options))
  }
}

const attributesOfRef = (verb: WriteAttributes["verb"], { resource, key }: Ref): WriteAttributes => ({
  verb,
  resource,
  name: nameInKey(key)
})
