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

export interface Records {
  readonly prepare: Effect.Effect<void>
  readonly begin: () => void
  readonly onlooker: () => Onlooker | undefined
  readonly meet: (controlPlane: RunningControlPlane) => void
  readonly why: Effect.Effect<WhyRecorder>
  readonly recording: Effect.Effect<Recorder>
  readonly note: Recorder["note"]
  readonly speedChanged: () => void
  readonly timeMoved: () => void
}

interface RunningControlPlane {
  readonly lookOn: (onlooker: Onlooker) => void
  readonly faults: Pick<FaultNewsLine, "onNews"> & {
    readonly lasting: () => ReadonlyArray<Omit<FaultNews, "change">>
  }
}

export const makeRecords = (options: {
  readonly timeline: Timeline
  readonly view: ClusterView["Service"]
  readonly seed: number
  readonly strategies: ReadonlyArray<Strategy>
  readonly wantsWhy: boolean
  readonly record: boolean | RecordSettings
  readonly entrance: Pick<Entrance, "whileOpen" | "loading" | "rejectFailure">
  readonly observers: Observers
}): Records => {
  const { timeline, view, seed, strategies, record, entrance } = options
  const observe = options.observers.add("the recorder")
  const { whileOpen, loading, rejectFailure } = entrance
  const { nowMillis } = timeline.kernel
  const settings = typeof record === "object" ? record : {}
  const numbering = makeNumbering()
  let why: WhyRecorder | undefined
  let recorder: RecorderWithin | undefined
  let controlPlane: RunningControlPlane | undefined
  let parts: RecorderParts | undefined

  const makeWhy = Effect.map(
    loading(() => import("./inspect/why/recorder.ts")),
    ({ makeWhyRecorder }) => {
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
      controlPlane?.lookOn(why.onlooker)
      return why
    }
  )
  const makeParts = Effect.gen(function* () {
    const steps = yield* makeWhy
    parts ??= { ...(yield* loading(() => load(strategies))), steps }
    return parts
  })
  const begin = ({ makeRecorder, version, charts, steps }: RecorderParts): RecorderWithin => {
    if (recorder !== undefined) return recorder
    const { speed } = timeline
    const lasting = (controlPlane?.faults.lasting() ?? []).map(newsOf)
    const cluster = { nowMillis, speed, numbering, steps, seed, view, lasting }
    const started = makeRecorder({ ...settings, ...cluster, version, charts })
    view.subscribe(observe(started.sees))
    followFaults(started)
    return (recorder = started)
  }
  const followFaults = ({ hears }: RecorderWithin): void =>
    void controlPlane?.faults.onNews(observe((news) => hears({ ...newsOf(news), change: news.change })))

  return {
    prepare: Effect.suspend(() =>
      record !== false ? Effect.asVoid(makeParts) : options.wantsWhy ? Effect.asVoid(makeWhy) : Effect.void
    ),
    begin: () => {
      if (parts !== undefined) begin(parts)
    },
    onlooker: () => why?.onlooker,
    meet: (attached) => {
      controlPlane = attached
      if (recorder === undefined) return
      for (const fault of attached.faults.lasting()) recorder.hears({ ...newsOf(fault), change: "BEGAN" })
      followFaults(recorder)
    },
    why: whileOpen(Effect.suspend(() => (why === undefined ? makeWhy : Effect.succeed(why)))),
    recording: Effect.suspend(() =>
      recorder === undefined ? whileOpen(Effect.map(makeParts, begin)) : Effect.as(rejectFailure, recorder)
    ),
    note: observe((...note) => recorder?.note(...note)),
    speedChanged: observe(() => recorder?.speedChanged()),
    timeMoved: observe(() => recorder?.timeMoved())
  }
}

type RecorderParts = Awaited<ReturnType<typeof load>> & { readonly steps: WhyRecorder }

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

const newsOf = ({ id, fault }: Omit<FaultNews, "change">) => ({ id, text: faultText(fault) })
