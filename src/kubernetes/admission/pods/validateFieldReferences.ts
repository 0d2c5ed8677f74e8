import type { ObjectFieldSelector, ResourceFieldSelector } from "kubernetes-types/core/v1.js"
import {
  invalidField,
  noErrors,
  requiredValue,
  unsupportedValue,
  type FieldErrors
} from "../../validation/fieldErrors.ts"
import { formatQuantity, parseQuantity } from "../../meta/amounts/quantity.ts"
import { qualifiedNameProblems } from "../../validation/nameRules.ts"
import { validateNameBy } from "../../validation/validateNames.ts"
import type { ShallowPartial } from "../../validation/partialTypes.ts"

/** The fields of a Pod that the downward API knows. Source: pkg/apis/core/pods/helpers.go. */
const knownFieldPaths: ReadonlyArray<string> = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.restartPolicy",
  "spec.schedulerName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.phase",
  "status.podIP",
  "status.podIPs"
]

/**
 * `supported`: the fields without a subscript that an environment variable or a file may show.
 * Source: pkg/apis/core/validation/validation.go (validateObjectFieldSelector).
 */
export const validateFieldReference = (
  { fieldPath = "" }: ShallowPartial<ObjectFieldSelector>,
  path: string,
  supported: ReadonlyArray<string>
): FieldErrors => {
  if (fieldPath === "") return [requiredValue(`${path}.fieldPath`)]
  // `spec.host` is the former name of `spec.nodeName`.
  const field = fieldPath === "spec.host" ? "spec.nodeName" : fieldPath
  if (supported.includes(field)) return noErrors
  const [, subscripted, key] = /^(.+)\['([^']*)'\]$/u.exec(fieldPath) ?? []
  if (subscripted === "metadata.annotations")
    return validateNameBy((name) => qualifiedNameProblems(name?.toLowerCase()), key, path)
  if (subscripted === "metadata.labels") return validateNameBy(qualifiedNameProblems, key, path)
  if (knownFieldPaths.includes(field)) return [unsupportedValue(`${path}.fieldPath`, field, supported)]
  const refusal =
    subscripted === undefined ? "field label not supported" : "field label does not support subscript"
  return [
    invalidField(`${path}.fieldPath`, fieldPath, `error converting fieldPath: ${refusal}: ${fieldPath}`)
  ]
}

const measuredResources: ReadonlyArray<string> = ["cpu", "ephemeral-storage", "memory"]
const resourceNames: ReadonlyArray<string> = ["limits", "requests"].flatMap((amounts) =>
  measuredResources.map((resource) => `${amounts}.${resource}`)
)

/** Source: pkg/apis/core/validation/validation.go (validateContainerResourceFieldSelector). */
export const validateResourceReference = (
  { resource = "", containerName = "", divisor }: ShallowPartial<ResourceFieldSelector>,
  path: string,
  { needsContainer }: { readonly needsContainer: boolean }
): FieldErrors => {
  const divisorErrors = validateDivisor(divisor, resource, `${path}.divisor`)
  if (needsContainer && containerName === "")
    return [requiredValue(`${path}.containerName`), ...divisorErrors]
  if (resource === "") return [requiredValue(`${path}.resource`), ...divisorErrors]
  return resourceNames.includes(resource) || /^(?:limits|requests)\.hugepages-/u.test(resource)
    ? divisorErrors
    : [unsupportedValue(`${path}.resource`, resource, resourceNames), ...divisorErrors]
}

const byteDivisors = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"]
const byteDivisorRule = `only divisor's values ${byteDivisors.join(", ")} are supported with the`

/** A missing divisor and 0 stand for 1. */
const validateDivisor = (
  divisor: string | number | undefined,
  resource: string,
  path: string
): FieldErrors => {
  const quantity = divisor === undefined ? undefined : parseQuantity(divisor)
  const rule = divisorRuleOf(resource.replace(/^(?:limits|requests)\./u, ""))
  if (quantity === undefined || quantity.nanos === 0n || rule === undefined) return noErrors
  return rule.divisors.includes(formatQuantity(quantity))
    ? noErrors
    : [invalidField(path, resource, rule.text)]
}

const divisorRuleOf = (
  resource: string
): { readonly divisors: ReadonlyArray<string>; readonly text: string } | undefined => {
  if (resource === "cpu")
    return {
      divisors: ["1m", "1"],
      text: "only divisor's values 1m and 1 are supported with the cpu resource"
    }
  const noun = resource.startsWith("hugepages-") ? "hugepages" : nounsOfByteResources[resource]
  return noun === undefined
    ? undefined
    : { divisors: byteDivisors, text: `${byteDivisorRule} ${noun} resource` }
}

const nounsOfByteResources: Readonly<Record<string, string>> = {
  memory: "memory",
  "ephemeral-storage": "local ephemeral storage"
}
