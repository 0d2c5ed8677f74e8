import type { AnyActorRef, AnyEventObject, AnyMachineSnapshot, AnyTransitionDefinition } from "xstate"
import type { ChartHistory } from "../../compiler/configuration.ts"
import type { Command } from "../../kubernetes/apps/commands.ts"
import type { Key } from "../../kubernetes/meta/objects.ts"
import type { StepCause, StepWrite } from "./step.ts"

export interface RecordedActor {
  /** For a container `POD_UID/NAME`. */
  readonly uid: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  readonly chart: string
  /** `namespace/name`, in a Pod's containers with the container's name. */
  readonly key: Key
  /** `Deployment default/web`. */
  readonly path: string
  readonly ref: AnyActorRef
  readonly steps: Array<RecordedStep>
  /** Their commands have not been started. */
  pendingSteps: ReadonlyArray<RecordedStep>
  /** Their commands are being carried out. */
  performingSteps: ReadonlyArray<RecordedStep>
  /** A Pod's containers, by the id of the child actor. */
  children: Map<string, RecordedActor> | undefined
}

/** Rendered as text only on request. */
export interface RecordedStep {
  /** Increases over all actors of a cluster. */
  readonly number: number
  readonly atMillis: number
  readonly actor: RecordedActor
  readonly event: AnyEventObject
  /** Undefined for the first step of an actor. */
  readonly before: ChartSnapshot | undefined
  readonly microsteps: ReadonlyArray<RecordedMicrostep>
  readonly commands: ReadonlyArray<Command>
  /** Undefined for timers and refusals. */
  readonly because: StepCause | undefined
  /** The store's latest resource version at that time. */
  readonly version: number
  writes: Array<StepWrite>
  /** Kubernetes Events of its commands. */
  events: ReadonlyArray<string>
  /** The latest step of any actor when the results were known. */
  finishedAfter: number | undefined
}

export interface RecordedMicrostep {
  readonly event: AnyEventObject
  readonly transitions: ReadonlyArray<AnyTransitionDefinition>
  /** After the microstep. */
  readonly snapshot: ChartSnapshot
}

/** Of a compiled chart, or of one that XState interprets. */
export type ChartSnapshot = Pick<AnyMachineSnapshot, "machine" | "value" | "context" | "status"> & {
  readonly tags: ReadonlySet<string>
  readonly historyValue: ChartHistory
}
