import { podLimits } from "../../kubernetes/core/limitRanges.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import type { LimitRange, PodLimits } from "../../kubernetes/core/limitRanges.ts"
import type { ObjectIndex } from "./objectIndex.ts"

export interface LimitRangeIndex extends ObjectIndex {
  readonly limitsOf: (namespace: string | undefined) => PodLimits | undefined
}

export const makeLimitRangeIndex = (): LimitRangeIndex => {
  const rangesByNamespace = new Map<string, Map<string, LimitRange>>()
  const limitsByNamespace = new Map<string, PodLimits>()
  return {
    update: (resource, old, next) => {
      if (resource !== resources.limitRanges) return
      const { name, namespace = "" } = (next ?? old)?.metadata ?? {}
      if (name === undefined) return
      const rangesOfNamespace = rangesByNamespace.get(namespace) ?? new Map<string, LimitRange>()
      if (next === undefined) rangesOfNamespace.delete(name)
      // Stored LimitRanges have been validated.
      else rangesOfNamespace.set(name, next as LimitRange)
      if (rangesOfNamespace.size === 0) {
        rangesByNamespace.delete(namespace)
        limitsByNamespace.delete(namespace)
      } else {
        rangesByNamespace.set(namespace, rangesOfNamespace)
        limitsByNamespace.set(namespace, podLimits(rangesOfNamespace.values()))
      }
    },
    limitsOf: (namespace) => limitsByNamespace.get(namespace ?? "")
  }
}
