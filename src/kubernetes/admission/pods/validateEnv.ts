import type { EnvFromSource, EnvVar, EnvVarSource } from "kubernetes-types/core/v1.js"
import {
  invalidField,
  noErrors,
  requiredValue,
  unsupportedValue,
  type FieldError,
  type FieldErrors
} from "../../validation/fieldErrors.ts"
import { qualifiedNameProblems, subdomainProblems } from "../../validation/nameRules.ts"
import { validateNameBy } from "../../validation/validateNames.ts"
import type { ShallowPartial } from "../../validation/partialTypes.ts"

/**
 * Names follow the relaxed rules that are the default since 1.32. Source:
 * pkg/apis/core/validation/validation.go (ValidateEnv).
 */
export const validateEnv = (
  env: ReadonlyArray<ShallowPartial<EnvVar>> | undefined,
  path: string
): FieldErrors =>
  env === undefined
    ? noErrors
    : env.flatMap((variable, index) => validateVariable(variable, `${path}[${index}]`))

const nameShape = /^[ -<>-~]+$/
const nameRule =
  "a valid environment variable name must consist only of printable ASCII characters other than '='"

const validateVariable = (variable: ShallowPartial<EnvVar>, path: string): FieldErrors => {
  const { name = "", value = "", valueFrom } = variable
  const errors: Array<FieldError> = []
  if (name === "") errors.push(requiredValue(`${path}.name`))
  else if (!nameShape.test(name)) errors.push(invalidField(`${path}.name`, name, nameRule))
  if (valueFrom !== undefined) errors.push(...validateSource(valueFrom, { path: `${path}.valueFrom`, value }))
  return errors
}

const validateSource = (
  source: ShallowPartial<EnvVarSource>,
  { path, value }: { readonly path: string; readonly value: string }
): FieldErrors => {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = source
  const errors = [
    ...validateReference(fieldRef, `${path}.fieldRef`, "fieldPath"),
    ...validateFieldPath(fieldRef?.fieldPath, `${path}.fieldRef`),
    ...validateReference(resourceFieldRef, `${path}.resourceFieldRef`, "resource"),
    ...validateResourceName(resourceFieldRef?.resource, `${path}.resourceFieldRef.resource`)
  ]
  for (const [field, reference] of Object.entries({ configMapKeyRef, secretKeyRef })) {
    if (reference === undefined) continue
    const { name = "" } = reference
    for (const problem of subdomainProblems(name))
      errors.push(invalidField(`${path}.${field}.name`, name, problem))
    errors.push(...validateReference(reference, `${path}.${field}`, "key"))
  }
  const problem = sourceProblem(Object.keys(source).length, value)
  if (problem !== undefined) errors.push(invalidField(path, "", problem))
  return errors
}

const fieldPaths: ReadonlyArray<string> = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs"
]
/** Known fields of a Pod that no environment variable can hold. */
const knownUnsupportedPaths: ReadonlyArray<string> = [
  "metadata.annotations",
  "metadata.labels",
  "spec.restartPolicy",
  "spec.schedulerName",
  "status.phase"
]

/** Source: pkg/apis/core/validation/validation.go (validateObjectFieldSelector). */
const validateFieldPath = (fieldPath = "", path: string): FieldErrors => {
  // `spec.host` is the former name of `spec.nodeName`.
  if (fieldPath === "" || fieldPath === "spec.host" || fieldPaths.includes(fieldPath)) return noErrors
  const [, field, key] = /^(.+)\['([^']*)'\]$/u.exec(fieldPath) ?? []
  if (field === "metadata.annotations")
    return validateNameBy((name) => qualifiedNameProblems(name?.toLowerCase()), key, path)
  if (field === "metadata.labels") return validateNameBy(qualifiedNameProblems, key, path)
  if (knownUnsupportedPaths.includes(fieldPath))
    return [unsupportedValue(`${path}.fieldPath`, fieldPath, fieldPaths)]
  const refusal = field === undefined ? "field label not supported" : "field label does not support subscript"
  return [
    invalidField(`${path}.fieldPath`, fieldPath, `error converting fieldPath: ${refusal}: ${fieldPath}`)
  ]
}

const measuredResources: ReadonlyArray<string> = ["cpu", "ephemeral-storage", "memory"]
const resourceNames: ReadonlyArray<string> = ["limits", "requests"].flatMap((amounts) =>
  measuredResources.map((resource) => `${amounts}.${resource}`)
)

const validateResourceName = (name = "", path: string): FieldErrors =>
  name === "" || resourceNames.includes(name) || /^(?:limits|requests)\.hugepages-/u.test(name)
    ? noErrors
    : [unsupportedValue(path, name, resourceNames)]

const validateReference = <T extends object>(
  reference: T | undefined,
  path: string,
  field: keyof T & string
): FieldErrors =>
  reference === undefined || reference[field] ? noErrors : [requiredValue(`${path}.${field}`)]

const sourceProblem = (count: number, value: string): string | undefined => {
  if (count === 0)
    return "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`"
  if (value !== "") return "may not be specified when `value` is not empty"
  return count > 1 ? "may not have more than one field specified at a time" : undefined
}

export const validateEnvFrom = (
  sources: ReadonlyArray<ShallowPartial<EnvFromSource>> | undefined,
  path: string
): FieldErrors =>
  sources === undefined
    ? noErrors
    : sources.flatMap((source, index) => validateEnvFromSource(source, { path, index }))

const validateEnvFromSource = (
  source: ShallowPartial<EnvFromSource>,
  { path, index }: { readonly path: string; readonly index: number }
): FieldErrors => {
  const { prefix = "", configMapRef, secretRef } = source
  const field = `${path}[${index}]`
  const errors: Array<FieldError> = []
  if (prefix !== "" && !nameShape.test(prefix)) errors.push(invalidField(`${field}.prefix`, prefix, nameRule))
  errors.push(...validateReference(configMapRef, `${field}.configMapRef`, "name"))
  errors.push(...validateReference(secretRef, `${field}.secretRef`, "name"))
  // These paths lack the index, as in Kubernetes.
  if (configMapRef === undefined && secretRef === undefined) {
    errors.push(invalidField(path, "", "must specify one of: `configMapRef` or `secretRef`"))
  } else if (configMapRef !== undefined && secretRef !== undefined) {
    errors.push(invalidField(path, "", "may not have more than one field specified at a time"))
  }
  return errors
}
