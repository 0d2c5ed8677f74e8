import * as Effect from "effect/Effect"
import { availableParallelism } from "node:os"
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads"
import { builtInBehaviours } from "../behaviours/builtIn.ts"
import { kindOfObject } from "../domain/kinds.ts"
import { ManifestsRefused } from "../manifests/manifestsRefused.ts"
import { playSeed } from "../scenario/planRun.ts"
import { turnsOf } from "../scenario/plan.ts"
import type { ManifestDocument, ManifestProblem } from "../manifests/manifest.ts"
import type { PlanWorld, SeedRun } from "../scenario/planRun.ts"
import type { Turn } from "../scenario/plan.ts"

/** A world as it can be sent to another thread: what is no data is made anew there. */
interface Errand {
  readonly errand: typeof errandName
  readonly world: Omit<PlanWorld, "next" | "from" | "strategies">
  readonly next: ReadonlyArray<SentDocument>
  readonly from: ReadonlyArray<SentDocument> | undefined
  readonly turns: ReadonlyArray<Turn>
}

type SentDocument = Omit<ManifestDocument, "kind" | "lineOf">
type Answer =
  | { readonly runs: ReadonlyArray<SeedRun> }
  | { readonly problems: ReadonlyArray<ManifestProblem> }

const errandName = "play seeds"

/** A thread takes a while to start: fewer seeds than this are sooner played than shared. */
const seedsForThread = 50

/** Plays every seed, on as many cores as there are; the runs come in the order of the seeds. */
export const playOnAllCores = (
  world: PlanWorld,
  seeds: ReadonlyArray<number>
): Effect.Effect<ReadonlyArray<SeedRun>, ManifestsRefused> => {
  const turns = turnsOf(seeds)
  const threads = Math.min(availableParallelism(), Math.ceil(turns.length / seedsForThread))
  if (threads <= 1) return playTurns(world, turns)
  // Dealt out like cards, so that those who also go back are shared too.
  const hands = Array.from({ length: threads }, (_, thread) =>
    turns.filter((_turn, index) => index % threads === thread)
  )
  return Effect.map(
    Effect.forEach(hands, (hand) => playElsewhere(world, hand), { concurrency: "unbounded" }),
    (played) => turns.flatMap((_turn, index) => played[index % threads]?.[Math.floor(index / threads)] ?? [])
  )
}

const playTurns = (
  world: PlanWorld,
  turns: ReadonlyArray<Turn>
): Effect.Effect<ReadonlyArray<SeedRun>, ManifestsRefused> =>
  Effect.forEach(turns, ({ seed, undo }) => playSeed(world, seed, { undo })).pipe(
    // The command line has checked its options.
    Effect.catchTag(["InvalidOptions", "UnknownBehaviour"], (problem) => Effect.die(problem))
  )

const playElsewhere = (
  { next, from, strategies: _strategies, ...world }: PlanWorld,
  turns: ReadonlyArray<Turn>
): Effect.Effect<ReadonlyArray<SeedRun>, ManifestsRefused> =>
  Effect.callback((resume) => {
    const errand: Errand = {
      errand: errandName,
      world: { ...world, ...named(world.behaviour) },
      next: next.map(sent),
      from: from?.map(sent),
      turns
    }
    const worker = new Worker(new URL(import.meta.url), { workerData: errand })
    worker.once("error", (error) => resume(Effect.die(error)))
    worker.once("message", (answer: Answer) =>
      resume(
        "runs" in answer
          ? Effect.succeed(answer.runs)
          : Effect.fail(new ManifestsRefused({ problems: answer.problems }))
      )
    )
    return Effect.promise(() => worker.terminate())
  })

/** A copy of a built-in behaviour would be another one that has taken its name. */
const named = (behaviour: PlanWorld["behaviour"]): Pick<PlanWorld, "behaviour"> =>
  builtInBehaviours.some((it) => it === behaviour) && typeof behaviour === "object"
    ? { behaviour: behaviour.name }
    : {}

const sent = ({ kind: _kind, lineOf: _lineOf, ...document }: ManifestDocument): SentDocument => document

const received = (document: SentDocument): ReadonlyArray<ManifestDocument> => {
  const kind = kindOfObject(document.draft)
  return kind === undefined ? [] : [{ ...document, kind, lineOf: () => document.line }]
}

const isErrand = (given: unknown): given is Errand =>
  typeof given === "object" && given !== null && "errand" in given && given.errand === errandName

/** This same file, in another thread: it does its errand and is gone. */
if (!isMainThread && isErrand(workerData)) {
  const { world, next, from, turns } = workerData
  const whole: PlanWorld = {
    ...world,
    next: next.flatMap(received),
    ...(from === undefined ? {} : { from: from.flatMap(received) })
  }
  const answer: Answer = await Effect.runPromise(
    playTurns(whole, turns).pipe(
      Effect.map((runs) => ({ runs })),
      Effect.catchTag("ManifestsRefused", ({ problems }) => Effect.succeed({ problems }))
    )
  )
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- only windows have an origin
  parentPort?.postMessage(answer)
}
