import type { Plan, RolloutPlan } from "./plan.ts"
import type { SeedRun } from "./planRun.ts"
import type { TrippedPredicate } from "./predicates.ts"

/** A seed that says something of a plan when it is watched, and what: `typical`, `lost>0, takes longest`. */
export interface WatchedSeed {
  readonly seed: number
  readonly why: string
}

/** What a seed may show, the most telling first. */
const kinds = ["typical", "wrong", "slowest", "shortest"] as const

interface Found extends WatchedSeed {
  readonly kind: (typeof kinds)[number]
}

/**
 * Of every rollout the seed in the middle, those with which it comes to what must not be, the slowest and the one with
 * the fewest available: each seed once, the most telling first.
 */
export const watchedSeeds = (
  plan: Plan,
  played: ReadonlyArray<SeedRun>,
  tripped: ReadonlyArray<TrippedPredicate>
): ReadonlyArray<WatchedSeed> => {
  const isAlone = plan.rollouts.length === 1
  const [broken] = plan.violations
  const found: ReadonlyArray<Found> = [
    ...plan.rollouts.flatMap((rollout) =>
      foundOf(
        rollout,
        played,
        tripped.filter((it) => it.rollout === rollout)
      ).map((it) => (isAlone ? it : { ...it, why: `${rollout.name} ${it.why}` }))
    ),
    ...(broken === undefined ? [] : [{ kind: "wrong", seed: broken.seed, why: "a broken rule" } as const])
  ]
  const reasons = new Map<number, ReadonlyArray<string>>()
  for (const wanted of kinds) {
    for (const { kind, seed, why } of found)
      if (kind === wanted) reasons.set(seed, [...(reasons.get(seed) ?? []), why])
  }
  return [...reasons].map(([seed, whys]) => ({ seed, why: whys.join(", ") }))
}

const foundOf = (
  rollout: RolloutPlan,
  played: ReadonlyArray<SeedRun>,
  tripped: ReadonlyArray<TrippedPredicate>
): ReadonlyArray<Found> => {
  const { typical, duration, available, desired, firstMissedSeed, late, stuck } = rollout
  const missed = stuck > 0 ? (late > 0 ? "late or stuck" : "stuck") : "late"
  const isShort = available !== undefined && available.fewest < desired
  const found: ReadonlyArray<Omit<Found, "seed"> & { readonly seed: number | undefined }> = [
    { kind: "typical", seed: typical.seed, why: "typical" },
    { kind: "wrong", seed: firstMissedSeed, why: missed },
    ...tripped.map(({ predicate: { measure, text } }) => {
      return { kind: "wrong", seed: trippingSeed(rollout, played, measure), why: text } as const
    }),
    {
      kind: "slowest",
      seed: duration?.worst === Infinity ? undefined : duration?.worstSeed,
      why: "takes longest"
    },
    { kind: "shortest", seed: isShort ? available.seed : undefined, why: "fewest available" }
  ]
  return found.flatMap(({ seed, ...it }) => (seed === undefined ? [] : [{ ...it, seed }]))
}

/** The seed with which a measure is at its worst. */
const trippingSeed = (
  rollout: RolloutPlan,
  played: ReadonlyArray<SeedRun>,
  measure: TrippedPredicate["predicate"]["measure"]
): number | undefined => {
  switch (measure) {
    case "available":
      return rollout.available?.seed
    case "lost":
      return rollout.requests?.seed
    case "stuck":
      return rollout.firstMissedSeed
    case "pods":
      return mostPods(rollout, played)
    default:
      return rollout.duration?.worstSeed ?? rollout.firstMissedSeed
  }
}

const mostPods = (
  { namespace, name, pods }: RolloutPlan,
  played: ReadonlyArray<SeedRun>
): number | undefined =>
  played.find(({ rollouts }) => rollouts.get(`${namespace}/${name}`)?.extremes.podsMost === pods.most)?.seed
