import type { Json } from "../testServer.ts"

type Cause = readonly [field: string, reason: string, body: string]

export interface InvalidBody {
  readonly path?: string
  readonly body: Json
  readonly causes: ReadonlyArray<Cause>
  readonly why: string
}

export const invalid = (field: string, shown: string, why: string): Cause => [
  field,
  "FieldValueInvalid",
  `Invalid value: ${shown}: ${why}`
]
export const required = (field: string, why = ""): Cause => [
  field,
  "FieldValueRequired",
  why === "" ? "Required value" : `Required value: ${why}`
]
export const forbidden = (field: string, why: string): Cause => [
  field,
  "FieldValueForbidden",
  `Forbidden: ${why}`
]
export const unsupported = (field: string, shown: string, supported: string): Cause => [
  field,
  "FieldValueNotSupported",
  `Unsupported value: ${shown}: supported values: ${supported}`
]
export const duplicate = (field: string, shown: string): Cause => [
  field,
  "FieldValueDuplicate",
  `Duplicate value: ${shown}`
]

export const invalidStatus = ({ apiVersion, kind, metadata }: Json, causes: ReadonlyArray<Cause>): object => {
  const [group, version] = apiVersion.split("/")
  const inGroup = version === undefined ? {} : { group }
  const name = metadata.name ?? ""
  const texts = causes.map(([field, , body]) => `${field}: ${body}`)
  const all = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `${kind}${version === undefined ? "" : `.${group}`} "${name}" is invalid: ${all}`,
    reason: "Invalid",
    details: {
      name,
      ...inGroup,
      kind,
      causes: causes.map(([field, reason, message]) => ({ reason, message, field }))
    },
    code: 422
  }
}
