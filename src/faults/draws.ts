import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64"
import { chanceOf } from "../behaviours/chance.ts"
import type { RandomGenerator } from "pure-rand/types/RandomGenerator"

/**
 * Chance for one fault. It hangs on the seed and on whatever tells the fault apart, and on nothing that was drawn
 * before: where others are left out, the same fault at the same time meets the same Pods.
 */
export const chanceFor = (seed: number, ...telling: ReadonlyArray<unknown>): RandomGenerator =>
  chanceOf(seed, telling.map((it) => textOf(it)).join(" "))

/** One text whatever the order of an object's fields. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_key, it: unknown) =>
    typeof it === "object" && it !== null && !Array.isArray(it)
      ? Object.fromEntries(Object.entries(it).sort(([a], [b]) => (a < b ? -1 : 1)))
      : it
  ) ?? ""

/** Some of many, each as likely as any other, in the order in which they stood. */
export const drawSome = <A>(
  chance: RandomGenerator,
  many: ReadonlyArray<A>,
  count: number
): ReadonlyArray<A> => {
  let wanted = Math.min(count, many.length)
  // Knuth's algorithm S: each is taken with the chance that is left for those still wanted.
  return many.filter((_, place) => {
    if (uniformFloat64(chance) * (many.length - place) >= wanted) return false
    wanted -= 1
    return true
  })
}
