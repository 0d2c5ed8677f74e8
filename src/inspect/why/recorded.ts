import type {
  AnyActorRef,
  AnyEventObject,
  AnyMachineSnapshot,
  AnyTransitionDefinition,
  Snapshot
} from "xstate"
import type { Command } from "../../domain/commands.ts"
import type { Key } from "../../domain/objects.ts"
import type { StepCause, StepWrite } from "./step.ts"

/** An actor whose steps are kept. */
export interface RecordedActor {
  readonly uid: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  readonly chart: string
  readonly key: Key
  /** Kind, namespace and name in one. */
  readonly place: string
  readonly ref: AnyActorRef
  /** The oldest first. */
  readonly steps: Array<RecordedStep>
  /** Steps whose commands nobody has begun to perform. */
  readonly unperformed: Array<RecordedStep>
  /** Those whose commands are being performed. */
  performing: ReadonlyArray<RecordedStep>
  readonly children: Map<string, RecordedActor>
}

/** A step as it was heard of; only who asks for it has it told in words. */
export interface RecordedStep {
  readonly number: number
  readonly atMillis: number
  readonly actor: RecordedActor
  readonly event: AnyEventObject
  readonly before: AnyMachineSnapshot | undefined
  readonly microsteps: ReadonlyArray<Microstep>
  readonly commands: ReadonlyArray<Command>
  readonly because: StepCause | undefined
  /** The latest version there was when it was made. */
  readonly version: number
  readonly writes: Array<StepWrite>
  readonly events: Array<string>
  /** It is known what came of its commands, or it had none. */
  isSettled: boolean
}

/** One round of transitions and where it led, as XState tells of it. */
export interface Microstep {
  readonly event: AnyEventObject
  readonly _transitions: ReadonlyArray<AnyTransitionDefinition>
  readonly snapshot: Snapshot<unknown>
}
