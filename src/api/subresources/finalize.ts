import * as Effect from "effect/Effect"
import { Conflict, modifiedMeanwhile } from "../../store/errors.ts"
import { readDryRun, readObject } from "../bodies.ts"
import { named } from "../places.ts"
import { objectAnswer } from "../call.ts"
import { presentObject } from "../verbs/read.ts"
import type { KubeObject } from "../../domain/objects.ts"
import type { Answer, Verb } from "../call.ts"
import type { Refused } from "../statuses.ts"

/**
 * Replaces `spec.finalizers` of a Namespace.
 *
 * Source: pkg/registry/core/namespace/storage/storage.go (FinalizeREST).
 */
export const finalize: Verb = (call) =>
  Effect.suspend(() => {
    const dryRun = readDryRun(call.query, "UpdateOptions")
    const draft = named(readObject(call, call.target.kind, "UpdateOptions"), call.target)
    const finalizers = finalizersOf(draft)
    return Effect.flatMap(presentObject(call), (present): Effect.Effect<Answer, Refused> => {
      const { name, resourceVersion } = present.metadata
      const draftVersion = draft.metadata.resourceVersion
      if (draftVersion && draftVersion !== "0" && draftVersion !== resourceVersion) {
        return Effect.fail(new Conflict({ resource: call.target.resource, name, why: modifiedMeanwhile }))
      }
      if (dryRun) return Effect.succeed(objectAnswer(withFinalizers(present, finalizers)))
      return Effect.map(call.services.store.finalizeNamespace(name, finalizers), (object) =>
        objectAnswer(object)
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
