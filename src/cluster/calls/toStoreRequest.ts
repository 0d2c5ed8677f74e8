import * as Result from "effect/Result"
import { parseFieldSelector } from "../../kubernetes/meta/selectors/fieldSelectors.ts"
import { formatOptionValue } from "../../options/invalidOptions.ts"
import { isFields } from "../../kubernetes/meta/fields.ts"
import { toObjectKey } from "../../kubernetes/meta/objects.ts"
import { parseSelector } from "../../kubernetes/meta/selectors/labelSelectors.ts"
import { BadRequest } from "../../store/storeErrors.ts"
import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import type { GroupResource, KindRegistry } from "../../kubernetes/meta/kinds.ts"
import type { ListOptions, Ref } from "../../store/objectStore.ts"
import type { ListQuery, ObjectAddress } from "./callOptions.ts"

export const namespaceOrDefault = (
  kinds: KindRegistry,
  { resource, namespace }: ObjectAddress
): string | undefined =>
  kinds.findByResource(resource)?.namespaced === false ? undefined : (namespace ?? "default")

export const toStoreRef = <R extends GroupResource>(
  kinds: KindRegistry,
  address: ObjectAddress<R>
): Ref<R> => ({
  resource: address.resource,
  key: toObjectKey(namespaceOrDefault(kinds, address), address.name)
})

/** Fails for an unsupported field selector; throws a TypeError for a selector that cannot be parsed. */
export const toListOptions = (
  kinds: KindRegistry,
  {
    resource,
    namespace,
    labelSelector,
    fieldSelector
  }: ListQuery & { readonly resource: GroupResource | undefined }
): Result.Result<ListOptions, BadRequest> => {
  if (namespace !== undefined && typeof namespace !== "string")
    throw new TypeError(`namespace must be text, not ${formatOptionValue(namespace)}`)
  const selector = labelSelector === undefined ? undefined : readLabelSelector(labelSelector)
  const fields = fieldSelector === undefined ? undefined : fieldsOf(kinds, resource, fieldSelector)
  return fields?.ok === false
    ? Result.fail(new BadRequest({ why: fields.problem }))
    : Result.succeed({ namespace, labelSelector: selector, fields: fields?.selector })
}

const selectorFields = ["matchLabels", "matchExpressions"]

/** @throws TypeError */
const readLabelSelector = (selector: string | LabelSelector): LabelSelector => {
  if (typeof selector !== "string") {
    const given: unknown = selector
    // Labels alone would be an empty selector, which selects everything.
    if (isFields(given) && Object.keys(given).every((field) => selectorFields.includes(field)))
      return selector
    throw new TypeError(
      `labelSelector must be text such as "app=web", or { matchLabels, matchExpressions }, not ${formatOptionValue(given)}`
    )
  }
  const parsed = parseSelector(selector)
  if (parsed === undefined) throw new TypeError(`unable to parse requirement: ${JSON.stringify(selector)}`)
  return parsed
}

const fieldsOf = (kinds: KindRegistry, resource: GroupResource | undefined, text: string) => {
  if (typeof text !== "string")
    throw new TypeError(`fieldSelector must be a text, not ${formatOptionValue(text)}`)
  if (resource === undefined)
    throw new TypeError("a fieldSelector selects objects of one resource: name the resource")
  const kind = kinds.findByResource(resource)
  return kind === undefined ? undefined : parseFieldSelector(text, kind)
}
