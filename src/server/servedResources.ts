import type { CustomResourceSchema } from "./openapi/customOpenApi.ts"
import type { Kind } from "../kubernetes/meta/kinds.ts"
import type { ApiServices } from "./requests/apiCall.ts"
import type { ResourceTarget } from "./http/requestTarget.ts"

/** Built-in kinds and those of CustomResourceDefinitions. */
interface ServedResources {
  readonly kinds: ReadonlyArray<Kind>
  readonly customResources: ReadonlyArray<CustomResourceSchema>
}

/** The store makes a new array when the kinds change. */
const resourcesByKinds = new WeakMap<ReadonlyArray<Kind>, ServedResources>()

export const servedResources = ({ view }: ApiServices): ServedResources => {
  const kinds = view.kinds.served()
  const cached = resourcesByKinds.get(kinds)
  if (cached !== undefined) return cached
  const customResources = kinds.flatMap((kind) =>
    kind.custom === undefined ? [] : [{ kind, schema: kind.custom.schema }]
  )
  const resources = { kinds, customResources }
  resourcesByKinds.set(kinds, resources)
  return resources
}

export const findServedKind = (
  kinds: ReadonlyArray<Kind>,
  { group, version, plural }: Pick<ResourceTarget, "group" | "version" | "plural">
): Kind | undefined =>
  kinds.find((kind) => kind.plural === plural && kind.group === group && kind.version === version)
