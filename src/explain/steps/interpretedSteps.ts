import { toInterpretedMicrostep } from "./interpretedMicrostep.ts"
import { isInterpreted } from "../../runtime/actors/actorState.ts"
import type { AnyActorRef, AnyEventObject, InspectionEvent } from "xstate"
import type { Command } from "../../kubernetes/apps/commands.ts"
import type { ErrorCatcher } from "../../runtime/observers.ts"
import type { ChartSnapshot, RecordedMicrostep } from "./recordedStep.ts"

export interface TakenStep {
  readonly actor: AnyActorRef
  readonly event: AnyEventObject
  /** Undefined for the first step of an actor. */
  readonly before: ChartSnapshot | undefined
  readonly microsteps: ReadonlyArray<RecordedMicrostep>
  /** Commands of an object's chart. */
  readonly emitted: ReadonlyArray<{ readonly type: string }>
}

/**
 * For charts that are not compiled, but interpreted by XState. `catchErrors` wraps the callbacks, whose errors must not
 * stop the cluster.
 */
export const inspectInterpreted = (
  root: AnyActorRef,
  catchErrors: ErrorCatcher,
  onStep: (step: TakenStep) => void
): void => {
  const steps = new Map<AnyActorRef, StepInProgress>()
  const stepInProgressOf = (ref: AnyActorRef, isStarting = false): StepInProgress => {
    const existing = steps.get(ref)
    if (existing !== undefined) return existing
    // An actor that is being created has no snapshot yet.
    const before = isStarting ? undefined : snapshotOf(ref)
    const created: StepInProgress = { before, microsteps: [], emitted: [] }
    steps.set(ref, created)
    return created
  }
  if (isInterpreted(root)) {
    root.on(
      "*",
      catchErrors((command: Command) => {
        stepInProgressOf(root).emitted.push(command)
      })
    )
  }
  root.system.inspect(
    catchErrors((inspection: InspectionEvent) => {
      // XState sends several reports of every step.
      if (inspection.type !== "@xstate.snapshot" && inspection.type !== "@xstate.microstep") return
      const { actorRef: ref, event } = inspection
      if (!isActorRef(ref)) return
      if (inspection.type === "@xstate.microstep") {
        const { before, microsteps } = stepInProgressOf(ref, event.type === "xstate.init")
        const last = microsteps.at(-1)
        // XState repeats the last event in an eventless microstep, without marking it.
        microsteps.push(toInterpretedMicrostep(inspection, last?.snapshot ?? before, last?.event))
      } else {
        const step = steps.get(ref)
        steps.delete(ref)
        if (step !== undefined) onStep({ actor: ref, event, ...step })
      }
    })
  )
}

/** XState's report of the snapshot ends the step. */
interface StepInProgress {
  readonly before: ChartSnapshot | undefined
  readonly microsteps: Array<RecordedMicrostep>
  readonly emitted: Array<{ readonly type: string }>
}

const isActorRef = (ref: object): ref is AnyActorRef => "getSnapshot" in ref && "system" in ref

export const snapshotOf = (ref: AnyActorRef): ChartSnapshot | undefined => ref.getSnapshot()
