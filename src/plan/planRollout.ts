import * as Effect from "effect/Effect"
import { makeSeedPlayer } from "./seeds/playSeed.ts"
import { adviseRollouts } from "./advice/adviseRollouts.ts"
import { playWhatIf } from "./whatIf/whatIf.ts"
import { summarizePlan } from "./summarizePlan.ts"
import type { InvalidOptions } from "../options/invalidOptions.ts"
import type { ManifestsRefused } from "../manifests/manifestsRefused.ts"
import type { Plan } from "./summarizePlan.ts"
import type { PlanInput } from "./seeds/playSeed.ts"
import type { UnknownBehaviour } from "../cluster/clusterOptions.ts"

/** Only the first seeds play an undo, which takes about as long as the rollout. */
const undoSeedsMax = 20

export interface SeedTask {
  readonly seed: number
  /** Whether `kubectl rollout undo` follows the rollout. */
  readonly undo: boolean
}

export const seedTasks = (seeds: ReadonlyArray<number>): ReadonlyArray<SeedTask> =>
  seeds.map((seed, index) => ({ seed, undo: index < undoSeedsMax }))

/** The same seeds give the same plan, byte for byte. Without `startFactor` there are no what-if runs. */
export const planRollout = (
  input: PlanInput,
  seeds: ReadonlyArray<number>,
  startFactor?: number
): Effect.Effect<Plan, ManifestsRefused | InvalidOptions | UnknownBehaviour> =>
  Effect.suspend(() => {
    const play = makeSeedPlayer(input)
    const [seed] = seeds
    return Effect.gen(function* () {
      const seedRuns = yield* Effect.forEach(seedTasks(seeds), (task) => play(task.seed, { undo: task.undo }))
      const whatIf =
        startFactor === undefined || seed === undefined
          ? undefined
          : yield* playWhatIf(input, play, { seed, factor: startFactor })
      const adviceById = yield* adviseRollouts(
        input,
        seedRuns,
        Effect.forEach((variant) => play(variant.seed, { undo: false, changes: variant.changes }))
      )
      return summarizePlan(input, seedRuns, { whatIf, adviceById })
    })
  })
