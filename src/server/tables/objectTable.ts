import { badRequest } from "../http/statuses.ts"
import { withCompleteManagedFields } from "../../kubernetes/apply/managedFields/completeManagedFields.ts"
import { toServedKind } from "../conversion/kindConversion.ts"
import { isTerminalPhase } from "../../kubernetes/pods/podState.ts"
import { tableColumns } from "./tableColumns.ts"
import { scaleColumns } from "./policyColumns.ts"
import type { Kind } from "../../kubernetes/meta/kinds.ts"
import type { KubeObject, Pod } from "../../kubernetes/meta/objects.ts"
import type { QueryParameters } from "../http/queryParameters.ts"

/**
 * Source: apiserver/pkg/endpoints/handlers/response.go (asTable),
 * apimachinery/pkg/apis/meta/v1/types.go (Table).
 */
interface TableOptions {
  readonly kind: Kind
  readonly nowMillis: number
  readonly query: QueryParameters
  readonly version: "v1" | "v1beta1"
  readonly metadata: object
  /** Omits the column definitions, which a watch sends only once. */
  readonly isContinued?: boolean
}

export const toTable = (objects: ReadonlyArray<KubeObject>, options: TableOptions): object => {
  const { kind, nowMillis, version, metadata, isContinued = false } = options
  const columns = objects[0]?.kind === "Scale" ? scaleColumns : tableColumns(kind)
  const includeObject = readIncludeObject(options.query)
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${version}`,
    metadata,
    columnDefinitions: isContinued
      ? null
      : columns.map(({ name, type, format, description, priority }) => ({
          name,
          type,
          format,
          description,
          priority
        })),
    rows: objects.map((object) => {
      // Built-in kinds have one set of columns, for the stored kind; custom kinds have columns per version.
      const shownObject = kind.custom === undefined ? object : toServedKind(kind, object)
      return {
        cells: columns.map(({ cell }) => cell(shownObject, nowMillis)),
        ...conditionsOf(kind, object),
        object: includedObject(toServedKind(kind, object), includeObject, version)
      }
    })
  }
}

type IncludeObject = "Metadata" | "Object" | "None"

const readIncludeObject = (query: QueryParameters): IncludeObject => {
  const includeObject = query.text("includeObject") ?? "Metadata"
  if (includeObject === "Metadata" || includeObject === "Object" || includeObject === "None")
    return includeObject
  throw badRequest(`unrecognized includeObject value: ${JSON.stringify(includeObject)}`)
}

const includedObject = (
  object: KubeObject,
  includeObject: IncludeObject,
  version: TableOptions["version"]
): unknown => {
  switch (includeObject) {
    case "None":
      return null
    case "Object":
      return object
    case "Metadata":
      return toPartialMetadata(object, version)
  }
}

export const toPartialMetadata = (object: KubeObject, version: TableOptions["version"]): object => ({
  kind: "PartialObjectMetadata",
  apiVersion: `meta.k8s.io/${version}`,
  metadata: withCompleteManagedFields(object).metadata
})

/** Marks completed Pods, so that clients can hide them. */
const conditionsOf = (kind: Kind, object: KubeObject): object => {
  if (kind.group !== "" || kind.kind !== "Pod") return {}
  const { phase } = (object as Pod).status
  if (!isTerminalPhase(phase)) return {}
  const message = phase === "Succeeded" ? "The pod has completed successfully." : "The pod failed."
  return { conditions: [{ type: "Completed", status: "True", reason: phase, message }] }
}
