import { validateCreate, withDefaults } from "../kubernetes/admission/admit.ts"
import { decodeObject } from "../kubernetes/admission/decoding/decodeObject.ts"
import { customResourceDefinitionResource, servedKindsOf } from "../kubernetes/customResources/definitions.ts"
import { fieldsOrEmpty, isFields } from "../kubernetes/meta/fields.ts"
import { findCreateProblem } from "./manifestProblems.ts"
import { apiVersionOf, builtInKinds, groupResourceOf } from "../kubernetes/meta/kinds.ts"
import type { Fields } from "../kubernetes/meta/fields.ts"
import type { ManifestDocument } from "./manifestDocument.ts"
import type { Kind, KindRegistry, ObjectTypeMeta } from "../kubernetes/meta/kinds.ts"

export type ServedKinds = Pick<KindRegistry, "findServed">

/** Adds the kinds that CustomResourceDefinitions in `values` define, read at the first unknown kind. */
export const withDefinedKinds = (kinds: ServedKinds, values: () => Iterable<unknown>): ServedKinds => {
  let definedKinds: ReadonlyMap<string, Kind> | undefined
  return {
    findServed: ({ apiVersion, kind }) => {
      const builtIn = builtInKinds.findServed({ apiVersion, kind })
      if (builtIn !== undefined) return builtIn
      definedKinds ??= new Map(
        [...values()]
          .flatMap(kindsDefinedBy)
          .map((it) => [typeText({ apiVersion: apiVersionOf(it), kind: it.kind }), it])
      )
      return definedKinds.get(typeText({ apiVersion, kind })) ?? kinds.findServed({ apiVersion, kind })
    }
  }
}

export const typeText = ({ apiVersion, kind }: ObjectTypeMeta): string => `${apiVersion}/${kind}`

export const typesOnlyRefusedDefine = ({
  documents,
  refused
}: {
  readonly documents: ReadonlyArray<ManifestDocument>
  readonly refused: ReadonlyArray<{ readonly fields: Fields }>
}): ReadonlyArray<string> => {
  const definitions = documents.filter(
    ({ kind }) => groupResourceOf(kind) === customResourceDefinitionResource
  )
  // A definition that is too large for the annotation of kubectl's is one for a server-side apply.
  const valid = definitions.filter((it) => findCreateProblem({ ...it, serverSide: true }) === undefined)
  const definedTypes = valid.flatMap(({ rawFields }) => typesDefinedBy(rawFields))
  return [...definitions.map(({ rawFields }) => rawFields), ...refused.map(({ fields }) => fields)]
    .flatMap(typesDefinedBy)
    .filter((type) => !definedTypes.includes(type))
}

/** As far as they can be read: the definition may be invalid. */
const typesDefinedBy = ({ kind, spec }: Fields): ReadonlyArray<string> => {
  if (kind !== "CustomResourceDefinition") return []
  const { group, names, versions } = fieldsOrEmpty(spec)
  const { kind: definedKind } = fieldsOrEmpty(names)
  return (Array.isArray(versions) ? versions : []).map((version: unknown) => {
    const { name } = fieldsOrEmpty(version)
    return typeText({ apiVersion: `${String(group)}/${String(name)}`, kind: String(definedKind) })
  })
}

const kindsDefinedBy = (value: unknown): ReadonlyArray<Kind> => {
  if (!isFields(value)) return []
  const listType = readListType(value, builtInKinds)
  if (listType !== undefined) return itemsOfList(value, listType)?.flatMap(kindsDefinedBy) ?? []
  if (value["kind"] !== "CustomResourceDefinition") return []
  const decoded = decodeObject(value, { strict: false })
  if (!decoded.ok || groupResourceOf(decoded.kind) !== customResourceDefinitionResource) return []
  const definition = withDefaults(decoded.kind, decoded.object)
  const kinds = servedKindsOf(definition)
  return validateCreate(decoded.kind, definition).length === 0 ? kinds : kinds.map(withoutSchema)
}

/** The schema of an invalid definition may be unusable. */
const withoutSchema = (kind: Kind): Kind =>
  kind.custom === undefined ? kind : { ...kind, custom: { ...kind.custom, schema: undefined } }

/** The type of a list's items; undefined for a `List`, whose items have types of their own. */
interface ListType {
  readonly itemType: ObjectTypeMeta | undefined
}

/**
 * A custom resource may have a kind that ends in `List` itself. Source:
 * apimachinery/pkg/apis/meta/v1/unstructured/unstructured.go (decodeToList), by which kubectl
 * takes lists apart.
 */
export const readListType = (value: unknown, kinds: ServedKinds): ListType | undefined => {
  const { apiVersion, kind } = isFields(value) ? value : {}
  if (typeof apiVersion !== "string" || typeof kind !== "string" || !kind.endsWith("List")) return undefined
  if (apiVersion === "v1" && kind === "List") return { itemType: undefined }
  const itemType = { apiVersion, kind: kind.slice(0, -"List".length) }
  const isList =
    kinds.findServed({ apiVersion, kind }) === undefined && kinds.findServed(itemType) !== undefined
  return isList ? { itemType } : undefined
}

export const itemsOfList = (value: unknown, { itemType }: ListType): ReadonlyArray<unknown> | undefined => {
  const items = isFields(value) ? (value["items"] ?? []) : []
  if (!Array.isArray(items)) return undefined
  return items.map((item: unknown) => {
    if (itemType === undefined || !isFields(item)) return item
    const { apiVersion = "", kind = "" } = item
    return apiVersion === "" && kind === "" ? { ...item, ...itemType } : item
  })
}
