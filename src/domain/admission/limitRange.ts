import {
  compareQuantities,
  formatQuantity,
  parseQuantity,
  quantityMillis,
  quantityProblem
} from "../quantity.ts"
import { duplicate, forbidden, invalid, required, type FieldErrors } from "./fieldErrors.ts"
import { qualifiedNameProblems } from "./names.ts"
import { isOvercommitAllowed, validateResourceName, type ResourceAmounts } from "./resources.ts"
import { changeEach, changeField, fill, withField, type Loose } from "./sharing.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Draft } from "../objects.ts"
import type { Quantity } from "../quantity.ts"

/**
 * What a LimitRange fills in for itself, and what makes it valid.
 *
 * Source: pkg/apis/core/v1/defaults.go (SetDefaults_LimitRangeItem), pkg/apis/core/validation/validation.go
 * (ValidateLimitRange).
 */
interface LimitRangeDraft extends Draft {
  readonly spec?: Core.LimitRangeSpec
}

type Item = Core.LimitRangeItem

export const defaultLimitRange = (range: LimitRangeDraft): LimitRangeDraft =>
  changeField(fill(range, { spec: { limits: [] } }), "spec", (spec) =>
    changeField(fill(spec, { limits: [] }), "limits", (limits) => changeEach(limits, defaultItem))
  )

/** Where a container may have no more than so much it gets that much, and asks for it, or for the least. */
const defaultItem = (item: Item): Item => {
  if (item.type !== "Container") return item
  const limits = fill<ResourceAmounts>(item.default ?? none, item.max ?? none)
  const requests = fill(fill<ResourceAmounts>(item.defaultRequest ?? none, limits), item.min ?? none)
  return withSome(withSome(item, "default", limits), "defaultRequest", requests)
}

const none: ResourceAmounts = Object.freeze({})

const withSome = (item: Item, field: "default" | "defaultRequest", amounts: ResourceAmounts): Item =>
  Object.keys(amounts).length === 0 ? item : withField(item, field, amounts)

export const validateLimitRange = ({ spec = { limits: [] } }: LimitRangeDraft): FieldErrors => {
  const items: ReadonlyArray<Loose<Item>> = spec.limits
  return items.flatMap((item, index) => {
    const path = `spec.limits[${index}]`
    const { type = "" } = item
    const isRepeated = items.findIndex((other) => (other.type ?? "") === type) < index
    return [
      ...validateType(type, `${path}.type`),
      ...(isRepeated ? [duplicate(`${path}.type`, type)] : []),
      ...validateAmounts(item, path),
      ...validateRelations(item, path)
    ]
  })
}

const types: ReadonlyArray<string> = ["Pod", "Container", "PersistentVolumeClaim"]

const validateType = (type: string, path: string): FieldErrors => {
  const problems = qualifiedNameProblems(type).map((problem) => invalid(path, type, problem))
  if (problems.length > 0 || type.includes("/") || types.includes(type)) return problems
  return [invalid(path, type, "must be a standard limit type or fully qualified")]
}

const fields = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] as const

const validateAmounts = (item: Loose<Item>, path: string): FieldErrors => {
  const each = fields.flatMap((field): FieldErrors => {
    const entries = Object.entries(item[field] ?? {})
    if (item.type === "Pod" && field.startsWith("default")) {
      const isFree = entries.length === 0
      return isFree ? [] : [forbidden(`${path}.${field}`, "may not be specified when `type` is 'Pod'")]
    }
    return entries.flatMap(([name, amount]) => [
      ...(item.type === "PersistentVolumeClaim"
        ? []
        : validateResourceName(name, `${path}.${field}[${name}]`)),
      ...(parseQuantity(amount) === undefined
        ? [invalid(`${path}.${field}[${name}]`, amount, quantityProblem)]
        : [])
    ])
  })
  if (item.type !== "PersistentVolumeClaim" || (item.min?.["storage"] ?? item.max?.["storage"])) return each
  const detail = "either minimum or maximum storage value is required, but neither was provided"
  return [...each, required(`${path}.limits`, detail)]
}

/** A pair of fields of which the first may not be more than the second. */
interface Order {
  readonly less: (typeof fields)[number]
  readonly more: (typeof fields)[number]
  /** The field that is told to be wrong, and the one whose value is shown: not always its own. */
  readonly field: (typeof fields)[number]
  readonly shown: (typeof fields)[number]
  readonly says: readonly [string, string]
}

const orders: ReadonlyArray<Order> = [
  { less: "min", more: "max", field: "min", shown: "min", says: ["min value", "max value"] },
  {
    less: "min",
    more: "defaultRequest",
    field: "defaultRequest",
    shown: "defaultRequest",
    says: ["min value", "default request value"]
  },
  {
    less: "defaultRequest",
    more: "max",
    field: "defaultRequest",
    shown: "defaultRequest",
    says: ["default request value", "max value"]
  },
  {
    less: "defaultRequest",
    more: "default",
    field: "defaultRequest",
    shown: "defaultRequest",
    says: ["default request value", "default limit value"]
  },
  { less: "min", more: "default", field: "default", shown: "min", says: ["min value", "default value"] },
  { less: "default", more: "max", field: "default", shown: "max", says: ["default value", "max value"] }
]

const validateRelations = (item: Loose<Item>, path: string): FieldErrors => {
  const read = (field: (typeof fields)[number], name: string): Quantity | undefined => {
    const isForbidden = item.type === "Pod" && field.startsWith("default")
    return isForbidden ? undefined : parseQuantity(item[field]?.[name] ?? "")
  }
  const names = [...new Set(fields.flatMap((field) => Object.keys(item[field] ?? {})))].sort()
  return names.flatMap((name) => {
    const of = (field: (typeof fields)[number]): Quantity | undefined => read(field, name)
    const ordered = orders.flatMap(({ less, more, field, shown, says }) => {
      const [low, high, value] = [of(less), of(more), of(shown)]
      if (low === undefined || high === undefined || compareQuantities(low, high) <= 0) return []
      const detail = `${says[0]} ${formatQuantity(low)} is greater than ${says[1]} ${formatQuantity(high)}`
      return [invalid(`${path}.${field}[${name}]`, formatQuantity(value ?? low), detail)]
    })
    const ratio = of("maxLimitRequestRatio")
    const ratioPath = `${path}.maxLimitRequestRatio[${name}]`
    const unequal = validateRatio({ ratio, min: of("min"), max: of("max"), path: ratioPath })
    const [limit, request] = [of("default"), of("defaultRequest")]
    const isFixed = !isOvercommitAllowed(name) && limit !== undefined && request !== undefined
    if (!isFixed || compareQuantities(limit, request) === 0) return [...ordered, ...unequal]
    const detail =
      `default value ${formatQuantity(limit)} must equal to defaultRequest value ` +
      `${formatQuantity(request)} in ${name}`
    return [
      ...ordered,
      ...unequal,
      invalid(`${path}.defaultRequest[${name}]`, formatQuantity(request), detail)
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
  const millis = Number(quantityMillis(ratio))
  const tooSmall = millis < 1000 ? [invalid(path, text, `ratio ${text} is less than 1`)] : []
  if (min === undefined || max === undefined) return tooSmall
  const most = Number(quantityMillis(max)) / Number(quantityMillis(min))
  if (!(millis / 1000 > most)) return tooSmall
  return [...tooSmall, invalid(path, text, `ratio ${text} is greater than max/min = ${most.toFixed(6)}`)]
}
