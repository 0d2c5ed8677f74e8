import { parseQuantity } from "../../meta/amounts/quantity.ts"
import { hasPodLevelResources } from "../../pods/podResources.ts"
import type { PodSpecDraft } from "./validatePodSpec.ts"
import type { ResourceAmounts } from "./validateResources.ts"

type QosClass = "Guaranteed" | "Burstable" | "BestEffort"

/**
 * Resources of the Pod replace those of its containers. Source: pkg/apis/core/v1/helper/qos/qos.go
 * (ComputePodQOS).
 */
export const qosClassOf = (spec: PodSpecDraft): QosClass => {
  const cached = cachedClasses.get(spec)
  if (cached !== undefined) return cached
  const qosClass = computeQosClass(spec)
  // A spec that is not frozen may still change.
  if (Object.isFrozen(spec)) cachedClasses.set(spec, qosClass)
  return qosClass
}

const cachedClasses = new WeakMap<PodSpecDraft, QosClass>()

const countedResources = ["cpu", "memory"] as const

const computeQosClass = (spec: PodSpecDraft): QosClass => {
  const holders: ReadonlyArray<Pick<PodSpecDraft, "resources">> = hasPodLevelResources(spec)
    ? [spec]
    : [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
  const amounts = holders.flatMap(({ resources: { limits, requests } = {} }) =>
    countedResources.map((name) => ({ limit: nanosOf(limits, name), request: nanosOf(requests, name) }))
  )
  if (amounts.every(({ limit, request }) => limit === 0n && request === 0n)) return "BestEffort"
  const isGuaranteed = amounts.every(({ limit, request }) => limit > 0n && limit === request)
  return isGuaranteed ? "Guaranteed" : "Burstable"
}

const nanosOf = (amounts: ResourceAmounts | undefined, name: string): bigint =>
  parseQuantity(amounts?.[name] ?? "")?.nanos ?? 0n
