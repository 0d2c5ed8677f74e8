import * as Effect from "effect/Effect"
import { toObjectKey, objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { toObjectAnswer, toStatusAnswer } from "../requests/apiCall.ts"
import { ignoreNotFound } from "../../store/storeErrors.ts"
import { successStatus } from "../http/statuses.ts"
import { toDeleteOptions, readDeleteOptions } from "./deleteOptions.ts"
import { listVerb } from "./readVerbs.ts"
import type { Kind } from "../../kubernetes/meta/kinds.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { ApiAnswer, VerbHandler } from "../requests/apiCall.ts"

/** Source: apiserver/pkg/endpoints/handlers/delete.go, pkg/registry/generic/registry/store.go. */
export const deleteVerb: VerbHandler = (call) =>
  Effect.suspend(() => {
    const { services, target } = call
    const { resource } = target
    const ref = { resource, key: toObjectKey(target.namespace, target.name ?? "") }
    const rawOptions = readDeleteOptions(call)
    const options = toDeleteOptions(rawOptions)
    // An unfinished deletion returns 202 only with the deprecated `orphanDependents=false`.
    const returnsAcceptedCode = rawOptions.orphanDependents === false
    return Effect.map(services.store.delete(ref, options), (object) => {
      const isStillStored = services.view.get(resource, ref.key) !== undefined && !options.dryRun
      return toDeleteAnswer(target.kind, object, {
        isStillStored,
        code: isStillStored && returnsAcceptedCode ? 202 : 200
      })
    })
  })

export const deleteCollectionVerb: VerbHandler = (call) =>
  Effect.suspend(() => {
    const { services, target } = call
    const options = toDeleteOptions(readDeleteOptions(call))
    return Effect.flatMap(listVerb(call), (answer) => {
      const items = answer.type === "list" ? answer.page.items : []
      const deletions = items.map((object) =>
        ignoreNotFound(
          services.store.delete({ resource: target.resource, key: objectKeyOf(object) }, options)
        )
      )
      return Effect.as(Effect.all(deletions, { discard: true }), answer)
    })
  })

/** A deletion that finishes at once returns an object of these kinds, and a Status for others. */
const kindsReturnedWhenGone: ReadonlySet<string> = new Set(["Pod", "Service", "ServiceAccount", "Namespace"])

const toDeleteAnswer = (
  kind: Kind,
  object: KubeObject,
  { isStillStored, code }: { readonly isStillStored: boolean; readonly code: number }
): ApiAnswer => {
  if (isStillStored || (kind.group === "" && kindsReturnedWhenGone.has(kind.kind)))
    return toObjectAnswer(object, code)
  const { name, uid } = object.metadata
  return toStatusAnswer(
    successStatus({ name, ...(kind.group === "" ? {} : { group: kind.group }), kind: kind.plural, uid })
  )
}
