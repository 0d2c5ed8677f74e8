import * as Effect from "effect/Effect"
import { listenForSignals } from "../terminal/signals.ts"
import { openPlanProgress } from "./planProgress.ts"
import { playSeedsOnAllCores } from "./playSeedsOnAllCores.ts"
import { restartOfBase } from "../../plan/base/restartOfBase.ts"
import { isFirstShare, isInShare } from "./shards/share.ts"
import { workloadsAmong } from "../../plan/workloads.ts"
import { noWhatIf } from "../../plan/whatIf/whatIf.ts"
import type { BadInput } from "../input/badInput.ts"
import type { ManifestsRefused } from "../../manifests/manifestsRefused.ts"
import type { Share } from "./shards/share.ts"
import type { PlanRequest } from "./readPlanRequest.ts"
import type { PlanInput } from "../../plan/seeds/playSeed.ts"
import type { PlayedEnvironment, PlayedInput } from "./judgeEnvironment.ts"
import type { PlayedSeeds, PlaySeedsOptions } from "./playSeedsOnAllCores.ts"

export interface PlayedEnvironments {
  readonly environments: ReadonlyArray<PlayedEnvironment>
  /** A signal came before all was played. */
  readonly isStopped: boolean
}

/**
 * Plays all seeds in all environments of the settings. With `base`, also plays a restart of the same workloads, for
 * comparison. Ctrl-C ends it early.
 */
export const playEnvironments = Effect.fnUntraced(function* (
  { environments, base }: PlanRequest,
  {
    seeds,
    startFactor,
    share
  }: {
    readonly seeds: ReadonlyArray<number>
    readonly startFactor: number | undefined
    readonly share: Share | undefined
  }
): Effect.fn.Return<PlayedEnvironments, BadInput | ManifestsRefused> {
  const inputs = environments.map(({ name, input }) => ({
    name,
    input,
    restartInput: base === undefined ? undefined : restartOfBase(input)
  }))
  const runCounts = inputs.map(({ input, restartInput }) => {
    const restarts = restartInput === undefined ? 0 : countRuns(restartInput, { seeds, share })
    return countRuns(input, { seeds, share, startFactor }) + restarts
  })
  const runCount = runCounts.reduce((sum, count) => sum + count, 0)
  const { requested: stop } = yield* listenForSignals
  const progress = openPlanProgress(runCount)
  let doneCount = 0
  const onJobDone = (): void => {
    doneCount += 1
    progress.countRun()
  }
  const playInput = (
    input: PlanInput,
    options: Pick<PlaySeedsOptions, "startFactor" | "givesAdvice"> = {}
  ): Effect.Effect<PlayedInput, BadInput | ManifestsRefused> =>
    Effect.map(playRollouts(input, seeds, { ...options, share, stop, onJobDone }), (played) => ({
      input,
      ...played
    }))
  const played = yield* Effect.forEach(inputs, ({ name, input, restartInput }) =>
    Effect.gen(function* () {
      const after = yield* playInput(input, { startFactor })
      const before =
        restartInput === undefined ? undefined : yield* playInput(restartInput, { givesAdvice: false })
      return { name, ...after, before }
    })
  ).pipe(Effect.ensuring(Effect.sync(progress.close)))
  const isStopped = doneCount < runCount
  return { environments: isStopped ? played.filter((it) => it.played.length > 0) : played, isStopped }
})

/** All what-if runs, which only the first share plays, count as one. */
const countRuns = (
  input: PlanInput,
  {
    seeds,
    share,
    startFactor
  }: {
    readonly seeds: ReadonlyArray<number>
    readonly share: Share | undefined
    readonly startFactor?: number | undefined
  }
): number => {
  if (!hasRollout(input)) return 0
  const seedsInShare = seeds.filter((_, index) => isInShare(share, index))
  return seedsInShare.length + (startFactor === undefined || !isFirstShare(share) ? 0 : 1)
}

/** A change may leave all workloads as they are. */
const hasRollout = ({ next }: PlanInput): boolean => workloadsAmong(next).length > 0

const playRollouts = (
  input: PlanInput,
  seeds: ReadonlyArray<number>,
  options: PlaySeedsOptions
): Effect.Effect<PlayedSeeds, ManifestsRefused | BadInput> =>
  hasRollout(input)
    ? playSeedsOnAllCores(input, seeds, options)
    : Effect.succeed<PlayedSeeds>({ played: [], whatIf: noWhatIf, adviceById: new Map() })
