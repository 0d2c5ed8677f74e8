import * as Effect from "effect/Effect"
import { createWarnings, podSecurityWarnings, updateWarnings } from "../../kubernetes/admission/admit.ts"
import { podSubresourceOf } from "../../kubernetes/admission/pods/podSubresources.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { toObjectAnswer } from "../requests/apiCall.ts"
import type { Kind } from "../../kubernetes/meta/kinds.ts"
import type { Draft, KubeObject } from "../../kubernetes/meta/objects.ts"
import type { ChangeOptions, WriteOptions } from "../../store/objectStore.ts"
import type { ObjectAnswer, ApiCall } from "../requests/apiCall.ts"
import type { RefusalOrStoreError } from "../http/statuses.ts"

/** The draft has the managed fields that result from the request. */
export const storeNewObject = (
  { services, target, user, warn }: ApiCall,
  draft: Draft,
  options: WriteOptions
): Effect.Effect<ObjectAnswer, RefusalOrStoreError> =>
  Effect.gen(function* () {
    const object = yield* services.store.create(draft, { ...options, hasManagedFields: true, user })
    const securityWarnings = yield* podSecurityWarningsFor(services.store, target.kind, object)
    for (const text of [...createWarnings(target.kind, object), ...securityWarnings]) warn(text)
    return toObjectAnswer(object, 201)
  })

const podSecurityWarningsFor = (
  store: ApiCall["services"]["store"],
  kind: Kind,
  object: KubeObject
): Effect.Effect<ReadonlyArray<string>> =>
  store.get({ resource: resources.namespaces, key: object.metadata.namespace ?? "" }).pipe(
    Effect.map(({ metadata }) => podSecurityWarnings(kind, object, metadata.labels)),
    Effect.catchTag("NotFound", () => Effect.succeed([]))
  )

export const storeReplacement = (
  { services, target, warn }: ApiCall,
  before: KubeObject,
  draft: Draft,
  changeOptions: ChangeOptions
): Effect.Effect<ObjectAnswer, RefusalOrStoreError> => {
  const { store } = services
  const options = {
    ...changeOptions,
    hasManagedFields: true,
    subresource: podSubresourceOf(target.subresource)
  }
  const isApproval = target.subresource === "approval"
  const write =
    isApproval || target.subresource === "status"
      ? store.updateStatus(draft, { ...options, isApproval })
      : store.update(draft, options)
  return Effect.gen(function* () {
    const object = yield* write
    const isPodOrSubresource = target.subresource !== undefined || target.kind.kind === "Pod"
    const securityWarnings = isPodOrSubresource
      ? []
      : yield* podSecurityWarningsFor(store, target.kind, object)
    for (const text of [...updateWarnings(target.kind, before, object), ...securityWarnings]) warn(text)
    return toObjectAnswer(object)
  })
}
