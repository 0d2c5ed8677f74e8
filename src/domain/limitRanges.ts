import { amountsOf, podAmounts } from "./podResources.ts"
import { compareQuantities, formatQuantity, quantityMillis } from "./quantity.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Draft, KubeObject, PodSpec } from "./objects.ts"
import type { Amounts } from "./podResources.ts"
import type { Quantity } from "./quantity.ts"

/** How large the Pods and containers of a namespace may be, and what is filled in where they do not say. */
export interface LimitRange extends KubeObject {
  readonly spec: Readonly<Core.LimitRangeSpec>
}

type Item = Readonly<Core.LimitRangeItem>

interface PodDraft extends Draft {
  readonly spec?: PodSpec
}

/** All LimitRanges of one namespace, made ready to be asked about Pods. */
export interface PodLimits {
  /** The Pod with every amount filled in that it lacks, and an annotation that tells which; itself if none. */
  readonly fill: (pod: PodDraft) => PodDraft
  /** Why the Pod is too large, too small or too unequal; undefined where it is neither. */
  readonly refusal: (spec: PodSpec) => string | undefined
}

/** In order of their names, for Kubernetes takes them in no order of its own. */
export const podLimits = (ranges: Iterable<LimitRange>): PodLimits => {
  const ordered = [...ranges].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
  const defaults = ordered.map(containerDefaults)
  // The Pods of one ReplicaSet share their spec; so do they once it is filled in.
  const filled = new WeakMap<PodSpec, Filled>()
  const passed = new WeakSet<PodSpec>()
  return {
    fill: (pod) => {
      const { spec } = pod
      if (spec === undefined) return pod
      const known = filled.get(spec)
      const made = known ?? fillSpec(spec, defaults)
      if (Object.isFrozen(spec)) filled.set(spec, made)
      if (made.note === undefined) return pod
      const annotations = { ...pod.metadata.annotations, "kubernetes.io/limit-ranger": made.note }
      return { ...pod, metadata: { ...pod.metadata, annotations }, spec: made.spec }
    },
    refusal: (spec) => {
      if (passed.has(spec)) return undefined
      for (const range of ordered) {
        const found = violations(range, spec)
        if (found.length > 0) return found.length === 1 ? found[0] : `[${found.join(", ")}]`
      }
      if (Object.isFrozen(spec)) passed.add(spec)
      return undefined
    }
  }
}

interface Filled {
  readonly spec: PodSpec
  readonly note: string | undefined
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
 * Each LimitRange in turn fills in what is still missing; the annotation tells what the last one did.
 *
 * Source: plugin/pkg/admission/limitranger/admission.go (mergePodResourceRequirements).
 */
const fillSpec = (original: PodSpec, ranges: ReadonlyArray<Defaults>): Filled => {
  let spec = original
  let note: string | undefined
  for (const defaults of ranges) {
    const told: Array<string> = []
    const fillAll = (containers: Array<Core.Container>, what: string): Array<Core.Container> =>
      containers.map((container) => {
        const { resources = {} } = container
        const requests = lacking(resources.requests, defaults.requests)
        const limits = lacking(resources.limits, defaults.limits)
        if (requests.length > 0) told.push(`${requests.join(", ")} request for ${what} ${container.name}`)
        if (limits.length > 0) told.push(`${limits.join(", ")} limit for ${what} ${container.name}`)
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
    if (told.length === 0) continue
    spec = { ...spec, containers, ...(spec.initContainers === undefined ? {} : { initContainers }) }
    note = `LimitRanger plugin set: ${told.join("; ")}`
  }
  return { spec, note }
}

const lacking = (
  present: Readonly<Record<string, string>> | undefined,
  defaults: Readonly<Record<string, string>>
): ReadonlyArray<string> =>
  Object.keys(defaults)
    .filter((name) => present?.[name] === undefined)
    .sort()

/**
 * Source: plugin/pkg/admission/limitranger/admission.go (PodValidateLimitFunc). Unlike Kubernetes, which goes
 * through its maps in any order, resources are told in the order of their names.
 */
const violations = ({ spec }: LimitRange, pod: PodSpec): ReadonlyArray<string> => {
  const found = spec.limits.flatMap((item) => {
    switch (item.type) {
      case "Container":
        return [...pod.containers, ...(pod.initContainers ?? [])].flatMap(({ resources }) =>
          sizeProblems(item, {
            requests: amountsOf(resources?.requests),
            limits: amountsOf(resources?.limits)
          })
        )
      case "Pod":
        return sizeProblems(item, {
          requests: podAmounts(pod, "requests"),
          limits: podAmounts(pod, "limits")
        })
      default:
        return []
    }
  })
  return [...new Set(found)]
}

interface Size {
  readonly requests: Amounts
  readonly limits: Amounts
}

type Check = (name: string, bound: Quantity, sides: SizeOf, type: string) => string | undefined

/** Of one resource. */
interface SizeOf {
  readonly request: Quantity | undefined
  readonly limit: Quantity | undefined
}

const sizeProblems = (item: Item, { requests, limits }: Size): ReadonlyArray<string> =>
  (
    [
      [item.min, belowMin],
      [item.max, aboveMax],
      [item.maxLimitRequestRatio, beyondRatio]
    ] as const
  ).flatMap(([bounds, check]) =>
    [...amountsOf(bounds)]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(
        ([name, bound]) =>
          check(name, bound, { request: requests.get(name), limit: limits.get(name) }, item.type) ?? []
      )
  )

const belowMin: Check = (name, bound, { request, limit }, type) => {
  const rule = `minimum ${name} usage per ${type} is ${formatQuantity(bound)}`
  if (request === undefined) return `${rule}.  No request is specified`
  if (compareQuantities(request, bound) < 0) return `${rule}, but request is ${formatQuantity(request)}`
  const isBelow = limit !== undefined && compareQuantities(limit, bound) < 0
  return isBelow ? `${rule}, but limit is ${formatQuantity(limit)}` : undefined
}

const aboveMax: Check = (name, bound, { request, limit }, type) => {
  const rule = `maximum ${name} usage per ${type} is ${formatQuantity(bound)}`
  if (limit === undefined) return `${rule}.  No limit is specified`
  if (compareQuantities(limit, bound) > 0) return `${rule}, but limit is ${formatQuantity(limit)}`
  const isAbove = request !== undefined && compareQuantities(request, bound) > 0
  return isAbove ? `${rule}, but request is ${formatQuantity(request)}` : undefined
}

const beyondRatio: Check = (name, bound, { request, limit }, type) => {
  const rule = `${name} max limit to request ratio per ${type} is ${formatQuantity(bound)}`
  if (request === undefined || request.nanos === 0n)
    return `${rule}, but no request is specified or request is 0`
  if (limit === undefined || limit.nanos === 0n) return `${rule}, but no limit is specified or limit is 0`
  const ratio = Number(quantityMillis(limit)) / Number(quantityMillis(request))
  const isBeyond = ratio * 1000 > Number(quantityMillis(bound))
  return isBeyond ? `${rule}, but provided ratio is ${ratio.toFixed(6)}` : undefined
}
