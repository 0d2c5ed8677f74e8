import { allVerbs, apiVersionOf, type Kind, type Subresource } from "../kinds.ts"
import { conditionOf, type Condition } from "../conditions.ts"
import type { Draft, KubeObject } from "../objects.ts"
import type { Schema } from "./schema.ts"

/**
 * Definitions of kinds that come at run time, and the kinds they make.
 *
 * Source: staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/types.go.
 */
export interface DefinitionNames {
  readonly plural: string
  readonly singular?: string
  readonly kind: string
  readonly listKind?: string
  readonly shortNames?: ReadonlyArray<string>
  readonly categories?: ReadonlyArray<string>
}

export interface PrinterColumn {
  readonly name: string
  readonly type: string
  readonly format?: string
  readonly description?: string
  readonly priority?: number
  readonly jsonPath: string
}

export interface ScalePaths {
  readonly specReplicasPath: string
  readonly statusReplicasPath: string
  readonly labelSelectorPath?: string
}

export interface DefinitionVersion {
  readonly name: string
  readonly served: boolean
  readonly storage: boolean
  readonly deprecated?: boolean
  readonly deprecationWarning?: string
  readonly schema?: { readonly openAPIV3Schema?: Schema }
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
  readonly conditions?: ReadonlyArray<Condition>
  readonly acceptedNames?: DefinitionNames
  readonly storedVersions?: ReadonlyArray<string>
}

/** A definition as it is stored: with its defaults, and checked. */
export interface Definition extends KubeObject {
  readonly spec: DefinitionSpec
  readonly status: DefinitionStatus
}

/** A definition on its way in, of which nothing is known yet. */
export interface DefinitionDraft extends Draft {
  readonly spec?: Partial<DefinitionSpec>
  readonly status?: DefinitionStatus
}

/** What a definition says of a kind in one of its versions. */
export interface CustomVersion {
  readonly schema: Schema | undefined
  readonly listKind: string
  readonly hasStatus: boolean
  readonly scale: ScalePaths | undefined
  readonly columns: ReadonlyArray<PrinterColumn>
  /** Paths of fields that objects can be selected by. */
  readonly selectable: ReadonlyArray<string>
  /** What whoever uses a deprecated version is told. */
  readonly warning: string | undefined
  /** The version that is stored; undefined for that itself. */
  readonly storedAs: Kind | undefined
}

/** The kinds of one definition. */
export interface DefinedKinds {
  readonly stored: Kind
  readonly served: ReadonlyArray<Kind>
  /** Each of its versions, served or not. */
  readonly apiVersions: ReadonlyArray<string>
}

/** What a definition adds to the API: nothing before its names are accepted. */
export const kindsOf = ({ spec, status }: Definition): DefinedKinds | undefined => {
  const names = status.acceptedNames
  const storage = spec.versions.find((version) => version.storage)
  if (conditionOf(status.conditions, "Established")?.status !== "True") return undefined
  if (names === undefined || storage === undefined) return undefined
  const stored = kindOfVersion({ spec, names, version: storage, storedAs: undefined })
  return {
    stored,
    served: spec.versions
      .filter(({ served }) => served)
      .map((version) =>
        version === storage ? stored : kindOfVersion({ spec, names, version, storedAs: stored })
      ),
    apiVersions: spec.versions.map(({ name }) => apiVersionOf({ group: spec.group, version: name }))
  }
}

const change = ["get", "patch", "update"] as const

const kindOfVersion = (options: {
  readonly spec: DefinitionSpec
  readonly names: DefinitionNames
  readonly version: DefinitionVersion
  readonly storedAs: Kind | undefined
}): Kind => {
  const { spec, names, version, storedAs } = options
  const type = { group: spec.group, version: version.name, kind: names.kind }
  const { status, scale } = version.subresources ?? {}
  const subresources: ReadonlyArray<Subresource> = [
    ...(status === undefined ? [] : [{ ...type, name: "status", verbs: change }]),
    ...(scale === undefined
      ? []
      : [{ group: "autoscaling", version: "v1", kind: "Scale", name: "scale", verbs: change }])
  ]
  return {
    ...type,
    plural: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    namespaced: spec.scope === "Namespaced",
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    verbs: allVerbs,
    subresources,
    custom: {
      schema: version.schema?.openAPIV3Schema,
      listKind: names.listKind ?? `${names.kind}List`,
      hasStatus: status !== undefined,
      scale,
      columns: version.additionalPrinterColumns ?? [],
      selectable: (version.selectableFields ?? []).map(({ jsonPath }) => jsonPath.replace(/^\./, "")),
      warning: warningOf(version, type),
      storedAs
    }
  }
}

const warningOf = (
  { deprecated = false, deprecationWarning }: DefinitionVersion,
  type: Pick<Kind, "group" | "version" | "kind">
): string | undefined =>
  deprecated ? (deprecationWarning ?? `${apiVersionOf(type)} ${type.kind} is deprecated`) : undefined

/** The names that need not be given, and how versions are made of one another. */
export const defaultDefinition = (draft: DefinitionDraft): Draft => {
  const { spec } = draft
  const names: Partial<DefinitionNames> = spec?.names ?? {}
  const { kind = "", singular = "", listKind = "" } = names
  if (spec === undefined) return draft
  const missing = {
    ...(singular === "" && kind !== "" ? { singular: kind.toLowerCase() } : {}),
    ...(listKind === "" && kind !== "" ? { listKind: `${kind}List` } : {})
  }
  const isConverted = spec.conversion?.strategy !== undefined
  if (isConverted && Object.keys(missing).length === 0) return draft
  const conversion = isConverted ? spec.conversion : { strategy: "None" }
  return { ...draft, spec: { ...spec, names: { ...names, ...missing }, conversion } } as Draft
}

/** The resource that definitions are stored under. */
export const definitions = "customresourcedefinitions.apiextensions.k8s.io"
/** Holds a definition until the last of its objects is gone. */
export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io"
