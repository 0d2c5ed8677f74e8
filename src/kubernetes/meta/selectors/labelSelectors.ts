import { parseSelectorText } from "./labelSelectorText.ts"
import type { LabelSelector, LabelSelectorRequirement } from "kubernetes-types/meta/v1.js"
import type { Labels } from "../objects.ts"

/** Source: labels/selector.go, v1/helpers.go. */

const noLabels: Labels = {}

/** An empty selector matches everything, a missing one nothing. */
export const matchesSelector = (selector: LabelSelector | undefined, labels: Labels | undefined): boolean => {
  if (selector === undefined) return false
  const present = labels ?? noLabels
  const required = selector.matchLabels ?? noLabels
  // V8 would compile a for…in loop again whenever the keys differ from the last ones.
  for (const key of Object.keys(required)) if (present[key] !== required[key]) return false
  return selector.matchExpressions?.every((requirement) => satisfies(requirement, present)) ?? true
}

export const isEmptySelector = (selector: LabelSelector): boolean =>
  Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0

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
  // A label may be called `constructor`.
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

/** The text is that of `kubectl get -o wide`. */
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

export const goTextOfSelector = (selector: LabelSelector | undefined): string => {
  if (selector === undefined) return "nil"
  const { matchLabels = {}, matchExpressions = [] } = selector
  const labels = Object.entries(matchLabels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value},`)
  const expressions = matchExpressions.map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`
  )
  return (
    `&LabelSelector{MatchLabels:map[string]string{${labels.join("")}},` +
    `MatchExpressions:[]LabelSelectorRequirement{${expressions.join("")}},}`
  )
}

export const parseSelector = (text: string): LabelSelector | undefined => {
  const parsed = parseSelectorText(text)
  return parsed.ok ? parsed.selector : undefined
}
