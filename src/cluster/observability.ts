import * as Effect from "effect/Effect"
import { builtInStrategies } from "../../machines/strategies/strategies.ts"
import { faultText } from "../faults/faultText.ts"
import { makeEntryNumbering } from "../recording/entryNumbering.ts"
import type { Strategy } from "../../machines/strategies/strategy.ts"
import type { FaultChange, FaultChanges } from "../faults/faultChanges.ts"
import type { StepRecorder } from "../explain/steps/stepRecorder.ts"
import type { ClusterRecorder, RecorderWithInputs, RecordSettings } from "../recording/clusterRecorder.ts"
import type { TimelineGate } from "../runtime/time/timelineGate.ts"
import type { Observers } from "../runtime/observers.ts"
import type { ActorObserver } from "../runtime/actors/actorObserver.ts"
import type { Timeline } from "../runtime/time/timeline.ts"
import type { ClusterView } from "../store/objectStore.ts"

export interface Observability {
  readonly prepare: Effect.Effect<void>
  readonly begin: () => void
  readonly actorObserver: () => ActorObserver | undefined
  readonly attachControlPlane: (controlPlane: RunningControlPlane) => void
  readonly stepRecorder: Effect.Effect<StepRecorder>
  readonly recording: Effect.Effect<ClusterRecorder>
  readonly note: ClusterRecorder["note"]
  readonly speedChanged: () => void
  readonly timeMoved: () => void
}

interface RunningControlPlane {
  readonly lookOn: (onlooker: ActorObserver) => void
  readonly faults: Pick<FaultChanges, "onFaultChange"> & {
    readonly lasting: () => ReadonlyArray<Omit<FaultChange, "change">>
  }
}

export const makeObservability = (options: {
  readonly timeline: Timeline
  readonly view: ClusterView["Service"]
  readonly seed: number
  readonly strategies: ReadonlyArray<Strategy>
  readonly wantsWhy: boolean
  readonly record: boolean | RecordSettings
  readonly entrance: Pick<TimelineGate, "whileOpen" | "whileLoading" | "rejectObserverFailure">
  readonly observers: Observers
}): Observability => {
  const { timeline, view, seed, strategies, record, entrance } = options
  const observe = options.observers.add("the recorder")
  const { whileOpen, whileLoading: loading, rejectObserverFailure: rejectFailure } = entrance
  const { nowMillis } = timeline.kernel
  const settings = typeof record === "object" ? record : {}
  const numbering = makeEntryNumbering()
  let why: StepRecorder | undefined
  let recorder: RecorderWithInputs | undefined
  let controlPlane: RunningControlPlane | undefined
  let parts: RecorderParts | undefined

  const makeWhy = Effect.map(
    loading(() => import("../explain/steps/stepRecorder.ts")),
    ({ makeStepRecorder }) => {
      if (why !== undefined) return why
      const { stepsMax } = settings
      const limits = stepsMax === undefined ? {} : { kindMax: stepsMax }
      why = makeStepRecorder({
        nowMillis,
        version: view.version,
        nextNumber: numbering.next,
        observe,
        ...limits
      })
      controlPlane?.lookOn(why.observer)
      return why
    }
  )
  const makeParts = Effect.gen(function* () {
    const steps = yield* makeWhy
    parts ??= { ...(yield* loading(() => load(strategies))), steps }
    return parts
  })
  const begin = ({ makeRecorder, version, charts, steps }: RecorderParts): RecorderWithInputs => {
    if (recorder !== undefined) return recorder
    const { speed } = timeline
    const lasting = (controlPlane?.faults.lasting() ?? []).map(newsOf)
    const cluster = { nowMillis, speed, numbering, steps, seed, view, lasting }
    const started = makeRecorder({ ...settings, ...cluster, version, charts })
    view.subscribe(observe(started.recordChange))
    followFaults(started)
    return (recorder = started)
  }
  const followFaults = ({ recordFault: hears }: RecorderWithInputs): void =>
    void controlPlane?.faults.onFaultChange(
      observe((news) => hears({ ...newsOf(news), change: news.change }))
    )

  return {
    prepare: Effect.suspend(() =>
      record !== false ? Effect.asVoid(makeParts) : options.wantsWhy ? Effect.asVoid(makeWhy) : Effect.void
    ),
    begin: () => {
      if (parts !== undefined) begin(parts)
    },
    actorObserver: () => why?.observer,
    attachControlPlane: (attached) => {
      controlPlane = attached
      if (recorder === undefined) return
      for (const fault of attached.faults.lasting())
        recorder.recordFault({ ...newsOf(fault), change: "BEGAN" })
      followFaults(recorder)
    },
    stepRecorder: whileOpen(Effect.suspend(() => (why === undefined ? makeWhy : Effect.succeed(why)))),
    recording: Effect.suspend(() =>
      recorder === undefined ? whileOpen(Effect.map(makeParts, begin)) : Effect.as(rejectFailure, recorder)
    ),
    note: observe((...note) => recorder?.note(...note)),
    speedChanged: observe(() => recorder?.recordSpeed()),
    timeMoved: observe(() => recorder?.timePassed())
  }
}

type RecorderParts = Awaited<ReturnType<typeof load>> & { readonly steps: StepRecorder }

const load = async (strategies: ReadonlyArray<Strategy>) => {
  const [{ makeClusterRecorder }, { packageVersion }, charts] = await Promise.all([
    import("../recording/clusterRecorder.ts"),
    import("../platform/packageRoot.ts"),
    chartsOf(strategies)
  ])
  return { makeRecorder: makeClusterRecorder, version: packageVersion(), charts }
}

const chartsOf = async (strategies: ReadonlyArray<Strategy>): Promise<Readonly<Record<string, string>>> => {
  if (strategies === builtInStrategies) return {}
  const { drawStrategyCharts } = await import("../inspect/charts/drawStrategyCharts.ts")
  return drawStrategyCharts(strategies)
}

const newsOf = ({ id, fault }: Omit<FaultChange, "change">) => ({ id, text: faultText(fault) })
