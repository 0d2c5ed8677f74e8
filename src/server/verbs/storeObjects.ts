import * as Effect from "effect/Effect"
import { createWarnings, podSecurityWarnings, updateWarnings } from "../../kubernetes/admission/admit.ts"
import { existingPodsWarnings } from "../../kubernetes/admission/podSecurity/existingPodsWarnings.ts"
import { isSignificantPodUpdate } from "../../kubernetes/admission/podSecurity/significantPodUpdate.ts"
import { podSubresourceOf } from "../../kubernetes/admission/pods/podSubresources.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { toObjectAnswer } from "../requests/apiCall.ts"
import type { Draft, KubeObject } from "../../kubernetes/meta/objects.ts"
import type { ChangeOptions, WriteOptions } from "../../store/objectStore.ts"
import type { ObjectAnswer, ApiCall } from "../requests/apiCall.ts"
import type { RefusalOrStoreError } from "../http/statuses.ts"

/** The draft has the managed fields that result from the request. */
export const storeNewObject = (
  call: ApiCall,
  draft: Draft,
  options: WriteOptions
): Effect.Effect<ObjectAnswer, RefusalOrStoreError> => {
  const { services, target, user, warn } = call
  return Effect.map(services.store.create(draft, { ...options, hasManagedFields: true, user }), (object) => {
    for (const text of [...createWarnings(target.kind, object), ...securityWarningsOf(call, object)])
      warn(text)
    return toObjectAnswer(object, 201)
  })
}

const securityWarningsOf = ({ services, target }: ApiCall, object: KubeObject): ReadonlyArray<string> =>
  podSecurityWarnings(
    target.kind,
    object,
    () => services.view.get(resources.namespaces, object.metadata.namespace ?? "")?.metadata.labels
  )

export const storeReplacement = (
  call: ApiCall,
  before: KubeObject,
  draft: Draft,
  changeOptions: ChangeOptions
): Effect.Effect<ObjectAnswer, RefusalOrStoreError> => {
  const { services, target, warn } = call
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
    const securityWarnings = securityWarningsOfUpdate(call, before, object)
    for (const text of [...updateWarnings(target.kind, before, object), ...securityWarnings]) warn(text)
    return toObjectAnswer(object)
  })
}

const securityWarningsOfUpdate = (
  call: ApiCall,
  before: KubeObject,
  object: KubeObject
): ReadonlyArray<string> => {
  const { services, target } = call
  if (target.resource === resources.pods)
    return target.subresource !== "status" && isSignificantPodUpdate(object, before)
      ? securityWarningsOf(call, object)
      : []
  if (target.subresource !== undefined) return []
  return target.resource === resources.namespaces
    ? existingPodsWarnings(before, object, () =>
        [...services.view.all(resources.pods)].filter(
          ({ metadata }) => metadata.namespace === object.metadata.name
        )
      )
    : securityWarningsOf(call, object)
}
