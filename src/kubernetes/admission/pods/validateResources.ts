import type { ResourceRequirements } from "kubernetes-types/core/v1.js"
import {
  compareQuantities,
  formatQuantity,
  parseQuantity,
  milliValueOf,
  quantityProblem,
  type Quantity
} from "../../meta/amounts/quantity.ts"
import {
  forbiddenField,
  invalidField,
  noErrors,
  notNegativeDetail,
  requiredValue,
  type FieldError,
  type FieldErrors
} from "../../validation/fieldErrors.ts"
import { hugePagesPrefix, isHugePages } from "../../pods/podResources.ts"
import { qualifiedNameProblems } from "../../validation/nameRules.ts"

export type ResourceAmounts = Readonly<Record<string, string>>

/** Source: pkg/apis/core/validation/validation.go (ValidateResourceRequirements). */
export const validateResources = (
  resources: Readonly<ResourceRequirements> | undefined,
  path: string,
  validateName = validateResourceName
): FieldErrors => {
  if (resources === undefined) return noErrors
  const { limits = {}, requests = {} } = resources
  return [
    ...validateAmounts(limits, `${path}.limits`, validateName),
    ...validateAmounts(requests, `${path}.requests`, validateName),
    ...Object.keys(requests).flatMap((name) => validateRequest(name, { limits, requests, path })),
    ...validateHugePages([...Object.keys(limits), ...Object.keys(requests)], path)
  ]
}

const validateHugePages = (names: ReadonlyArray<string>, path: string): FieldErrors =>
  names.some(isHugePages) && !names.includes("cpu") && !names.includes("memory")
    ? [forbiddenField(path, "HugePages require cpu or memory")]
    : noErrors

const validateAmounts = (
  amounts: ResourceAmounts,
  path: string,
  validateName: typeof validateResourceName
): FieldErrors =>
  Object.entries(amounts).flatMap(([name, amount]) => [
    ...validateName(name, `${path}[${name}]`),
    ...validateAmount(amount, { name, path: `${path}[${name}]` })
  ])

const isStandard = (name: string): boolean =>
  name === "cpu" || name === "memory" || name === "ephemeral-storage" || isHugePages(name)

const isExtended = (name: string): boolean => name.includes("/") && !name.includes("kubernetes.io/")

export const isOvercommitAllowed = (name: string): boolean => !isExtended(name) && !isHugePages(name)

export const validateResourceName = (name: string, path: string): FieldErrors => {
  const problems = qualifiedNameProblems(name).map((problem) => invalidField(path, name, problem))
  if (name.includes("/") || isStandard(name)) return problems
  const standard = invalidField(path, name, "must be a standard resource for containers")
  if (problems.length > 0) return [...problems, standard]
  return [invalidField(path, name, "must be a standard resource type or fully qualified"), standard]
}

const validateAmount = (
  amount: string,
  { name, path }: { readonly name: string; readonly path: string }
): FieldErrors => {
  const errors = validateQuantity(amount, { path, isInteger: isExtended(name) })
  const pages = isHugePages(name) ? parseQuantity(amount) : undefined
  if (pages === undefined || isWholePages(name, pages)) return errors
  const text = formatQuantity(pages)
  return [...errors, invalidField(path, text, `${text}${notWholePages}${name}`)]
}

export const validateQuantity = (
  amount: string,
  { path, isInteger }: { readonly path: string; readonly isInteger: boolean }
): FieldErrors => {
  const quantity = parseQuantity(amount)
  if (quantity === undefined) return [invalidField(path, amount, quantityProblem)]
  const text = formatQuantity(quantity)
  const errors: Array<FieldError> = []
  if (quantity.nanos < 0n) errors.push(invalidField(path, text, notNegativeDetail))
  if (isInteger && milliValueOf(quantity) % 1000n !== 0n)
    errors.push(invalidField(path, text, "must be an integer"))
  return errors
}

const notWholePages = " is not positive integer multiple of "

/** Kubernetes rounds both amounts up to whole bytes before it divides. */
const isWholePages = (name: string, amount: Quantity): boolean => {
  const page = parseQuantity(name.slice(hugePagesPrefix.length))
  if (page === undefined || page.nanos <= 0n || milliValueOf(page) % 1000n !== 0n) return false
  return wholeUnits(amount) % wholeUnits(page) === 0n
}

const wholeUnits = (quantity: Quantity): bigint => (milliValueOf(quantity) + 999n) / 1000n

/**
 * A stored object that already breaks the rule about fractions of huge pages may keep doing so. Source:
 * pkg/api/pod/util.go (usesIndivisibleHugePagesValues).
 */
export const allowStoredHugePageFractions = (
  errors: FieldErrors,
  storedErrors: () => FieldErrors
): FieldErrors => {
  const isPartOfPage = ({ detail = "" }: FieldError): boolean => detail.includes(notWholePages)
  return errors.some(isPartOfPage) && storedErrors().some(isPartOfPage)
    ? errors.filter((error) => !isPartOfPage(error))
    : errors
}

interface RequestContext {
  readonly limits: ResourceAmounts
  readonly requests: ResourceAmounts
  readonly path: string
}

const validateRequest = (name: string, { limits, requests, path }: RequestContext): FieldErrors => {
  const request = parseQuantity(requests[name] ?? "")
  const limit = parseQuantity(limits[name] ?? "")
  if (request === undefined) return noErrors
  if (limit === undefined) {
    return isOvercommitAllowed(name)
      ? noErrors
      : [requiredValue(`${path}.limits`, "Limit must be set for non overcommitable resources")]
  }
  const order = compareQuantities(request, limit)
  const relation = isOvercommitAllowed(name) ? "less than or equal to" : "equal to"
  if (isOvercommitAllowed(name) ? order <= 0 : order === 0) return noErrors
  const detail = `must be ${relation} ${name} limit of ${formatQuantity(limit)}`
  return [invalidField(`${path}.requests`, formatQuantity(request), detail)]
}
