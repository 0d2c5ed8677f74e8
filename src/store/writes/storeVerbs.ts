import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { NotFound } from "../storeErrors.ts"
import { bindPod, refuseBinding } from "./podBinding.ts"
import { deepFreeze } from "../../kubernetes/meta/deepFreeze.ts"
import { immutableUidError, objectNotFound, refuseDeletion, refuseStale } from "../storeRefusals.ts"
import { planDeletion } from "./planDeletion.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import type { DryRunBase } from "./dryRunState.ts"
import type { KubeObject, Namespace } from "../../kubernetes/meta/objects.ts"
import type { ObjectStore } from "../objectStore.ts"
import type { ObjectWrites } from "./objectWrites.ts"
import type { StoreError } from "../storeErrors.ts"

type StoreVerbs = Required<
  Pick<ObjectStore["Service"], "modify" | "modifyNow" | "bind" | "finalizeNamespace" | "delete">
>

/** The verbs that read a stored object and write its next state or remove it. */
export const makeStoreVerbs = (
  { get, definitions }: Pick<DryRunBase, "get" | "definitions">,
  { commit, remove, writeIfChanged, replace }: ObjectWrites,
  { nowMillis }: { readonly nowMillis: () => number }
): StoreVerbs => {
  const modifyNow: StoreVerbs["modifyNow"] = (ref, change, modifyOptions = {}) => {
    const old = get(ref.resource, ref.key)
    const kind = definitions.kinds.findByResource(ref.resource)
    if (old === undefined || kind === undefined) return Exit.fail(objectNotFound(ref))
    if (modifyOptions.uid !== undefined && modifyOptions.uid !== old.metadata.uid) {
      return Exit.fail(immutableUidError(kind, old, modifyOptions.uid))
    }
    const next = change(old)
    const refusal = refuseStale(kind, old, next)
    if (refusal !== undefined) return Exit.fail(refusal)
    return replace(kind, old, next, { status: false, ...modifyOptions })
  }

  return {
    modify: (ref, change, modifyOptions) => Effect.suspend(() => modifyNow(ref, change, modifyOptions)),
    modifyNow,
    bind: (binding) =>
      Effect.suspend((): Effect.Effect<KubeObject, StoreError> => {
        const ref = { resource: resources.pods, key: binding.key }
        const pod = get(resources.pods, binding.key)
        if (pod === undefined) return Effect.fail(objectNotFound(ref))
        const refusal = refuseBinding(pod, binding)
        if (refusal !== undefined) return Effect.fail(refusal)
        const boundPod = bindPod(pod, binding, nowMillis())
        return Effect.succeed(
          binding.dryRun === true ? deepFreeze(boundPod) : commit(ref.resource, pod, boundPod)
        )
      }),
    finalizeNamespace: (name, finalizers) =>
      Effect.suspend(() => {
        const namespace = get(resources.namespaces, name)
        if (namespace === undefined)
          return Effect.fail(new NotFound({ resource: resources.namespaces, resourceName: name }))
        const spec = { ...namespace.spec, finalizers: [...finalizers] }
        return Effect.succeed(
          writeIfChanged(resources.namespaces, namespace, { ...namespace, spec } as Namespace)
        )
      }),
    delete: (ref, request = {}) =>
      Effect.suspend(() => {
        const object = get(ref.resource, ref.key)
        if (object === undefined) return Effect.fail(objectNotFound(ref))
        const refusal = refuseDeletion(ref, object, request.preconditions ?? {})
        if (refusal !== undefined) return Effect.fail(refusal)
        const remaining = planDeletion({
          resource: ref.resource,
          object,
          request,
          nowMillis: nowMillis()
        })
        const terminating = remaining === undefined ? undefined : withTerminatingPhase(remaining)
        if (request.dryRun === true) return Effect.succeed(deepFreeze(terminating ?? object))
        if (terminating === undefined) return Effect.succeed(remove(ref.resource, object))
        return Effect.succeed(writeIfChanged(ref.resource, object, terminating))
      })
  }
}

const withTerminatingPhase = (object: KubeObject & { readonly status?: object }): KubeObject =>
  object.kind === "Namespace"
    ? ({ ...object, status: { ...object.status, phase: "Terminating" } } as KubeObject)
    : object
