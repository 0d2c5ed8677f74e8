import { matchesSelector } from "../meta/selectors/labelSelectors.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { LabelSelector, LabelSelectorRequirement } from "kubernetes-types/meta/v1.js"
import type { Labels } from "../meta/objects.ts"
import type { AffinityTerm, PodToPlace, NodeInfos, TermRole, WeightedTerm } from "./placementFilter.ts"
import type { DomainQuery } from "./podDomains.ts"

/** `matchLabelKeys` and `mismatchLabelKeys` came with 1.29 and are not in `kubernetes-types` yet. */
type PodAffinityTerm = Readonly<Core.PodAffinityTerm> & {
  readonly matchLabelKeys?: ReadonlyArray<string>
  readonly mismatchLabelKeys?: ReadonlyArray<string>
}

/** Source: framework/types.go (NewPodInfo), pod/strategy.go (applyMatchLabelKeysAndMismatchLabelKeys). */
export const affinityTermsOf = (pod: PodToPlace): ReadonlyArray<WeightedTerm> => {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {}
  if (podAffinity === undefined && podAntiAffinity === undefined) return noTerms
  const cached = termsBySpec.get(pod.spec)
  if (cached?.labels === pod.metadata.labels && cached?.namespace === pod.metadata.namespace)
    return cached?.terms ?? noTerms
  const toTerm = (term: PodAffinityTerm, role: TermRole, weight: number): WeightedTerm => {
    const resolved = resolveTerm(term, pod)
    const { topologyKey, selector, namespaceSelector } = resolved
    const identifyingParts = [
      role,
      weight,
      topologyKey,
      selector,
      [...resolved.namespaces],
      namespaceSelector
    ]
    return { id: JSON.stringify(identifyingParts), role, weight, term: resolved }
  }
  const required = "requiredDuringSchedulingIgnoredDuringExecution"
  const preferred = "preferredDuringSchedulingIgnoredDuringExecution"
  const terms = [
    ...(podAffinity?.[required] ?? []).map((it) => toTerm(it, "requiredAffinity", hardAffinityWeight)),
    ...(podAntiAffinity?.[required] ?? []).map((it) => toTerm(it, "requiredAntiAffinity", 0)),
    ...(podAffinity?.[preferred] ?? []).map((it) => toTerm(it.podAffinityTerm, "preferred", it.weight)),
    ...(podAntiAffinity?.[preferred] ?? []).map((it) => toTerm(it.podAffinityTerm, "preferred", -it.weight))
  ]
  const { labels, namespace } = pod.metadata
  if (Object.isFrozen(pod.spec)) termsBySpec.set(pod.spec, { labels, namespace, terms })
  return terms
}

/** Upstream's `hardPodAffinityWeight`. */
const hardAffinityWeight = 1

const noTerms: ReadonlyArray<WeightedTerm> = []

/** The terms also depend on the Pod's metadata. */
const termsBySpec = new WeakMap<
  object,
  {
    readonly labels: Labels | undefined
    readonly namespace: string | undefined
    readonly terms: ReadonlyArray<WeightedTerm>
  }
>()

const resolveTerm = (term: PodAffinityTerm, { metadata }: PodToPlace): AffinityTerm => {
  const { topologyKey, labelSelector, namespaces = [], namespaceSelector } = term
  const added = [
    ...labelKeyRequirements(term.matchLabelKeys, metadata.labels, "In"),
    ...labelKeyRequirements(term.mismatchLabelKeys, metadata.labels, "NotIn")
  ]
  const usesOwnNamespace = namespaces.length === 0 && namespaceSelector === undefined
  return {
    topologyKey,
    selector: withRequirements(labelSelector, added),
    namespaces: new Set(usesOwnNamespace ? [metadata.namespace ?? ""] : namespaces),
    namespaceSelector
  }
}

/**
 * Unlike Kubernetes, these requirements are added when a Pod is placed, not written into its selectors at its
 * creation.
 */
export const labelKeyRequirements = (
  keys: ReadonlyArray<string> = [],
  labels: Labels | undefined,
  operator: "In" | "NotIn"
): ReadonlyArray<LabelSelectorRequirement> =>
  keys.flatMap((key) => {
    const value = labels?.[key]
    return value === undefined ? [] : [{ key, operator, values: [value] }]
  })

export const withRequirements = (
  selector: LabelSelector | undefined,
  added: ReadonlyArray<LabelSelectorRequirement>
): LabelSelector | undefined =>
  selector === undefined || added.length === 0
    ? selector
    : { ...selector, matchExpressions: [...(selector.matchExpressions ?? []), ...added] }

export const termMatchesPod = (
  { selector, namespaces, namespaceSelector }: AffinityTerm,
  { metadata }: PodToPlace,
  nodeInfos: Pick<NodeInfos, "namespaces">
): boolean => {
  if (!matchesSelector(selector, metadata.labels)) return false
  const { namespace = "" } = metadata
  if (namespaces.has(namespace)) return true
  if (namespaceSelector === undefined) return false
  for (const { name, labels } of nodeInfos.namespaces())
    if (name === namespace) return matchesSelector(namespaceSelector, labels)
  return false
}

export const domainQueryOfTerms = (
  terms: ReadonlyArray<AffinityTerm>,
  topologyKey: string,
  nodeInfos: Pick<NodeInfos, "namespaces">
): DomainQuery => {
  const [first, ...others] = terms.map((term) => namespacesOf(term, nodeInfos))
  const namespaces = new Set([...(first ?? [])].filter((name) => others.every((it) => it.has(name))))
  const selectors = terms.map(({ selector }) => selector)
  const id = JSON.stringify([topologyKey, [...namespaces], selectors.map((it) => it ?? null)])
  return { id, topologyKey, namespaces, selectors, skipsTerminating: false }
}

const namespacesOf = (
  { namespaces, namespaceSelector }: AffinityTerm,
  nodeInfos: Pick<NodeInfos, "namespaces">
): ReadonlySet<string> => {
  if (namespaceSelector === undefined) return namespaces
  const all = new Set(namespaces)
  for (const { name, labels } of nodeInfos.namespaces())
    if (matchesSelector(namespaceSelector, labels)) all.add(name)
  return all
}
