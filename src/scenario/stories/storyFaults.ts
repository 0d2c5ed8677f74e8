import * as Effect from "effect/Effect"
import { drawWeather } from "../../faults/weather.ts"
import { faultText } from "../../faults/faultText.ts"
import { parseDuration } from "../../domain/durations.ts"
import type { Cluster } from "../../cluster.ts"
import type { Fault } from "../../faults/fault.ts"
import type { FaultHandle } from "../../faults/begin.ts"
import type { FaultRefused } from "../../faults/faultWorld.ts"
import type { FaultRun } from "./storyRun.ts"
import type { Hindrance, Ledger } from "../ledger.ts"
import type { Story } from "./story.ts"

/** The faults of one story while it is played. */
export interface StoryFaults {
  /** Begins one of the steps' own. */
  readonly begin: (fault: Fault) => Effect.Effect<void, FaultRefused>
  /** Lets the others come at their times; to be run on the cluster's timeline when the story begins. */
  readonly comeAtTheirTimes: Effect.Effect<void>
  /** Whether none is still to come, and none of those that end by themselves still lasts. */
  readonly areOver: () => boolean
  readonly runs: () => ReadonlyArray<FaultRun>
  /** Those that could not be, which nobody has waited for. */
  readonly refusals: () => ReadonlyArray<{ readonly atMillis: number; readonly message: string }>
}

interface Coming {
  readonly atMillis: number
  readonly fault: Fault
  readonly isRandom: boolean
}

interface Begun extends Omit<Coming, "atMillis"> {
  readonly beganMillis: number
  readonly handle: FaultHandle
}

export const makeStoryFaults = (options: {
  readonly cluster: Cluster["Service"]
  readonly ledger: Ledger
  readonly story: Pick<Story, "faults" | "weather">
  readonly seed: number
  readonly beginMillis: () => number
}): StoryFaults => {
  const { cluster, ledger, story, seed, beginMillis } = options
  const { faults = [], weather } = story
  const drawn = weather === undefined ? [] : drawWeather(weather, seed)
  const coming: ReadonlyArray<Coming> = [
    ...faults.map(({ at, ...fault }) => ({
      atMillis: parseDuration(at) ?? 0,
      // What is left of a fault without its time is that fault.
      fault: fault as Fault,
      isRandom: false
    })),
    ...drawn.map((it) => ({ ...it, isRandom: true }))
  ]
  const begun: Array<Begun> = []
  const refusals: Array<{ readonly atMillis: number; readonly message: string }> = []
  let comingCount = coming.length

  const sinceBegin = (): number => cluster.nowMillis() - beginMillis()
  const begin = Effect.fnUntraced(function* (
    fault: Fault,
    isRandom: boolean
  ): Effect.fn.Return<void, FaultRefused> {
    const hindrance = hindranceOf(fault)
    if (hindrance !== undefined) ledger.hinder(hindrance)
    const beganMillis = sinceBegin()
    const handle = yield* cluster.faults.begin(fault)
    begun.push({ fault, isRandom, beganMillis, handle })
  })
  const endOf = ({ handle }: Begun): number | undefined => {
    const endedMillis = handle.endedMillis()
    return endedMillis === undefined ? undefined : endedMillis - beginMillis()
  }
  const comeAt = ({ atMillis, fault, isRandom }: Coming): Effect.Effect<void> =>
    Effect.gen(function* () {
      const left = atMillis - sinceBegin()
      if (left > 0) yield* Effect.sleep(left)
      comingCount -= 1
      yield* begin(fault, isRandom)
    }).pipe(
      Effect.catchTag("FaultRefused", ({ message }) =>
        Effect.sync(() => void refusals.push({ atMillis: sinceBegin(), message }))
      )
    )
  return {
    begin: (fault) => begin(fault, false),
    comeAtTheirTimes: Effect.forEach(coming, comeAt, { concurrency: "unbounded", discard: true }),
    areOver: () =>
      comingCount === 0 && begun.every((it) => it.fault.for === undefined || endOf(it) !== undefined),
    runs: () =>
      begun.map((it) => {
        const { fault, beganMillis, isRandom } = it
        return { text: faultText(fault), beganMillis, endedMillis: endOf(it), isRandom }
      }),
    refusals: () => refusals
  }
}

/** What a fault excuses controllers from; undefined where it hinders none of them. */
const hindranceOf = (fault: Fault): Hindrance | undefined => {
  if ("of" in fault && fault.of === "clients") return undefined
  const lastsMillis = fault.for === undefined ? undefined : parseDuration(fault.for)
  switch (fault.fault) {
    case "controllerStopped":
    case "controllerSlow":
    case "controllerRestarted":
      return {}
    case "writesRefused":
      return { areAnswersLost: fault.code === 504, isLate: fault.code === 429, lastsMillis }
    case "writesSlow":
    case "watchLate":
    case "watchDropped":
    case "watchRepeated":
    case "staleReads":
      return { isLate: true, lastsMillis }
    default:
      return undefined
  }
}
