import {
  compareQuantities,
  formatQuantity,
  parseQuantity,
  milliValueOf,
  quantityProblem
} from "../../meta/amounts/quantity.ts"
import {
  duplicateValue,
  forbiddenField,
  invalidField,
  requiredValue,
  type FieldErrors
} from "../../validation/fieldErrors.ts"
import { qualifiedNameProblems } from "../../validation/nameRules.ts"
import { isOvercommitAllowed, validateResourceName, type ResourceAmounts } from "../pods/validateResources.ts"
import { changeEach, changeField, fillDefaults, withField } from "../../validation/structuralSharing.ts"
import type { ShallowPartial } from "../../validation/partialTypes.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Draft } from "../../meta/objects.ts"
import type { Quantity } from "../../meta/amounts/quantity.ts"

interface LimitRangeDraft extends Draft {
  readonly spec?: Core.LimitRangeSpec
}

type Item = Core.LimitRangeItem

/**
 * Source: pkg/apis/core/v1/defaults.go, pkg/apis/core/validation/validation.go
 * (ValidateLimitRange).
 */
export const defaultLimitRange = (range: LimitRangeDraft): LimitRangeDraft =>
  changeField(fillDefaults(range, { spec: { limits: [] } }), "spec", (spec) =>
    changeField(fillDefaults(spec, { limits: [] }), "limits", (limits) => changeEach(limits, defaultItem))
  )

/** A container's default limit is `max`. Its default request is the default limit, else `min`. */
const defaultItem = (item: Item): Item => {
  if (item.type !== "Container") return item
  const limits = fillDefaults<ResourceAmounts>(item.default ?? noAmounts, item.max ?? noAmounts)
  const requests = fillDefaults(
    fillDefaults<ResourceAmounts>(item.defaultRequest ?? noAmounts, limits),
    item.min ?? noAmounts
  )
  return withAmounts(withAmounts(item, "default", limits), "defaultRequest", requests)
}

const noAmounts: ResourceAmounts = Object.freeze({})

const withAmounts = (item: Item, field: "default" | "defaultRequest", amounts: ResourceAmounts): Item =>
  Object.keys(amounts).length === 0 ? item : withField(item, field, amounts)

export const validateLimitRange = ({ spec = { limits: [] } }: LimitRangeDraft): FieldErrors => {
  const items: ReadonlyArray<ShallowPartial<Item>> = spec.limits
  return items.flatMap((item, index) => {
    const path = `spec.limits[${index}]`
    const { type = "" } = item
    const isRepeated = items.findIndex((other) => (other.type ?? "") === type) < index
    return [
      ...validateType(type, `${path}.type`),
      ...(isRepeated ? [duplicateValue(`${path}.type`, type)] : []),
      ...validateAmounts(item, path),
      ...validateRelations(item, path)
    ]
  })
}

const types: ReadonlyArray<string> = ["Pod", "Container", "PersistentVolumeClaim"]

const validateType = (type: string, path: string): FieldErrors => {
  const problems = qualifiedNameProblems(type).map((problem) => invalidField(path, type, problem))
  if (problems.length > 0 || type.includes("/") || types.includes(type)) return problems
  return [invalidField(path, type, "must be a standard limit type or fully qualified")]
}

const amountFields = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] as const

const validateAmounts = (item: ShallowPartial<Item>, path: string): FieldErrors => {
  const amountErrors = amountFields.flatMap((field): FieldErrors => {
    const entries = Object.entries(item[field] ?? {})
    if (item.type === "Pod" && field.startsWith("default")) {
      const isMissing = entries.length === 0
      return isMissing
        ? []
        : [forbiddenField(`${path}.${field}`, "may not be specified when `type` is 'Pod'")]
    }
    return entries.flatMap(([name, amount]) => [
      ...(item.type === "PersistentVolumeClaim"
        ? []
        : validateResourceName(name, `${path}.${field}[${name}]`)),
      ...(parseQuantity(amount) === undefined
        ? [invalidField(`${path}.${field}[${name}]`, amount, quantityProblem)]
        : [])
    ])
  })
  if (item.type !== "PersistentVolumeClaim" || (item.min?.["storage"] ?? item.max?.["storage"]))
    return amountErrors
  const detail = "either minimum or maximum storage value is required, but neither was provided"
  return [...amountErrors, requiredValue(`${path}.limits`, detail)]
}

/** `less` must not be greater than `more`. */
interface OrderRule {
  readonly less: (typeof amountFields)[number]
  readonly more: (typeof amountFields)[number]
  /** The field that the error names. */
  readonly field: (typeof amountFields)[number]
  /** The field whose value the error shows, as upstream. */
  readonly shownField: (typeof amountFields)[number]
  /** What the message calls `less` and `more`. */
  readonly messageNames: readonly [string, string]
}

const orderRules: ReadonlyArray<OrderRule> = [
  { less: "min", more: "max", field: "min", shownField: "min", messageNames: ["min value", "max value"] },
  {
    less: "min",
    more: "defaultRequest",
    field: "defaultRequest",
    shownField: "defaultRequest",
    messageNames: ["min value", "default request value"]
  },
  {
    less: "defaultRequest",
    more: "max",
    field: "defaultRequest",
    shownField: "defaultRequest",
    messageNames: ["default request value", "max value"]
  },
  {
    less: "defaultRequest",
    more: "default",
    field: "defaultRequest",
    shownField: "defaultRequest",
    messageNames: ["default request value", "default limit value"]
  },
  {
    less: "min",
    more: "default",
    field: "default",
    shownField: "min",
    messageNames: ["min value", "default value"]
  },
  {
    less: "default",
    more: "max",
    field: "default",
    shownField: "max",
    messageNames: ["default value", "max value"]
  }
]

const validateRelations = (item: ShallowPartial<Item>, path: string): FieldErrors => {
  const read = (field: (typeof amountFields)[number], name: string): Quantity | undefined => {
    const isForbidden = item.type === "Pod" && field.startsWith("default")
    return isForbidden ? undefined : parseQuantity(item[field]?.[name] ?? "")
  }
  const names = [...new Set(amountFields.flatMap((field) => Object.keys(item[field] ?? {})))].sort()
  return names.flatMap((name) => {
    const amountOf = (field: (typeof amountFields)[number]): Quantity | undefined => read(field, name)
    const orderErrors = orderRules.flatMap(({ less, more, field, shownField, messageNames }) => {
      const [low, high, value] = [amountOf(less), amountOf(more), amountOf(shownField)]
      if (low === undefined || high === undefined || compareQuantities(low, high) <= 0) return []
      const [lessName, moreName] = messageNames
      const detail = `${lessName} ${formatQuantity(low)} is greater than ${moreName} ${formatQuantity(high)}`
      return [invalidField(`${path}.${field}[${name}]`, formatQuantity(value ?? low), detail)]
    })
    const ratio = amountOf("maxLimitRequestRatio")
    const ratioPath = `${path}.maxLimitRequestRatio[${name}]`
    const ratioErrors = validateRatio({ ratio, min: amountOf("min"), max: amountOf("max"), path: ratioPath })
    const [limit, request] = [amountOf("default"), amountOf("defaultRequest")]
    const mustBeEqual = !isOvercommitAllowed(name) && limit !== undefined && request !== undefined
    if (!mustBeEqual || compareQuantities(limit, request) === 0) return [...orderErrors, ...ratioErrors]
    const detail =
      `default value ${formatQuantity(limit)} must equal to defaultRequest value ` +
      `${formatQuantity(request)} in ${name}`
    return [
      ...orderErrors,
      ...ratioErrors,
      invalidField(`${path}.defaultRequest[${name}]`, formatQuantity(request), detail)
    ]
  })
}

const validateRatio = (options: {
  readonly ratio: Quantity | undefined
  readonly min: Quantity | undefined
  readonly max: Quantity | undefined
  readonly path: string
}): FieldErrors => {
  const { ratio, min, max, path } = options
  if (ratio === undefined) return []
  const text = formatQuantity(ratio)
  const thousandths = Number(milliValueOf(ratio))
  const tooSmall = thousandths < 1000 ? [invalidField(path, text, `ratio ${text} is less than 1`)] : []
  if (min === undefined || max === undefined) return tooSmall
  const maxToMin = Number(milliValueOf(max)) / Number(milliValueOf(min))
  // `maxToMin` is NaN if both are 0.
  if (!(thousandths / 1000 > maxToMin)) return tooSmall
  return [
    ...tooSmall,
    invalidField(path, text, `ratio ${text} is greater than max/min = ${maxToMin.toFixed(6)}`)
  ]
}
