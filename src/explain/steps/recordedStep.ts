import type {
  AnyActorRef,
  AnyEventObject,
  AnyMachineSnapshot,
  AnyTransitionDefinition,
  Snapshot
} from "xstate"
import type { Command } from "../../kubernetes/apps/commands.ts"
import type { Key } from "../../kubernetes/meta/objects.ts"
import type { StepCause, StepWrite } from "./step.ts"

export interface RecordedActor {
  readonly uid: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  readonly chart: string
  readonly key: Key
  /** Kind, namespace and name: `Deployment default/web`. */
  readonly path: string
  readonly ref: AnyActorRef
  readonly steps: Array<RecordedStep>
  /** Steps whose commands have not been started. */
  readonly pendingSteps: Array<RecordedStep>
  /** Steps whose commands are being carried out. */
  performingSteps: ReadonlyArray<RecordedStep>
  readonly children: Map<string, RecordedActor>
}

/** A step as recorded; it is rendered as text only on request. */
export interface RecordedStep {
  readonly number: number
  readonly atMillis: number
  readonly actor: RecordedActor
  readonly event: AnyEventObject
  readonly before: AnyMachineSnapshot | undefined
  readonly microsteps: ReadonlyArray<Microstep>
  readonly commands: ReadonlyArray<Command>
  readonly because: StepCause | undefined
  /** The latest resource version at that time. */
  readonly version: number
  readonly writes: Array<StepWrite>
  /** The Kubernetes Events that its commands have recorded. */
  readonly events: Array<string>
  /** Whether the results of its commands are known. */
  isFinished: boolean
}

export interface Microstep {
  readonly event: AnyEventObject
  readonly _transitions: ReadonlyArray<AnyTransitionDefinition>
  readonly snapshot: Snapshot<unknown>
}
