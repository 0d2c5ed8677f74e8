import { parseQuantity, quantityMillis } from "../meta/amounts/quantity.ts"
import { memoizePerPodResources, podResourceAmounts, withPodOverhead } from "./podResources.ts"
import type { Quantity } from "../meta/amounts/quantity.ts"

/** CPU and memory requests of a Pod, for which the scheduler looks for room. */
export interface PodRequests {
  readonly cpuMillis: bigint
  /** Thousandths of a byte. */
  readonly memoryMillis: bigint
}

export const noPodRequests: PodRequests = { cpuMillis: 0n, memoryMillis: 0n }

export const podRequestsOf = memoizePerPodResources((spec): PodRequests => {
  const requests = withPodOverhead(podResourceAmounts(spec, "requests"), spec, "requests")
  return { cpuMillis: millisOf(requests.get("cpu")), memoryMillis: millisOf(requests.get("memory")) }
})

/** Parses an amount to thousandths; 0 if missing or invalid. */
export const parseQuantityMillis = (text: string | undefined): bigint =>
  millisOf(text === undefined ? undefined : parseQuantity(text))

const millisOf = (quantity: Quantity | undefined): bigint =>
  quantity === undefined ? 0n : quantityMillis(quantity)
