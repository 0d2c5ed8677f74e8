import * as Effect from "effect/Effect"
import { keyIn, keyOf } from "../../domain/objects.ts"
import { objectAnswer, statusAnswer } from "../call.ts"
import { success } from "../statuses.ts"
import { deleteOptionsOf, statedOptions } from "./deleteOptions.ts"
import { list } from "./read.ts"
import type { Kind } from "../../domain/kinds.ts"
import type { KubeObject } from "../../domain/objects.ts"
import type { Answer, Verb } from "../call.ts"

/**
 * Deletes one object.
 *
 * Source: staging/src/k8s.io/apiserver/pkg/endpoints/handlers/delete.go, pkg/registry/generic/registry/store.go.
 */
export const remove: Verb = (call) =>
  Effect.suspend(() => {
    const { services, target } = call
    const { resource } = target
    const ref = { resource, key: keyIn(target.namespace, target.name ?? "") }
    const rawOptions = statedOptions(call)
    const options = deleteOptionsOf(rawOptions)
    // An unfinished deletion returns 202 only with the deprecated `orphanDependents=false`.
    const reportsPending = rawOptions.orphanDependents === false
    return Effect.map(services.store.delete(ref, options), (object) => {
      const isStillStored = services.view.get(resource, ref.key) !== undefined && !options.dryRun
      return toDeleteAnswer(target.kind, object, {
        isStillStored,
        code: isStillStored && reportsPending ? 202 : 200
      })
    })
  })

export const removeCollection: Verb = (call) =>
  Effect.suspend(() => {
    const { services, target } = call
    const options = deleteOptionsOf(statedOptions(call))
    return Effect.flatMap(list(call), (answer) => {
      const items = answer.type === "list" ? answer.page.items : []
      const removals = items.map((object) =>
        services.store
          .delete({ resource: target.resource, key: keyOf(object) }, options)
          .pipe(Effect.catchTag("NotFound", () => Effect.void))
      )
      return Effect.as(Effect.all(removals, { discard: true }), answer)
    })
  })

const kindsReturnedWhenGone: ReadonlySet<string> = new Set(["Pod", "Service", "ServiceAccount", "Namespace"])

const toDeleteAnswer = (
  kind: Kind,
  object: KubeObject,
  { isStillStored, code }: { readonly isStillStored: boolean; readonly code: number }
): Answer => {
  if (isStillStored || (kind.group === "" && kindsReturnedWhenGone.has(kind.kind)))
    return objectAnswer(object, code)
  const { name, uid } = object.metadata
  return statusAnswer(
    success({ name, ...(kind.group === "" ? {} : { group: kind.group }), kind: kind.plural, uid })
  )
}
