import { readFieldSelector } from "./domain/fieldSelectors.ts"
import { kindOfObject } from "./domain/kinds.ts"
import { spelt } from "./invalidOptions.ts"
import { keyIn } from "./domain/objects.ts"
import { parseSelector } from "./domain/selectors.ts"
import { BadRequest } from "./store/errors.ts"
import type { FieldSelector } from "./domain/fieldSelectors.ts"
import type { GroupResource, KindRegistry } from "./domain/kinds.ts"
import type { Draft } from "./domain/objects.ts"
import type { Listed, Named } from "./openCluster.ts"

// What is asked of a cluster, in the terms of its store.

/** `default` where the kind has namespaces and none is given. */
export const namespaceFor = (kinds: KindRegistry, { resource, namespace }: Named): string | undefined =>
  kinds.ofResource(resource)?.namespaced === false ? undefined : (namespace ?? "default")

/** In namespace `default` where the kind has namespaces and the draft names none. */
export const placed = (draft: Draft): Draft =>
  // What is no object at all is told so where it is read.
  typeof draft?.metadata !== "object" ||
  draft.metadata.namespace !== undefined ||
  kindOfObject(draft)?.namespaced !== true
    ? draft
    : { ...draft, metadata: { ...draft.metadata, namespace: "default" } }

/** By resource and key. */
export const refOf = (kinds: KindRegistry, named: Named) => ({
  resource: named.resource,
  key: keyIn(namespaceFor(kinds, named), named.name)
})

/** Which objects of a resource are meant. */
export const listOptions = (
  kinds: KindRegistry,
  {
    resource,
    namespace,
    labelSelector,
    fieldSelector
  }: Listed & { readonly resource: GroupResource | undefined }
) => {
  const selector = typeof labelSelector === "string" ? parseSelector(labelSelector) : labelSelector
  if (labelSelector !== undefined && selector === undefined) {
    throw new TypeError(`unable to parse requirement: ${JSON.stringify(labelSelector)}`)
  }
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(selector === undefined ? {} : { labelSelector: selector }),
    ...(fieldSelector === undefined ? {} : { fields: fieldsOf(kinds, resource, fieldSelector) })
  }
}

/** Of a resource that there is not, something else is wrong. */
const fieldsOf = (
  kinds: KindRegistry,
  resource: GroupResource | undefined,
  text: string
): FieldSelector | undefined => {
  if (typeof text !== "string") throw new TypeError(`fieldSelector must be a text, not ${spelt(text)}`)
  if (resource === undefined) throw new TypeError("fieldSelector is of one resource: say which")
  const kind = kinds.ofResource(resource)
  if (kind === undefined) return undefined
  const read = readFieldSelector(text, kind)
  if (!read.ok) throw new BadRequest({ why: read.problem })
  return read.selector
}
