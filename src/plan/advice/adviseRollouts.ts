import * as Effect from "effect/Effect"
import { changeTexts } from "./changeTexts.ts"
import { terminationChanges } from "./objectChange.ts"
import { isImprovement } from "./improvement.ts"
import { judgePlan } from "../verdicts/judgePlan.ts"
import { proposeChanges } from "./proposeChanges.ts"
import { summarizePlan } from "../summarizePlan.ts"
import { workloadIdOf } from "../workloads.ts"
import type { RolloutAdvice, PlayedAdvice, AdvisedChange, VariantFigures } from "./rolloutAdvice.ts"
import type { ObjectChange } from "./objectChange.ts"
import type { PlanInput, SeedRun } from "../seeds/playSeed.ts"
import type { Proposal } from "./proposal.ts"
import type { RolloutVerdict } from "../verdicts/judgePlan.ts"
import type { WorkloadId } from "../workloads.ts"
import type { RolloutPlan } from "../summarizePlan.ts"

export interface Variant {
  readonly seed: number
  readonly changes: ReadonlyArray<ObjectChange>
}

type PlayVariants<E> = (variants: ReadonlyArray<Variant>) => Effect.Effect<ReadonlyArray<SeedRun>, E>

export type RolloutAdviceById = ReadonlyMap<WorkloadId, RolloutAdvice>

type VerdictsById = ReadonlyMap<WorkloadId, RolloutVerdict>

type ProposedChange = Proposal & { readonly change: ObjectChange }

interface AdviceSearch {
  readonly id: WorkloadId
  readonly proposals: ReadonlyArray<Proposal>
  readonly changes: ReadonlyArray<ProposedChange>
  readonly helpful: ReadonlyArray<HelpfulChange>
  readonly rejected: ReadonlyArray<ProposedChange>
  /** The verdict on the rollout with all `helpful` changes, at first on the unchanged rollout. */
  readonly verdictWithHelpful: RolloutVerdict
}

interface HelpfulChange {
  readonly proposal: ProposedChange
  readonly verdict: RolloutVerdict
  /** Whether the change helps only together with the changes before it. */
  readonly needsOthers: boolean
}

/** The typical seed and the worst ones suffice to judge a change. */
const seedsMax = 5

/** Plays each proposal alone, then all helpful ones together, then each other proposal beside the helpful ones. */
export const adviseRollouts = Effect.fnUntraced(function* <E>(
  input: PlanInput,
  seedRuns: ReadonlyArray<SeedRun>,
  playVariants: PlayVariants<E>
): Effect.fn.Return<RolloutAdviceById, E> {
  const plan = summarizePlan(input, seedRuns)
  const proposals = proposeChanges(input, plan, seedRuns)
  const adviceIds = [...proposals]
    .filter(([, workloadProposals]) => workloadProposals.some(isChange))
    .map(([id]) => id)
  const seeds = seedsToPlay(plan.rollouts.filter((rollout) => adviceIds.includes(workloadIdOf(rollout))))
  const unchangedVerdicts = variantVerdicts(
    input,
    seedRuns.filter(({ seed }) => seeds.includes(seed)).map(withoutUndo)
  )
  const playAll = Effect.fnUntraced(function* (
    variants: ReadonlyArray<ReadonlyArray<ObjectChange>>
  ): Effect.fn.Return<ReadonlyArray<VerdictsById>, E> {
    if (variants.length === 0) return []
    const runs = yield* playVariants(variants.flatMap((changes) => seeds.map((seed) => ({ seed, changes }))))
    return variants.map((_, index) =>
      variantVerdicts(input, runs.slice(index * seeds.length, (index + 1) * seeds.length))
    )
  })
  const searches = [...proposals].flatMap(([id, workloadProposals]): ReadonlyArray<AdviceSearch> => {
    const verdictWithHelpful = unchangedVerdicts.get(id)
    const changes = workloadProposals.filter(isChange)
    return verdictWithHelpful === undefined
      ? []
      : [{ id, proposals: workloadProposals, changes, helpful: [], rejected: [], verdictWithHelpful }]
  })
  const playedAlone = yield* playEachAlone(searches, playAll)
  const playedTogether = yield* playHelpfulTogether(playedAlone, unchangedVerdicts, playAll)
  const finishedSearches = yield* playRejectedBesideHelpful(playedTogether, playAll)
  const figuresWithout = (id: WorkloadId): VariantFigures | undefined => {
    const verdict = unchangedVerdicts.get(id)
    return verdict === undefined ? undefined : figuresOf(verdict, seeds)
  }
  const remarksOnly = [...proposals].map(([id, workloadProposals]): readonly [WorkloadId, RolloutAdvice] => [
    id,
    {
      advice: [],
      together: undefined,
      remarks: workloadProposals.flatMap((proposal) => remarkOf(proposal) ?? [])
    }
  ])
  return new Map([
    ...remarksOnly,
    ...finishedSearches.flatMap((search) => {
      const before = figuresWithout(search.id)
      return before === undefined
        ? []
        : [[search.id, rolloutAdviceOf(input, search, { before, seeds })] as const]
    })
  ])
})

const isChange = (proposal: Proposal): proposal is ProposedChange => proposal.change !== undefined

const remarkOf = ({ text, change, remark }: Proposal): string | undefined =>
  change === undefined ? text : remark

const seedsToPlay = (rollouts: ReadonlyArray<RolloutPlan>): ReadonlyArray<number> => {
  const candidates = [
    rollouts.map(({ firstMissedSeed }) => firstMissedSeed),
    rollouts.map(({ requests }) => requests?.seed),
    rollouts.map(({ available }) => available?.seed),
    rollouts.map(({ typical }) => typical.seed),
    rollouts.map(({ duration }) => duration?.worstSeed)
  ]
  return [...new Set(candidates.flat().filter((seed) => seed !== undefined))]
    .slice(0, seedsMax)
    .sort((a, b) => a - b)
}

const withoutUndo = (run: SeedRun): SeedRun => ({
  ...run,
  rollouts: new Map(
    [...run.rollouts].map(([id, rollout]) => [id, { ...rollout, undoMillis: undefined, isUndoPlayed: false }])
  )
})

const variantVerdicts = (input: PlanInput, runs: ReadonlyArray<SeedRun>): VerdictsById => {
  const plan = summarizePlan(input, runs)
  const { rollouts } = judgePlan(plan)
  return new Map(rollouts.map((judged) => [workloadIdOf(judged.rollout), judged]))
}

type PlayAll<E> = (
  variants: ReadonlyArray<ReadonlyArray<ObjectChange>>
) => Effect.Effect<ReadonlyArray<VerdictsById>, E>

const playEachAlone = Effect.fnUntraced(function* <E>(
  searches: ReadonlyArray<AdviceSearch>,
  playAll: PlayAll<E>
): Effect.fn.Return<ReadonlyArray<AdviceSearch>, E> {
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
    const helpful = played.flatMap(({ proposal, verdict }) =>
      verdict !== undefined && isImprovement(search.verdictWithHelpful, verdict)
        ? [{ proposal, verdict, needsOthers: false }]
        : []
    )
    const rejected = search.changes.filter((change) => helpful.every(({ proposal }) => proposal !== change))
    return {
      ...search,
      helpful,
      rejected,
      verdictWithHelpful:
        helpful.length === 1 ? (helpful[0]?.verdict ?? search.verdictWithHelpful) : search.verdictWithHelpful
    }
  })
})

const helpfulChanges = ({ helpful }: AdviceSearch): ReadonlyArray<ObjectChange> =>
  helpful.map(({ proposal }) => proposal.change)

/** If all helpful changes together are no improvement, only the first one stays. */
const playHelpfulTogether = Effect.fnUntraced(function* <E>(
  searches: ReadonlyArray<AdviceSearch>,
  unchangedVerdicts: VerdictsById,
  playAll: PlayAll<E>
): Effect.fn.Return<ReadonlyArray<AdviceSearch>, E> {
  const hasSeveralHelpful = ({ helpful }: AdviceSearch): boolean => helpful.length > 1
  const [verdicts] = yield* playAll(
    searches.some(hasSeveralHelpful) ? [searches.flatMap(helpfulChanges)] : []
  )
  return searches.map((search) => {
    const [before, together] = [unchangedVerdicts.get(search.id), verdicts?.get(search.id)]
    if (!hasSeveralHelpful(search) || before === undefined || together === undefined) return search
    const [first] = search.helpful
    if (isImprovement(before, together) || first === undefined)
      return { ...search, verdictWithHelpful: together }
    return { ...search, helpful: [first], verdictWithHelpful: first.verdict }
  })
})

const playRejectedBesideHelpful = Effect.fnUntraced(function* <E>(
  searches: ReadonlyArray<AdviceSearch>,
  playAll: PlayAll<E>
): Effect.fn.Return<ReadonlyArray<AdviceSearch>, E> {
  let current = searches
  const candidateOf = (search: AdviceSearch): ProposedChange | undefined =>
    search.helpful.length === 0 ? undefined : search.rejected[0]
  while (current.some((search) => candidateOf(search) !== undefined)) {
    const changes = current.flatMap((search) =>
      [...helpfulChanges(search), candidateOf(search)?.change ?? []].flat()
    )
    const [verdicts] = yield* playAll([changes])
    current = current.map((search) => {
      const candidate = candidateOf(search)
      const verdict = verdicts?.get(search.id)
      if (candidate === undefined || verdict === undefined) return search
      const rejected = search.rejected.slice(1)
      return isImprovement(search.verdictWithHelpful, verdict)
        ? {
            ...search,
            rejected,
            helpful: [...search.helpful, { proposal: candidate, verdict, needsOthers: true }],
            verdictWithHelpful: verdict
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

const rolloutAdviceOf = (
  input: PlanInput,
  { proposals, helpful, verdictWithHelpful }: AdviceSearch,
  { before, seeds }: { readonly before: VariantFigures; readonly seeds: ReadonlyArray<number> }
): RolloutAdvice => {
  const playedChange = (changes: ReadonlyArray<ObjectChange>, verdict: RolloutVerdict): AdvisedChange => ({
    ...changeTexts(input, changes),
    with: figuresOf(verdict, seeds),
    without: before,
    fromNextRollout: terminationChanges(changes).length > 0
  })
  return {
    advice: helpful.map(({ proposal: { text, change }, verdict, needsOthers }): PlayedAdvice => ({
      text,
      needsOthers,
      ...playedChange([change], verdict)
    })),
    together:
      helpful.length > 1
        ? playedChange(
            helpful.map(({ proposal }) => proposal.change),
            verdictWithHelpful
          )
        : undefined,
    remarks: proposals.flatMap((proposal) =>
      helpful.some((change) => change.proposal === proposal) ? [] : (remarkOf(proposal) ?? [])
    )
  }
}
