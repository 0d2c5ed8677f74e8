import { qosClassOf } from "../admission/pods/qosClass.ts"
import { volumeAttributesClasses, objectCountUsage, isCountedTowards, oneUnit } from "./quotaUsage.ts"
import { resources } from "../meta/kinds.ts"
import {
  isHugePages,
  memoizePerPodResources,
  parseAmounts,
  podResourceAmounts,
  withPodOverhead
} from "../pods/podResources.ts"
import { getOrUndefined, try as attempt } from "effect/Result"
import { isFields } from "../meta/fields.ts"
import { compareQuantities, formatQuantity } from "../meta/amounts/quantity.ts"
import { timestampMillis } from "../meta/amounts/timestamps.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { GroupResource } from "../meta/kinds.ts"
import type { KubeObject, Pod, PodSpec } from "../meta/objects.ts"
import type { AmountTextsByResource, AmountsByResource, PodSpecWithResources } from "../pods/podResources.ts"
import type { Quantity } from "../meta/amounts/quantity.ts"

export interface ResourceQuota extends KubeObject {
  readonly spec: Readonly<Core.ResourceQuotaSpec>
  readonly status: Readonly<Core.ResourceQuotaStatus>
}

export interface QuotaRule {
  readonly name: string
  readonly hard: AmountsByResource
  /** Usage by objects that this cluster does not hold. */
  readonly usedElsewhere: AmountsByResource
  /** The names in `hard` that objects of the resource count towards. */
  readonly hardNamesFor: (resource: GroupResource) => ReadonlyArray<string>
  /** Whether the object is within the quota's scopes. */
  readonly covers: (resource: GroupResource, object: KubeObject) => boolean
  readonly coversPod: (spec: PodSpec) => boolean
}

/** Source: evaluator/core/pods.go. */
export const quotaRule = ({ metadata, spec }: ResourceQuota): QuotaRule => {
  const hard = new Map([...parseAmounts(spec.hard)].sort(byName))
  const namesByResource = new Map<GroupResource, ReadonlyArray<string>>()
  const scopes = scopesOf(spec)
  return {
    name: metadata.name,
    hard,
    usedElsewhere: parseUsedElsewhere(metadata),
    hardNamesFor: (resource) => {
      const cached = namesByResource.get(resource)
      if (cached !== undefined) return cached
      const matchingNames = [...hard.keys()].filter((name) => isCountedTowards(resource, name))
      namesByResource.set(resource, matchingNames)
      return matchingNames
    },
    covers: (resource, object) => scopes.every((scope) => isInScope(scope, resource, object)),
    coversPod: (spec) => scopes.every((scope) => isPodInScope(scope, spec))
  }
}

/**
 * Unlike Kubernetes, a quota may state as JSON the usage by missing objects: a copy of a live
 * cluster holds only part of its objects.
 */
export const quotaUsedElsewhereAnnotation = "charthouse.dev/used-elsewhere"

const parseUsedElsewhere = ({ annotations }: KubeObject["metadata"]): AmountsByResource => {
  const text = annotations?.[quotaUsedElsewhereAnnotation] ?? "{}"
  const amounts = getOrUndefined(attempt((): unknown => JSON.parse(text)))
  if (!isFields(amounts)) return noAmounts
  return parseAmounts(Object.fromEntries(Object.entries(amounts).map(([name, it]) => [name, String(it)])))
}

const noAmounts: AmountsByResource = new Map()

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1)

type Scope = Readonly<Core.ScopedResourceSelectorRequirement>

const scopesOf = ({ scopes = [], scopeSelector }: ResourceQuota["spec"]): ReadonlyArray<Scope> => [
  ...scopes.map((scopeName) => ({ scopeName, operator: "Exists" })),
  ...(scopeSelector?.matchExpressions ?? [])
]

/** Only Pods and PersistentVolumeClaims have scopes. */
const isInScope = (scope: Scope, resource: GroupResource, object: KubeObject): boolean => {
  if (resource === resources.pods) return isPodInScope(scope, (object as Pod).spec)
  if (resource !== resources.persistentVolumeClaims || scope.scopeName !== "VolumeAttributesClass")
    return false
  const classes = volumeAttributesClasses(object)
  return (classes.length === 0 ? [""] : classes).some((name) => selectsClass(scope, name))
}

const isPodInScope = (scope: Scope, spec: PodSpec): boolean => {
  switch (scope.scopeName) {
    case "Terminating":
      return hasDeadline(spec)
    case "NotTerminating":
      return !hasDeadline(spec)
    case "BestEffort":
      return qosClassOf(spec) === "BestEffort"
    case "NotBestEffort":
      return qosClassOf(spec) !== "BestEffort"
    case "PriorityClass":
      return selectsClass(scope, spec.priorityClassName ?? "")
    case "CrossNamespacePodAffinity":
      return reachesOtherNamespaces(spec)
    default:
      return false
  }
}

const hasDeadline = ({ activeDeadlineSeconds }: PodSpec): boolean => activeDeadlineSeconds !== undefined

const selectsClass = ({ operator, values = [] }: Scope, className: string): boolean => {
  switch (operator) {
    case "Exists":
      return className !== ""
    case "DoesNotExist":
      return className === ""
    case "In":
      return className !== "" && values.includes(className)
    default:
      return className === "" || !values.includes(className)
  }
}

const reachesOtherNamespaces = ({ affinity }: PodSpec): boolean =>
  [affinity?.podAffinity, affinity?.podAntiAffinity].some((rules) =>
    [
      ...(rules?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...(rules?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((it) => it.podAffinityTerm)
    ].some((term) => (term.namespaces ?? []).length > 0 || term.namespaceSelector !== undefined)
  )

/** What an unfinished Pod uses, by the resource names that quotas limit. */
export const podUsage = memoizePerPodResources((spec): AmountsByResource => {
  const usage = new Map<string, Quantity>([...objectCountUsage(resources.pods), ["pods", oneUnit]])
  const requests = withPodOverhead(podResourceAmounts(spec, "requests"), spec, "requests")
  const limits = withPodOverhead(podResourceAmounts(spec, "limits"), spec, "limits")
  for (const [name, quantity] of chargedAmounts(requests, limits)) usage.set(name, quantity)
  return usage
})

const computeResources: ReadonlySet<string> = new Set(["cpu", "memory", "ephemeral-storage"])

function* chargedAmounts(
  requests: AmountsByResource,
  limits: AmountsByResource
): Iterable<readonly [string, Quantity]> {
  for (const [name, quantity] of requests) {
    const isCompute = computeResources.has(name) || isHugePages(name)
    if (isCompute) yield [name, quantity]
    if (isCompute || name.includes("/")) yield [`requests.${name}`, quantity]
  }
  for (const [name, quantity] of limits) if (computeResources.has(name)) yield [`limits.${name}`, quantity]
}

/**
 * A terminating Pod is charged until one grace period after its deletion was due; undefined for
 * other Pods. Source: evaluator/core/pods.go (QuotaV1Pod).
 */
export const quotaReleaseMillis = ({ metadata }: Pod): number | undefined => {
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return undefined
  return timestampMillis(deletionTimestamp) + deletionGracePeriodSeconds * 1000
}

/** Amounts that each container must state if a quota limits them. */
const amountsToState: ReadonlySet<string> = new Set(
  ["cpu", "memory"].flatMap((name) => [name, `requests.${name}`, `limits.${name}`])
)

/** `must specify cpu for: app,proxy; memory for: app`; undefined if nothing is missing. */
export const missingAmountsMessage = (
  names: ReadonlyArray<string>,
  spec: PodSpecWithResources
): string | undefined => {
  // Resources of the Pod replace those of its containers.
  if (spec.resources?.requests !== undefined || spec.resources?.limits !== undefined) return undefined
  const containers = [...spec.containers, ...(spec.initContainers ?? [])]
  const missing = names
    .filter((name) => amountsToState.has(name))
    .toSorted()
    .flatMap((name) => {
      const unspecified = containers.filter(({ resources: amounts = {} }) => !specifiesAmount(amounts, name))
      const containerNames = [...new Set(unspecified.map((container) => container.name))].sort()
      return containerNames.length === 0 ? [] : [`${name} for: ${containerNames.join(",")}`]
    })
  return missing.length === 0 ? undefined : `must specify ${missing.join("; ")}`
}

const specifiesAmount = ({ requests, limits }: Core.ResourceRequirements, name: string): boolean =>
  name.startsWith("limits.")
    ? limits?.[name.slice("limits.".length)] !== undefined
    : requests?.[name.replace(/^requests\./, "")] !== undefined

/**
 * Resources that the request does not use are not checked, even if their usage exceeds the quota.
 * Source: resourcequota/controller.go (CheckRequest).
 */
export const exceededQuotaMessage = (options: {
  readonly rule: QuotaRule
  readonly resource: GroupResource
  readonly used: AmountsByResource
  readonly requested: AmountsByResource
}): string | undefined => {
  const { rule, used, requested } = options
  const exceeded = rule.hardNamesFor(options.resource).filter((name) => {
    const hard = rule.hard.get(name)
    const requestedAmount = requested.get(name)
    if (hard === undefined || requestedAmount === undefined || requestedAmount.nanos === 0n) return false
    return (
      compareQuantities(
        { ...requestedAmount, nanos: requestedAmount.nanos + (used.get(name)?.nanos ?? 0n) },
        hard
      ) > 0
    )
  })
  if (exceeded.length === 0) return undefined
  const amountsText = (amounts: AmountsByResource): string =>
    exceeded.map((name) => `${name}=${formatQuantity(amounts.get(name) ?? zeroQuantity)}`).join(",")
  return exceededQuotaText(rule.name, {
    requested: amountsText(requested),
    used: amountsText(used),
    limited: amountsText(rule.hard)
  })
}

/** An amount is for example `pods=1,requests.cpu=500m`. */
export const exceededQuotaText = (
  quotaName: string,
  { requested, used, limited }: Readonly<Record<"requested" | "used" | "limited", string>>
): string => `exceeded quota: ${quotaName}, requested: ${requested}, used: ${used}, limited: ${limited}`

export const zeroQuantity: Quantity = { nanos: 0n, format: "decimal" }

export const quotaStatus = (rule: QuotaRule, used: AmountsByResource): ResourceQuota["status"] => ({
  hard: formatAmounts(rule.hard),
  used: formatAmounts(new Map([...used].sort(byName)))
})

/** Compares amounts by value: `1Gi` equals `1073741824`. */
export const isSameQuotaStatus = (a: ResourceQuota["status"], b: ResourceQuota["status"]): boolean =>
  areSameAmounts(a.hard, b.hard) && areSameAmounts(a.used, b.used)

const areSameAmounts = (
  a: AmountTextsByResource | undefined,
  b: AmountTextsByResource | undefined
): boolean => {
  if (a === undefined || b === undefined) return a === b
  const [amounts, otherAmounts] = [parseAmounts(a), parseAmounts(b)]
  return (
    amounts.size === otherAmounts.size &&
    [...amounts].every(([name, amount]) => {
      const otherAmount = otherAmounts.get(name)
      return otherAmount !== undefined && compareQuantities(amount, otherAmount) === 0
    })
  )
}

const formatAmounts = (amounts: AmountsByResource): AmountTextsByResource & { [name: string]: string } =>
  Object.fromEntries([...amounts].map(([name, quantity]) => [name, formatQuantity(quantity)]))
