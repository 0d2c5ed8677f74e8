import type { OpenApiSchema } from "../customResources/openApiSchema.ts"

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

export interface CustomResourceVersion {
  readonly schema: OpenApiSchema | undefined
  readonly listKind: string
  readonly hasStatus: boolean
  readonly scale: ScalePaths | undefined
  readonly printerColumns: ReadonlyArray<PrinterColumn>
  readonly selectableFields: ReadonlyArray<string>
  readonly deprecationWarning: string | undefined
  /** Undefined for the storage version itself. */
  readonly storageKind: Kind | undefined
}

/** Source: the discovery of kube-apiserver 1.36 (`api/discovery`). */
export interface Kind {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly namespaced: boolean
  readonly singular: string
  readonly shortNames: ReadonlyArray<string>
  readonly categories: ReadonlyArray<string>
  readonly verbs: ReadonlyArray<ResourceVerb>
  readonly subresources: ReadonlyArray<Subresource>
  /** The resource whose stored objects this kind presents in other fields. */
  readonly storedAs?: GroupResource | undefined
  readonly custom?: CustomResourceVersion
}

export type ResourceVerb =
  | "create"
  | "delete"
  | "deletecollection"
  | "get"
  | "list"
  | "patch"
  | "update"
  | "watch"

export interface Subresource {
  readonly name: string
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly verbs: ReadonlyArray<ResourceVerb>
}

export type GroupResource = string

export const allResourceVerbs: ReadonlyArray<ResourceVerb> = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch"
]
