import { compareQuantities, formatQuantity } from "../../meta/amounts/quantity.ts"
import {
  containerResourceAmounts,
  isHugePages,
  isPodLevelResource,
  parseAmounts,
  type AmountsByResource,
  type PodSpecWithResources
} from "../../pods/podResources.ts"
import {
  forbiddenField,
  invalidField,
  noErrors,
  unsupportedValue,
  type FieldErrors
} from "../../validation/fieldErrors.ts"
import { qualifiedNameProblems } from "../../validation/nameRules.ts"
import { validateResources } from "./validateResources.ts"
import type { ShallowPartial } from "../../validation/partialTypes.ts"

/**
 * Source: pkg/apis/core/validation/validation.go (validatePodResources,
 * validatePodResourceConsistency).
 */
export const validatePodResources = (
  spec: ShallowPartial<PodSpecWithResources>,
  path: string
): FieldErrors => {
  const { resources } = spec
  if (resources === undefined) return noErrors
  if (spec.os?.name === "windows") return [forbiddenField(path, "may not be set for a windows pod")]
  return [
    ...("claims" in resources
      ? [forbiddenField(`${path}.claims`, "claims may not be set for Resources at pod-level")]
      : noErrors),
    ...validateResources(resources, path, validatePodResourceName),
    ...validateAggregates(spec, path),
    ...validateContainerLimits(spec, path)
  ]
}

const podResourceNames: ReadonlyArray<string> = ["cpu", "hugepages-", "memory"]

const validatePodResourceName = (name: string, path: string): FieldErrors => {
  const problems = qualifiedNameProblems(name)
  if (problems.length > 0) return problems.map((problem) => invalidField(path, name, problem))
  if (isPodLevelResource(name)) return noErrors
  return name.includes("/") || name === "ephemeral-storage"
    ? [unsupportedValue(path, name, podResourceNames)]
    : [invalidField(path, name, "must be a standard resource type or fully qualified")]
}

/** Compares the Pod's requests, and its limits of huge pages, with the sums of its containers. */
const validateAggregates = (
  { containers = [], initContainers = [], resources }: ShallowPartial<PodSpecWithResources>,
  path: string
): FieldErrors =>
  (["requests", "limits"] as const).flatMap((field) => {
    const podAmounts = parseAmounts(resources?.[field])
    return [...containerResourceAmounts({ containers, initContainers }, field)].flatMap(
      ([name, aggregate]) => {
        const amount = field === "requests" || isHugePages(name) ? podAmounts.get(name) : undefined
        if (amount === undefined || compareQuantities(aggregate, amount) <= 0) return []
        const detail = `must be greater than or equal to aggregate container ${field} of ${formatQuantity(aggregate)}`
        return [invalidField(`${path}.${field}[${name}]`, formatQuantity(amount), detail)]
      }
    )
  })

/** As in Kubernetes, the path of the error is below the Pod's resources. */
const validateContainerLimits = (
  { containers = [], resources }: ShallowPartial<PodSpecWithResources>,
  path: string
): FieldErrors => {
  const podAmounts: AmountsByResource = parseAmounts(resources?.limits)
  return containers.flatMap((container, index) =>
    [...parseAmounts(container.resources?.limits)].flatMap(([name, limit]) => {
      const podLimit = podAmounts.get(name)
      if (podLimit === undefined || compareQuantities(limit, podLimit) <= 0) return []
      const detail = `must be less than or equal to pod limits of ${formatQuantity(podLimit)}`
      return [invalidField(`${path}.containers[${index}][${name}].limits`, formatQuantity(limit), detail)]
    })
  )
}
