import { builtInKindTable } from "./kindTable.ts"
import type { GroupResource, Kind } from "./kindTypes.ts"

export { allResourceVerbs } from "./kindTypes.ts"
export { resources } from "./resources.ts"
export type {
  CustomResourceVersion,
  GroupResource,
  Kind,
  PrinterColumn,
  ResourceVerb,
  ScalePaths,
  Subresource
} from "./kindTypes.ts"

export const groupResourceOf = (kind: Kind): GroupResource => {
  if (kind.group === "") return kind.plural
  const present = groupResources.get(kind)
  if (present !== undefined) return present
  const resource = `${kind.plural}.${kind.group}`
  groupResources.set(kind, resource)
  return resource
}

const groupResources = new WeakMap<Kind, GroupResource>()

export const apiVersionOf = (kind: Pick<Kind, "group" | "version">): string =>
  kind.group === "" ? kind.version : `${kind.group}/${kind.version}`

export const groupKindOf = (kind: Kind): string =>
  kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`

export const servedKinds: ReadonlyArray<Kind> = builtInKindTable

/** Upstream's OpenAPI documents lack the metrics APIs, which a metrics server and adapters serve. */
export const openApiKinds: ReadonlyArray<Kind> = servedKinds.filter(
  ({ group }) => !group.endsWith("metrics.k8s.io")
)

export const storedKinds: ReadonlyArray<Kind> = builtInKindTable.filter(
  ({ storedAs, verbs }) => storedAs === undefined && verbs.includes("create") && verbs.includes("get")
)

/** By `kind`, then by `apiVersion`, so that a lookup builds no text. */
type KindsByType = ReadonlyMap<string, ReadonlyMap<string, Kind>>

const kindsByType = (kinds: ReadonlyArray<Kind>): KindsByType => {
  const byType = new Map<string, Map<string, Kind>>()
  for (const kind of kinds) {
    const versions = byType.get(kind.kind) ?? new Map<string, Kind>()
    byType.set(kind.kind, versions.set(apiVersionOf(kind), kind))
  }
  return byType
}

const storedByResource = new Map(storedKinds.map((kind) => [groupResourceOf(kind), kind]))
const storedByType = kindsByType(storedKinds)
const servedByType = kindsByType(servedKinds)

export interface ObjectTypeMeta {
  readonly apiVersion: string
  readonly kind: string
}

export const storedKindOfObject = (object: ObjectTypeMeta): Kind | undefined =>
  storedByType.get(object.kind)?.get(object.apiVersion)

export const servedKindOfObject = (object: ObjectTypeMeta): Kind | undefined =>
  servedByType.get(object.kind)?.get(object.apiVersion)

export const kindOfResource = (resource: GroupResource): Kind | undefined => storedByResource.get(resource)

export const storedKindOf = (kind: Kind): Kind =>
  kind.custom?.storageKind ??
  (kind.storedAs === undefined ? undefined : kindOfResource(kind.storedAs)) ??
  kind

export interface KindRegistry {
  readonly findStored: (object: ObjectTypeMeta) => Kind | undefined
  readonly findServed: (object: ObjectTypeMeta) => Kind | undefined
  readonly findByResource: (resource: GroupResource) => Kind | undefined
  /** Returns the same array as long as no definition changes. */
  readonly served: () => ReadonlyArray<Kind>
  readonly custom: () => ReadonlyArray<Kind>
}

const noKinds: ReadonlyArray<Kind> = []

export const builtInKinds: KindRegistry = {
  findStored: storedKindOfObject,
  findServed: servedKindOfObject,
  findByResource: kindOfResource,
  served: () => servedKinds,
  custom: () => noKinds
}
