import { workloadIdOf } from "./workloads.ts"
import type { Plan, RolloutPlan } from "./summarizePlan.ts"
import type { SeedRun } from "./seeds/playSeed.ts"
import type { TruePredicate } from "./predicates.ts"

/** The reason is a text such as `lost>0, takes longest`. */
export interface ShownSeed {
  readonly seed: number
  readonly why: string
}

/** Seeds are shown in this order. */
const findingKinds = ["typical", "failing", "slowest", "fewestAvailable"] as const

interface SeedFinding extends ShownSeed {
  readonly kind: (typeof findingKinds)[number]
}

export const seedsToShow = (
  plan: Plan,
  seedRuns: ReadonlyArray<SeedRun>,
  truePredicates: ReadonlyArray<TruePredicate>
): ReadonlyArray<ShownSeed> => {
  const isOnlyRollout = plan.rollouts.length === 1
  const [firstViolation] = plan.violations
  const findings: ReadonlyArray<SeedFinding> = [
    ...plan.rollouts.flatMap((rollout) =>
      findingsOf(
        rollout,
        seedRuns,
        truePredicates.filter((truePredicate) => truePredicate.rollout === rollout)
      ).map((finding) => (isOnlyRollout ? finding : { ...finding, why: `${rollout.name} ${finding.why}` }))
    ),
    ...(firstViolation === undefined
      ? []
      : [{ kind: "failing", seed: firstViolation.seed, why: "a broken rule" } as const])
  ]
  const whysBySeed = new Map<number, ReadonlyArray<string>>()
  for (const findingKind of findingKinds) {
    for (const { kind, seed, why } of findings)
      if (kind === findingKind) whysBySeed.set(seed, [...(whysBySeed.get(seed) ?? []), why])
  }
  return [...whysBySeed].map(([seed, whys]) => ({ seed, why: whys.join(", ") }))
}

const findingsOf = (
  rollout: RolloutPlan,
  seedRuns: ReadonlyArray<SeedRun>,
  truePredicates: ReadonlyArray<TruePredicate>
): ReadonlyArray<SeedFinding> => {
  const { typical, duration, available, desired, firstMissedSeed, late, stuck } = rollout
  const missedText = stuck > 0 ? (late > 0 ? "late or stuck" : "stuck") : "late"
  const isBelowDesired = available !== undefined && available.fewest < desired
  const findings: ReadonlyArray<Omit<SeedFinding, "seed"> & { readonly seed: number | undefined }> = [
    { kind: "typical", seed: typical.seed, why: "typical" },
    { kind: "failing", seed: firstMissedSeed, why: missedText },
    ...truePredicates.map(({ predicate: { measure, text } }) => {
      return { kind: "failing", seed: worstSeedFor(rollout, seedRuns, measure), why: text } as const
    }),
    {
      kind: "slowest",
      seed: duration?.worst === Infinity ? undefined : duration?.worstSeed,
      why: "takes longest"
    },
    { kind: "fewestAvailable", seed: isBelowDesired ? available.seed : undefined, why: "fewest available" }
  ]
  return findings.flatMap(({ seed, ...finding }) => (seed === undefined ? [] : [{ ...finding, seed }]))
}

const worstSeedFor = (
  rollout: RolloutPlan,
  seedRuns: ReadonlyArray<SeedRun>,
  measure: TruePredicate["predicate"]["measure"]
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

const seedWithMostPods = (rollout: RolloutPlan, seedRuns: ReadonlyArray<SeedRun>): number | undefined =>
  seedRuns.find(
    ({ rollouts }) => rollouts.get(workloadIdOf(rollout))?.extremes.podsMost === rollout.pods.most
  )?.seed
