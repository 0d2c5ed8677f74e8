import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64"
import { podRandom } from "../behaviours/podRandom.ts"
import type { RandomGenerator } from "pure-rand/types/RandomGenerator"

/** The draws depend on the seed and `purpose` alone: other faults do not change them. */
export const randomGeneratorFor = (seed: number, ...purpose: ReadonlyArray<unknown>): RandomGenerator =>
  podRandom(seed, purpose.map((it) => textOf(it)).join(" "))

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_key, it: unknown) =>
    typeof it === "object" && it !== null && !Array.isArray(it)
      ? Object.fromEntries(Object.entries(it).sort(([a], [b]) => (a < b ? -1 : 1)))
      : it
  ) ?? ""

export const drawSubset = <A>(
  random: RandomGenerator,
  items: ReadonlyArray<A>,
  count: number
): ReadonlyArray<A> => {
  let remainingCount = Math.min(count, items.length)
  // Knuth's algorithm S.
  return items.filter((_, index) => {
    if (uniformFloat64(random) * (items.length - index) >= remainingCount) return false
    remainingCount -= 1
    return true
  })
}
