import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { applyStoryObjects } from "./performWrite.ts"
import { CannotSnapshot } from "../../../cluster/snapshots/snapshot.ts"
import { formatDuration, parseDuration } from "../../../kubernetes/meta/amounts/durations.ts"
import { makeConditionCheck, conditionFailureText } from "../../conditions/conditionCheck.ts"
import { defaultStoryLimits } from "../defaultLimits.ts"
import { makeCluster } from "../../../cluster/cluster.ts"
import { makeLedger } from "../../ledger/ledger.ts"
import { makeStoryRecorder } from "./storyRecorder.ts"
import { makeStoryClock } from "./storyClock.ts"
import { makeStoryFaults } from "./storyFaults.ts"
import { noteViolations, makeRecordingReader, recordingLimits } from "../../clusterRecording.ts"
import { performSteps } from "./performSteps.ts"
import { summarizeRun } from "./summarizeRun.ts"
import { defaultTraffic } from "../../ledger/services/serviceTraffic.ts"
import type { Cluster } from "../../../cluster/cluster.ts"
import type { ClusterOptions, UnknownBehaviour } from "../../../cluster/clusterOptions.ts"
import type { InvalidOptions } from "../../../options/invalidOptions.ts"
import type { ConditionFailure } from "../../conditions/evaluateCondition.ts"
import type { Ledger } from "../../ledger/ledger.ts"
import type { ClusterRecording } from "../../clusterRecording.ts"
import type { StoryRecorder } from "./storyRecorder.ts"
import type { StoryClock } from "./storyClock.ts"
import type { StepProgress } from "./performSteps.ts"
import type { StoryFaults } from "./storyFaults.ts"
import type { Story, StoryWorld } from "../story.ts"
import type { StoryFailure, StoryRun } from "../storyRun.ts"

/** `defineStory` and `readStory` refuse unplayable stories earlier. */
export type UnplayableStory = InvalidOptions | UnknownBehaviour

export interface OpenStoryOptions {
  readonly seed?: number
  /** Milliseconds from the story's beginning. */
  readonly untilMillis?: number
  readonly record?: boolean
  readonly inspect?: NonNullable<ClusterOptions["inspect"]>
  /** Called before the story's objects are created. */
  readonly onOpen?: (cluster: Cluster["Service"]) => void
}

/** The cluster stays open: advancing its paused clock continues the story. */
export const openStory = Effect.fnUntraced(function* (
  story: Story,
  options: OpenStoryOptions
): Effect.fn.Return<
  {
    readonly cluster: Cluster["Service"]
    readonly run: StoryRun
    readonly readRecording: (() => ClusterRecording) | undefined
  },
  UnplayableStory,
  Scope.Scope
> {
  const seed = options.seed ?? story.seed ?? 1
  const { cluster, close } = yield* openCluster(story, seed, options)
  options.onOpen?.(cluster)
  // A cluster closed within an endless instant gives no recording.
  const readRecording = options.record === true ? yield* makeRecordingReader(cluster) : undefined
  const running = makeRunningStory(cluster, story, seed, close)
  const run = yield* runStoryProgram(running, story, seed, options.untilMillis)
  // A snapshot cannot contain remaining steps and faults.
  const snapshot = Effect.catchTag(cluster.snapshot, "CannotSnapshot", (refused) => {
    const why = whyUnfinished(running)
    return Effect.fail(why === undefined ? refused : new CannotSnapshot({ why }))
  })
  return { cluster: { ...cluster, snapshot }, run, readRecording }
})

interface StoryCluster {
  readonly cluster: Cluster["Service"]
  /** Closes the cluster within an instant that never ends: the story's scope cannot close then. */
  readonly close: Effect.Effect<void>
}

const openCluster = Effect.fnUntraced(function* (
  { name, nodes, startTime, behaviour, behaviours }: Story,
  seed: number,
  { record, inspect }: { readonly record?: boolean; readonly inspect?: ClusterOptions["inspect"] }
): Effect.fn.Return<StoryCluster, UnplayableStory, Scope.Scope> {
  const scope = yield* Scope.make()
  const close = Scope.close(scope, Exit.void)
  yield* Effect.addFinalizer(() => close)
  const cluster = yield* Effect.provideService(
    makeCluster({
      seed,
      clock: "virtual",
      ...(record === true ? { record: { title: `${name}, seed ${seed}`, ...recordingLimits } } : {}),
      ...(inspect === undefined ? {} : { inspect }),
      ...(nodes === undefined ? {} : { nodes }),
      ...(startTime === undefined ? {} : { startMillis: Date.parse(startTime) }),
      ...(behaviour === undefined ? {} : { behaviour }),
      ...(behaviours === undefined ? {} : { behaviours })
    }),
    Scope.Scope,
    scope
  )
  return { cluster, close }
})

const runStoryProgram = Effect.fnUntraced(function* (
  running: RunningStory,
  story: Story,
  seed: number,
  untilMillis: number | undefined
): Effect.fn.Return<StoryRun, never, Scope.Scope> {
  const { cluster, failures, ledger, recorder, clock } = running
  const { limit } = story
  const limitMillis = limit?.time === undefined ? defaultStoryLimits.millis : (parseDuration(limit.time) ?? 0)
  const fail = (failure: StoryFailure & { readonly message: string }): void => {
    failures.push(failure)
    cluster.addNote("failure", failure.message)
  }
  const failUnsettled = (message: string): void =>
    fail({ type: "unsettled", atMillis: running.millisSinceBegin(), message })

  const program = Effect.gen(function* () {
    const startResult = yield* Effect.result(cluster.run(applyStoryObjects(cluster, story.start ?? [])))
    if (startResult._tag === "Failure") {
      return fail({ type: "start", atMillis: 0, message: startResult.failure.why })
    }
    if (!(yield* clock.advanceUntilIdle(limitMillis)))
      return failUnsettled(`what is there at the start has ${clock.unsettledReason()}`)
    // Clients are to know all endpoints when the story begins.
    if (ledger.services().length > 0) yield* cluster.until(() => false, defaultTraffic.propagationMillis)
    const areStepsOver = yield* beginStory(running, story)

    if (untilMillis !== undefined) {
      const endMillis = Math.min(limitMillis, untilMillis)
      yield* clock.advanceUntil(() => running.millisSinceBegin() >= endMillis, endMillis)
      return
    }
    const hasFailed = (): boolean => running.steps.some(({ failure }) => failure !== undefined)
    const isOver = (): boolean => hasFailed() || (areStepsOver() && running.faults.areOver())
    const isPlayed = yield* clock.advanceUntil(isOver, limitMillis)
    if (hasFailed()) return
    if (!isPlayed || !(yield* clock.advanceUntilSettled(limitMillis)))
      return failUnsettled(clock.unsettledReason())
    ledger.checkSettled()
  })
  yield* Effect.catchDefect(program, (defect) => {
    if (!running.isEndless()) return Effect.die(defect)
    const endless = `${formatDuration(running.millisSinceBegin())} into the story time stood still`
    return Effect.sync(() =>
      failUnsettled(`not settled: ${endless}; ${recorder.recentChanges.text(cluster.nowMillis())}`)
    )
  })
  ledger.advanceTo(cluster.nowMillis())
  const run = summarizeRun({
    ...running,
    view: cluster.view,
    strategies: cluster.strategies,
    story,
    seed,
    beginMillis: running.beginMillis(),
    endMillis: cluster.nowMillis(),
    isOver: untilMillis === undefined
  })
  for (const failure of run.failures)
    if (failure.type === "expectation") cluster.addNote("failure", failure.message)
  return run
})

interface RunningStory {
  readonly cluster: Cluster["Service"]
  readonly ledger: Ledger
  readonly recorder: StoryRecorder
  readonly faults: StoryFaults
  readonly clock: StoryClock
  readonly world: StoryWorld
  readonly steps: ReadonlyArray<StepProgress>
  readonly failures: Array<StoryFailure>
  readonly beginMillis: () => number
  readonly millisSinceBegin: () => number
  /** The story's times, counts and extremes start anew. */
  readonly beginNow: () => void
  /** Whether an instant never ended. */
  readonly isEndless: () => boolean
}

const makeRunningStory = (
  cluster: Cluster["Service"],
  story: Story,
  seed: number,
  close: Effect.Effect<void>
): RunningStory => {
  const writesMax = story.limit?.steps ?? defaultStoryLimits.writes
  let isEndless = false
  let hasBegun = false
  let beginMillis = cluster.nowMillis()
  const millisSinceBegin = (): number => cluster.nowMillis() - beginMillis

  const { lifeOf, onPodChange } = cluster.faultInjector.podEffects
  // The story's beginning is not known yet, so violations have times of the cluster's clock.
  const ledger = makeLedger({
    nowMillis: cluster.nowMillis,
    strategies: cluster.strategies,
    lifeOf,
    onViolation: noteViolations(cluster)
  })
  onPodChange((pod) => ledger.podFaultChanged(pod, cluster.nowMillis()))
  ledger.observeExisting(cluster.view, cluster.nowMillis())
  const recorder = makeStoryRecorder({
    cluster,
    ledger,
    // The story's own limit is checked at the end of an instant, which must not be cut short.
    writesMax: Math.max(writesMax, defaultStoryLimits.writes),
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
    clock: makeStoryClock({
      cluster,
      ledger,
      recorder,
      steps,
      millisSinceBegin,
      writesMax: () => (hasBegun ? writesMax : undefined)
    }),
    world: {
      view: cluster.view,
      ledger,
      loads: cluster.loads,
      get nowMillis() {
        return cluster.nowMillis()
      },
      get sinceMillis() {
        return millisSinceBegin()
      }
    },
    beginMillis: () => beginMillis,
    millisSinceBegin,
    beginNow: () => {
      beginMillis = cluster.nowMillis()
      hasBegun = true
      ledger.restart(beginMillis)
      recorder.restart()
    },
    isEndless: () => isEndless
  }
}

/** The returned function tells whether all steps are done. */
const beginStory = Effect.fnUntraced(function* (
  running: RunningStory,
  { invariants = [], steps }: Story
): Effect.fn.Return<() => boolean, never, Scope.Scope> {
  const { cluster, ledger, faults, world } = running
  running.beginNow()
  for (const [index, condition] of invariants.entries()) {
    const check = makeConditionCheck(condition, `invariants[${index}]`)
    const { serviceWithLosses, lossThresholds } = check
    ledger.addInvariant({
      text: check.text,
      index,
      holds: () => check.failures(world).length === 0,
      subject: () => check.failures(world)[0]?.key ?? "",
      countsText: () => serviceCountsText(check.failures(world)[0], ledger),
      ...(serviceWithLosses === undefined ? {} : { serviceWithLosses: () => serviceWithLosses(world) }),
      ...(lossThresholds === undefined ? {} : { lossThresholds: () => lossThresholds(world) }),
      broken: () => conditionFailureText(check, world) ?? check.text
    })
  }
  let areOver = false
  const stepsProgram = Effect.andThen(
    performSteps({ ...running, beginMillis: running.beginMillis() }, steps, running.steps),
    Effect.sync(() => {
      areOver = true
    })
  )
  const storyProgram = Effect.all([faults.runScheduled, stepsProgram], {
    concurrency: "unbounded",
    discard: true
  })
  yield* Effect.forkScoped(cluster.run(storyProgram), { startImmediately: true })
  return () => areOver
})

const whyUnfinished = ({ faults, steps }: RunningStory): string | undefined => {
  const untilMillis = faults.lastPendingMillis()
  if (untilMillis !== undefined)
    return `the story goes on until ${formatDuration(untilMillis)}, with faults that are still to come: move the clock past that`
  const index = steps.findIndex(({ endedMillis }) => endedMillis === undefined)
  return index === -1 || steps.some(({ failure }) => failure !== undefined)
    ? undefined
    : `the story goes on, with step ${index + 1} of ${steps.length}: move the clock until it is over`
}

const serviceCountsText = (failure: ConditionFailure | undefined, ledger: Ledger): string | undefined => {
  const entry = failure?.isService === true ? ledger.ofService(failure.key) : undefined
  if (failure === undefined || entry === undefined) return undefined
  const { endpoints, ready, terminating, known, answering, requests, lost } = entry.now()
  return (
    `Service ${failure.key}: endpoints ${endpoints}, ready ${ready}, terminating ${terminating}, ` +
    `known to clients ${known}, answering ${answering}, requests ${requests}, lost ${lost}`
  )
}
