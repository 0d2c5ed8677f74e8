import { aggregateText } from "../../kubernetes/meta/text/aggregateText.ts"
import * as Effect from "effect/Effect"
import { errorBody, unsupportedValue, requiredValue } from "../../kubernetes/validation/fieldErrors.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { readDryRun, decodeBody } from "../requests/decodeBody.ts"
import { bindingKind } from "../requests/subresourceKinds.ts"
import { toStatusAnswer } from "../requests/apiCall.ts"
import { inRequestNamespace } from "../requests/requestIdentity.ts"
import { badRequest, makeRefusal, successStatus, noReason } from "../http/statuses.ts"
import { findObject } from "../verbs/readVerbs.ts"
import type { Draft } from "../../kubernetes/meta/objects.ts"
import type { ApiAnswer, ApiCall, VerbHandler } from "../requests/apiCall.ts"
import type { RefusalOrStoreError } from "../http/statuses.ts"

/** Source: pkg/registry/core/pod/storage/storage.go (BindingREST). */
export const bindVerb: VerbHandler = (call) =>
  Effect.suspend(() => {
    const request = readBinding(call)
    if (request.binding.metadata.name === call.target.name) return bindPod(call, request)
    throw badRequest("name in URL does not match name in Binding object")
  })

/** The deprecated `POST bindings`: the Binding has the Pod's name. */
export const bindByNameVerb: VerbHandler = (call) =>
  Effect.suspend(() => {
    const request = readBinding(call)
    const { name } = request.binding.metadata
    if (!name) throw badRequest("Name parameter required.")
    return bindPod({ ...call, target: { ...call.target, resource: resources.pods, name } }, request)
  })

interface Binding extends Draft {
  readonly target?: { readonly kind?: string; readonly name?: string }
}

interface BindingRequest {
  readonly binding: Binding
  readonly nodeName: string
  readonly dryRun: boolean
}

const readBinding = (call: ApiCall): BindingRequest => {
  const dryRun = readDryRun(call.query, "CreateOptions")
  const binding: Binding = inRequestNamespace(decodeBody(call, bindingKind, "CreateOptions"), call.target)
  const { name: nodeName = "" } = binding.target ?? {}
  return { binding, nodeName, dryRun }
}

const bindPod = (
  call: ApiCall,
  { binding, nodeName, dryRun }: BindingRequest
): Effect.Effect<ApiAnswer, RefusalOrStoreError> => {
  validateTarget(binding)
  const { uid, resourceVersion, labels, annotations } = binding.metadata
  return Effect.gen(function* () {
    const key = objectKeyOf(yield* findObject(call))
    yield* call.services.store.bind({ key, nodeName, uid, resourceVersion, labels, annotations, dryRun })
    return toStatusAnswer(successStatus(), 201)
  })
}

/** kube-apiserver answers an invalid target with 500. Source: ValidatePodBinding in validation.go. */
const validateTarget = ({ target: { kind = "", name = "" } = {} }: Binding): void => {
  const errors = [
    ...(kind === "" || kind === "Node" ? [] : [unsupportedValue("target.kind", kind, ["Node", "<empty>"])]),
    ...(name === "" ? [requiredValue("target.name")] : [])
  ]
  if (errors.length === 0) return
  const texts = errors.map((error) => `${error.field}: ${errorBody(error)}`)
  throw makeRefusal(500, noReason, aggregateText(texts))
}
