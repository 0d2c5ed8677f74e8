import { aggregateText } from "../meta/text/aggregateText.ts"
import { parseAmounts, podResourceAmounts } from "../pods/podResources.ts"
import { compareQuantities, formatQuantity, milliValueOf } from "../meta/amounts/quantity.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Draft, KubeObject, PodSpec } from "../meta/objects.ts"
import type { AmountsByResource } from "../pods/podResources.ts"
import type { Quantity } from "../meta/amounts/quantity.ts"

export interface LimitRange extends KubeObject {
  readonly spec: Readonly<Core.LimitRangeSpec>
}

interface PodDraft extends Draft {
  readonly spec?: PodSpec
}

export interface PodLimits {
  /** Returns the same Pod if no amount is missing. */
  readonly fillDefaults: (pod: PodDraft) => PodDraft
  /** All violated bounds in one message. */
  readonly violation: (spec: PodSpec) => string | undefined
  readonly claimViolation: (requests: Readonly<Record<string, string>>) => string | undefined
}

/** Unlike Kubernetes, which has no fixed order, LimitRanges are sorted by name. */
export const podLimits = (ranges: Iterable<LimitRange>): PodLimits => {
  const rangesByName = [...ranges].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
  const defaults = rangesByName.map(containerDefaults)
  // Pods of one ReplicaSet share their spec.
  const filledSpecs = new WeakMap<PodSpec, FilledSpec>()
  const validSpecs = new WeakSet<PodSpec>()
  return {
    fillDefaults: (pod) => {
      const { spec } = pod
      if (spec === undefined) return pod
      const cached = filledSpecs.get(spec)
      const result = cached ?? fillSpec(spec, defaults)
      if (Object.isFrozen(spec)) filledSpecs.set(spec, result)
      if (result.annotationText === undefined) return pod
      const annotations = { ...pod.metadata.annotations, "kubernetes.io/limit-ranger": result.annotationText }
      return { ...pod, metadata: { ...pod.metadata, annotations }, spec: result.spec }
    },
    violation: (spec) => {
      if (validSpecs.has(spec)) return undefined
      for (const range of rangesByName) {
        const problems = podProblems(range, spec)
        if (problems.length > 0) return aggregateText(problems)
      }
      if (Object.isFrozen(spec)) validSpecs.add(spec)
      return undefined
    },
    claimViolation: (requests) => {
      for (const range of rangesByName) {
        const problems = claimProblems(range, parseAmounts(requests))
        if (problems.length > 0) return aggregateText(problems)
      }
      return undefined
    }
  }
}

interface FilledSpec {
  readonly spec: PodSpec
  /** Lists the defaults that were filled in; undefined if none. */
  readonly annotationText: string | undefined
}

interface Defaults {
  readonly limits: Readonly<Record<string, string>>
  readonly requests: Readonly<Record<string, string>>
}

const containerDefaults = ({ spec }: LimitRange): Defaults => {
  const items = spec.limits.filter(({ type }) => type === "Container")
  return {
    limits: Object.assign({}, ...items.map((item) => item.default)),
    requests: Object.assign({}, ...items.map((item) => item.defaultRequest))
  }
}

/**
 * The annotation lists what the last LimitRange filled in. Source:
 * limitranger/admission.go (mergePodResourceRequirements).
 */
const fillSpec = (original: PodSpec, ranges: ReadonlyArray<Defaults>): FilledSpec => {
  let spec = original
  let annotationText: string | undefined
  for (const defaults of ranges) {
    const filledIn: Array<string> = []
    const fillAll = (containers: Array<Core.Container>, containerKind: string): Array<Core.Container> =>
      containers.map((container) => {
        const { resources = {} } = container
        const requests = missingNames(resources.requests, defaults.requests)
        const limits = missingNames(resources.limits, defaults.limits)
        if (requests.length > 0)
          filledIn.push(`${requests.join(", ")} request for ${containerKind} ${container.name}`)
        if (limits.length > 0)
          filledIn.push(`${limits.join(", ")} limit for ${containerKind} ${container.name}`)
        return {
          ...container,
          resources: {
            ...resources,
            ...(limits.length === 0 ? {} : { limits: { ...defaults.limits, ...resources.limits } }),
            ...(requests.length === 0 ? {} : { requests: { ...defaults.requests, ...resources.requests } })
          }
        }
      })
    const containers = fillAll(spec.containers, "container")
    const initContainers = fillAll(spec.initContainers ?? [], "init container")
    if (filledIn.length === 0) continue
    spec = { ...spec, containers, ...(spec.initContainers === undefined ? {} : { initContainers }) }
    annotationText = `LimitRanger plugin set: ${filledIn.join("; ")}`
  }
  return { spec, annotationText }
}

/** The resources with a default but no amount, sorted. */
const missingNames = (
  present: Readonly<Record<string, string>> | undefined,
  defaults: Readonly<Record<string, string>>
): ReadonlyArray<string> =>
  Object.keys(defaults)
    .filter((name) => present?.[name] === undefined)
    .sort()

/**
 * Source: limitranger/admission.go (PodValidateLimitFunc). Unlike Kubernetes,
 * problems are sorted by resource name.
 */
const podProblems = ({ spec }: LimitRange, pod: PodSpec): ReadonlyArray<string> => {
  const problems = spec.limits.flatMap((item) => {
    switch (item.type) {
      case "Container":
        return [...pod.containers, ...(pod.initContainers ?? [])].flatMap(({ resources }) =>
          sizeProblems(item, {
            requests: parseAmounts(resources?.requests),
            limits: parseAmounts(resources?.limits)
          })
        )
      case "Pod":
        return sizeProblems(item, {
          requests: podResourceAmounts(pod, "requests"),
          limits: podResourceAmounts(pod, "limits")
        })
      default:
        return []
    }
  })
  return [...new Set(problems)]
}

/**
 * Source: limitranger/admission.go (PersistentVolumeClaimValidateLimitFunc).
 */
const claimProblems = ({ spec }: LimitRange, requests: AmountsByResource): ReadonlyArray<string> =>
  spec.limits
    .filter(({ type }) => type === "PersistentVolumeClaim")
    .flatMap((item) => sizeProblems(item, { requests, limits: new Map() }, claimBounds))

interface Amounts {
  readonly requests: AmountsByResource
  readonly limits: AmountsByResource
}

/** `type` is the type of the LimitRange item. */
type FindViolation = (name: string, bound: Quantity, amounts: AmountPair, type: string) => string | undefined

interface AmountPair {
  readonly request: Quantity | undefined
  readonly limit: Quantity | undefined
}

type Bounds = ReadonlyArray<readonly ["min" | "max" | "maxLimitRequestRatio", FindViolation]>

const sizeProblems = (
  item: Readonly<Core.LimitRangeItem>,
  { requests, limits }: Amounts,
  bounds: Bounds = containerAndPodBounds
): ReadonlyArray<string> =>
  bounds.flatMap(([field, check]) =>
    [...parseAmounts(item[field])]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(
        ([name, bound]) =>
          check(name, bound, { request: requests.get(name), limit: limits.get(name) }, item.type) ?? []
      )
  )

const belowMin: FindViolation = (name, bound, { request, limit }, type) => {
  const rule = `minimum ${name} usage per ${type} is ${formatQuantity(bound)}`
  if (request === undefined) return `${rule}.  No request is specified`
  if (compareQuantities(request, bound) < 0) return `${rule}, but request is ${formatQuantity(request)}`
  const isBelow = limit !== undefined && compareQuantities(limit, bound) < 0
  return isBelow ? `${rule}, but limit is ${formatQuantity(limit)}` : undefined
}

const aboveMax: FindViolation = (name, bound, { request, limit }, type) => {
  const rule = `maximum ${name} usage per ${type} is ${formatQuantity(bound)}`
  if (limit === undefined) return `${rule}.  No limit is specified`
  if (compareQuantities(limit, bound) > 0) return `${rule}, but limit is ${formatQuantity(limit)}`
  const isAbove = request !== undefined && compareQuantities(request, bound) > 0
  return isAbove ? `${rule}, but request is ${formatQuantity(request)}` : undefined
}

const aboveRatio: FindViolation = (name, bound, { request, limit }, type) => {
  const rule = `${name} max limit to request ratio per ${type} is ${formatQuantity(bound)}`
  if (request === undefined || request.nanos === 0n)
    return `${rule}, but no request is specified or request is 0`
  if (limit === undefined || limit.nanos === 0n) return `${rule}, but no limit is specified or limit is 0`
  const ratio = Number(milliValueOf(limit)) / Number(milliValueOf(request))
  const isAbove = ratio * 1000 > Number(milliValueOf(bound))
  return isAbove ? `${rule}, but provided ratio is ${ratio.toFixed(6)}` : undefined
}

/** A claim has no limit. */
const requestAboveMax: FindViolation = (name, bound, { request }, type) => {
  const rule = `maximum ${name} usage per ${type} is ${formatQuantity(bound)}`
  if (request === undefined) return `${rule}.  No request is specified`
  const isAbove = compareQuantities(request, bound) > 0
  return isAbove ? `${rule}, but request is ${formatQuantity(request)}` : undefined
}

const containerAndPodBounds: Bounds = [
  ["min", belowMin],
  ["max", aboveMax],
  ["maxLimitRequestRatio", aboveRatio]
]

const claimBounds: Bounds = [
  ["min", belowMin],
  ["max", requestAboveMax]
]
