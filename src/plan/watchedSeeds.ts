import type { Plan, RolloutPlan } from "./planRollout.ts"
import type { SeedRun } from "./seeds/playSeed.ts"
import type { FailingPredicate } from "./predicates.ts"

/** A seed worth watching, and why: `typical`, `lost>0, takes longest`. */
export interface WatchedSeed {
  readonly seed: number
  readonly why: string
}

const kinds = ["typical", "wrong", "slowest", "shortest"] as const

interface SeedFinding extends WatchedSeed {
  readonly kind: (typeof kinds)[number]
}

/**
 * For each rollout the median seed, those that fail a condition, the slowest, and the one with the fewest available
 * Pods: each seed once.
 */
export const watchedSeeds = (
  plan: Plan,
  seedRuns: ReadonlyArray<SeedRun>,
  failing: ReadonlyArray<FailingPredicate>
): ReadonlyArray<WatchedSeed> => {
  const isAlone = plan.rollouts.length === 1
  const [broken] = plan.violations
  const found: ReadonlyArray<SeedFinding> = [
    ...plan.rollouts.flatMap((rollout) =>
      findingsOf(
        rollout,
        seedRuns,
        failing.filter((it) => it.rollout === rollout)
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

const findingsOf = (
  rollout: RolloutPlan,
  seedRuns: ReadonlyArray<SeedRun>,
  failing: ReadonlyArray<FailingPredicate>
): ReadonlyArray<SeedFinding> => {
  const { typical, duration, available, desired, firstMissedSeed, late, stuck } = rollout
  const missed = stuck > 0 ? (late > 0 ? "late or stuck" : "stuck") : "late"
  const isShort = available !== undefined && available.fewest < desired
  const found: ReadonlyArray<Omit<SeedFinding, "seed"> & { readonly seed: number | undefined }> = [
    { kind: "typical", seed: typical.seed, why: "typical" },
    { kind: "wrong", seed: firstMissedSeed, why: missed },
    ...failing.map(({ predicate: { measure, text } }) => {
      return { kind: "wrong", seed: worstSeedFor(rollout, seedRuns, measure), why: text } as const
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

const worstSeedFor = (
  rollout: RolloutPlan,
  seedRuns: ReadonlyArray<SeedRun>,
  measure: FailingPredicate["predicate"]["measure"]
): number | undefined => {
  switch (measure) {
    case "available":
      return rollout.available?.seed
    case "lost":
      return rollout.requests?.seed
    case "stuck":
      return rollout.firstMissedSeed
    case "pods":
      return seedWithMostPods(rollout, seedRuns)
    default:
      return rollout.duration?.worstSeed ?? rollout.firstMissedSeed
  }
}

const seedWithMostPods = (
  { namespace, name, pods }: RolloutPlan,
  seedRuns: ReadonlyArray<SeedRun>
): number | undefined =>
  seedRuns.find(({ rollouts }) => rollouts.get(`${namespace}/${name}`)?.extremes.podsMost === pods.most)?.seed
