import { apiServer } from "../../domain/managedFields/managers.ts"
import { isFields } from "../../domain/fields.ts"
import * as Effect from "effect/Effect"
import { keyOf } from "../../domain/objects.ts"
import { resources } from "../../domain/kinds.ts"
import { judgeEviction, removeEvicted } from "../../store/evictions.ts"
import { Conflict, modifiedMeanwhile } from "../../store/errors.ts"
import { decodeAs, parseBody, readDryRun } from "../bodies.ts"
import { evictionKind, oldEvictionKind } from "../bodyKinds.ts"
import { statusAnswer } from "../call.ts"
import { placed } from "../places.ts"
import { badRequest, refusal, success } from "../statuses.ts"
import { deleteOptionsOf } from "../verbs/deleteOptions.ts"
import { presentObject } from "../verbs/read.ts"
import type { DisruptionBudget } from "../../domain/disruptionBudgets.ts"
import type { Draft, Pod } from "../../domain/objects.ts"
import type { DeleteOptions } from "../../store/objectStore.ts"
import type { Call, Verb } from "../call.ts"
import type { Refusal, Refused } from "../statuses.ts"
import type { StatedOptions } from "../verbs/deleteOptions.ts"

/**
 * Evicts a Pod if its PodDisruptionBudget allows it.
 *
 * Source: pkg/registry/core/pod/storage/eviction.go.
 */
export const evict: Verb = (call) =>
  Effect.suspend(() => {
    const options = readEviction(call)
    return Effect.gen(function* () {
      const pod = (yield* presentObject(call)) as Pod
      yield* useDisruption(call, pod, options)
      yield* removePod(call, pod, options)
      return statusAnswer(success(), 201)
    })
  })

interface Eviction extends Draft {
  readonly deleteOptions?: StatedOptions
}

const readEviction = (call: Call): DeleteOptions => {
  const isDryRun = readDryRun(call.query, "CreateOptions")
  const parsed = parseBody(call)
  const isV1beta1 = isFields(parsed.value) && parsed.value["apiVersion"] === "policy/v1beta1"
  const kind = isV1beta1 ? oldEvictionKind : evictionKind
  const { metadata, deleteOptions = {} }: Eviction = placed(
    decodeAs(parsed, { kind, call, optionsKind: "CreateOptions" }),
    call.target
  )
  if (metadata.name !== call.target.name)
    throw badRequest("name in URL does not match name in Eviction object")
  const options = deleteOptionsOf(deleteOptions)
  return isDryRun ? { ...options, dryRun: true } : options
}

/** Uses up one allowed disruption of the Pod's budget, where the eviction needs one. */
const useDisruption = (
  { services }: Call,
  pod: Pod,
  { dryRun = false }: DeleteOptions
): Effect.Effect<void, Refused> => {
  const judgement = judgeEviction(services.view, pod, services.nowMillis())
  if (judgement.type === "free") return Effect.void
  if (judgement.type === "tooManyBudgets") return Effect.fail(refusal(500, "", tooManyBudgets))
  const { budget, verdict } = judgement
  const { name } = budget.metadata
  switch (verdict.type) {
    case "allowed": {
      const updatedBudget: DisruptionBudget = { ...budget, status: verdict.status }
      return dryRun
        ? Effect.void
        : Effect.asVoid(services.store.updateStatus(updatedBudget, { manager: apiServer }))
    }
    case "unknown":
      return Effect.fail(tooManyRequests(verdict.why, { retryAfterSeconds: 10 }))
    case "refused":
      return Effect.fail(tooManyRequests(verdict.why, {}))
    case "forbidden": {
      const text = `poddisruptionbudget.policy ${JSON.stringify(name)} is forbidden: ${verdict.why}`
      return Effect.fail(
        refusal(403, "Forbidden", text, { name, group: "policy", kind: "poddisruptionbudget" })
      )
    }
  }
}

const tooManyBudgets =
  "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."

const tooManyRequests = (why: string, more: { readonly retryAfterSeconds?: number }): Refusal =>
  refusal(429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.", {
    ...more,
    causes: [{ reason: "DisruptionBudget", message: why }]
  })

const removePod = (call: Call, pod: Pod, options: DeleteOptions): Effect.Effect<void, Refused> => {
  const { store, nowMillis } = call.services
  const { preconditions = {}, ...request } = options
  const ref = { resource: resources.pods, key: keyOf(pod) }
  const { name, uid, resourceVersion } = pod.metadata
  if (preconditions.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    return Effect.fail(new Conflict({ resource: ref.resource, name, why: modifiedMeanwhile }))
  }
  const deletion = { ...request, preconditions: { uid: preconditions.uid ?? uid } }
  if (options.dryRun === true || deletion.preconditions.uid !== uid)
    return Effect.asVoid(store.delete(ref, deletion))
  return removeEvicted(store, pod, { nowMillis: nowMillis(), request: deletion })
}
