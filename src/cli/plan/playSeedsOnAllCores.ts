import * as Effect from "effect/Effect"
import { badInput } from "../input/badInput.ts"
import { builtInBehaviours } from "../../behaviours/builtInBehaviours.ts"
import { ManifestsRefused } from "../../manifests/manifestsRefused.ts"
import { seedTasks } from "../../plan/planRollout.ts"
import { isShared } from "./shards/share.ts"
import { toSentDocument } from "../threads/planTask.ts"
import { runOnThreads } from "../threads/threads.ts"
import type { BadInput } from "../input/badInput.ts"
import type { Share } from "./shards/share.ts"
import type { PlanJobResult } from "../threads/planTask.ts"
import { nothingAsked } from "../../plan/whatIf/whatIf.ts"
import type { WhatIf } from "../../plan/whatIf/whatIf.ts"
import type { PlanWorld, SeedRun } from "../../plan/seeds/playSeed.ts"

/** With fewer seeds than this for a thread, starting it takes longer than playing them. */
const seedsPerThread = 50

type PlanJobs = Parameters<typeof runOnThreads<"plan">>[0]["jobs"]

export interface PlayedSeeds {
  readonly played: ReadonlyArray<SeedRun>
  readonly whatIf: WhatIf
}

/** When it stops early, what is played is known. */
type PlayControl = Pick<Parameters<typeof runOnThreads<"plan">>[0], "onJobDone" | "stop">

interface PlayOptions extends PlayControl {
  /** Undefined for no what-if. */
  readonly startFactor?: number | undefined
  /** The part of the seeds to play; the first one has what-if, too. */
  readonly share?: Share | undefined
}

/** What-if, which takes as long as several seeds, begins first. */
export const playSeedsOnAllCores = (
  world: PlanWorld,
  seeds: ReadonlyArray<number>,
  { startFactor, share, ...control }: PlayOptions = {}
): Effect.Effect<PlayedSeeds, ManifestsRefused | BadInput> => {
  const [seed] = seeds
  const questions =
    startFactor === undefined || seed === undefined || !isShared(share, 0)
      ? []
      : [{ whatIf: { seed, factor: startFactor } }]
  return Effect.map(
    play(world, [...questions, ...seedTasks(seeds).filter((_, index) => isShared(share, index))], control),
    (results) => ({
      played: results.flatMap((result) => ("run" in result ? [result.run] : [])),
      whatIf: results.find((result) => "whatIf" in result)?.whatIf ?? nothingAsked
    })
  )
}

/** Plays these seeds again, with recordings and without `kubectl rollout undo` at the end. */
export const recordSeeds = (
  world: PlanWorld,
  seeds: ReadonlyArray<number>
): Effect.Effect<ReadonlyArray<SeedRun>, ManifestsRefused | BadInput> =>
  Effect.map(
    play(
      world,
      seeds.map((seed) => ({ seed, undo: false, isRecorded: true }))
    ),
    (results) => results.flatMap((result) => ("run" in result ? [result.run] : []))
  )

const play = (
  world: PlanWorld,
  jobs: PlanJobs,
  control: PlayControl = {}
): Effect.Effect<
  ReadonlyArray<Exclude<PlanJobResult, { readonly problems: unknown }>>,
  ManifestsRefused | BadInput
> => {
  // Strategies are functions, which threads cannot be sent; the command line has none of its own.
  const { next, from, strategies: _strategies, ...cloneable } = world
  const input = {
    world: { ...cloneable, ...builtInByName(cloneable.behaviour) },
    next: next.map(toSentDocument),
    from: from?.map(toSentDocument)
  }
  return Effect.flatMap(
    runOnThreads({ task: "plan", input, jobs, jobsPerThread: seedsPerThread, ...control }).pipe(
      Effect.mapError(({ message }) => badInput(message))
    ),
    Effect.forEach((result) =>
      "problems" in result
        ? Effect.fail(new ManifestsRefused({ problems: result.problems }))
        : Effect.succeed(result)
    )
  )
}

/** A built-in behaviour is sent by name: a copy would be another behaviour with a name that is taken. */
const builtInByName = (behaviour: PlanWorld["behaviour"]): Pick<PlanWorld, "behaviour"> =>
  builtInBehaviours.some((it) => it === behaviour) && typeof behaviour === "object"
    ? { behaviour: behaviour.name }
    : {}
