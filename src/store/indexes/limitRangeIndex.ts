import { podLimits } from "../../kubernetes/core/limitRanges.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import type { LimitRange, PodLimits } from "../../kubernetes/core/limitRanges.ts"
import type { ObjectIndex } from "./objectIndex.ts"

export interface LimitRangeIndex extends ObjectIndex {
  readonly limitsOf: (namespace: string | undefined) => PodLimits | undefined
}

export const makeLimitRangeIndex = (): LimitRangeIndex => {
  const ranges = new Map<string, Map<string, LimitRange>>()
  const limits = new Map<string, PodLimits>()
  return {
    update: (resource, old, next) => {
      if (resource !== resources.limitRanges) return
      const { name, namespace = "" } = (next ?? old)?.metadata ?? {}
      if (name === undefined) return
      const inNamespace = ranges.get(namespace) ?? new Map<string, LimitRange>()
      if (next === undefined) inNamespace.delete(name)
      // Stored LimitRanges have been validated.
      else inNamespace.set(name, next as LimitRange)
      if (inNamespace.size === 0) {
        ranges.delete(namespace)
        limits.delete(namespace)
      } else {
        ranges.set(namespace, inNamespace)
        limits.set(namespace, podLimits(inNamespace.values()))
      }
    },
    limitsOf: (namespace) => limits.get(namespace ?? "")
  }
}
