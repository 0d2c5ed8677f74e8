import { parseQuantity, milliValueOf } from "../../kubernetes/meta/amounts/quantity.ts"
import type { Behaviour } from "../behaviour.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"
import type { Load } from "./load.ts"

/** The usage of an idle server. */
const defaultCpuMillicores = 1
const defaultMemoryBytes = 16 * 2 ** 20

interface UsedAmounts {
  readonly cpuMillicores: number
  readonly memoryBytes: number
}

type Container = Pod["spec"]["containers"][number]

/** What the container uses by itself and to serve requests; the CPU up to its limit. */
export const usageOfContainer = (
  { name, resources }: Container,
  behaviour: Behaviour,
  requestsPerSecond: number
): UsedAmounts => {
  const usage = { ...behaviour.usage, ...behaviour.containers?.[name]?.usage }
  const fixedCpuMillicores = usage.cpu === undefined ? defaultCpuMillicores : toMilliValue(usage.cpu)
  const cpuMillicores = fixedCpuMillicores + requestsPerSecond * cpuMillicoresPerRequest(behaviour.load)
  const limit = resources?.limits?.["cpu"]
  return {
    cpuMillicores: limit === undefined ? cpuMillicores : Math.min(cpuMillicores, toMilliValue(limit)),
    memoryBytes: usage.memory === undefined ? defaultMemoryBytes : toMilliValue(usage.memory) / 1000
  }
}

/** Requests a second; Infinity where nothing limits them. A Pod's first container serves them. */
export const capacityOfPod = ({ spec }: Pod, { load }: Behaviour): number => {
  if (load?.capacityPerSecond !== undefined) return load.capacityPerSecond
  const limit = spec.containers[0]?.resources?.limits?.["cpu"]
  const millicoresPerRequest = cpuMillicoresPerRequest(load)
  return limit === undefined || millicoresPerRequest === 0
    ? Infinity
    : toMilliValue(limit) / millicoresPerRequest
}

const cpuMillicoresPerRequest = (load: Load | undefined): number =>
  load?.cpuPerRequest === undefined ? 0 : toMilliValue(load.cpuPerRequest)

const toMilliValue = (text: string): number => {
  const quantity = parseQuantity(text)
  return quantity === undefined ? 0 : Number(milliValueOf(quantity))
}
