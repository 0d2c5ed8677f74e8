import * as Effect from "effect/Effect"
import { Conflict, modifiedMeanwhile } from "../../store/storeErrors.ts"
import { readDryRun, decodeBody } from "../requests/decodeBody.ts"
import { requireRequestName } from "../requests/requestIdentity.ts"
import { toObjectAnswer } from "../requests/apiCall.ts"
import { findObject } from "../verbs/readVerbs.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { ApiAnswer, VerbHandler } from "../requests/apiCall.ts"
import type { RefusalOrStoreError } from "../http/statuses.ts"

/** Source: pkg/registry/core/namespace/storage/storage.go (FinalizeREST). */
export const finalizeVerb: VerbHandler = (call) =>
  Effect.suspend(() => {
    const dryRun = readDryRun(call.query, "UpdateOptions")
    const draft = requireRequestName(decodeBody(call, call.target.kind, "UpdateOptions"), call.target)
    const finalizers = finalizersOf(draft)
    return Effect.flatMap(findObject(call), (present): Effect.Effect<ApiAnswer, RefusalOrStoreError> => {
      const { name, resourceVersion } = present.metadata
      const draftVersion = draft.metadata.resourceVersion
      if (draftVersion && draftVersion !== "0" && draftVersion !== resourceVersion) {
        return Effect.fail(
          new Conflict({ resource: call.target.resource, resourceName: name, why: modifiedMeanwhile })
        )
      }
      if (dryRun) return Effect.succeed(toObjectAnswer(withFinalizers(present, finalizers)))
      return Effect.map(call.services.store.finalizeNamespace(name, finalizers), (object) =>
        toObjectAnswer(object)
      )
    })
  })

const withFinalizers = (namespace: KubeObject, finalizers: ReadonlyArray<string>): KubeObject & object =>
  Object.assign({ ...namespace }, { spec: { finalizers } })

const finalizersOf = (value: unknown): ReadonlyArray<string> => {
  const spec: unknown = fieldOf(value, "spec")
  const finalizers: unknown = fieldOf(spec, "finalizers")
  return Array.isArray(finalizers) ? finalizers.filter((it) => typeof it === "string") : []
}

const fieldOf = (value: unknown, field: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, field) : undefined
