import * as Effect from "effect/Effect"
import { builtInStrategies } from "../machines/deployment.ts"
import { faultText } from "./faults/faultText.ts"
import { makeNumbering } from "./recording/numbering.ts"
import type { Strategy } from "../machines/strategies/strategy.ts"
import type { FaultNews, FaultNewsLine } from "./faults/news.ts"
import type { WhyRecorder } from "./inspect/why/recorder.ts"
import type { Recorder, RecorderWithin, RecordSettings } from "./recording/recorder.ts"
import type { Entrance } from "./runtime/entrance.ts"
import type { Observers } from "./runtime/observers.ts"
import type { Onlooker } from "./runtime/onlooker.ts"
import type { Timeline } from "./runtime/timeline.ts"
import type { ClusterView } from "./store/objectStore.ts"

/** What is kept of a cluster's life, for whoever asks: nothing, before somebody does. */
export interface Records {
  /** Makes what is to be kept from the beginning. */
  readonly prepare: Effect.Effect<void>
  /** Begins with what is there, before anybody acts. */
  readonly begin: () => void
  readonly onlooker: () => Onlooker | undefined
  /** Knows from here on how to look at what lives already. */
  readonly meet: (life: Life) => void
  readonly why: Effect.Effect<WhyRecorder>
  readonly recording: Effect.Effect<Recorder>
  readonly note: Recorder["note"]
  readonly speedChanged: () => void
  readonly timeMoved: () => void
}

interface Life {
  readonly lookOn: (onlooker: Onlooker) => void
  readonly faults: Pick<FaultNewsLine, "onNews"> & {
    readonly lasting: () => ReadonlyArray<Omit<FaultNews, "change">>
  }
}

export const makeRecords = (of: {
  readonly timeline: Timeline
  readonly view: ClusterView["Service"]
  readonly seed: number
  readonly strategies: ReadonlyArray<Strategy>
  readonly wantsWhy: boolean
  readonly record: boolean | RecordSettings
  readonly entrance: Pick<Entrance, "whileOpen" | "loading" | "rejectFailure">
  readonly observers: Observers
}): Records => {
  const { timeline, view, seed, strategies, record, entrance } = of
  const observe = of.observers.add("the recorder")
  const { whileOpen, loading, rejectFailure } = entrance
  const { nowMillis } = timeline.kernel
  const settings = typeof record === "object" ? record : {}
  const numbering = makeNumbering()
  let why: WhyRecorder | undefined
  let recorder: RecorderWithin | undefined
  let life: Life | undefined
  let made: Made | undefined

  const makeWhy = Effect.map(
    loading(() => import("./inspect/why/recorder.ts")),
    ({ makeWhyRecorder }) => {
      // Somebody else may have asked meanwhile.
      if (why !== undefined) return why
      const { stepsMax } = settings
      const limits = stepsMax === undefined ? {} : { kindMax: stepsMax }
      why = makeWhyRecorder({
        nowMillis,
        version: view.version,
        nextNumber: numbering.next,
        observe,
        ...limits
      })
      life?.lookOn(why.onlooker)
      return why
    }
  )
  const make = Effect.gen(function* () {
    const steps = yield* makeWhy
    made ??= { ...(yield* loading(() => load(strategies))), steps }
    return made
  })
  const begin = ({ makeRecorder, version, charts, steps }: Made): RecorderWithin => {
    if (recorder !== undefined) return recorder
    const { speed } = timeline
    const lasting = (life?.faults.lasting() ?? []).map(told)
    const cluster = { nowMillis, speed, numbering, steps, seed, view, lasting }
    const begun = makeRecorder({ ...settings, ...cluster, version, charts })
    view.subscribe(observe(begun.sees))
    hearFaults(begun)
    return (recorder = begun)
  }
  const hearFaults = ({ hears }: RecorderWithin): void =>
    void life?.faults.onNews(observe((news) => hears({ ...told(news), change: news.change })))

  return {
    prepare: Effect.suspend(() =>
      record !== false ? Effect.asVoid(make) : of.wantsWhy ? Effect.asVoid(makeWhy) : Effect.void
    ),
    begin: () => {
      if (made !== undefined) begin(made)
    },
    onlooker: () => why?.onlooker,
    meet: (met) => {
      life = met
      if (recorder === undefined) return
      // Those that last since the world that this one goes on from.
      for (const fault of met.faults.lasting()) recorder.hears({ ...told(fault), change: "BEGAN" })
      hearFaults(recorder)
    },
    why: whileOpen(Effect.suspend(() => (why === undefined ? makeWhy : Effect.succeed(why)))),
    recording: Effect.suspend(() =>
      // What was recorded can still be read of a cluster that is closed.
      recorder === undefined ? whileOpen(Effect.map(make, begin)) : Effect.as(rejectFailure, recorder)
    ),
    note: observe((...note) => recorder?.note(...note)),
    speedChanged: observe(() => recorder?.speedChanged()),
    timeMoved: observe(() => recorder?.timeMoved())
  }
}

type Made = Awaited<ReturnType<typeof load>> & { readonly steps: WhyRecorder }

/** What nobody waits for who records nothing. */
const load = async (strategies: ReadonlyArray<Strategy>) => {
  const [{ makeRecorder }, { packageVersion }, charts] = await Promise.all([
    import("./recording/recorder.ts"),
    import("./packageRoot.ts"),
    chartsOf(strategies)
  ])
  return { makeRecorder, version: packageVersion(), charts }
}

const chartsOf = async (strategies: ReadonlyArray<Strategy>): Promise<Readonly<Record<string, string>>> => {
  if (strategies === builtInStrategies) return {}
  const { drawnCharts } = await import("./inspect/charts/drawnCharts.ts")
  return drawnCharts(strategies)
}

const told = ({ id, fault }: Omit<FaultNews, "change">) => ({ id, text: faultText(fault) })
