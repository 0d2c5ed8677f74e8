import * as Effect from "effect/Effect"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { makeSlowStarts } from "./slowStarts.ts"
import type { PlaySeed } from "../seeds/playSeed.ts"
import type { RolloutRun } from "../seeds/rolloutRun.ts"
import type { WorkloadId, WorkloadReference } from "../workloads.ts"

/** A factor says how many times as long as assumed the starts of Pods take. */
export interface StartLimit {
  /** The factor of `--what-if`, and what became of the rollout with it. */
  readonly asked: { readonly factor: number; readonly outcome: RolloutRun["outcome"] }
  /** The largest factor with which the rollout completes in time. */
  readonly safe: { readonly factor: number; readonly readyMillis: number }
  /** The least factor with which the rollout does not complete in time. */
  readonly failing: number
  readonly deadlineMillis: number
}

export type StartLimits = ReadonlyMap<WorkloadId, StartLimit>

export interface SlowedSeed {
  readonly seed: number
  readonly factor: number
}

interface StartSearch {
  readonly reference: WorkloadReference
  readonly deadlineMillis: number
  /** How long the slowest Pod takes from creation until ready, with a factor of 1. */
  readonly unslowedReadyMillis: number
  readonly safe: StartLimit["safe"] | undefined
  readonly failing: number
  readonly asked: StartLimit["asked"] | undefined
}

/** A limit is found when the factors on both sides of it are this close. */
const ratioMax = 1.06

/** After this round, the search ends with the closest factors. */
const roundsMax = 16

/** Below this factor, the rollout misses its deadline however fast its Pods start. */
const factorMin = 0.05

/** The search plays these multiples of the expected limit, to enclose it. */
const guessFactors = [0.98, 1.02]

/** Plays one seed again and again; all Pods start as slowly as the slowest one, times a factor. */
export const searchStartLimits = Effect.fnUntraced(function* <E>(
  play: (...args: Parameters<PlaySeed>) => Effect.Effect<Effect.Success<ReturnType<PlaySeed>>, E>,
  { seed, factor, planned }: SlowedSeed & { readonly planned: ReadonlyArray<WorkloadReference> }
): Effect.fn.Return<StartLimits, E> {
  const slowStarts = makeSlowStarts()
  const first = yield* play(seed, { undo: false, changeLife: slowStarts.recordStarts })
  let searches = planned.flatMap((reference): ReadonlyArray<StartSearch> => {
    const run = first.rollouts.get(reference.id)
    const workload = first.workloads.get(reference.id)
    if (reference.resource !== resources.deployments || workload?.kind !== "Deployment") return []
    const { progressDeadlineSeconds = deadlineSecondsMax } = workload.object.spec
    const hasDeadline = progressDeadlineSeconds < deadlineSecondsMax
    if (run?.outcome !== "complete" || run.times.readyMillis === 0 || !hasDeadline) return []
    const deadlineMillis = progressDeadlineSeconds * 1000
    const unslowedReadyMillis = run.times.readyMillis
    return [
      { reference, deadlineMillis, unslowedReadyMillis, safe: undefined, failing: Infinity, asked: undefined }
    ]
  })
  for (let round = 0; round < roundsMax && searches.some(isUnfinished); round += 1) {
    const factors = new Map(
      searches
        .filter(isUnfinished)
        .map((search) => [search.reference.id, nextFactor(search, factor)] as const)
    )
    const { rollouts } = yield* play(seed, {
      undo: false,
      changeLife: slowStarts.slowDown(factors),
      // Past the deadline, the run with the asked factor tells a late rollout from a stuck one.
      endsAtDeadline: searches.every(({ asked }) => asked !== undefined)
    })
    searches = searches.map((search) => {
      const run = rollouts.get(search.reference.id)
      const playedFactor = factors.get(search.reference.id)
      return run === undefined || playedFactor === undefined ? search : withResult(search, playedFactor, run)
    })
  }
  return new Map(
    searches.flatMap(({ reference, asked, safe, failing, deadlineMillis }) =>
      asked === undefined || safe === undefined || failing === Infinity
        ? []
        : [[reference.id, { asked, safe, failing, deadlineMillis }] as const]
    )
  )
})

/** Stands for no deadline. Source: pkg/controller/deployment/util/deployment_util.go (HasProgressDeadline). */
const deadlineSecondsMax = 2_147_483_647

const isUnfinished = ({ asked, safe, failing }: StartSearch): boolean =>
  asked === undefined || (safe === undefined ? failing > factorMin : failing / safe.factor > ratioMax)

const nextFactor = (search: StartSearch, askedFactor: number): number => {
  const { asked, safe, failing, deadlineMillis, unslowedReadyMillis } = search
  if (asked === undefined) return askedFactor
  // Most rollouts miss their deadline once a single Pod takes as long as the deadline.
  const { factor, readyMillis } = safe ?? { factor: 1, readyMillis: unslowedReadyMillis }
  const expectedFactor = (factor * deadlineMillis) / readyMillis
  // A factor within one percent of a known one would say nothing new.
  const least = safe === undefined ? 0 : factor * 1.01
  const guess = guessFactors
    .map((share) => expectedFactor * share)
    .find((candidate) => candidate > least && candidate < failing / 1.01)
  if (guess !== undefined) return guess
  if (safe === undefined) return failing / 2
  return failing === Infinity ? factor * 1.5 : Math.sqrt(factor * failing)
}

const withResult = (search: StartSearch, factor: number, { outcome, times }: RolloutRun): StartSearch => {
  const asked = search.asked ?? { factor, outcome }
  if (outcome !== "complete") return { ...search, asked, failing: Math.min(search.failing, factor) }
  return factor < (search.safe?.factor ?? 0)
    ? { ...search, asked }
    : { ...search, asked, safe: { factor, readyMillis: times.readyMillis } }
}
