import { validateCreate, withDefaults } from "../kubernetes/admission/admit.ts"
import { decodeObject } from "../kubernetes/admission/decoding/decodeObject.ts"
import { definitionsResourceName, servedKindsOf } from "../kubernetes/customResources/definitions.ts"
import { isFields } from "../kubernetes/meta/fields.ts"
import { apiVersionOf, builtInKinds, groupResourceOf } from "../kubernetes/meta/kinds.ts"
import type { Kind, KindRegistry } from "../kubernetes/meta/kinds.ts"

export type ServedKinds = Pick<KindRegistry, "ofServed">

/** `kinds`, and those that definitions among the parsed `values` define. Reads `values` at the first unknown kind. */
export const withDefinedKinds = (kinds: ServedKinds, values: () => Iterable<unknown>): ServedKinds => {
  let definedKinds: ReadonlyMap<string, Kind> | undefined
  return {
    ofServed: ({ apiVersion, kind }) => {
      const builtIn = builtInKinds.ofServed({ apiVersion, kind })
      if (builtIn !== undefined) return builtIn
      definedKinds ??= new Map(
        [...values()].flatMap(kindsDefinedBy).map((it) => [`${apiVersionOf(it)}/${it.kind}`, it])
      )
      return definedKinds.get(`${apiVersion}/${kind}`) ?? kinds.ofServed({ apiVersion, kind })
    }
  }
}

const kindsDefinedBy = (value: unknown): ReadonlyArray<Kind> => {
  if (!isFields(value)) return []
  const { kind, items } = value
  if (kind === "List" && Array.isArray(items)) return items.flatMap(kindsDefinedBy)
  if (kind !== "CustomResourceDefinition") return []
  const decoded = decodeObject(value, { strict: false })
  if (!decoded.ok || groupResourceOf(decoded.kind) !== definitionsResourceName) return []
  const definition = withDefaults(decoded.kind, decoded.object)
  const kinds = servedKindsOf(definition)
  return validateCreate(decoded.kind, definition).length === 0 ? kinds : kinds.map(withoutSchema)
}

/** The schema of an invalid definition may be unusable. The server refuses that definition anyway. */
const withoutSchema = (kind: Kind): Kind =>
  kind.custom === undefined ? kind : { ...kind, custom: { ...kind.custom, schema: undefined } }
