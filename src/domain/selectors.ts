import { readSelectorText } from "./selectorText.ts"
import type { LabelSelector, LabelSelectorRequirement } from "kubernetes-types/meta/v1.js"
import type { Labels } from "./objects.ts"

/**
 * Both forms of selectors: the structured one that controllers carry and the textual one that lists take.
 *
 * Source: staging/src/k8s.io/apimachinery/pkg/labels/selector.go and pkg/apis/meta/v1/helpers.go.
 */

const noLabels: Labels = {}

/**
 * True when the labels satisfy every requirement; an empty selector matches everything, a missing one
 * nothing.
 */
export const matchesSelector = (selector: LabelSelector | undefined, labels: Labels | undefined): boolean => {
  if (selector === undefined) return false
  const present = labels ?? noLabels
  const wanted = selector.matchLabels
  for (const key in wanted) if (present[key] !== wanted[key]) return false
  return selector.matchExpressions?.every((requirement) => satisfies(requirement, present)) ?? true
}

export const isEmptySelector = (selector: LabelSelector): boolean =>
  Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0

/** Why the selector cannot be used, or undefined for a good one. */
export const selectorProblem = (selector: LabelSelector): string | undefined => {
  for (const { key, operator, values } of selector.matchExpressions ?? []) {
    const count = values?.length ?? 0
    if (operator === "In" || operator === "NotIn") {
      if (count === 0) return `values of ${key} must be given when operator is ${operator}`
    } else if (operator === "Exists" || operator === "DoesNotExist") {
      if (count > 0) return `values of ${key} must be empty when operator is ${operator}`
    } else return `"${operator}" is not a valid label selector operator`
  }
  return undefined
}

const satisfies = (requirement: LabelSelectorRequirement, labels: Labels): boolean => {
  // Labels may be named as what every object inherits: `constructor`.
  const value = Object.hasOwn(labels, requirement.key) ? labels[requirement.key] : undefined
  switch (requirement.operator) {
    case "In":
      return value !== undefined && (requirement.values ?? []).includes(value)
    case "NotIn":
      return value === undefined || !(requirement.values ?? []).includes(value)
    case "Exists":
      return value !== undefined
    case "DoesNotExist":
      return value === undefined
    case "Gt":
      return integer.test(value ?? "") && Number(value) > Number(requirement.values?.[0])
    case "Lt":
      return integer.test(value ?? "") && Number(value) < Number(requirement.values?.[0])
    default:
      return false
  }
}

const integer = /^[-+]?\d+$/

/** The canonical text of a selector, as `kubectl get -o wide` prints it: `app=web,tier in (a,b)`. */
export const formatSelector = (selector: LabelSelector): string => {
  const requirements: Array<{ readonly key: string; readonly text: string }> = [
    ...Object.entries(selector.matchLabels ?? {}).map(([key, value]) => ({ key, text: `${key}=${value}` })),
    ...(selector.matchExpressions ?? []).map((requirement) => ({
      key: requirement.key,
      text: formatRequirement(requirement)
    }))
  ]
  return requirements
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ text }) => text)
    .join(",")
}

const formatRequirement = ({ key, operator, values }: LabelSelectorRequirement): string => {
  const list = `(${[...(values ?? [])].sort().join(",")})`
  switch (operator) {
    case "In":
      return `${key} in ${list}`
    case "NotIn":
      return `${key} notin ${list}`
    case "DoesNotExist":
      return `!${key}`
    case "Gt":
      return `${key}>${values?.[0]}`
    case "Lt":
      return `${key}<${values?.[0]}`
    default:
      return key
  }
}

/** Reads the textual form that lists and watches take. Returns undefined for a text that is not a selector. */
export const parseSelector = (text: string): LabelSelector | undefined => {
  const read = readSelectorText(text)
  return read.ok ? read.selector : undefined
}
