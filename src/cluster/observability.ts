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
  WritableClusterRecorder,
  RecordSettings
} from "../recording/clusterRecorder.ts"
import type { EarlierChanges } from "../recording/initialObjectEntries.ts"
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
  readonly customStrategies: CustomStrategies
  readonly recordsSteps: boolean
  readonly record: boolean | RecordSettings
  /** The changes in the data directory that the cluster was opened from. */
  readonly earlierChanges: EarlierChanges | undefined
  readonly userCalls: Pick<UserCalls, "whileOpen" | "importModule" | "rejectObserverFailure">
  readonly observers: Observers
}): Observability => {
  const { timeline, view, seed, recordsSteps, record, userCalls } = options
  const { nowMillis } = timeline.kernel
  const { whileOpen, importModule, rejectObserverFailure } = userCalls
  const catchErrors = options.observers.catchErrorsOf("the recorder")
  const settings = typeof record === "object" ? record : {}
  const numbering = makeEntryNumbering()
  let stepRecorder: StepRecorder | undefined
  let recorderInputs: RecorderInputs | undefined
  let recorder: WritableClusterRecorder | undefined
  let controlPlane: RunningControlPlane | undefined

  const loadStepRecorder = Effect.map(
    importModule(() => import("../explain/steps/stepRecorder.ts")),
    ({ makeStepRecorder }) => {
      // Another caller may have made the recorder meanwhile.
      if (stepRecorder !== undefined) return stepRecorder
      // `stepsMax` holds for all actors of a kind together.
      const limits = settings.stepsMax === undefined ? {} : { kindMax: settings.stepsMax }
      stepRecorder = makeStepRecorder({
        nowMillis,
        latestVersion: view.version,
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
    recorderInputs ??= { ...(yield* importModule(() => importRecorder(options.customStrategies))), steps }
    return recorderInputs
  })
  const startRecorder = (
    { makeRecorder, ...inputs }: RecorderInputs,
    earlierChanges?: EarlierChanges
  ): WritableClusterRecorder => {
    if (recorder !== undefined) return recorder
    const newRecorder = makeRecorder({
      ...settings,
      ...inputs,
      nowMillis,
      speed: timeline.speed,
      numbering,
      seed,
      view,
      activeFaults: (controlPlane?.faults.active() ?? []).map(toRecordedFault),
      earlierChanges
    })
    view.subscribe(catchErrors(newRecorder.recordChange))
    if (controlPlane !== undefined) recordFaultChanges(newRecorder, controlPlane)
    recorder = newRecorder
    return newRecorder
  }
  const recordFaultChanges = (
    { recordFault }: WritableClusterRecorder,
    { faults }: RunningControlPlane
  ): void => {
    faults.onFaultChange(
      catchErrors((faultChange) =>
        recordFault({ ...toRecordedFault(faultChange), change: faultChange.change })
      )
    )
  }
  const loadStepRecorderIfNeeded = recordsSteps ? loadStepRecorder : Effect.void

  return {
    loadRecorders: Effect.asVoid(record === false ? loadStepRecorderIfNeeded : loadRecorderInputs),
    beginRecording: () => {
      if (recorderInputs !== undefined) startRecorder(recorderInputs, options.earlierChanges)
    },
    actorObserver: () => stepRecorder?.observer,
    attachControlPlane: (attached) => {
      controlPlane = attached
      if (recorder === undefined) return
      for (const fault of attached.faults.active())
        recorder.recordFault({ ...toRecordedFault(fault), change: "BEGAN" })
      recordFaultChanges(recorder, attached)
    },
    stepRecorder: whileOpen(
      Effect.suspend(() => (stepRecorder === undefined ? loadStepRecorder : Effect.succeed(stepRecorder)))
    ),
    recording: Effect.suspend(() => {
      // A recording can be read after `close`, but an observer's error still rejects the call.
      if (recorder !== undefined) return Effect.as(rejectObserverFailure, recorder)
      // Without the earlier changes: they lack what happened between the opening and now.
      return whileOpen(Effect.map(loadRecorderInputs, (inputs) => startRecorder(inputs)))
    }),
    addNote: catchErrors((...note) => recorder?.note(...note)),
    speedChanged: catchErrors(() => recorder?.recordSpeed()),
    timeMoved: catchErrors(() => recorder?.notifyTimePassed())
  }
}

type RecorderInputs = Awaited<ReturnType<typeof importRecorder>> & { readonly steps: StepRecorder }

const importRecorder = async (customStrategies: CustomStrategies) => {
  const [{ makeClusterRecorder }, { packageVersion }, charts] = await Promise.all([
    import("../recording/clusterRecorder.ts"),
    import("../generated/packageVersion.ts"),
    drawCustomCharts(customStrategies)
  ])
  return { makeRecorder: makeClusterRecorder, version: packageVersion, charts }
}

const drawCustomCharts = async (
  customStrategies: CustomStrategies
): Promise<Readonly<Record<string, string>>> => {
  const { strategies, steering } = customStrategies
  // The page has the drawings of the built-in charts.
  if (strategies === builtInStrategies && steering === builtInSteering) return {}
  const { drawStrategyCharts } = await import("../inspect/charts/drawStrategyCharts.ts")
  return drawStrategyCharts(customStrategies)
}

const toRecordedFault = ({ id, fault }: Omit<FaultChange, "change">) => ({ id, text: faultText(fault) })
