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

/** What steps are performed in: everything of it is on the cluster's own timeline. */
export interface Stage {
  readonly cluster: Cluster["Service"]
  readonly recorder: Recorder
  readonly faults: StoryFaults
  readonly world: StoryWorld
  readonly beginMillis: number
}

/** What is known of a step while a story is played. */
export interface StepProgress {
  beganMillis: number | undefined
  endedMillis: number | undefined
  failure: StepFailure | undefined
  /** What it waits for, while it does. */
  waitsFor: (() => string | undefined) | undefined
}

type StepFailure = Pick<
  Extract<StoryFailure, { readonly type: "step" }>,
  "message" | "meanwhile" | "lostBecause"
>

/** A step could not do what it was to do. */
class StepFailed extends TaggedError("StepFailed")<{ readonly why: string } & Omit<StepFailure, "message">> {}

const withinDefaultMillis = 3_600_000

/**
 * Performs the steps of a story in order, each when its time has come; to be run on the cluster's timeline. Ends with
 * the first step that fails.
 */
export const performSteps = Effect.fnUntraced(function* (
  stage: Stage,
  steps: ReadonlyArray<Step>,
  progress: ReadonlyArray<StepProgress>
): Effect.fn.Return<void> {
  const sinceBegin = (): number => stage.cluster.nowMillis() - stage.beginMillis
  for (const [index, step] of steps.entries()) {
    const own = progress[index]
    if (own === undefined) return
    const performed = yield* Effect.result(
      Effect.gen(function* () {
        const place = `steps[${index}]`
        yield* awaitTime(stage, step, own, place)
        own.waitsFor = undefined
        own.beganMillis = sinceBegin()
        stage.cluster.note("step", stepText(step, faultText), index + 1)
        yield* perform(stage, step, own, place)
        // What controllers make of a step at the same instant comes before the next one.
        yield* instantOver
      })
    )
    own.waitsFor = undefined
    own.endedMillis = sinceBegin()
    if (performed._tag === "Success") continue
    const { why: message, meanwhile = [], lostBecause } = performed.failure
    own.failure = {
      message,
      ...(meanwhile.length === 0 ? {} : { meanwhile }),
      ...(lostBecause === undefined ? {} : { lostBecause })
    }
    stage.cluster.note("failure", message, index + 1)
    return
  }
})

/** A sleep of no time ends when nothing else is left to do at the present instant. */
const instantOver = Effect.sleep(0)

const millisOf = (text: string): number => parseDuration(text) ?? 0

const awaitTime = Effect.fnUntraced(function* (
  stage: Stage,
  { at, after, when, within }: Step,
  own: StepProgress,
  place: string
): Effect.fn.Return<void, StepFailed> {
  if (after !== undefined) return yield* awaitMoment(stage, millisOf(after), own)
  if (when !== undefined) return yield* awaitCondition(stage, judgeOf(when, `${place}.when`), within, own)
  if (at === undefined) return
  const left = stage.beginMillis + millisOf(at) - stage.cluster.nowMillis()
  if (left < 0) {
    const overSince = formatDuration(stage.cluster.nowMillis() - stage.beginMillis)
    return yield* new StepFailed({
      why: `${at} lies in the past: the step before it was over at ${overSince}`
    })
  }
  if (left > 0) yield* awaitMoment(stage, left, own)
})

const awaitMoment = (
  { cluster, beginMillis }: Stage,
  millis: number,
  own: StepProgress
): Effect.Effect<void> => {
  const time = formatDuration(cluster.nowMillis() + millis - beginMillis)
  own.waitsFor = () => `its time comes at ${time}`
  return Effect.sleep(millis)
}

const perform = (
  stage: Stage,
  step: Step,
  own: StepProgress,
  place: string
): Effect.Effect<void, StepFailed> => {
  if ("waitFor" in step)
    return awaitCondition(stage, judgeOf(step.waitFor, `${place}.waitFor`), step.within, own)
  if ("expect" in step) return expectCondition(stage, judgeOf(step.expect, `${place}.expect`))
  if ("advance" in step) return Effect.sleep(millisOf(step.advance))
  if ("fault" in step) return Effect.mapError(stage.faults.begin(step), ({ message: why }) => failed(why))
  const { expectRefused } = step
  const written = write(stage.cluster, step)
  if (expectRefused === undefined) return Effect.mapError(written, ({ why }) => failed(why))
  return Effect.gen(function* () {
    const result = yield* Effect.result(written)
    if (result._tag === "Success") return yield* failed(`it was to be refused, and was not`)
    const { why } = result.failure
    if (why.includes(expectRefused)) return
    return yield* failed(`it was refused in other words than ${JSON.stringify(expectRefused)}: ${why}`)
  })
}

const failed = (why: string): StepFailed => new StepFailed({ why })

/** What may keep a condition from holding, whatever it is about. */
const inTheWay = ({ cluster }: Stage): ReadonlyArray<string> => [
  ...lastingFaults(cluster.faults),
  ...heldUp(cluster.view)
]

/** Why the requests were lost that are more than a condition allows. */
const lossesIn = (judge: Judge, { cluster, world }: Stage): Pick<StepFailure, "lostBecause"> => {
  const service = judge.losing?.(world)
  const entry = service === undefined ? undefined : world.ledger.ofService(service)
  return entry === undefined ? {} : { lostBecause: causesOf(entry.totals(cluster.nowMillis())) }
}

const expectCondition = Effect.fnUntraced(function* (
  stage: Stage,
  judge: Judge
): Effect.fn.Return<void, StepFailed> {
  yield* instantOver
  const why = whyNot(judge, stage.world)
  if (why !== undefined)
    return yield* new StepFailed({ why, meanwhile: inTheWay(stage), ...lossesIn(judge, stage) })
})

/** Asked when an instant is over in which something has changed, or in which so many requests are lost. */
const awaitCondition = Effect.fnUntraced(function* (
  stage: Stage,
  judge: Judge,
  within: string | undefined,
  own: StepProgress
): Effect.fn.Return<void, StepFailed> {
  const { cluster, recorder, world } = stage
  own.waitsFor = () => whyNot(judge, world)
  const withinMillis = within === undefined ? withinDefaultMillis : millisOf(within)
  const untilMillis = cluster.nowMillis() + withinMillis
  yield* instantOver
  while (whyNot(judge, world) !== undefined) {
    const left = untilMillis - cluster.nowMillis()
    if (left <= 0) {
      return yield* new StepFailed({
        why: `it did not come true within ${formatDuration(withinMillis)}: ${whyNot(judge, world) ?? ""}`,
        meanwhile: [...inTheWay(stage), recorder.recent.text(cluster.nowMillis())],
        ...lossesIn(judge, stage)
      })
    }
    const againMillis =
      judge.losing === undefined
        ? untilMillis
        : world.ledger.askAgainAt(() => whyNot(judge, world) === undefined, untilMillis, judge.turns?.(world))
    yield* Effect.raceFirst(nextChange(recorder), Effect.sleep(againMillis - cluster.nowMillis()))
    yield* instantOver
  }
})

const nextChange = (recorder: Recorder): Effect.Effect<void> =>
  Effect.callback((resume) => {
    recorder.onNext(() => resume(Effect.void))
  })
