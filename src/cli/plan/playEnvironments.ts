import * as Effect from "effect/Effect"
import { listenForSignals } from "../terminal/signals.ts"
import { openPlanProgress } from "./planProgress.ts"
import { playSeedsOnAllCores } from "./playSeedsOnAllCores.ts"
import { restartedInput } from "../../plan/base/restartedInput.ts"
import { isShared } from "./shards/share.ts"
import { workloadsAmong } from "../../plan/workloads.ts"
import { noWhatIf } from "../../plan/whatIf/whatIf.ts"
import type { BadInput } from "../input/badInput.ts"
import type { ManifestsRefused } from "../../manifests/manifestsRefused.ts"
import type { Share } from "./shards/share.ts"
import type { PlanRequest } from "./readPlanRequest.ts"
import type { PlanInput } from "../../plan/seeds/playSeed.ts"
import type { PlayedEnvironment, PlayedWorld } from "./writeReports.ts"
import type { PlayedSeeds, PlaySeedsOptions } from "./playSeedsOnAllCores.ts"

export interface PlayedEnvironments {
  readonly environments: ReadonlyArray<PlayedEnvironment>
  /** Whether a signal came before all was played. */
  readonly isStopped: boolean
}

/** Plays all seeds in all environments, and, beside a base, the rollouts without the change. Ctrl-C ends it early. */
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
  const worlds = environments.map(({ name, world }) => ({
    name,
    world,
    worldBefore: base === undefined ? undefined : restartedInput(world)
  }))
  const runs = worlds.flatMap(({ world, worldBefore }) => [
    ...runsOf(world, seeds, share, startFactor),
    ...(worldBefore === undefined ? [] : runsOf(worldBefore, seeds, share))
  ])
  const { requested: stop } = yield* listenForSignals
  const progress = openPlanProgress(runs.length)
  let doneCount = 0
  const onJobDone = (): void => {
    doneCount += 1
    progress.add()
  }
  const playWorld = (
    world: PlanInput,
    options: Pick<PlaySeedsOptions, "startFactor" | "advises"> = {}
  ): Effect.Effect<PlayedWorld, BadInput | ManifestsRefused> =>
    Effect.map(playRollouts(world, seeds, { ...options, share, stop, onJobDone }), (played) => ({
      world,
      ...played
    }))
  const played = yield* Effect.forEach(worlds, ({ name, world, worldBefore }) =>
    Effect.gen(function* () {
      const after = yield* playWorld(world, { startFactor })
      const before = worldBefore === undefined ? undefined : yield* playWorld(worldBefore, { advises: false })
      return { name, ...after, before }
    })
  ).pipe(Effect.ensuring(Effect.sync(progress.close)))
  const isStopped = doneCount < runs.length
  return { environments: isStopped ? played.filter((it) => it.played.length > 0) : played, isStopped }
})

/** The search for the slowest starts counts as one. */
const runsOf = (
  world: PlanInput,
  seeds: ReadonlyArray<number>,
  share: Share | undefined,
  startFactor?: number
): ReadonlyArray<unknown> => {
  if (!hasRollout(world)) return []
  const shared = seeds.filter((_, index) => isShared(share, index))
  return startFactor === undefined || !isShared(share, 0) ? shared : [startFactor, ...shared]
}

/** A change may leave all workloads as they are. */
const hasRollout = ({ next }: PlanInput): boolean => workloadsAmong(next).length > 0

const playRollouts = (
  world: PlanInput,
  seeds: ReadonlyArray<number>,
  options: PlaySeedsOptions
): ReturnType<typeof playSeedsOnAllCores> =>
  hasRollout(world)
    ? playSeedsOnAllCores(world, seeds, options)
    : Effect.succeed<PlayedSeeds>({ played: [], whatIf: noWhatIf, advised: new Map() })
