import { parseQuantity, milliValueOf } from "../meta/amounts/quantity.ts"
import { isHugePages, memoizePerPodResources, podResourceAmounts, withPodOverhead } from "./podResources.ts"
import type { Quantity } from "../meta/amounts/quantity.ts"

export interface PodRequests {
  readonly cpuMillicores: bigint
  readonly memoryMillibytes: bigint
  /** Thousandths of other resources, by name. */
  readonly others?: ReadonlyMap<string, bigint>
}

export const noPodRequests: PodRequests = { cpuMillicores: 0n, memoryMillibytes: 0n }

export const podRequestsOf = memoizePerPodResources((spec): PodRequests => {
  const requests = withPodOverhead(podResourceAmounts(spec, "requests"), spec, "requests")
  const common = {
    cpuMillicores: milliValueOrZero(requests.get("cpu")),
    memoryMillibytes: milliValueOrZero(requests.get("memory"))
  }
  const others = new Map<string, bigint>()
  for (const [name, quantity] of requests) {
    if (isScheduledResource(name) && quantity.nanos > 0n) others.set(name, milliValueOrZero(quantity))
  }
  return others.size === 0 ? common : { ...common, others }
})

/** Source: util/utils.go (IsScalarResourceName). */
const isScheduledResource = (name: string): boolean =>
  name === "ephemeral-storage" || isHugePages(name) || (name.includes("/") && !name.startsWith("requests."))

export const parseMilliValue = (text: string | undefined): bigint =>
  milliValueOrZero(text === undefined ? undefined : parseQuantity(text))

const milliValueOrZero = (quantity: Quantity | undefined): bigint =>
  quantity === undefined ? 0n : milliValueOf(quantity)
