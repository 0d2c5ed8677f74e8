import type { PrinterColumn, ScalePaths } from "../meta/kinds.ts"
import { allResourceVerbs, apiVersionOf, type Kind, type Subresource } from "../meta/kinds.ts"
import { conditionOf, type StatusCondition } from "../meta/conditions.ts"
import type { Draft, KubeObject } from "../meta/objects.ts"
import type { OpenApiSchema } from "./openApiSchema.ts"

/** Source: apiextensions-apiserver/pkg/apis/apiextensions/v1/types.go. */
export interface DefinitionNames {
  readonly plural: string
  readonly singular?: string
  readonly kind: string
  readonly listKind?: string
  readonly shortNames?: ReadonlyArray<string>
  readonly categories?: ReadonlyArray<string>
}

export interface DefinitionVersion {
  readonly name: string
  readonly served: boolean
  readonly storage: boolean
  readonly deprecated?: boolean
  readonly deprecationWarning?: string
  readonly schema?: { readonly openAPIV3Schema?: OpenApiSchema }
  readonly subresources?: { readonly status?: object; readonly scale?: ScalePaths }
  readonly additionalPrinterColumns?: ReadonlyArray<PrinterColumn>
  readonly selectableFields?: ReadonlyArray<{ readonly jsonPath: string }>
}

export interface DefinitionSpec {
  readonly group: string
  readonly scope: string
  readonly names: DefinitionNames
  readonly versions: ReadonlyArray<DefinitionVersion>
  readonly conversion?: { readonly strategy?: string }
  readonly preserveUnknownFields?: boolean
}

interface DefinitionStatus {
  readonly conditions?: ReadonlyArray<StatusCondition>
  readonly acceptedNames?: DefinitionNames
  readonly storedVersions?: ReadonlyArray<string>
}

export interface CustomResourceDefinition extends KubeObject {
  readonly spec: DefinitionSpec
  readonly status: DefinitionStatus
}

export interface DefinitionDraft extends Draft {
  readonly spec?: Partial<DefinitionSpec>
  readonly status?: DefinitionStatus
}

export interface KindsOfDefinition {
  readonly stored: Kind
  readonly served: ReadonlyArray<Kind>
  /** Includes versions that are not served. */
  readonly apiVersions: ReadonlyArray<string>
}

/** Undefined until the definition is established. */
export const kindsOfDefinition = ({
  spec,
  status
}: CustomResourceDefinition): KindsOfDefinition | undefined => {
  const names = status.acceptedNames
  if (conditionOf(status.conditions, "Established")?.status !== "True") return undefined
  return names === undefined ? undefined : kindsWithNames(spec, names, storedVersionOf(spec))
}

/** Empty for an invalid definition that lacks group, scope, names or versions. */
export const servedKindsOf = ({ spec = {} }: DefinitionDraft): ReadonlyArray<Kind> => {
  const { group, scope, names, versions } = spec
  if (!group || !scope || !names?.kind || !names.plural || versions === undefined) return []
  const complete = { group, scope, names, versions }
  return kindsWithNames(complete, names, storedVersionOf(complete) ?? versions[0])?.served ?? []
}

const storedVersionOf = ({ versions }: DefinitionSpec): DefinitionVersion | undefined =>
  versions.find(({ storage }) => storage)

const kindsWithNames = (
  spec: DefinitionSpec,
  names: DefinitionNames,
  storageVersion: DefinitionVersion | undefined
): KindsOfDefinition | undefined => {
  if (storageVersion === undefined) return undefined
  const stored = kindOfVersion({ spec, names, version: storageVersion, storageKind: undefined })
  return {
    stored,
    served: spec.versions
      .filter(({ served }) => served)
      .map((version) =>
        version === storageVersion ? stored : kindOfVersion({ spec, names, version, storageKind: stored })
      ),
    apiVersions: spec.versions.map(({ name }) => apiVersionOf({ group: spec.group, version: name }))
  }
}

const writeVerbs = ["get", "patch", "update"] as const

const kindOfVersion = (options: {
  readonly spec: DefinitionSpec
  readonly names: DefinitionNames
  readonly version: DefinitionVersion
  /** Undefined for the storage version itself. */
  readonly storageKind: Kind | undefined
}): Kind => {
  const { spec, names, version, storageKind } = options
  const type = { group: spec.group, version: version.name, kind: names.kind }
  const { status, scale } = version.subresources ?? {}
  const subresources: ReadonlyArray<Subresource> = [
    ...(status === undefined ? [] : [{ ...type, name: "status", verbs: writeVerbs }]),
    ...(scale === undefined
      ? []
      : [{ group: "autoscaling", version: "v1", kind: "Scale", name: "scale", verbs: writeVerbs }])
  ]
  return {
    ...type,
    plural: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    namespaced: spec.scope === "Namespaced",
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    verbs: allResourceVerbs,
    subresources,
    custom: {
      schema: version.schema?.openAPIV3Schema,
      listKind: names.listKind ?? `${names.kind}List`,
      hasStatus: status !== undefined,
      scale,
      printerColumns: version.additionalPrinterColumns ?? [],
      selectableFields: (version.selectableFields ?? []).map(({ jsonPath }) => jsonPath.replace(/^\./, "")),
      deprecationWarning: deprecationTextOf(version, type),
      storageKind
    }
  }
}

const deprecationTextOf = (
  { deprecated = false, deprecationWarning }: DefinitionVersion,
  type: Pick<Kind, "group" | "version" | "kind">
): string | undefined =>
  deprecated ? (deprecationWarning ?? `${apiVersionOf(type)} ${type.kind} is deprecated`) : undefined

export const defaultDefinition = (draft: DefinitionDraft): Draft => {
  const { spec } = draft
  const names: Partial<DefinitionNames> = spec?.names ?? {}
  const { kind = "", singular = "", listKind = "" } = names
  if (spec === undefined) return draft
  const missing = {
    ...(singular === "" && kind !== "" ? { singular: kind.toLowerCase() } : {}),
    ...(listKind === "" && kind !== "" ? { listKind: `${kind}List` } : {})
  }
  const hasConversion = spec.conversion?.strategy !== undefined
  if (hasConversion && Object.keys(missing).length === 0) return draft
  const conversion = hasConversion ? spec.conversion : { strategy: "None" }
  return { ...draft, spec: { ...spec, names: { ...names, ...missing }, conversion } } as Draft
}

export const customResourceDefinitionResource = "customresourcedefinitions.apiextensions.k8s.io"
export const definitionFinalizer = "customresourcecleanup.apiextensions.k8s.io"
