import * as Effect from "effect/Effect"
import { builtInSteering } from "../../machines/steering/steeringStrategies.ts"
import { builtInStrategies } from "../../machines/strategies/strategies.ts"
import { faultText } from "../faults/faultText.ts"
import { makeEntryNumbering } from "../recording/entryNumbering.ts"
import type { CustomStrategies } from "../inspect/charts/customStrategies.ts"
import type { FaultChange, FaultChanges } from "../faults/faultChanges.ts"
import type { StepRecorder } from "../explain/steps/stepRecorder.ts"
import type {
  ClusterRecorder,
  EarlierChanges,
  WritableClusterRecorder,
  RecordSettings
} from "../recording/clusterRecorder.ts"
import type { UserCalls } from "../runtime/time/userCalls.ts"
import type { Observers } from "../runtime/observers.ts"
import type { ActorObserver } from "../runtime/actors/actorObserver.ts"
import type { Timeline } from "../runtime/time/timeline.ts"
import type { ClusterView } from "../store/objectStore.ts"

export interface Observability {
  readonly loadRecorders: Effect.Effect<void>
  /** Does nothing unless the recorder has been loaded. */
  readonly beginRecording: () => void
  readonly actorObserver: () => ActorObserver | undefined
  readonly attachControlPlane: (controlPlane: RunningControlPlane) => void
  readonly stepRecorder: Effect.Effect<StepRecorder>
  readonly recording: Effect.Effect<ClusterRecorder>
  readonly addNote: ClusterRecorder["note"]
  readonly speedChanged: () => void
  readonly timeMoved: () => void
}

interface RunningControlPlane {
  readonly attachObserver: (observer: ActorObserver) => void
  readonly faults: Pick<FaultChanges, "onFaultChange"> & {
    readonly active: () => ReadonlyArray<Omit<FaultChange, "change">>
  }
}

export const makeObservability = (options: {
  readonly timeline: Timeline
  readonly view: ClusterView["Service"]
  readonly seed: number
  readonly charts: CustomStrategies
  readonly recordsSteps: boolean
  readonly record: boolean | RecordSettings
  /** Of the data directory that the cluster was opened from. */
  readonly earlierChanges: EarlierChanges | undefined
  readonly userCalls: Pick<UserCalls, "whileOpen" | "importModule" | "rejectObserverFailure">
  readonly observers: Observers
}): Observability => {
  const { timeline, view, seed, charts, recordsSteps, record, earlierChanges, userCalls } = options
  const catchErrors = options.observers.catchErrorsOf("the recorder")
  const { whileOpen, importModule, rejectObserverFailure } = userCalls
  const { nowMillis } = timeline.kernel
  const settings = typeof record === "object" ? record : {}
  const numbering = makeEntryNumbering()
  let stepRecorder: StepRecorder | undefined
  let recorder: WritableClusterRecorder | undefined
  let controlPlane: RunningControlPlane | undefined
  let recorderInputs: RecorderInputs | undefined

  const loadStepRecorder = Effect.map(
    importModule(() => import("../explain/steps/stepRecorder.ts")),
    ({ makeStepRecorder }) => {
      // Another caller may have made the recorder meanwhile.
      if (stepRecorder !== undefined) return stepRecorder
      // `stepsMax` holds for all actors of a kind together.
      const { stepsMax } = settings
      const limits = stepsMax === undefined ? {} : { kindMax: stepsMax }
      stepRecorder = makeStepRecorder({
        nowMillis,
        version: view.version,
        numbering,
        catchErrors,
        ...limits
      })
      controlPlane?.attachObserver(stepRecorder.observer)
      return stepRecorder
    }
  )
  const loadRecorderInputs = Effect.gen(function* () {
    const steps = yield* loadStepRecorder
    recorderInputs ??= { ...(yield* importModule(() => importRecorder(charts))), steps }
    return recorderInputs
  })
  const beginRecording = (
    { makeRecorder, version, charts, steps }: RecorderInputs,
    fromChanges?: EarlierChanges
  ): WritableClusterRecorder => {
    if (recorder !== undefined) return recorder
    const { speed } = timeline
    const activeFaults = (controlPlane?.faults.active() ?? []).map(toRecordedFault)
    const cluster = { nowMillis, speed, numbering, steps, seed, view, activeFaults }
    const newRecorder = makeRecorder({
      ...settings,
      ...cluster,
      version,
      charts,
      earlierChanges: fromChanges
    })
    view.subscribe(catchErrors(newRecorder.recordChange))
    recordFaults(newRecorder)
    return (recorder = newRecorder)
  }
  const recordFaults = ({ recordFault }: WritableClusterRecorder): void =>
    void controlPlane?.faults.onFaultChange(
      catchErrors((faultChange) =>
        recordFault({ ...toRecordedFault(faultChange), change: faultChange.change })
      )
    )

  return {
    loadRecorders: Effect.suspend(() =>
      record !== false
        ? Effect.asVoid(loadRecorderInputs)
        : recordsSteps
          ? Effect.asVoid(loadStepRecorder)
          : Effect.void
    ),
    beginRecording: () => {
      if (recorderInputs !== undefined) beginRecording(recorderInputs, earlierChanges)
    },
    actorObserver: () => stepRecorder?.observer,
    attachControlPlane: (attached) => {
      controlPlane = attached
      if (recorder === undefined) return
      for (const fault of attached.faults.active())
        recorder.recordFault({ ...toRecordedFault(fault), change: "BEGAN" })
      recordFaults(recorder)
    },
    stepRecorder: whileOpen(
      Effect.suspend(() => (stepRecorder === undefined ? loadStepRecorder : Effect.succeed(stepRecorder)))
    ),
    recording: Effect.suspend(() =>
      recorder === undefined
        ? // Without the earlier changes: they lack what happened between the opening and now.
          whileOpen(Effect.map(loadRecorderInputs, (inputs) => beginRecording(inputs)))
        : // A recording can be read after `close`, but an observer's error still rejects the call.
          Effect.as(rejectObserverFailure, recorder)
    ),
    addNote: catchErrors((...note) => recorder?.note(...note)),
    speedChanged: catchErrors(() => recorder?.recordSpeed()),
    timeMoved: catchErrors(() => recorder?.notifyTimePassed())
  }
}

type RecorderInputs = Awaited<ReturnType<typeof importRecorder>> & { readonly steps: StepRecorder }

const importRecorder = async (custom: CustomStrategies) => {
  const [{ makeClusterRecorder }, { packageVersion }, charts] = await Promise.all([
    import("../recording/clusterRecorder.ts"),
    import("../generated/packageVersion.ts"),
    strategyCharts(custom)
  ])
  return { makeRecorder: makeClusterRecorder, version: packageVersion, charts }
}

const strategyCharts = async (custom: CustomStrategies): Promise<Readonly<Record<string, string>>> => {
  // The page has the drawings of the built-in charts.
  if (custom.strategies === builtInStrategies && custom.steering === builtInSteering) return {}
  const { drawStrategyCharts } = await import("../inspect/charts/drawStrategyCharts.ts")
  return drawStrategyCharts(custom)
}

const toRecordedFault = ({ id, fault }: Omit<FaultChange, "change">) => ({ id, text: faultText(fault) })
