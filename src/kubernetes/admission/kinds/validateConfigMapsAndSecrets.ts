import type * as Core from "kubernetes-types/core/v1.js"
import type { Draft } from "../../meta/objects.ts"
import {
  forbiddenField,
  immutableField,
  invalidField,
  concatLists,
  noErrors,
  requiredValue,
  valueTooLong,
  type FieldErrors
} from "../../validation/fieldErrors.ts"
import { configKeyProblems } from "../../validation/nameRules.ts"
import { isEqualIgnoringEmpty } from "../../validation/structuralSharing.ts"
import type { ShallowPartial } from "../../validation/partialTypes.ts"

type ConfigMapDraft = Draft & ShallowPartial<Pick<Core.ConfigMap, "data" | "binaryData" | "immutable">>
type SecretDraft = Draft & ShallowPartial<Pick<Core.Secret, "data" | "type" | "immutable">>

/** Source: pkg/apis/core/validation/validation.go (ValidateConfigMap, ValidateSecret). */
export const validateConfigMap = ({ data = {}, binaryData = {} }: ConfigMapDraft): FieldErrors => {
  const duplicateKeys = Object.keys(data)
    .filter((key) => Object.hasOwn(binaryData, key))
    .map((key) => invalidField(`data[${key}]`, key, "duplicate of key present in binaryData"))
  const bytes = bytesOf(data, "utf8") + bytesOf(binaryData, "base64")
  const errors = [
    ...keyErrors("data", data),
    ...duplicateKeys,
    ...keyErrors("binaryData", binaryData),
    // Upstream's path of the whole object is empty, which prints as brackets.
    ...sizeErrors("[]", bytes)
  ]
  return errors.length === 0 ? noErrors : errors
}

export const validateConfigMapUpdate = (configMap: ConfigMapDraft, old: ConfigMapDraft): FieldErrors =>
  concatLists(immutableErrors(configMap, old, ["data", "binaryData"]), validateConfigMap(configMap))

export const validateSecret = (secret: SecretDraft): FieldErrors => {
  const { data = {} } = secret
  const errors = concatLists(keyErrors("data", data), sizeErrors("data", bytesOf(data, "base64")))
  return concatLists(errors, typeErrors(secret))
}

export const validateSecretUpdate = (secret: SecretDraft, old: SecretDraft): FieldErrors => [
  ...(secret.type === old.type ? noErrors : [immutableField("type", secret.type)]),
  ...immutableErrors(secret, old, ["data"]),
  ...validateSecret(secret)
]

const keyErrors = (field: string, map: Readonly<Record<string, unknown>>): FieldErrors =>
  Object.keys(map).flatMap((key) =>
    configKeyProblems(key).map((problem) => invalidField(`${field}[${key}]`, key, problem))
  )

/** The limit of all values together, without keys. */
const dataBytesMax = 1024 * 1024

const sizeErrors = (field: string, bytes: number): FieldErrors =>
  bytes > dataBytesMax ? [valueTooLong(field, dataBytesMax)] : noErrors

const bytesOf = (map: Readonly<Record<string, unknown>>, encoding: "utf8" | "base64"): number =>
  Object.values(map).reduce<number>(
    (bytes, value) => bytes + (typeof value === "string" ? Buffer.byteLength(value, encoding) : 0),
    0
  )

const immutableErrors = (
  object: ConfigMapDraft,
  old: ConfigMapDraft,
  fields: ReadonlyArray<"data" | "binaryData">
): FieldErrors => {
  if (old.immutable !== true) return noErrors
  const changed = fields.filter((field) => !isEqualIgnoringEmpty(object[field], old[field]))
  return [...(object.immutable === true ? [] : ["immutable"]), ...changed].map((field) =>
    forbiddenField(field, "field is immutable when `immutable` is set")
  )
}

const accountAnnotation = "kubernetes.io/service-account.name"

const typeErrors = ({ type = "", data = {}, metadata }: SecretDraft): FieldErrors => {
  const missing = (...keys: ReadonlyArray<string>): FieldErrors =>
    keys.filter((key) => !Object.hasOwn(data, key)).map((key) => requiredValue(`data[${key}]`))
  switch (type) {
    case "kubernetes.io/service-account-token":
      return (metadata.annotations?.[accountAnnotation] ?? "") === ""
        ? [requiredValue(`metadata.annotations[${accountAnnotation}]`)]
        : noErrors
    case "kubernetes.io/dockercfg":
      return missing(".dockercfg")
    case "kubernetes.io/dockerconfigjson":
      return missing(".dockerconfigjson")
    case "kubernetes.io/basic-auth": {
      const errors = missing("username", "password")
      const hasEitherKey = errors.length < 2
      return hasEitherKey ? noErrors : errors
    }
    case "kubernetes.io/ssh-auth":
      return (data["ssh-privatekey"] ?? "") === "" ? [requiredValue("data[ssh-privatekey]")] : noErrors
    case "kubernetes.io/tls":
      return missing("tls.crt", "tls.key")
    default:
      return noErrors
  }
}
