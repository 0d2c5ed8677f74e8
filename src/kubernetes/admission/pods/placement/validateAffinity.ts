import type * as Core from "kubernetes-types/core/v1.js"
import {
  concatLists,
  invalidField,
  noErrors,
  requiredValue,
  type FieldErrors
} from "../../../validation/fieldErrors.ts"
import { memoizeCheck } from "../../../validation/memoizeCheck.ts"
import { labelProblems, qualifiedNameProblems } from "../../../validation/nameRules.ts"
import type { DeepPartial } from "../../../validation/partialTypes.ts"
import { validateLabelSelector } from "../../../validation/validateLabels.ts"
import { validateNameBy } from "../../../validation/validateNames.ts"
import { validateTermLabelKeys, type TermWithLabelKeys, type LocatedTerm } from "./validateLabelKeys.ts"
import { validateNodeSelector, validateNodeSelectorTerm } from "./validateNodeSelector.ts"

/** Source: pkg/apis/core/validation/validation.go (validateAffinity). */
export const validateAffinity = (affinity: AffinityDraft | undefined, path: string): FieldErrors =>
  affinity === undefined ? noErrors : checkAffinity(affinity, path)

export type AffinityDraft = DeepPartial<Core.Affinity>

const checkAffinity = memoizeCheck((affinity: AffinityDraft, path) => {
  const { nodeAffinity = {} } = affinity
  return [
    ...validateNodeAffinity(nodeAffinity, `${path}.nodeAffinity`),
    ...weightedTermsOf(affinity, path).flatMap(validatePodTerm)
  ]
})

const requiredField = "requiredDuringSchedulingIgnoredDuringExecution"
const preferredField = "preferredDuringSchedulingIgnoredDuringExecution"

const validateNodeAffinity = (affinity: DeepPartial<Core.NodeAffinity>, path: string): FieldErrors => {
  const selector = affinity[requiredField]
  const preferences = affinity[preferredField] ?? []
  return [
    ...(selector === undefined ? noErrors : validateNodeSelector(selector, `${path}.${requiredField}`)),
    ...preferences.flatMap(({ weight = 0, preference = {} }, index) =>
      concatLists(
        validateWeight(weight, `${path}.${preferredField}[${index}]`),
        validateNodeSelectorTerm(preference, `${path}.${preferredField}[${index}].preference`, {
          checksLabelValues: false
        })
      )
    )
  ]
}

const validateWeight = (weight: number, path: string): FieldErrors =>
  weight >= 1 && weight <= 100
    ? noErrors
    : [invalidField(`${path}.weight`, weight, "must be in the range 1-100")]

type PodTerm = DeepPartial<Core.PodAffinityTerm> & TermWithLabelKeys

interface WeightedPodTerm extends LocatedTerm<PodTerm> {
  /** The weight of a preferred term, and the path of the weight. */
  readonly preference?: { readonly weight: number; readonly path: string }
}

export const podTermsOf = (
  affinity: AffinityDraft | undefined,
  path: string
): ReadonlyArray<LocatedTerm<PodTerm>> => (affinity === undefined ? [] : weightedTermsOf(affinity, path))

const weightedTermsOf = (affinity: AffinityDraft, path: string): ReadonlyArray<WeightedPodTerm> =>
  (["podAffinity", "podAntiAffinity"] as const).flatMap((name) => {
    const terms = affinity[name] ?? {}
    const affinityPath = `${path}.${name}`
    return [
      ...(terms[requiredField] ?? []).map((term, index) => ({
        term,
        path: `${affinityPath}.${requiredField}[${index}]`
      })),
      ...(terms[preferredField] ?? []).map(({ weight = 0, podAffinityTerm = {} }, index) => {
        const preference = { weight, path: `${affinityPath}.${preferredField}[${index}]` }
        return { term: podAffinityTerm, path: `${preference.path}.podAffinityTerm`, preference }
      })
    ]
  })

const validatePodTerm = ({ term, path, preference }: WeightedPodTerm): FieldErrors => {
  const { labelSelector = {}, namespaceSelector = {}, namespaces = [], topologyKey = "" } = term
  return [
    ...(preference === undefined ? noErrors : validateWeight(preference.weight, preference.path)),
    ...validateLabelSelector(labelSelector, `${path}.labelSelector`),
    ...validateLabelSelector(namespaceSelector, `${path}.namespaceSelector`),
    // Kubernetes names the list as if it were one namespace.
    ...namespaces.flatMap((name) => validateNameBy(labelProblems, name, `${path}.namespace`)),
    ...validateTermLabelKeys(term, path),
    ...(topologyKey === "" ? [requiredValue(`${path}.topologyKey`, "can not be empty")] : noErrors),
    ...validateNameBy(qualifiedNameProblems, topologyKey, `${path}.topologyKey`)
  ]
}
