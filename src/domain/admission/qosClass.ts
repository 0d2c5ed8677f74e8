import type * as Core from "kubernetes-types/core/v1.js"
import { addQuantities, compareQuantities, parseQuantity, type Quantity } from "../quantity.ts"
import type { PodSpecDraft } from "./podSpec.ts"
import type { ResourceAmounts } from "./resources.ts"
import type { Loose } from "./sharing.ts"

type QosClass = "Guaranteed" | "Burstable" | "BestEffort"

/**
 * How a node treats the Pod when it runs short: by what all of its containers ask for and are limited to.
 *
 * Source: pkg/apis/core/v1/helper/qos/qos.go (ComputePodQOS).
 */
export const qosClassOf = (spec: PodSpecDraft): QosClass => {
  const known = classes.get(spec)
  if (known !== undefined) return known
  const found = computeQosClass(spec)
  if (Object.isFrozen(spec)) classes.set(spec, found)
  return found
}

const classes = new WeakMap<PodSpecDraft, QosClass>()

/** Only these two say how much of a node a Pod is sure of. */
const countedResources = ["cpu", "memory"] as const

type Totals = Map<string, Quantity>

const computeQosClass = (spec: PodSpecDraft): QosClass => {
  const requests: Totals = new Map()
  const limits: Totals = new Map()
  let isEachLimited = true
  const containers: ReadonlyArray<Loose<Core.Container>> = [
    ...(spec.containers ?? []),
    ...(spec.initContainers ?? [])
  ]
  for (const { resources } of containers) {
    addAmounts(requests, resources?.requests)
    if (addAmounts(limits, resources?.limits) < countedResources.length) isEachLimited = false
  }
  if (requests.size === 0 && limits.size === 0) return "BestEffort"
  return isEachLimited && isSameTotals(requests, limits) ? "Guaranteed" : "Burstable"
}

/** Adds what is more than nothing, and says of how many resources that was. */
const addAmounts = (totals: Totals, amounts: ResourceAmounts | undefined): number => {
  let count = 0
  for (const name of countedResources) {
    const amount = amounts?.[name]
    const quantity = amount === undefined ? undefined : parseQuantity(amount)
    if (quantity === undefined || quantity.nanos <= 0n) continue
    const total = totals.get(name)
    totals.set(name, total === undefined ? quantity : addQuantities(total, quantity))
    count += 1
  }
  return count
}

const isSameTotals = (a: Totals, b: Totals): boolean =>
  a.size === b.size &&
  [...a].every(([name, quantity]) => {
    const other = b.get(name)
    return other !== undefined && compareQuantities(quantity, other) === 0
  })
