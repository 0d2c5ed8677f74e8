import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { apply } from "./write.ts"
import { CannotSnapshot } from "../../snapshots/snapshot.ts"
import { formatDuration, parseDuration } from "../../domain/durations.ts"
import { judgeOf, whyNot } from "../conditions/judge.ts"
import { limitDefaults } from "./limits.ts"
import { makeCluster } from "../../cluster.ts"
import { makeLedger } from "../ledger/ledger.ts"
import { makeRecorder } from "./recorder.ts"
import { makeResting } from "./resting.ts"
import { makeStoryFaults } from "./storyFaults.ts"
import { noteBroken, recordedIn, recordedMost } from "../recorded.ts"
import { performSteps } from "./performSteps.ts"
import { runOf } from "./runOf.ts"
import { usualTraffic } from "../ledger/serviceTraffic.ts"
import type { Cluster } from "../../cluster.ts"
import type { ClusterOptions, UnknownBehaviour } from "../../clusterOptions.ts"
import type { InvalidOptions } from "../../invalidOptions.ts"
import type { Reason } from "../conditions/evaluate.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { Recorded } from "../recorded.ts"
import type { Recorder } from "./recorder.ts"
import type { Resting } from "./resting.ts"
import type { StepProgress } from "./performSteps.ts"
import type { StoryFaults } from "./storyFaults.ts"
import type { Story, StoryWorld } from "./story.ts"
import type { StoryFailure, StoryRun } from "./storyRun.ts"

/** Why a story cannot be played at all: it would have been refused by whom it was defined or read. */
export type Unplayable = InvalidOptions | UnknownBehaviour

/**
 * Plays a story to a moment, or to its end, and leaves its cluster as it is then, with its clock standing. What is
 * still to come of the story comes when the clock is moved.
 */
export const openStory = Effect.fnUntraced(function* (
  story: Story,
  options: {
    readonly seed?: number
    readonly untilMillis?: number
    readonly record?: boolean
    /** Hears of all that the statecharts do, from before the beginning on. */
    readonly inspect?: NonNullable<ClusterOptions["inspect"]>
    /** Is given the cluster before anything happens in it. */
    readonly opened?: (cluster: Cluster["Service"]) => void
  }
): Effect.fn.Return<
  {
    readonly cluster: Cluster["Service"]
    readonly run: StoryRun
    /** What has happened, from before the beginning on, where it was to be recorded. */
    readonly recorded: (() => Recorded) | undefined
  },
  Unplayable,
  Scope.Scope
> {
  const seed = options.seed ?? story.seed ?? 1
  const { cluster, close } = yield* openCluster(story, seed, options)
  options.opened?.(cluster)
  // A cluster that has ended in the middle of an instant can no longer be asked for it.
  const recorded = options.record === true ? yield* recordedIn(cluster) : undefined
  const play = makePlay(cluster, story, seed, close)
  const run = yield* playIn(play, story, seed, options.untilMillis)
  // What is still to come of the story belongs to nobody who could take it down.
  const snapshot = Effect.catchTag(cluster.snapshot, "CannotSnapshot", (refused) => {
    const why = whatIsToCome(play)
    return Effect.fail(why === undefined ? refused : new CannotSnapshot({ why }))
  })
  return { cluster: { ...cluster, snapshot }, run, recorded }
})

interface Opened {
  readonly cluster: Cluster["Service"]
  /** Ends everything that happens in the cluster, even in the middle of an instant that never ends. */
  readonly close: Effect.Effect<void>
}

const openCluster = Effect.fnUntraced(function* (
  { name, nodes, behaviour, behaviours }: Story,
  seed: number,
  { record, inspect }: { readonly record?: boolean; readonly inspect?: ClusterOptions["inspect"] }
): Effect.fn.Return<Opened, Unplayable, Scope.Scope> {
  const scope = yield* Scope.make()
  const close = Scope.close(scope, Exit.void)
  yield* Effect.addFinalizer(() => close)
  const cluster = yield* Effect.provideService(
    makeCluster({
      seed,
      clock: "virtual",
      ...(record === true ? { record: { title: `${name}, seed ${seed}`, ...recordedMost } } : {}),
      ...(inspect === undefined ? {} : { inspect }),
      ...(nodes === undefined ? {} : { nodes }),
      ...(behaviour === undefined ? {} : { behaviour }),
      ...(behaviours === undefined ? {} : { behaviours })
    }),
    Scope.Scope,
    scope
  )
  return { cluster, close }
})

const playIn = Effect.fnUntraced(function* (
  play: Play,
  story: Story,
  seed: number,
  untilMillis: number | undefined
): Effect.fn.Return<StoryRun, never, Scope.Scope> {
  const { cluster, failures, ledger, recorder, resting } = play
  const { limit } = story
  const limitMillis = limit?.time === undefined ? limitDefaults.millis : (parseDuration(limit.time) ?? 0)
  const fail = (failure: StoryFailure & { readonly message: string }): void => {
    failures.push(failure)
    cluster.note("failure", failure.message)
  }
  const unsettled = (message: string): void =>
    fail({ type: "unsettled", atMillis: play.sinceBegin(), message })

  const playing = Effect.gen(function* () {
    const started = yield* Effect.result(cluster.run(apply(cluster, story.start ?? [])))
    if (started._tag === "Failure") {
      return fail({ type: "start", atMillis: 0, message: started.failure.why })
    }
    if (!(yield* resting.untilStill(limitMillis)))
      return unsettled(`what is there at the start has ${resting.whyRestless()}`)
    // By then whoever sends requests has heard of everybody who is there.
    if (ledger.services().length > 0) yield* cluster.until(() => false, usualTraffic.propagationMillis)
    const areStepsOver = yield* begin(play, story)

    if (untilMillis !== undefined) {
      const endMillis = Math.min(limitMillis, untilMillis)
      yield* resting.passUntil(() => play.sinceBegin() >= endMillis, endMillis)
      return
    }
    const hasFailed = (): boolean => play.steps.some(({ failure }) => failure !== undefined)
    const isOver = (): boolean => hasFailed() || (areStepsOver() && play.faults.areOver())
    const isPlayed = yield* resting.passUntil(isOver, limitMillis)
    if (hasFailed()) return
    if (!isPlayed || !(yield* resting.untilSettled(limitMillis))) return unsettled(resting.whyRestless())
    ledger.judgeSettled()
  })
  yield* Effect.catchDefect(playing, (defect) => {
    if (!play.isEndless()) return Effect.die(defect)
    const where = `${formatDuration(play.sinceBegin())} into the story time stood still`
    return Effect.sync(() => unsettled(`not settled: ${where}; ${recorder.recent.text(cluster.nowMillis())}`))
  })
  ledger.passTo(cluster.nowMillis())
  const run = runOf({
    ...play,
    story,
    seed,
    beginMillis: play.beginMillis(),
    endMillis: cluster.nowMillis(),
    isOver: untilMillis === undefined
  })
  for (const failure of run.failures)
    if (failure.type === "expectation") cluster.note("failure", failure.message)
  return run
})

/** Everything that goes with a story while it is played. */
interface Play {
  readonly cluster: Cluster["Service"]
  readonly ledger: Ledger
  readonly recorder: Recorder
  readonly faults: StoryFaults
  readonly resting: Resting
  readonly world: StoryWorld
  readonly steps: ReadonlyArray<StepProgress>
  readonly failures: Array<StoryFailure>
  readonly beginMillis: () => number
  readonly sinceBegin: () => number
  /** The story begins now: before, its start came to rest. */
  readonly beginNow: () => void
  readonly isEndless: () => boolean
}

const makePlay = (
  cluster: Cluster["Service"],
  story: Story,
  seed: number,
  close: Effect.Effect<void>
): Play => {
  const writesMax = story.limit?.steps ?? limitDefaults.writes
  let isEndless = false
  let hasBegun = false
  let beginMillis = cluster.nowMillis()
  const sinceBegin = (): number => cluster.nowMillis() - beginMillis

  const { lifeOf, onBefall } = cluster.faults.befalls
  const ledger = makeLedger(0, {
    nowMillis: cluster.nowMillis,
    lifeOf,
    onBroken: noteBroken(cluster)
  })
  onBefall((pod) => ledger.befall(pod, cluster.nowMillis()))
  ledger.seeAll(cluster.view, cluster.nowMillis())
  const recorder = makeRecorder({
    cluster,
    ledger,
    writesMax: Math.max(writesMax, limitDefaults.writes),
    onEndless: () => {
      isEndless = true
      Effect.runFork(close)
    }
  })
  const steps = story.steps.map((): StepProgress => {
    return { beganMillis: undefined, endedMillis: undefined, failure: undefined, waitsFor: undefined }
  })
  return {
    cluster,
    ledger,
    recorder,
    steps,
    failures: [],
    faults: makeStoryFaults({ cluster, ledger, story, seed, beginMillis: () => beginMillis }),
    resting: makeResting({
      cluster,
      ledger,
      recorder,
      steps,
      sinceBegin,
      writesMax: () => (hasBegun ? writesMax : undefined)
    }),
    world: {
      view: cluster.view,
      ledger,
      get nowMillis() {
        return cluster.nowMillis()
      },
      get sinceMillis() {
        return sinceBegin()
      }
    },
    beginMillis: () => beginMillis,
    sinceBegin,
    beginNow: () => {
      beginMillis = cluster.nowMillis()
      hasBegun = true
      ledger.begin(beginMillis)
      recorder.begin()
    },
    isEndless: () => isEndless
  }
}

/** Sets everything going on the cluster's timeline. Answers how to ask whether the steps are over. */
const begin = Effect.fnUntraced(function* (
  play: Play,
  { invariants = [], steps }: Story
): Effect.fn.Return<() => boolean, never, Scope.Scope> {
  const { cluster, ledger, faults, world } = play
  play.beginNow()
  for (const [index, condition] of invariants.entries()) {
    const judge = judgeOf(condition, `invariants[${index}]`)
    const { losing, turns } = judge
    ledger.watchFor({
      text: judge.text,
      index,
      holds: () => judge.reasons(world).length === 0,
      subject: () => judge.reasons(world)[0]?.subject ?? "",
      sums: () => serviceSums(judge.reasons(world)[0], ledger),
      ...(losing === undefined ? {} : { losing: () => losing(world) }),
      ...(turns === undefined ? {} : { turns: () => turns(world) }),
      broken: () => whyNot(judge, world) ?? judge.text
    })
  }
  let areOver = false
  const performing = Effect.andThen(
    performSteps({ ...play, beginMillis: play.beginMillis() }, steps, play.steps),
    Effect.sync(() => {
      areOver = true
    })
  )
  const all = Effect.all([faults.comeAtTheirTimes, performing], { concurrency: "unbounded", discard: true })
  yield* Effect.forkScoped(cluster.run(all), { startImmediately: true })
  return () => areOver
})

/** What of a story has not happened yet; undefined where it is over. */
const whatIsToCome = ({ faults, steps }: Play): string | undefined => {
  const untilMillis = faults.untilMillis()
  if (untilMillis !== undefined)
    return `the story goes on until ${formatDuration(untilMillis)}, with faults that are still to come: move the clock past that`
  const place = steps.findIndex(({ endedMillis }) => endedMillis === undefined)
  return place === -1 || steps.some(({ failure }) => failure !== undefined)
    ? undefined
    : `the story goes on, with step ${place + 1} of ${steps.length}: move the clock until it is over`
}

/** The numbers of the Service that something is said of; undefined where it is said of anything else. */
const serviceSums = (reason: Reason | undefined, ledger: Ledger): string | undefined => {
  const entry = reason?.isOfService === true ? ledger.ofService(reason.subject) : undefined
  if (reason === undefined || entry === undefined) return undefined
  const { endpoints, ready, terminating, known, answering, requests, lost } = entry.now()
  return (
    `Service ${reason.subject}: endpoints ${endpoints}, ready ${ready}, terminating ${terminating}, ` +
    `known to clients ${known}, answering ${answering}, requests ${requests}, lost ${lost}`
  )
}
