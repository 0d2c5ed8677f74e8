import type { EnvFromSource, EnvVar, EnvVarSource } from "kubernetes-types/core/v1.js"
import {
  invalidField,
  noErrors,
  requiredValue,
  type FieldError,
  type FieldErrors
} from "../../validation/fieldErrors.ts"
import { configKeyProblems, subdomainProblems } from "../../validation/nameRules.ts"
import { validateFieldReference, validateResourceReference } from "./validateFieldReferences.ts"
import { validateNameBy, validateRequiredName } from "../../validation/validateNames.ts"
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
  const errors: Array<FieldError> = []
  if (fieldRef !== undefined)
    errors.push(...validateFieldReference(fieldRef, `${path}.fieldRef`, fieldPathsOfVariables))
  if (resourceFieldRef !== undefined) {
    const resourcePath = `${path}.resourceFieldRef`
    errors.push(...validateResourceReference(resourceFieldRef, resourcePath, { needsContainer: false }))
  }
  for (const [field, reference] of Object.entries({ configMapKeyRef, secretKeyRef })) {
    if (reference === undefined) continue
    const { name, key } = reference
    errors.push(...validateNameBy(subdomainProblems, name, `${path}.${field}.name`))
    errors.push(...validateRequiredName(configKeyProblems, key, { path: `${path}.${field}.key` }))
  }
  const problem = sourceProblem(Object.keys(source).length, value)
  if (problem !== undefined) errors.push(invalidField(path, "", problem))
  return errors
}

const fieldPathsOfVariables: ReadonlyArray<string> = [
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
  for (const [name, reference] of Object.entries({ configMapRef, secretRef }))
    if (reference !== undefined)
      errors.push(
        ...validateRequiredName(subdomainProblems, reference.name, { path: `${field}.${name}.name` })
      )
  // These paths lack the index, as in Kubernetes.
  if (configMapRef === undefined && secretRef === undefined) {
    errors.push(invalidField(path, "", "must specify one of: `configMapRef` or `secretRef`"))
  } else if (configMapRef !== undefined && secretRef !== undefined) {
    errors.push(invalidField(path, "", "may not have more than one field specified at a time"))
  }
  return errors
}
