import { addQuantities, compareQuantities, parseQuantity } from "../meta/amounts/quantity.ts"
import { isSidecar } from "./containers/containerRoles.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { PodSpec } from "../meta/objects.ts"
import type { ShallowPartial } from "../validation/partialTypes.ts"
import type { Quantity } from "../meta/amounts/quantity.ts"

export type AmountsByResource = ReadonlyMap<string, Quantity>

export type AmountTextsByResource = Readonly<Record<string, string>>

type AmountField = "requests" | "limits"

export const parseAmounts = (texts: AmountTextsByResource | undefined): AmountsByResource => {
  const amounts = new Map<string, Quantity>()
  for (const [name, text] of Object.entries(texts ?? {})) {
    const quantity = parseQuantity(text)
    if (quantity !== undefined) amounts.set(name, quantity)
  }
  return amounts
}

/**
 * Pod-level amounts replace those of the containers. Source: resource/helpers.go (PodRequests, PodLimits).
 */
export const podResourceAmounts = (spec: PodSpecWithResources, field: AmountField): AmountsByResource => {
  const amounts = containerResourceAmounts(spec, field)
  const podLevelTexts = spec.resources?.[field]
  if (podLevelTexts === undefined) return amounts
  const withPodAmounts = new Map(amounts)
  for (const [name, quantity] of parseAmounts(podLevelTexts)) {
    if (isPodLevelResource(name)) withPodAmounts.set(name, quantity)
  }
  return withPodAmounts
}

/**
 * Init containers run before the app containers, with the sidecars started so far: the larger amount counts.
 * Source: resource/helpers.go (AggregateContainerRequests, AggregateContainerLimits).
 */
export const containerResourceAmounts = (
  spec: Pick<PodSpec, "containers" | "initContainers">,
  field: AmountField
): AmountsByResource => {
  const running = new Map<string, Quantity>()
  const sidecars = new Map<string, Quantity>()
  const initPeaks = new Map<string, Quantity>()
  for (const { resources } of spec.containers) addTo(running, parseAmounts(resources?.[field]))
  for (const container of spec.initContainers ?? []) {
    const amounts = parseAmounts(container.resources?.[field])
    if (isSidecar(container)) {
      addTo(running, amounts)
      addTo(sidecars, amounts)
    } else {
      const duringInit = new Map(sidecars)
      addTo(duringInit, amounts)
      raiseTo(initPeaks, duringInit)
    }
  }
  raiseTo(running, initPeaks)
  return running
}

/** Memoizes by the `containers` array, which Pods of one ReplicaSet share. */
export const memoizePerPodResources = <A>(
  compute: (spec: PodSpecWithResources) => A
): ((spec: PodSpecWithResources) => A) => {
  const results = new WeakMap<
    PodSpec["containers"],
    { readonly spec: PodSpecWithResources; readonly result: A }
  >()
  return (spec) => {
    const cached = results.get(spec.containers)
    if (cached !== undefined && hasSameOtherResources(cached.spec, spec)) return cached.result
    const result = compute(spec)
    if (Object.isFrozen(spec.containers)) results.set(spec.containers, { spec, result })
    return result
  }
}

const hasSameOtherResources = (a: PodSpecWithResources, b: PodSpecWithResources): boolean =>
  a.initContainers === b.initContainers && a.overhead === b.overhead && a.resources === b.resources

/** Pod-level resources came with 1.32 and are not in the published types yet. */
export type PodSpecWithResources = PodSpec & { readonly resources?: Readonly<Core.ResourceRequirements> }

export const isPodLevelResource = (name: string): boolean =>
  name === "cpu" || name === "memory" || isHugePages(name)

export const hasPodLevelResources = ({ resources }: ShallowPartial<PodSpecWithResources>): boolean =>
  resources !== undefined &&
  [resources.requests, resources.limits].some((amounts = {}) => Object.keys(amounts).some(isPodLevelResource))

export const hugePagesPrefix = "hugepages-"
export const isHugePages = (name: string): boolean => name.startsWith(hugePagesPrefix)

export const withPodOverhead = (
  amounts: AmountsByResource,
  spec: PodSpec,
  field: AmountField
): AmountsByResource => {
  // The overhead raises limits only where there are limits.
  const overhead = [...parseAmounts(spec.overhead)].filter(
    ([name]) => field === "requests" || amounts.has(name)
  )
  const sum = new Map(amounts)
  addTo(sum, new Map(overhead))
  return sum
}

const addTo = (sum: Map<string, Quantity>, amounts: AmountsByResource): void => {
  for (const [name, quantity] of amounts) {
    const present = sum.get(name)
    sum.set(name, present === undefined ? quantity : addQuantities(present, quantity))
  }
}

const raiseTo = (maxima: Map<string, Quantity>, amounts: AmountsByResource): void => {
  for (const [name, quantity] of amounts) {
    const present = maxima.get(name)
    if (present === undefined || compareQuantities(quantity, present) > 0) maxima.set(name, quantity)
  }
}
