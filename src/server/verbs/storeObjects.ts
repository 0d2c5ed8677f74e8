import * as Effect from "effect/Effect"
import { createWarnings, updateWarnings } from "../../kubernetes/admission/admit.ts"
import { podSubresourceOf } from "../../kubernetes/admission/pods/podSubresources.ts"
import { toObjectAnswer } from "../requests/apiCall.ts"
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
  Effect.map(services.store.create(draft, { ...options, hasManagedFields: true, user }), (object) => {
    for (const text of createWarnings(target.kind, object)) warn(text)
    return toObjectAnswer(object, 201)
  })

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
  return Effect.map(write, (object) => {
    for (const text of updateWarnings(target.kind, before, object)) warn(text)
    return toObjectAnswer(object)
  })
}
