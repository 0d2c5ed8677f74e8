import { TaggedError } from "effect/Data"
import * as Effect from "effect/Effect"
import { faultText } from "../../../faults/faultText.ts"
import { formatDuration, parseDuration } from "../../../kubernetes/meta/amounts/durations.ts"
import { blockedPodTexts, activeFaultTexts } from "./unsettledReasons.ts"
import { makeConditionCheck, conditionFailureText } from "../../conditions/conditionCheck.ts"
import { lossCausesIn } from "../../ledger/services/serviceTraffic.ts"
import { storyStepText } from "../storyStepText.ts"
import { performWrite } from "./performWrite.ts"
import type { Load } from "../../../behaviours/load/load.ts"
import type { OutsideMetric } from "../../../cluster/loads/outsideMetrics.ts"
import type { Cluster } from "../../../cluster/cluster.ts"
import type { ConditionCheck } from "../../conditions/conditionCheck.ts"
import type { StoryStep, StoryWorld } from "../story.ts"
import type { StoryRecorder } from "./storyRecorder.ts"
import type { StoryFailure } from "../storyRun.ts"
import type { StoryFaults } from "./storyFaults.ts"

export interface StepEnvironment {
  readonly cluster: Cluster["Service"]
  readonly recorder: StoryRecorder
  readonly faults: StoryFaults
  readonly world: StoryWorld
  readonly beginMillis: number
}

/** Times count from the story's beginning, unlike `beginMillis`. */
export interface StepProgress {
  beganMillis: number | undefined
  endedMillis: number | undefined
  failure: StepFailure | undefined
  /** Tells what the step waits for: its time, its `when`, or its own condition. */
  waitsFor: (() => string | undefined) | undefined
}

type StepFailure = Pick<
  Extract<StoryFailure, { readonly type: "step" }>,
  "message" | "meanwhile" | "lostBecause"
>

class StepFailed extends TaggedError("StepFailed")<{ readonly why: string } & Omit<StepFailure, "message">> {}

const defaultWithinMillis = 3_600_000

/** Must run in `cluster.run`, where `Effect.sleep` takes cluster time. */
export const performSteps = Effect.fnUntraced(function* (
  environment: StepEnvironment,
  steps: ReadonlyArray<StoryStep>,
  progress: ReadonlyArray<StepProgress>
): Effect.fn.Return<void> {
  const millisSinceBegin = (): number => environment.cluster.nowMillis() - environment.beginMillis
  for (const [index, step] of steps.entries()) {
    const stepProgress = progress[index]
    if (stepProgress === undefined) return
    const result = yield* Effect.result(
      Effect.gen(function* () {
        const path = `steps[${index}]`
        yield* awaitStart(environment, step, stepProgress, path)
        stepProgress.waitsFor = undefined
        stepProgress.beganMillis = millisSinceBegin()
        environment.cluster.addNote("step", storyStepText(step, faultText), index + 1)
        yield* performStep(environment, step, stepProgress, path)
        // Controllers react at the same instant before the next step.
        yield* endOfInstant
      })
    )
    stepProgress.waitsFor = undefined
    stepProgress.endedMillis = millisSinceBegin()
    if (result._tag === "Success") continue
    const { why: message, meanwhile = [], lostBecause } = result.failure
    stepProgress.failure = {
      message,
      ...(meanwhile.length === 0 ? {} : { meanwhile }),
      ...(lostBecause === undefined ? {} : { lostBecause })
    }
    environment.cluster.addNote("failure", message, index + 1)
    return
  }
})

/** A sleep of 0 ms ends when nothing else is left to do at this instant. */
const endOfInstant = Effect.sleep(0)

const millisOf = (text: string): number => parseDuration(text) ?? 0

const awaitStart = Effect.fnUntraced(function* (
  environment: StepEnvironment,
  { at, after, when, within }: StoryStep,
  stepProgress: StepProgress,
  path: string
): Effect.fn.Return<void, StepFailed> {
  if (after !== undefined) return yield* sleepFor(environment, millisOf(after), stepProgress)
  if (when !== undefined)
    return yield* awaitCondition(environment, makeConditionCheck(when, `${path}.when`), within, stepProgress)
  if (at === undefined) return
  const leftMillis = environment.beginMillis + millisOf(at) - environment.cluster.nowMillis()
  if (leftMillis < 0) {
    const previousEnd = formatDuration(environment.cluster.nowMillis() - environment.beginMillis)
    return yield* new StepFailed({
      why: `${at} lies in the past: the step before it was over at ${previousEnd}`
    })
  }
  if (leftMillis > 0) yield* sleepFor(environment, leftMillis, stepProgress)
})

const sleepFor = (
  { cluster, beginMillis }: StepEnvironment,
  millis: number,
  stepProgress: StepProgress
): Effect.Effect<void> => {
  const time = formatDuration(cluster.nowMillis() + millis - beginMillis)
  stepProgress.waitsFor = () => `its time comes at ${time}`
  return Effect.sleep(millis)
}

const performStep = (
  environment: StepEnvironment,
  step: StoryStep,
  stepProgress: StepProgress,
  path: string
): Effect.Effect<void, StepFailed> => {
  if ("waitFor" in step)
    return awaitCondition(
      environment,
      makeConditionCheck(step.waitFor, `${path}.waitFor`),
      step.within,
      stepProgress
    )
  if ("expect" in step) return expectCondition(environment, makeConditionCheck(step.expect, `${path}.expect`))
  if ("advance" in step) return Effect.sleep(millisOf(step.advance))
  if ("fault" in step) return Effect.mapError(environment.faults.begin(step), ({ message: why }) => fail(why))
  if ("setLoad" in step) {
    const { setLoad, perSecond, cpuPerRequest, capacityPerSecond } = step
    const load: Load = {
      perSecond,
      ...(cpuPerRequest === undefined ? {} : { cpuPerRequest }),
      ...(capacityPerSecond === undefined ? {} : { capacityPerSecond })
    }
    return Effect.sync(() => environment.cluster.load.shares.setLoad(setLoad, load))
  }
  if ("setMetric" in step) {
    const { setMetric: name, value, namespace, object, labels } = step
    const metric: OutsideMetric = {
      name,
      value,
      ...(namespace === undefined ? {} : { namespace }),
      ...(object === undefined ? {} : { object }),
      ...(labels === undefined ? {} : { labels })
    }
    return Effect.sync(() => environment.cluster.load.outsideMetrics.set(metric))
  }
  const { expectRefused } = step
  const writeEffect = performWrite(environment.cluster, step)
  if (expectRefused === undefined) return Effect.mapError(writeEffect, ({ why }) => fail(why))
  return Effect.gen(function* () {
    const result = yield* Effect.result(writeEffect)
    if (result._tag === "Success") return yield* fail(`it was to be refused, and was not`)
    const { why } = result.failure
    if (why.includes(expectRefused)) return
    return yield* fail(`it was refused in other words than ${JSON.stringify(expectRefused)}: ${why}`)
  })
}

const fail = (why: string): StepFailed => new StepFailed({ why })

const obstacleTexts = ({ cluster }: StepEnvironment): ReadonlyArray<string> => [
  ...activeFaultTexts(cluster.faultInjector),
  ...blockedPodTexts(cluster.view)
]

const lossCausesOf = (
  check: ConditionCheck,
  { cluster, world }: StepEnvironment
): Pick<StepFailure, "lostBecause"> => {
  const service = check.serviceWithLosses?.(world)
  const entry = service === undefined ? undefined : world.ledger.ofService(service)
  return entry === undefined ? {} : { lostBecause: lossCausesIn(entry.totals(cluster.nowMillis())) }
}

const expectCondition = Effect.fnUntraced(function* (
  environment: StepEnvironment,
  check: ConditionCheck
): Effect.fn.Return<void, StepFailed> {
  yield* endOfInstant
  const why = conditionFailureText(check, environment.world)
  if (why !== undefined)
    return yield* new StepFailed({
      why,
      meanwhile: obstacleTexts(environment),
      ...lossCausesOf(check, environment)
    })
})

/** A condition that is a function may read the time: it is evaluated again without any change. */
const functionCheckMillis = 10_000

/** The growing number of lost requests may make a condition true without any change. */
const awaitCondition = Effect.fnUntraced(function* (
  environment: StepEnvironment,
  check: ConditionCheck,
  within: string | undefined,
  stepProgress: StepProgress
): Effect.fn.Return<void, StepFailed> {
  const { cluster, recorder, world } = environment
  stepProgress.waitsFor = () => conditionFailureText(check, world)
  const withinMillis = within === undefined ? defaultWithinMillis : millisOf(within)
  const untilMillis = cluster.nowMillis() + withinMillis
  yield* endOfInstant
  while (conditionFailureText(check, world) !== undefined) {
    const leftMillis = untilMillis - cluster.nowMillis()
    if (leftMillis <= 0) {
      return yield* new StepFailed({
        why: `it did not come true within ${formatDuration(withinMillis)}: ${conditionFailureText(check, world) ?? ""}`,
        meanwhile: [...obstacleTexts(environment), recorder.recentChanges.text(cluster.nowMillis())],
        ...lossCausesOf(check, environment)
      })
    }
    const nextCheckMillis =
      check.serviceWithLosses === undefined
        ? untilMillis
        : world.ledger.nextCheckMillis(
            () => conditionFailureText(check, world) === undefined,
            untilMillis,
            check.lossThresholds?.(world)
          )
    const waitMillis = nextCheckMillis - cluster.nowMillis()
    const sleepMillis = check.mayReadTime === true ? Math.min(waitMillis, functionCheckMillis) : waitMillis
    yield* Effect.raceFirst(nextChange(recorder), Effect.sleep(sleepMillis))
    yield* endOfInstant
  }
})

const nextChange = (recorder: StoryRecorder): Effect.Effect<void> =>
  Effect.callback((resume) => {
    recorder.onNextChange(() => resume(Effect.void))
  })
