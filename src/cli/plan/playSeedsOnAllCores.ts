import * as Effect from "effect/Effect"
import { badInput } from "../input/badInput.ts"
import { builtInBehaviours } from "../../behaviours/builtInBehaviours.ts"
import { ManifestsRefused } from "../../manifests/manifestsRefused.ts"
import { seedTasks } from "../../plan/planRollout.ts"
import { isFirstShare, isInShare } from "./shards/share.ts"
import { toSentDocument } from "../threads/planTask.ts"
import { openThreads } from "../threads/threads.ts"
import { workloadsAmong } from "../../plan/workloads.ts"
import { adviseRollouts } from "../../plan/advice/adviseRollouts.ts"
import type { RolloutAdviceById } from "../../plan/advice/adviseRollouts.ts"
import type { JobsOptions } from "../threads/threads.ts"
import type { Scope } from "effect/Scope"
import type { BadInput } from "../input/badInput.ts"
import type { Share } from "./shards/share.ts"
import type { PlanCommandInput, PlanJob, PlanJobResult } from "../threads/planTask.ts"
import { noWhatIf } from "../../plan/whatIf/whatIf.ts"
import type { WhatIf } from "../../plan/whatIf/whatIf.ts"
import type { SeedRun } from "../../plan/seeds/playSeed.ts"

/** For fewer rollouts, starting a thread takes longer than playing them. */
const rolloutsPerThread = 50

/** Of the shares of `--shard`, only the first plays the runs of `--what-if`. */
export interface SeedsOfShare {
  readonly played: ReadonlyArray<SeedRun>
  readonly whatIf: WhatIf
}

export interface PlayedSeeds extends SeedsOfShare {
  readonly adviceById: RolloutAdviceById
}

/** Once `stop` completes, no further run is played; the finished ones are returned. */
type PlayControl = Pick<JobsOptions<"plan">, "onJobDone" | "stop">

export interface PlaySeedsOptions extends PlayControl {
  /** How many times as long Pods take to start in the what-if runs. */
  readonly startFactor?: number | undefined
  readonly share?: Share | undefined
  /** By default true without a share, since advice rests on all seeds. */
  readonly givesAdvice?: boolean
}

/** The what-if job begins first, since it takes as long as several seeds; advice comes last. */
export const playSeedsOnAllCores = (
  input: PlanCommandInput,
  seeds: ReadonlyArray<number>,
  { startFactor, share, givesAdvice = share === undefined, ...control }: PlaySeedsOptions = {}
): Effect.Effect<PlayedSeeds, ManifestsRefused | BadInput> => {
  const [seed] = seeds
  const whatIfJobs =
    startFactor === undefined || seed === undefined || !isFirstShare(share)
      ? []
      : [{ whatIf: { seed, factor: startFactor } }]
  const jobs = [...whatIfJobs, ...seedTasks(seeds).filter((_, index) => isInShare(share, index))]
  return Effect.scoped(
    Effect.gen(function* () {
      const play = yield* openPlayer(input, jobs.length)
      const results = yield* play(jobs, control)
      const played = runsIn(results)
      const whatIf = results.find((result) => "whatIf" in result)?.whatIf ?? noWhatIf
      const isComplete = results.length === jobs.length
      const adviceById =
        givesAdvice && isComplete ? yield* advise(input, played, { play, ...control }) : noAdvice
      return { played, whatIf, adviceById }
    })
  )
}

export const adviseOnAllCores = (
  input: PlanCommandInput,
  played: ReadonlyArray<SeedRun>
): Effect.Effect<RolloutAdviceById, ManifestsRefused | BadInput> =>
  Effect.scoped(Effect.flatMap(openPlayer(input, 1), (play) => advise(input, played, { play })))

/** Plays changes of the manifests that may help. Returns no advice if `stop` completes first. */
const advise = (
  input: PlanCommandInput,
  played: ReadonlyArray<SeedRun>,
  { play, stop = Effect.never }: { readonly play: PlayJobs } & Pick<PlayControl, "stop">
): Effect.Effect<RolloutAdviceById, ManifestsRefused | BadInput> =>
  Effect.raceFirst(
    Effect.as(stop, noAdvice),
    adviseRollouts(input, played, (variants) =>
      Effect.map(play(variants.map((variant) => ({ ...variant, undo: false }))), runsIn)
    )
  )

export const noAdvice: RolloutAdviceById = new Map()

const runsIn = (results: ReadonlyArray<PlayedJob>): ReadonlyArray<SeedRun> =>
  results.flatMap((result) => ("run" in result ? [result.run] : []))

/** Replays seeds with recordings and without the final `kubectl rollout undo`. */
export const recordSeeds = (
  input: PlanCommandInput,
  seeds: ReadonlyArray<number>
): Effect.Effect<ReadonlyArray<SeedRun>, ManifestsRefused | BadInput> =>
  Effect.scoped(
    Effect.flatMap(openPlayer(input, seeds.length), (play) =>
      Effect.map(play(seeds.map((seed) => ({ seed, undo: false, isRecorded: true }))), runsIn)
    )
  )

type PlayedJob = Exclude<PlanJobResult, { readonly problems: unknown }>

type PlayJobs = (
  jobs: ReadonlyArray<PlanJob>,
  control?: PlayControl
) => Effect.Effect<ReadonlyArray<PlayedJob>, ManifestsRefused | BadInput>

const openPlayer = (input: PlanCommandInput, jobCount: number): Effect.Effect<PlayJobs, never, Scope> => {
  // Functions cannot be sent to threads.
  const { next, from, strategies: _strategies, steering: _steering, ...cloneable } = input
  const sentInput = {
    input: { ...cloneable, ...builtInByName(cloneable.behaviour) },
    next: next.map(toSentDocument),
    from: from?.map(toSentDocument)
  }
  const jobsPerThread = Math.ceil(rolloutsPerThread / Math.max(1, workloadsAmong(next).length))
  return Effect.map(
    openThreads({ task: "plan", input: sentInput, jobCount, jobsPerThread }),
    (doJobs) =>
      (jobs, control): ReturnType<PlayJobs> =>
        Effect.flatMap(
          Effect.mapError(doJobs(jobs, control), ({ message }) => badInput(message)),
          Effect.forEach((result) =>
            "problems" in result
              ? Effect.fail(new ManifestsRefused({ problems: result.problems }))
              : Effect.succeed(result)
          )
        )
  )
}

/** A built-in behaviour is sent by name: a copy would be another behaviour with a name that is taken. */
const builtInByName = (behaviour: PlanCommandInput["behaviour"]): Pick<PlanCommandInput, "behaviour"> =>
  builtInBehaviours.some((it) => it === behaviour) && typeof behaviour === "object"
    ? { behaviour: behaviour.name }
    : {}
