import { parseQuantity, quantityMillis } from "../meta/amounts/quantity.ts"
import { isHugePages, memoizePerPodResources, podResourceAmounts, withPodOverhead } from "./podResources.ts"
import type { Quantity } from "../meta/amounts/quantity.ts"

/** What a Pod requests, for which the scheduler looks for room. */
export interface PodRequests {
  readonly cpuMillis: bigint
  /** Thousandths of a byte. */
  readonly memoryMillis: bigint
  /** Thousandths of ephemeral storage, huge pages and extended resources, by name. Left out where there are none. */
  readonly others?: ReadonlyMap<string, bigint>
}

export const noPodRequests: PodRequests = { cpuMillis: 0n, memoryMillis: 0n }

export const podRequestsOf = memoizePerPodResources((spec): PodRequests => {
  const requests = withPodOverhead(podResourceAmounts(spec, "requests"), spec, "requests")
  const common = { cpuMillis: millisOf(requests.get("cpu")), memoryMillis: millisOf(requests.get("memory")) }
  const others = new Map<string, bigint>()
  for (const [name, quantity] of requests) {
    if (isScheduledResource(name) && quantity.nanos > 0n) others.set(name, millisOf(quantity))
  }
  return others.size === 0 ? common : { ...common, others }
})

/**
 * Whether the scheduler counts a resource other than CPU, memory and Pods.
 * Source: pkg/scheduler/util/utils.go (IsScalarResourceName), pkg/apis/core/v1/helper/helpers.go.
 */
const isScheduledResource = (name: string): boolean =>
  name === "ephemeral-storage" || isHugePages(name) || (name.includes("/") && !name.startsWith("requests."))

/** Parses an amount to thousandths; 0 if missing or invalid. */
export const parseQuantityMillis = (text: string | undefined): bigint =>
  millisOf(text === undefined ? undefined : parseQuantity(text))

const millisOf = (quantity: Quantity | undefined): bigint =>
  quantity === undefined ? 0n : quantityMillis(quantity)
