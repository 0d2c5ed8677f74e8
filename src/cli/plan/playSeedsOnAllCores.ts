import * as Effect from "effect/Effect"
import { badInput } from "../input/badInput.ts"
import { builtInBehaviours } from "../../behaviours/builtInBehaviours.ts"
import { ManifestsRefused } from "../../manifests/manifestsRefused.ts"
import { seedTasks } from "../../plan/planRollout.ts"
import { toSentDocument } from "../threads/planTask.ts"
import { runOnThreads } from "../threads/threads.ts"
import type { BadInput } from "../input/badInput.ts"
import type { PlanWorld, SeedRun } from "../../plan/seeds/playSeed.ts"

/** With fewer seeds than this for a thread, starting it takes longer than playing them. */
const seedsPerThread = 50

type PlanJobs = Parameters<typeof runOnThreads<"plan">>[0]["jobs"]

export const playSeedsOnAllCores = (
  world: PlanWorld,
  seeds: ReadonlyArray<number>
): Effect.Effect<ReadonlyArray<SeedRun>, ManifestsRefused | BadInput> => play(world, seedTasks(seeds))

/** Plays these seeds again, with recordings and without `kubectl rollout undo` at the end. */
export const recordSeeds = (
  world: PlanWorld,
  seeds: ReadonlyArray<number>
): Effect.Effect<ReadonlyArray<SeedRun>, ManifestsRefused | BadInput> =>
  play(
    world,
    seeds.map((seed) => ({ seed, undo: false, isRecorded: true }))
  )

const play = (
  world: PlanWorld,
  jobs: PlanJobs
): Effect.Effect<ReadonlyArray<SeedRun>, ManifestsRefused | BadInput> => {
  // Strategies are functions, which threads cannot be sent; the command line has none of its own.
  const { next, from, strategies: _strategies, ...cloneable } = world
  const input = {
    world: { ...cloneable, ...builtInByName(cloneable.behaviour) },
    next: next.map(toSentDocument),
    from: from?.map(toSentDocument)
  }
  return Effect.flatMap(
    runOnThreads({ task: "plan", input, jobs, jobsPerThread: seedsPerThread }).pipe(
      Effect.mapError(({ message }) => badInput(message))
    ),
    Effect.forEach((result) =>
      "run" in result
        ? Effect.succeed(result.run)
        : Effect.fail(new ManifestsRefused({ problems: result.problems }))
    )
  )
}

/** A built-in behaviour is sent by name: a copy would be another behaviour with a name that is taken. */
const builtInByName = (behaviour: PlanWorld["behaviour"]): Pick<PlanWorld, "behaviour"> =>
  builtInBehaviours.some((it) => it === behaviour) && typeof behaviour === "object"
    ? { behaviour: behaviour.name }
    : {}
