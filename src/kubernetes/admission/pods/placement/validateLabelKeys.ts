import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import type { Labels } from "../../../meta/objects.ts"
import { forbiddenField, invalidField, noErrors, type FieldErrors } from "../../../validation/fieldErrors.ts"
import { qualifiedNameProblems } from "../../../validation/nameRules.ts"
import type { DeepPartial } from "../../../validation/partialTypes.ts"
import { validateNameBy } from "../../../validation/validateNames.ts"

/** A term whose label keys take their values from the Pod's labels. */
export interface TermWithLabelKeys {
  readonly labelSelector?: DeepPartial<LabelSelector> | undefined
  readonly matchLabelKeys?: ReadonlyArray<string> | undefined
  readonly mismatchLabelKeys?: ReadonlyArray<string> | undefined
}

export interface LocatedTerm<Term> {
  readonly term: Term
  readonly path: string
}

/** Source: pkg/apis/core/validation/validation.go (validateMatchLabelKeysAndMismatchLabelKeys). */
export const validateTermLabelKeys = (term: TermWithLabelKeys, path: string): FieldErrors => {
  const { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] } = term
  if (matchLabelKeys.length === 0 && mismatchLabelKeys.length === 0) return noErrors
  const hasLabelSelector = labelSelector !== undefined
  return [
    ...validateKeyNames(matchLabelKeys, hasLabelSelector, `${path}.matchLabelKeys`),
    ...validateKeyNames(mismatchLabelKeys, hasLabelSelector, `${path}.mismatchLabelKeys`),
    ...validateNoRepeatedKeys(term, [], path),
    ...matchLabelKeys.flatMap((key, index) =>
      mismatchLabelKeys.includes(key)
        ? [
            invalidField(
              `${path}.matchLabelKeys[${index}]`,
              key,
              "exists in both matchLabelKeys and mismatchLabelKeys"
            )
          ]
        : []
    )
  ]
}

/**
 * Kubernetes merges those label keys that a new Pod has as labels into the term's selector. Source:
 * pkg/registry/core/pod/strategy.go (applyLabelKeysToLabelSelector).
 */
export const validateMergedKeys = (
  { term, path }: LocatedTerm<TermWithLabelKeys>,
  labels: Labels | undefined
): FieldErrors => {
  const { matchLabelKeys = [], mismatchLabelKeys = [] } = term
  const merged = [...matchLabelKeys, ...mismatchLabelKeys].filter((key) => labels?.[key] !== undefined)
  return merged.length === 0 ? noErrors : validateNoRepeatedKeys(term, merged, path)
}

const validateKeyNames = (
  keys: ReadonlyArray<string>,
  hasLabelSelector: boolean,
  path: string
): FieldErrors => {
  if (keys.length === 0) return noErrors
  return hasLabelSelector
    ? keys.flatMap((key, index) => validateNameBy(qualifiedNameProblems, key, `${path}[${index}]`))
    : [forbiddenField(path, "must not be specified when labelSelector is not set")]
}

/** `merged`: the keys that Kubernetes would add to the selector. */
const validateNoRepeatedKeys = (
  { labelSelector, matchLabelKeys = [] }: TermWithLabelKeys,
  merged: ReadonlyArray<string>,
  path: string
): FieldErrors => {
  if (labelSelector === undefined) return noErrors
  const { matchLabels = {}, matchExpressions = [] } = labelSelector
  const selectedKeys = new Set(Object.keys(matchLabels))
  return [...matchExpressions.map(({ key = "" }) => key), ...merged].flatMap((key) => {
    const isRepeated = selectedKeys.has(key)
    selectedKeys.add(key)
    // Kubernetes gives the index to the term, not to `matchLabelKeys`.
    const field = `${path}[${matchLabelKeys.lastIndexOf(key)}]`
    return isRepeated && matchLabelKeys.includes(key)
      ? [invalidField(field, key, "exists in both matchLabelKeys and labelSelector")]
      : []
  })
}
