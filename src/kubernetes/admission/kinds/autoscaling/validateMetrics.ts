import type * as Autoscaling from "kubernetes-types/autoscaling/v2.js"
import { formatQuantity, parseQuantity } from "../../../meta/amounts/quantity.ts"
import {
  forbiddenField,
  invalidField,
  noErrors,
  requiredValue,
  unsupportedValue,
  type FieldErrors
} from "../../../validation/fieldErrors.ts"
import { labelProblems, pathSegmentProblems } from "../../../validation/nameRules.ts"
import type { DeepPartial } from "../../../validation/partialTypes.ts"
import { validateNameBy, validateRequiredName } from "../../../validation/validateNames.ts"
import { validateResourceName } from "../../pods/validateResources.ts"

type Metric = DeepPartial<Autoscaling.MetricSpec>
type Target = DeepPartial<Autoscaling.MetricTarget>
type Source = NonNullable<Metric[SourceField]>

/** The fields of the sources, in the order in which Kubernetes validates them. */
const sourceFields = ["object", "external", "pods", "resource", "containerResource"] as const
type SourceField = (typeof sourceFields)[number]

const fieldByType: ReadonlyMap<string, SourceField> = new Map([
  ["ContainerResource", "containerResource"],
  ["External", "external"],
  ["Object", "object"],
  ["Pods", "pods"],
  ["Resource", "resource"]
])

/**
 * Source: pkg/apis/autoscaling/validation/validation.go (validateMetricSpec, validateMetricTarget).
 */
export const validateMetric = (metric: Metric, path: string, versionRule: VersionRule): FieldErrors => {
  const { type = "" } = metric
  const present = sourceFields.filter((field) => metric[field] !== undefined)
  const [presentSource] = present
  const expected = fieldByType.get(type)
  return [
    ...(type === "" ? [requiredValue(`${path}.type`, "must specify a metric source type")] : noErrors),
    ...(expected === undefined
      ? [unsupportedValue(`${path}.type`, type, [...fieldByType.keys()])]
      : noErrors),
    ...(presentSource === undefined
      ? noErrors
      : validateSource(metric, presentSource, { path: `${path}.${presentSource}`, versionRule })),
    ...(expected !== undefined && metric[expected] === undefined
      ? [requiredValue(`${path}.${expected}`, "must populate information for the given metric source")]
      : noErrors),
    ...(present.length > 1
      ? present
          .filter((field) => field !== expected)
          .map((field) => forbiddenField(`${path}.${field}`, "must populate the given metric source only"))
      : noErrors)
  ]
}

const validateSource = (
  metric: Metric,
  field: SourceField,
  { path, versionRule }: { readonly path: string; readonly versionRule: VersionRule }
): FieldErrors => {
  const { target = {} }: { readonly target?: Target | undefined } = metric[field] ?? {}
  return [
    ...(field === "object"
      ? validateScaleReference(metric.object?.describedObject, `${path}.describedObject`, versionRule)
      : []),
    ...validateMeasuredName(metric[field] ?? {}, field, path),
    ...validateTarget(target, `${path}.target`),
    ...validateTargetAmounts(target, field, `${path}.target`)
  ]
}

const validateMeasuredName = (source: Source, field: SourceField, path: string): FieldErrors => {
  if (field !== "resource" && field !== "containerResource") {
    const { metric = {} } = source as DeepPartial<Autoscaling.PodsMetricSource>
    const why = "must specify a metric name"
    return validateRequiredName(pathSegmentProblems, metric.name, { path: `${path}.metric.name`, why })
  }
  const { name = "", container = "" } = source as DeepPartial<Autoscaling.ContainerResourceMetricSource>
  const isOfContainer = field === "containerResource"
  return [
    ...(name === "" ? [requiredValue(`${path}.name`, "must specify a resource name")] : noErrors),
    ...(name !== "" && isOfContainer ? validateResourceName(name, `${path}.name`) : noErrors),
    ...(isOfContainer
      ? container === ""
        ? [requiredValue(`${path}.container`, "must specify a container")]
        : validateNameBy(labelProblems, container, `${path}.container`)
      : noErrors)
  ]
}

const targetTypes = ["Utilization", "Value", "AverageValue"]

const validateTarget = (
  { type = "", value, averageValue, averageUtilization }: Target,
  path: string
): FieldErrors => {
  const typeRule = "must be either Utilization, Value, or AverageValue"
  return [
    ...(type === "" ? [requiredValue(`${path}.type`, "must specify a metric target type")] : noErrors),
    ...(targetTypes.includes(type) ? noErrors : [invalidField(`${path}.type`, type, typeRule)]),
    ...validatePositive(value, `${path}.value`),
    ...validatePositive(averageValue, `${path}.averageValue`),
    ...(averageUtilization !== undefined && averageUtilization < 1
      ? [invalidField(`${path}.averageUtilization`, averageUtilization, "must be greater than 0")]
      : noErrors)
  ]
}

const validatePositive = (amount: string | undefined, path: string): FieldErrors => {
  const quantity = amount === undefined ? undefined : parseQuantity(amount)
  return quantity === undefined || quantity.nanos > 0n
    ? noErrors
    : [invalidField(path, formatQuantity(quantity), "must be positive")]
}

const validateTargetAmounts = (target: Target, field: SourceField, path: string): FieldErrors => {
  const { value, averageValue, averageUtilization } = target
  const missing = (name: string, why: string) => [requiredValue(`${path}.${name}`, why)]
  switch (field) {
    case "object":
      return value === undefined && averageValue === undefined
        ? missing("averageValue", "must set either a target value or averageValue")
        : noErrors
    case "external":
      if (value === undefined && averageValue === undefined)
        return missing("averageValue", "must set either a target value for metric or a per-pod target")
      return value !== undefined && averageValue !== undefined
        ? [forbiddenField(`${path}.value`, "may not set both a target value for metric and a per-pod target")]
        : noErrors
    case "pods":
      return averageValue === undefined
        ? missing("averageValue", "must specify a positive target averageValue")
        : noErrors
    case "resource":
    case "containerResource":
      if (averageUtilization === undefined && averageValue === undefined)
        return missing("averageUtilization", "must set either a target raw value or a target utilization")
      return averageUtilization !== undefined && averageValue !== undefined
        ? [
            forbiddenField(
              `${path}.averageValue`,
              "may not set both a target raw value and a target utilization"
            )
          ]
        : noErrors
    default:
      return noErrors
  }
}

/** `any`: the stored reference is already invalid. */
export type VersionRule = "withGroup" | "wellFormed" | "any"

type Reference = DeepPartial<Autoscaling.CrossVersionObjectReference>

/** Source: pkg/apis/autoscaling/validation/validation.go (ValidateCrossVersionObjectReference). */
export const validateScaleReference = (
  reference: Reference = {},
  path: string,
  versionRule: VersionRule
): FieldErrors => {
  const problem = versionProblem(reference, versionRule)
  return [
    ...validateRequiredName(pathSegmentProblems, reference.kind, { path: `${path}.kind` }),
    ...validateRequiredName(pathSegmentProblems, reference.name, { path: `${path}.name` }),
    ...(problem === undefined
      ? noErrors
      : [invalidField(`${path}.apiVersion`, reference.apiVersion ?? "", problem)])
  ]
}

/** Source: pkg/apis/autoscaling/validation/validation.go (ValidateAPIVersion). */
export const versionProblem = (
  { apiVersion = "" }: Reference,
  versionRule: VersionRule
): string | undefined => {
  if (versionRule === "any") return undefined
  const parts = apiVersion.split("/")
  if (parts.length > 2) return `unexpected GroupVersion string: ${apiVersion}`
  const hasGroup = parts.length === 2 && parts[0] !== ""
  return hasGroup || versionRule === "wellFormed" ? undefined : "apiVersion must specify API group"
}
