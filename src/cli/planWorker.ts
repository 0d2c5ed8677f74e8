import * as Effect from "effect/Effect"
import { badInput } from "./badInput.ts"
import { builtInBehaviours } from "../behaviours/builtIn.ts"
import { ManifestsRefused } from "../manifests/manifestsRefused.ts"
import { turnsOf } from "../scenario/plan/plan.ts"
import { sentDocument } from "./planErrand.ts"
import { shareOut } from "./threads.ts"
import type { BadInput } from "./badInput.ts"
import type { PlanWorld, SeedRun } from "../scenario/plan/planRun.ts"

/** A thread takes a while to start: fewer seeds than this are sooner played than shared. */
const seedsForThread = 50

type Turns = Parameters<typeof shareOut<"plan">>[0]["turns"]

/** Plays every seed, on as many cores as there are; the runs come in the order of the seeds. */
export const playOnAllCores = (
  world: PlanWorld,
  seeds: ReadonlyArray<number>
): Effect.Effect<ReadonlyArray<SeedRun>, ManifestsRefused | BadInput> => play(world, turnsOf(seeds))

/** Plays some of them once more, and records them. */
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
  turns: Turns
): Effect.Effect<ReadonlyArray<SeedRun>, ManifestsRefused | BadInput> => {
  const { next, from, strategies: _strategies, ...rest } = world
  const sent = {
    world: { ...rest, ...named(rest.behaviour) },
    next: next.map(sentDocument),
    from: from?.map(sentDocument)
  }
  return Effect.flatMap(
    shareOut({ errand: "plan", sent, turns, turnsForThread: seedsForThread }).pipe(
      Effect.mapError(({ message }) => badInput(message))
    ),
    Effect.forEach((answer) =>
      "run" in answer
        ? Effect.succeed(answer.run)
        : Effect.fail(new ManifestsRefused({ problems: answer.problems }))
    )
  )
}

/** A copy of a built-in behaviour would be another one that has taken its name. */
const named = (behaviour: PlanWorld["behaviour"]): Pick<PlanWorld, "behaviour"> =>
  builtInBehaviours.some((it) => it === behaviour) && typeof behaviour === "object"
    ? { behaviour: behaviour.name }
    : {}
