import { apiServerManager } from "../../kubernetes/apply/managedFields/fieldManagers.ts"
import { isFields } from "../../kubernetes/meta/fields.ts"
import * as Effect from "effect/Effect"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { checkDisruptionBudgets, evictPod } from "../../store/writes/podEviction.ts"
import { Conflict, modifiedMeanwhile } from "../../store/storeErrors.ts"
import { decodeParsedBody, parseBody, readDryRun } from "../requests/decodeBody.ts"
import { evictionKind, evictionV1beta1Kind } from "../requests/subresourceKinds.ts"
import { toStatusAnswer } from "../requests/apiCall.ts"
import { inRequestNamespace } from "../requests/requestIdentity.ts"
import { badRequest, makeRefusal, successStatus, noReason } from "../http/statuses.ts"
import { toDeleteOptions } from "../verbs/deleteOptions.ts"
import { findObject } from "../verbs/readVerbs.ts"
import type { DisruptionBudget } from "../../kubernetes/policy/disruptionBudgets.ts"
import type { Draft, Pod } from "../../kubernetes/meta/objects.ts"
import type { DeleteOptions } from "../../store/objectStore.ts"
import type { ApiCall, VerbHandler } from "../requests/apiCall.ts"
import type { Refusal, RefusalOrStoreError } from "../http/statuses.ts"
import type { RawDeleteOptions } from "../verbs/deleteOptions.ts"

/** Source: pkg/registry/core/pod/storage/eviction.go. */
export const evictVerb: VerbHandler = (call) =>
  Effect.suspend(() => {
    const options = readEviction(call)
    return Effect.gen(function* () {
      const pod = (yield* findObject(call)) as Pod
      yield* spendAllowedDisruption(call, pod, options)
      yield* removePod(call, pod, options)
      return toStatusAnswer(successStatus(), 201)
    })
  })

interface Eviction extends Draft {
  readonly deleteOptions?: RawDeleteOptions
}

const readEviction = (call: ApiCall): DeleteOptions => {
  const isDryRun = readDryRun(call.query, "CreateOptions")
  const parsed = parseBody(call)
  const isV1beta1 = isFields(parsed.value) && parsed.value["apiVersion"] === "policy/v1beta1"
  const kind = isV1beta1 ? evictionV1beta1Kind : evictionKind
  const { metadata, deleteOptions = {} }: Eviction = inRequestNamespace(
    decodeParsedBody(parsed, { kind, call, optionsKind: "CreateOptions" }),
    call.target
  )
  if (metadata.name !== call.target.name)
    throw badRequest("name in URL does not match name in Eviction object")
  const options = toDeleteOptions(deleteOptions)
  return isDryRun ? { ...options, dryRun: true } : options
}

/** Fails if the Pod's budget allows no disruption; otherwise counts this one in the budget's status. */
const spendAllowedDisruption = (
  { services }: ApiCall,
  pod: Pod,
  { dryRun = false }: DeleteOptions
): Effect.Effect<void, RefusalOrStoreError> => {
  const budgetCheck = checkDisruptionBudgets(services.view, pod, services.nowMillis())
  // Exempt: the Pod has no budget, or its eviction needs no allowed disruption.
  if (budgetCheck.type === "exempt") return Effect.void
  if (budgetCheck.type === "tooManyBudgets") return Effect.fail(makeRefusal(500, noReason, tooManyBudgets))
  const { budget, budgetDecision } = budgetCheck
  const { name } = budget.metadata
  switch (budgetDecision.type) {
    case "allowed": {
      const updatedBudget: DisruptionBudget = { ...budget, status: budgetDecision.status }
      return dryRun
        ? Effect.void
        : Effect.asVoid(services.store.updateStatus(updatedBudget, { manager: apiServerManager }))
    }
    // The controller has not processed the budget's latest generation.
    case "unknown":
      return Effect.fail(tooManyRequests(budgetDecision.why, { retryAfterSeconds: 10 }))
    case "refused":
      return Effect.fail(tooManyRequests(budgetDecision.why, {}))
    case "forbidden": {
      const text = `poddisruptionbudget.policy ${JSON.stringify(name)} is forbidden: ${budgetDecision.why}`
      return Effect.fail(
        makeRefusal(403, "Forbidden", text, { name, group: "policy", kind: "poddisruptionbudget" })
      )
    }
  }
}

const tooManyBudgets =
  "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."

const tooManyRequests = (why: string, details: { readonly retryAfterSeconds?: number }): Refusal =>
  makeRefusal(429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.", {
    ...details,
    causes: [{ reason: "DisruptionBudget", message: why }]
  })

const removePod = (
  call: ApiCall,
  pod: Pod,
  options: DeleteOptions
): Effect.Effect<void, RefusalOrStoreError> => {
  const { store, nowMillis } = call.services
  const { preconditions = {}, ...request } = options
  const ref = { resource: resources.pods, key: objectKeyOf(pod) }
  const { name, uid, resourceVersion } = pod.metadata
  if (preconditions.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    return Effect.fail(new Conflict({ resource: ref.resource, resourceName: name, why: modifiedMeanwhile }))
  }
  const deletion = { ...request, preconditions: { uid: preconditions.uid ?? uid } }
  // `delete` alone handles both: it deletes nothing in a dry run, and fails with Conflict for another UID.
  if (options.dryRun === true || deletion.preconditions.uid !== uid)
    return Effect.asVoid(store.delete(ref, deletion))
  return evictPod(store, pod, { nowMillis: nowMillis(), request: deletion })
}
