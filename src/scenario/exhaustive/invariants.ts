import { tripped } from "../plan/predicates.ts"
import type { Predicate } from "../plan/predicates.ts"
import type { Invariant } from "./search.ts"

/** Why a predicate cannot be asked of a single state; undefined where it can. */
export const unaskable = ({ measure }: Predicate): string | undefined =>
  measure === "available" || measure === "pods"
    ? undefined
    : "where every order is explored only available and pods can be compared: no time passes, and nobody sends requests"

/** What must not be, asked of every state. */
export const invariantOf = (predicate: Predicate): Invariant => {
  const known = new Map<number, string | undefined>()
  return {
    text: predicate.text,
    broken: ({ desired, available, pods }) => {
      const key = available * 64 + pods
      if (known.has(key)) return known.get(key)
      const actual = tripped(predicate, { ...nothingElse, desired, available, pods })
      const text = predicate.measure === "pods" ? `${actual} Pods` : `${actual} available`
      const sums = actual === undefined ? undefined : `${text}, ${desired} desired`
      known.set(key, sums)
      return sums
    }
  }
}

const nothingElse = { stuck: 0, lost: undefined, requests: 0, seeds: 1, durationMillis: undefined }
