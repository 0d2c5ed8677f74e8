import { TaggedError } from "effect/Data"
import * as Effect from "effect/Effect"
import { faultText } from "../../faults/faultText.ts"
import { formatDuration, parseDuration } from "../../domain/durations.ts"
import { heldUp, lastingFaults } from "./standstill.ts"
import { judgeOf, whyNot } from "../conditions/judge.ts"
import { causesOf } from "../ledger/serviceTraffic.ts"
import { stepText } from "./stepText.ts"
import { write } from "./write.ts"
import type { Cluster } from "../../cluster.ts"
import type { Judge } from "../conditions/judge.ts"
import type { Step, StoryWorld } from "./story.ts"
import type { Recorder } from "./recorder.ts"
import type { StoryFailure } from "./storyRun.ts"
import type { StoryFaults } from "./storyFaults.ts"

/** What steps act on; all of it runs on the cluster's timeline. */
export interface Stage {
  readonly cluster: Cluster["Service"]
  readonly recorder: Recorder
  readonly faults: StoryFaults
  readonly world: StoryWorld
  readonly beginMillis: number
}

export interface StepProgress {
  beganMillis: number | undefined
  endedMillis: number | undefined
  failure: StepFailure | undefined
  /** Why the step still waits. */
  waitsFor: (() => string | undefined) | undefined
}

type StepFailure = Pick<
  Extract<StoryFailure, { readonly type: "step" }>,
  "message" | "meanwhile" | "lostBecause"
>

class StepFailed extends TaggedError("StepFailed")<{ readonly why: string } & Omit<StepFailure, "message">> {}

const defaultWithinMillis = 3_600_000

/** Performs steps in order, each at its time. Must run on the cluster's timeline. Stops at the first failure. */
export const performSteps = Effect.fnUntraced(function* (
  environment: Stage,
  steps: ReadonlyArray<Step>,
  progress: ReadonlyArray<StepProgress>
): Effect.fn.Return<void> {
  const sinceBegin = (): number => environment.cluster.nowMillis() - environment.beginMillis
  for (const [index, step] of steps.entries()) {
    const progressOfStep = progress[index]
    if (progressOfStep === undefined) return
    const result = yield* Effect.result(
      Effect.gen(function* () {
        const path = `steps[${index}]`
        yield* awaitTime(environment, step, progressOfStep, path)
        progressOfStep.waitsFor = undefined
        progressOfStep.beganMillis = sinceBegin()
        environment.cluster.note("step", stepText(step, faultText), index + 1)
        yield* perform(environment, step, progressOfStep, path)
        // Lets controllers react at the same instant before the next step.
        yield* instantOver
      })
    )
    progressOfStep.waitsFor = undefined
    progressOfStep.endedMillis = sinceBegin()
    if (result._tag === "Success") continue
    const { why: message, meanwhile = [], lostBecause } = result.failure
    progressOfStep.failure = {
      message,
      ...(meanwhile.length === 0 ? {} : { meanwhile }),
      ...(lostBecause === undefined ? {} : { lostBecause })
    }
    environment.cluster.note("failure", message, index + 1)
    return
  }
})

/** A sleep of 0 ms ends once nothing else is left to do at this instant. */
const instantOver = Effect.sleep(0)

const millisOf = (text: string): number => parseDuration(text) ?? 0

const awaitTime = Effect.fnUntraced(function* (
  environment: Stage,
  { at, after, when, within }: Step,
  progressOfStep: StepProgress,
  path: string
): Effect.fn.Return<void, StepFailed> {
  if (after !== undefined) return yield* awaitMoment(environment, millisOf(after), progressOfStep)
  if (when !== undefined)
    return yield* awaitCondition(environment, judgeOf(when, `${path}.when`), within, progressOfStep)
  if (at === undefined) return
  const leftMillis = environment.beginMillis + millisOf(at) - environment.cluster.nowMillis()
  if (leftMillis < 0) {
    const doneAt = formatDuration(environment.cluster.nowMillis() - environment.beginMillis)
    return yield* new StepFailed({
      why: `${at} lies in the past: the step before it was over at ${doneAt}`
    })
  }
  if (leftMillis > 0) yield* awaitMoment(environment, leftMillis, progressOfStep)
})

const awaitMoment = (
  { cluster, beginMillis }: Stage,
  millis: number,
  progressOfStep: StepProgress
): Effect.Effect<void> => {
  const time = formatDuration(cluster.nowMillis() + millis - beginMillis)
  progressOfStep.waitsFor = () => `its time comes at ${time}`
  return Effect.sleep(millis)
}

const perform = (
  environment: Stage,
  step: Step,
  progressOfStep: StepProgress,
  path: string
): Effect.Effect<void, StepFailed> => {
  if ("waitFor" in step)
    return awaitCondition(environment, judgeOf(step.waitFor, `${path}.waitFor`), step.within, progressOfStep)
  if ("expect" in step) return expectCondition(environment, judgeOf(step.expect, `${path}.expect`))
  if ("advance" in step) return Effect.sleep(millisOf(step.advance))
  if ("fault" in step) return Effect.mapError(environment.faults.begin(step), ({ message: why }) => fail(why))
  const { expectRefused } = step
  const writeEffect = write(environment.cluster, step)
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

const obstacles = ({ cluster }: Stage): ReadonlyArray<string> => [
  ...lastingFaults(cluster.faults),
  ...heldUp(cluster.view)
]

const lossesIn = (check: Judge, { cluster, world }: Stage): Pick<StepFailure, "lostBecause"> => {
  const service = check.losing?.(world)
  const entry = service === undefined ? undefined : world.ledger.ofService(service)
  return entry === undefined ? {} : { lostBecause: causesOf(entry.totals(cluster.nowMillis())) }
}

const expectCondition = Effect.fnUntraced(function* (
  environment: Stage,
  check: Judge
): Effect.fn.Return<void, StepFailed> {
  yield* instantOver
  const why = whyNot(check, environment.world)
  if (why !== undefined)
    return yield* new StepFailed({ why, meanwhile: obstacles(environment), ...lossesIn(check, environment) })
})

/** Evaluates the condition at the end of each instant with a change, and when lost requests may fulfil it. */
const awaitCondition = Effect.fnUntraced(function* (
  environment: Stage,
  check: Judge,
  within: string | undefined,
  progressOfStep: StepProgress
): Effect.fn.Return<void, StepFailed> {
  const { cluster, recorder, world } = environment
  progressOfStep.waitsFor = () => whyNot(check, world)
  const withinMillis = within === undefined ? defaultWithinMillis : millisOf(within)
  const untilMillis = cluster.nowMillis() + withinMillis
  yield* instantOver
  while (whyNot(check, world) !== undefined) {
    const leftMillis = untilMillis - cluster.nowMillis()
    if (leftMillis <= 0) {
      return yield* new StepFailed({
        why: `it did not come true within ${formatDuration(withinMillis)}: ${whyNot(check, world) ?? ""}`,
        meanwhile: [...obstacles(environment), recorder.recent.text(cluster.nowMillis())],
        ...lossesIn(check, environment)
      })
    }
    const nextCheckMillis =
      check.losing === undefined
        ? untilMillis
        : world.ledger.askAgainAt(() => whyNot(check, world) === undefined, untilMillis, check.turns?.(world))
    yield* Effect.raceFirst(nextChange(recorder), Effect.sleep(nextCheckMillis - cluster.nowMillis()))
    yield* instantOver
  }
})

const nextChange = (recorder: Recorder): Effect.Effect<void> =>
  Effect.callback((resume) => {
    recorder.onNext(() => resume(Effect.void))
  })
