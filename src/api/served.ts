import type { CustomResource } from "./openapi/customDocuments.ts"
import type { Kind } from "../domain/kinds.ts"
import type { ApiServices } from "./call.ts"
import type { ResourceTarget } from "./target.ts"

/** The kinds served now: built-in kinds and those of custom resource definitions. */
interface Served {
  readonly kinds: ReadonlyArray<Kind>
  readonly customResources: ReadonlyArray<CustomResource>
}

/** Cached per array of kinds; the store makes a new array when the kinds change. */
const made = new WeakMap<ReadonlyArray<Kind>, Served>()

export const servedBy = ({ view }: ApiServices): Served => {
  const kinds = view.kinds.served()
  const known = made.get(kinds)
  if (known !== undefined) return known
  const customResources = kinds.flatMap((kind) =>
    kind.custom === undefined ? [] : [{ kind, schema: { ...kind.custom.schema } }]
  )
  const served = { kinds, customResources }
  made.set(kinds, served)
  return served
}

export const kindServed = (
  kinds: ReadonlyArray<Kind>,
  { group, version, plural }: Pick<ResourceTarget, "group" | "version" | "plural">
): Kind | undefined =>
  kinds.find((kind) => kind.plural === plural && kind.group === group && kind.version === version)
