import * as Effect from "effect/Effect"
import { drawWeather } from "../../faults/weather.ts"
import { faultText } from "../../faults/faultText.ts"
import { parseDuration } from "../../domain/durations.ts"
import type { Cluster } from "../../cluster.ts"
import type { Fault } from "../../faults/fault.ts"
import type { FaultHandle } from "../../faults/begin.ts"
import type { FaultRefused } from "../../faults/faultWorld.ts"
import type { FaultRun } from "./storyRun.ts"
import type { Hindrance } from "../ledger/excuses.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { Story } from "./story.ts"

/** The faults of one story while it is played. */
export interface StoryFaults {
  /** Begins one of the steps' own. */
  readonly begin: (fault: Fault) => Effect.Effect<void, FaultRefused>
  /** Lets the others come at their times; to be run on the cluster's timeline when the story begins. */
  readonly comeAtTheirTimes: Effect.Effect<void>
  /** Whether none is still to come, and none of those that end by themselves still lasts. */
  readonly areOver: () => boolean
  /** When the last of those comes that are still to come; undefined where none is. */
  readonly untilMillis: () => number | undefined
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
  const toCome = new Set(coming)
  let beginning: Fault | undefined
  ledger.blame(({ spec: { nodeName } }) => {
    // What is told to stop at once is told while the fault begins.
    const lasting = cluster.faults.active().map(({ fault }) => fault)
    const doing = (beginning === undefined ? lasting : [beginning, ...lasting]).find(
      (fault) =>
        (fault.fault === "kill" && fault === beginning) ||
        ((fault.fault === "nodeDrained" || fault.fault === "nodeLost") && fault.node === nodeName)
    )
    return doing === undefined ? undefined : faultText(doing)
  })

  const sinceBegin = (): number => cluster.nowMillis() - beginMillis()
  const begin = Effect.fnUntraced(function* (
    fault: Fault,
    isRandom: boolean
  ): Effect.fn.Return<void, FaultRefused> {
    const beganMillis = sinceBegin()
    beginning = fault
    const handle = yield* Effect.ensuring(
      cluster.faults.begin(fault, { isChecked: true }),
      Effect.sync(() => {
        beginning = undefined
      })
    )
    // One that was refused has hindered nobody.
    const hindrance = hindranceOf(fault)
    if (hindrance !== undefined) ledger.hinder(hindrance)
    begun.push({ fault, isRandom, beganMillis, handle })
  })
  const endOf = ({ handle }: Begun): number | undefined => {
    const endedMillis = handle.endedMillis()
    return endedMillis === undefined ? undefined : endedMillis - beginMillis()
  }
  const comeAt = (it: Coming): Effect.Effect<void> =>
    Effect.gen(function* () {
      const { atMillis, fault, isRandom } = it
      const left = atMillis - sinceBegin()
      if (left > 0) yield* Effect.sleep(left)
      toCome.delete(it)
      yield* begin(fault, isRandom)
    }).pipe(
      Effect.catchTag("FaultRefused", ({ message }) =>
        Effect.sync(() => {
          refusals.push({ atMillis: sinceBegin(), message })
          cluster.note("failure", message)
        })
      )
    )
  return {
    begin: (fault) => begin(fault, false),
    comeAtTheirTimes: Effect.forEach(coming, comeAt, { concurrency: "unbounded", discard: true }),
    areOver: () =>
      toCome.size === 0 && begun.every((it) => it.fault.for === undefined || endOf(it) !== undefined),
    untilMillis: () =>
      toCome.size === 0 ? undefined : Math.max(...[...toCome].map(({ atMillis }) => atMillis)),
    runs: () =>
      begun.map((it) => {
        const { fault, beganMillis, isRandom, handle } = it
        const met = isOfClients(fault) ? 0 : handle.met()
        return { text: faultText(fault), beganMillis, endedMillis: endOf(it), met, isRandom }
      }),
    refusals: () => refusals
  }
}

/** A story's own steps are nobody from outside, and there is nobody else in it who could be. */
const isOfClients = (fault: Fault): boolean => "of" in fault && fault.of === "clients"

/** What a fault excuses controllers from, and which; undefined where it hinders none of them. */
const hindranceOf = (fault: Fault): Hindrance | undefined => {
  // What was held up when it ended is that much later still.
  const heldMillis = "by" in fault && typeof fault.by === "string" ? (parseDuration(fault.by) ?? 0) : 0
  const lastsMillis = fault.for === undefined ? undefined : (parseDuration(fault.for) ?? 0) + heldMillis
  switch (fault.fault) {
    case "controllerStopped":
    case "controllerSlow":
      return { of: fault.controller, lastsMillis }
    case "controllerRestarted":
      // Nobody knows when it will have made so many writes.
      return { of: fault.controller, lastsMillis: (fault.afterWrites ?? 0) === 0 ? 0 : undefined }
    case "writesRefused":
    case "writesSlow":
    case "watchLate":
    case "watchDropped":
    case "watchRepeated":
    case "staleReads":
      return fault.of === "clients" ? undefined : { of: fault.of, ...unknownBy(fault), lastsMillis }
    default:
      return undefined
  }
}

/** What a party cannot know whose writes or news a fault keeps from it. */
const unknownBy = (fault: Fault): Pick<Hindrance, "isLate" | "areAnswersLost"> =>
  fault.fault === "writesRefused"
    ? { areAnswersLost: fault.code === 504, isLate: fault.code === 429 }
    : { isLate: true }
