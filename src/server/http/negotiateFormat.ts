import Negotiator from "negotiator"
import { notAcceptable } from "./statuses.ts"

type Form = "plain" | "table" | "metadata" | "metadataList"

const formByMediaType: Readonly<Record<string, Form>> = {
  "application/json": "plain",
  "application/json;as=Table;v=v1;g=meta.k8s.io": "table",
  "application/json;as=Table;v=v1beta1;g=meta.k8s.io": "table",
  "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io": "metadata",
  "application/json;as=PartialObjectMetadata;v=v1beta1;g=meta.k8s.io": "metadata",
  "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io": "metadataList",
  "application/json;as=PartialObjectMetadataList;v=v1beta1;g=meta.k8s.io": "metadataList",
  "application/json;stream=watch": "plain",
  "application/yaml": "plain"
}

export interface ResponseFormat {
  readonly form: Form
  readonly yaml: boolean
  /** The meta group's version of a table or partial metadata. */
  readonly version: "v1" | "v1beta1"
}

const plainJson: ResponseFormat = { form: "plain", yaml: false, version: "v1" }
const formatCache = new Map<string, ResponseFormat | undefined>()
const formatCacheMax = 256

/**
 * JSON by default; Protobuf is never offered.
 *
 * Source: apiserver/pkg/endpoints/handlers/negotiation/negotiate.go.
 */
export const negotiateFormat = (header: string | undefined): ResponseFormat => {
  if (header === undefined || header === "" || header === "*/*") return plainJson
  const format = formatCache.get(header) ?? parseAccept(header)
  if (formatCache.size < formatCacheMax) formatCache.set(header, format)
  if (format === undefined) throw notAcceptable(["application/json", "application/yaml"])
  return format
}

const parseAccept = (header: string): ResponseFormat | undefined => {
  const negotiator = new Negotiator({ headers: { accept: header } })
  const [chosenType] = negotiator.mediaTypes(Object.keys(formByMediaType))
  const form = chosenType === undefined ? undefined : formByMediaType[chosenType]
  if (chosenType === undefined || form === undefined) return undefined
  return {
    form,
    yaml: chosenType === "application/yaml",
    version: chosenType.includes("v1beta1") ? "v1beta1" : "v1"
  }
}

/** Errors are written in JSON when the Accept header cannot be parsed. */
export const acceptsYaml = (header: string | undefined): boolean => {
  try {
    return negotiateFormat(header).yaml
  } catch {
    return false
  }
}
