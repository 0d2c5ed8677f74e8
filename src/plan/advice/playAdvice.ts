import * as Effect from "effect/Effect"
import { changeTexts } from "./changeTexts.ts"
import { changesBefore } from "./objectChange.ts"
import { isBetter } from "./improvement.ts"
import { judgePlan } from "../verdicts/judgePlan.ts"
import { planProposals } from "./planProposals.ts"
import { summarizePlan } from "../summarizePlan.ts"
import { workloadIdOf } from "../workloads.ts"
import type { AdvisedRollout, PlayedAdvice, AdvisedChange, VariantFigures } from "./playedAdvice.ts"
import type { ObjectChange } from "./objectChange.ts"
import type { PlanWorld, SeedRun } from "../seeds/playSeed.ts"
import type { Proposal } from "./adviserTypes.ts"
import type { RolloutVerdict } from "../verdicts/judgePlan.ts"
import type { WorkloadId } from "../workloads.ts"

/** A seed to play with changed manifests. */
export interface Variant {
  readonly seed: number
  readonly changes: ReadonlyArray<ObjectChange>
}

type PlayVariants<E> = (variants: ReadonlyArray<Variant>) => Effect.Effect<ReadonlyArray<SeedRun>, E>

export type AdvisedRollouts = ReadonlyMap<WorkloadId, AdvisedRollout>

type Verdicts = ReadonlyMap<WorkloadId, RolloutVerdict>

type Change = Proposal & { readonly change: ObjectChange }

/** How far the search for helpful proposals has come for one workload. */
interface Search {
  readonly id: WorkloadId
  readonly proposals: ReadonlyArray<Proposal>
  readonly changes: ReadonlyArray<Change>
  readonly kept: ReadonlyArray<KeptChange>
  readonly rejected: ReadonlyArray<Change>
  /** With all helpful changes so far. */
  readonly best: RolloutVerdict
}

interface KeptChange {
  readonly proposal: Change
  readonly verdict: RolloutVerdict
  readonly needsOthers: boolean
}

/** The typical seed and the worst ones suffice to judge a change. */
const seedsMax = 5

/**
 * Plays proposals with a few of the seeds of `seedRuns`, and keeps those that make the rollout better. First each
 * proposal is played alone, then all helpful ones together, then each of the others in addition to them. The proposals
 * for all workloads are played at once.
 */
export const playAdvice = Effect.fnUntraced(function* <E>(
  world: PlanWorld,
  seedRuns: ReadonlyArray<SeedRun>,
  playVariants: PlayVariants<E>
): Effect.fn.Return<AdvisedRollouts, E> {
  const plan = summarizePlan(world, seedRuns)
  const proposals = planProposals(world, plan, seedRuns)
  const advised = [...proposals].filter(([, it]) => it.some(isChange)).map(([id]) => id)
  const seeds = seedsToPlay(plan.rollouts.filter((it) => advised.includes(workloadIdOf(it))))
  const without = verdictsOf(world, seedRuns.filter(({ seed }) => seeds.includes(seed)).map(withoutUndo))
  const playAll = Effect.fnUntraced(function* (
    variants: ReadonlyArray<ReadonlyArray<ObjectChange>>
  ): Effect.fn.Return<ReadonlyArray<Verdicts>, E> {
    if (variants.length === 0) return []
    const runs = yield* playVariants(variants.flatMap((changes) => seeds.map((seed) => ({ seed, changes }))))
    return variants.map((_, index) =>
      verdictsOf(world, runs.slice(index * seeds.length, (index + 1) * seeds.length))
    )
  })
  const searches = [...proposals].flatMap(([id, all]): ReadonlyArray<Search> => {
    const best = without.get(id)
    const changes = all.filter(isChange)
    return best === undefined ? [] : [{ id, proposals: all, changes, kept: [], rejected: [], best }]
  })
  const alone = yield* playEachAlone(searches, playAll)
  const together = yield* playTogether(alone, without, playAll)
  const done = yield* playBeside(together, playAll)
  const figuresWithout = (id: WorkloadId): VariantFigures | undefined => {
    const verdict = without.get(id)
    return verdict === undefined ? undefined : figuresOf(verdict, seeds)
  }
  const remarksOnly = [...proposals].map(([id, all]): readonly [WorkloadId, AdvisedRollout] => [
    id,
    { advice: [], together: undefined, remarks: all.flatMap((it) => remarkOf(it) ?? []) }
  ])
  return new Map([
    ...remarksOnly,
    ...done.flatMap((search) => {
      const before = figuresWithout(search.id)
      return before === undefined
        ? []
        : [[search.id, advisedRollout(world, search, { before, seeds })] as const]
    })
  ])
})

const isChange = (proposal: Proposal): proposal is Change => proposal.change !== undefined

const remarkOf = ({ text, change, remark }: Proposal): string | undefined =>
  change === undefined ? text : remark

/** The seeds from which the figures of a plan come; late and stuck ones first. */
const seedsToPlay = (rollouts: ReturnType<typeof summarizePlan>["rollouts"]): ReadonlyArray<number> => {
  const named = [
    rollouts.map(({ firstMissedSeed }) => firstMissedSeed),
    rollouts.map(({ requests }) => requests?.seed),
    rollouts.map(({ available }) => available?.seed),
    rollouts.map(({ typical }) => typical.seed),
    rollouts.map(({ duration }) => duration?.worstSeed)
  ]
  return [...new Set(named.flat().filter((seed) => seed !== undefined))]
    .slice(0, seedsMax)
    .sort((a, b) => a - b)
}

/** For a fair comparison: variants are played without an undo. */
const withoutUndo = (run: SeedRun): SeedRun => ({
  ...run,
  rollouts: new Map(
    [...run.rollouts].map(([id, it]) => [id, { ...it, undoMillis: undefined, isUndone: false }])
  )
})

const verdictsOf = (world: PlanWorld, runs: ReadonlyArray<SeedRun>): Verdicts => {
  const plan = summarizePlan(world, runs)
  const { rollouts } = judgePlan(plan, { predicates: [], failed: [], acceptedKinds: [] })
  return new Map(rollouts.map((it) => [workloadIdOf(it.rollout), it]))
}

type PlayAll<E> = (
  variants: ReadonlyArray<ReadonlyArray<ObjectChange>>
) => Effect.Effect<ReadonlyArray<Verdicts>, E>

const playEachAlone = Effect.fnUntraced(function* <E>(
  searches: ReadonlyArray<Search>,
  playAll: PlayAll<E>
): Effect.fn.Return<ReadonlyArray<Search>, E> {
  const rounds = Math.max(0, ...searches.map(({ changes }) => changes.length))
  const verdicts = yield* playAll(
    Array.from({ length: rounds }, (_, round) =>
      searches.flatMap(({ changes }) => changes[round]?.change ?? [])
    )
  )
  return searches.map((search) => {
    const played = search.changes.map((proposal, round) => ({
      proposal,
      verdict: verdicts[round]?.get(search.id)
    }))
    const kept = played.flatMap(({ proposal, verdict }) =>
      verdict !== undefined && isBetter(search.best, verdict)
        ? [{ proposal, verdict, needsOthers: false }]
        : []
    )
    const rejected = search.changes.filter((change) => kept.every(({ proposal }) => proposal !== change))
    return {
      ...search,
      kept,
      rejected,
      best: kept.length === 1 ? (kept[0]?.verdict ?? search.best) : search.best
    }
  })
})

const keptChanges = ({ kept }: Search): ReadonlyArray<ObjectChange> =>
  kept.map(({ proposal }) => proposal.change)

/** Where all helpful changes together are no improvement, only the first one stays. */
const playTogether = Effect.fnUntraced(function* <E>(
  searches: ReadonlyArray<Search>,
  without: Verdicts,
  playAll: PlayAll<E>
): Effect.fn.Return<ReadonlyArray<Search>, E> {
  const isSeveral = ({ kept }: Search): boolean => kept.length > 1
  const [verdicts] = yield* playAll(searches.some(isSeveral) ? [searches.flatMap(keptChanges)] : [])
  return searches.map((search) => {
    const [before, together] = [without.get(search.id), verdicts?.get(search.id)]
    if (!isSeveral(search) || before === undefined || together === undefined) return search
    const [first] = search.kept
    if (isBetter(before, together) || first === undefined) return { ...search, best: together }
    return { ...search, kept: [first], best: first.verdict }
  })
})

const playBeside = Effect.fnUntraced(function* <E>(
  searches: ReadonlyArray<Search>,
  playAll: PlayAll<E>
): Effect.fn.Return<ReadonlyArray<Search>, E> {
  let current = searches
  const candidateOf = (search: Search): Change | undefined =>
    search.kept.length === 0 ? undefined : search.rejected[0]
  while (current.some((search) => candidateOf(search) !== undefined)) {
    const changes = current.flatMap((search) =>
      [...keptChanges(search), candidateOf(search)?.change ?? []].flat()
    )
    const [verdicts] = yield* playAll([changes])
    current = current.map((search) => {
      const candidate = candidateOf(search)
      const verdict = verdicts?.get(search.id)
      if (candidate === undefined || verdict === undefined) return search
      const rejected = search.rejected.slice(1)
      return isBetter(search.best, verdict)
        ? {
            ...search,
            rejected,
            kept: [...search.kept, { proposal: candidate, verdict, needsOthers: true }],
            best: verdict
          }
        : { ...search, rejected }
    })
  }
  return current
})

const figuresOf = ({ rollout }: RolloutVerdict, seeds: ReadonlyArray<number>): VariantFigures => {
  const { desired, duration, late, stuck, available, requests } = rollout
  return { seeds, desired, duration, late, stuck, available, requests }
}

const advisedRollout = (
  world: PlanWorld,
  { proposals, kept, best }: Search,
  { before, seeds }: { readonly before: VariantFigures; readonly seeds: ReadonlyArray<number> }
): AdvisedRollout => {
  const playedChange = (changes: ReadonlyArray<ObjectChange>, verdict: RolloutVerdict): AdvisedChange => ({
    ...changeTexts(world, changes),
    with: figuresOf(verdict, seeds),
    without: before,
    fromNextRollout: changesBefore(changes).length > 0
  })
  return {
    advice: kept.map(({ proposal: { text, change }, verdict, needsOthers }): PlayedAdvice => ({
      text,
      needsOthers,
      ...playedChange([change], verdict)
    })),
    together:
      kept.length > 1
        ? playedChange(
            kept.map(({ proposal }) => proposal.change),
            best
          )
        : undefined,
    remarks: proposals.flatMap((proposal) =>
      kept.some((it) => it.proposal === proposal) ? [] : (remarkOf(proposal) ?? [])
    )
  }
}
