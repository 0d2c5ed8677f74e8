import { isFields } from "../../domain/fields.ts"
import * as Effect from "effect/Effect"
import { parseBody, readDryRun } from "../bodies.ts"
import { statusAnswer } from "../call.ts"
import { resources } from "../../domain/kinds.ts"
import { keyOf } from "../../domain/objects.ts"
import { invalid, invalidMessage, required } from "../../domain/admission/fieldErrors.ts"
import { Invalid } from "../../store/errors.ts"
import { badRequest, success } from "../statuses.ts"
import { presentObject } from "../verbs/read.ts"
import type { Verb } from "../call.ts"

/**
 * Puts a Pod on a node, as a scheduler does.
 *
 * Source: pkg/registry/core/pod/storage/storage.go (BindingREST), pkg/apis/core/validation/validation.go.
 */
export const bind: Verb = (call) =>
  Effect.suspend(() => {
    const { value } = parseBody(call)
    const dryRun = readDryRun(call.query, "CreateOptions")
    const target = targetOf(value)
    return Effect.gen(function* () {
      const pod = yield* presentObject(call)
      const { name, uid } = pod.metadata
      const errors = [
        ...(target.kind === "" || target.kind === "Node"
          ? []
          : [invalid("target.kind", target.kind, 'must be empty or "Node"')]),
        ...(target.name === "" ? [required("target.name")] : [])
      ]
      if (errors.length > 0) {
        const sentence = invalidMessage({ groupKind: binding.kind, name, errors })
        return yield* new Invalid({ resource: "bindings", name, errors, kind: binding, sentence })
      }
      if (!dryRun) yield* call.services.store.bind({ key: keyOf(pod), uid, nodeName: target.name })
      return statusAnswer(success(), 201)
    })
  })

const binding = { group: "", kind: "Binding" } as const

/** The old way: a Binding of its own, which says by its name which Pod is meant. */
export const bindByName: Verb = (call) =>
  Effect.suspend(() => {
    const { value } = parseBody(call)
    const metadata: unknown = isFields(value) ? value["metadata"] : undefined
    const name: unknown = isFields(metadata) ? metadata["name"] : undefined
    if (typeof name !== "string" || name === "") throw badRequest("name must be provided")
    return bind({ ...call, target: { ...call.target, resource: resources.pods, name } })
  })

const targetOf = (value: unknown): { readonly kind: string; readonly name: string } => {
  const target: unknown = isFields(value) ? value["target"] : undefined
  if (!isFields(target)) throw badRequest("a Binding needs a target")
  const { kind = "", name = "" } = target
  if (typeof kind !== "string" || typeof name !== "string")
    throw badRequest("the target of a Binding is not named")
  return { kind, name }
}
