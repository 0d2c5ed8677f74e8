import * as Effect from "effect/Effect"
import { listenForSignals } from "../terminal/signals.ts"
import { openPlanProgress } from "./planProgress.ts"
import { playSeedsOnAllCores } from "./playSeedsOnAllCores.ts"
import { restartOfBase } from "../../plan/base/restartOfBase.ts"
import { isInShare } from "./shards/share.ts"
import { workloadsAmong } from "../../plan/workloads.ts"
import { noWhatIf } from "../../plan/whatIf/whatIf.ts"
import type { BadInput } from "../input/badInput.ts"
import type { ManifestsRefused } from "../../manifests/manifestsRefused.ts"
import type { Share } from "./shards/share.ts"
import type { PlanRequest } from "./readPlanRequest.ts"
import type { PlanInput } from "../../plan/seeds/playSeed.ts"
import type { PlayedEnvironment, PlayedInput } from "./writeReports.ts"
import type { PlayedSeeds, PlaySeedsOptions } from "./playSeedsOnAllCores.ts"

export interface PlayedEnvironments {
  readonly environments: ReadonlyArray<PlayedEnvironment>
  /** A signal came before all was played. */
  readonly isStopped: boolean
}

/**
 * Plays all seeds in all environments. With `base`, also plays a restart of the same workloads, for comparison.
 * Ctrl-C ends it early.
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
  const runs = inputs.flatMap(({ input, restartInput }) => [
    ...runsOf(input, seeds, share, startFactor),
    ...(restartInput === undefined ? [] : runsOf(restartInput, seeds, share))
  ])
  const { requested: stop } = yield* listenForSignals
  const progress = openPlanProgress(runs.length)
  let doneCount = 0
  const onJobDone = (): void => {
    doneCount += 1
    progress.add()
  }
  const playInput = (
    input: PlanInput,
    options: Pick<PlaySeedsOptions, "startFactor" | "advises"> = {}
  ): Effect.Effect<PlayedInput, BadInput | ManifestsRefused> =>
    Effect.map(playRollouts(input, seeds, { ...options, share, stop, onJobDone }), (played) => ({
      input,
      ...played
    }))
  const played = yield* Effect.forEach(inputs, ({ name, input, restartInput }) =>
    Effect.gen(function* () {
      const after = yield* playInput(input, { startFactor })
      const before =
        restartInput === undefined ? undefined : yield* playInput(restartInput, { advises: false })
      return { name, ...after, before }
    })
  ).pipe(Effect.ensuring(Effect.sync(progress.close)))
  const isStopped = doneCount < runs.length
  return { environments: isStopped ? played.filter((it) => it.played.length > 0) : played, isStopped }
})

/** One item for each run; the what-if runs, which have `startFactor`, count as one. */
const runsOf = (
  input: PlanInput,
  seeds: ReadonlyArray<number>,
  share: Share | undefined,
  startFactor?: number
): ReadonlyArray<unknown> => {
  if (!hasRollout(input)) return []
  const ownSeeds = seeds.filter((_, index) => isInShare(share, index))
  return startFactor === undefined || !isInShare(share, 0) ? ownSeeds : [startFactor, ...ownSeeds]
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
    : Effect.succeed<PlayedSeeds>({ played: [], whatIf: noWhatIf, advised: new Map() })
