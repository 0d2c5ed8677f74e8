import { failingValue } from "../predicates.ts"
import type { Predicate } from "../predicates.ts"
import type { StateInvariant } from "./searchStates.ts"

export const whyNotInvariant = ({ measure }: Predicate): string | undefined =>
  measure === "available" || measure === "pods"
    ? undefined
    : "where every order is explored only available and pods can be compared: no time passes, and no client sends requests"

/**
 * The invariant is that the predicate never holds. The cache is small: millions of states have few different counts.
 */
export const toStateInvariant = (predicate: Predicate): StateInvariant => {
  const cache = new Map<number, string | undefined>()
  return {
    text: predicate.text,
    violation: ({ desired, available, pods }) => {
      // Two ReplicaSets of at most 15 Pods have fewer than 64.
      const key = available * 64 + pods
      if (cache.has(key)) return cache.get(key)
      const actual = failingValue(predicate, { ...unmeasuredFields, desired, available, pods })
      const text = predicate.measure === "pods" ? `${actual} Pods` : `${actual} available`
      const sums = actual === undefined ? undefined : `${text}, ${desired} desired`
      cache.set(key, sums)
      return sums
    }
  }
}

const unmeasuredFields = { stuck: 0, lost: undefined, requests: 0, seeds: 1, durationMillis: undefined }
