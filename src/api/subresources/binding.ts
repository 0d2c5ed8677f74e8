import * as Effect from "effect/Effect"
import { bodyOf, notSupported, required } from "../../domain/admission/fieldErrors.ts"
import { resources } from "../../domain/kinds.ts"
import { keyOf } from "../../domain/objects.ts"
import { readDryRun, readObject } from "../bodies.ts"
import { bindingKind } from "../bodyKinds.ts"
import { statusAnswer } from "../call.ts"
import { placed } from "../places.ts"
import { badRequest, refusal, success } from "../statuses.ts"
import { presentObject } from "../verbs/read.ts"
import type { Draft } from "../../domain/objects.ts"
import type { Answer, Call, Verb } from "../call.ts"
import type { Refused } from "../statuses.ts"

/**
 * Binds a Pod to a node, as a scheduler does.
 *
 * Source: pkg/registry/core/pod/storage/storage.go (BindingREST).
 */
export const bind: Verb = (call) =>
  Effect.suspend(() => {
    const request = readBinding(call)
    if (request.binding.metadata.name === call.target.name) return bindPod(call, request)
    throw badRequest("name in URL does not match name in Binding object")
  })

/** The deprecated `POST bindings`: the Binding has the Pod's name. */
export const bindByName: Verb = (call) =>
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

const readBinding = (call: Call): BindingRequest => {
  const dryRun = readDryRun(call.query, "CreateOptions")
  const binding: Binding = placed(readObject(call, bindingKind, "CreateOptions"), call.target)
  const { name: nodeName = "" } = binding.target ?? {}
  return { binding, nodeName, dryRun }
}

const bindPod = (
  call: Call,
  { binding, nodeName, dryRun }: BindingRequest
): Effect.Effect<Answer, Refused> => {
  validateTarget(binding)
  const { uid, resourceVersion, labels, annotations } = binding.metadata
  return Effect.gen(function* () {
    const key = keyOf(yield* presentObject(call))
    yield* call.services.store.bind({ key, nodeName, uid, resourceVersion, labels, annotations, dryRun })
    return statusAnswer(success(), 201)
  })
}

/** kube-apiserver answers this one with 500. Source: ValidatePodBinding in validation.go. */
const validateTarget = ({ target: { kind = "", name = "" } = {} }: Binding): void => {
  const errors = [
    ...(kind === "" || kind === "Node" ? [] : [notSupported("target.kind", kind, ["Node", "<empty>"])]),
    ...(name === "" ? [required("target.name")] : [])
  ]
  if (errors.length === 0) return
  const texts = errors.map((error) => `${error.field}: ${bodyOf(error)}`)
  throw refusal(500, "", texts.length > 1 ? `[${texts.join(", ")}]` : texts.join(""))
}
