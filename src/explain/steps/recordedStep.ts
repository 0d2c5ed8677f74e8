import type { AnyActorRef, AnyEventObject, AnyMachineSnapshot, AnyTransitionDefinition } from "xstate"
import type { ChartHistory } from "../../compiler/configuration.ts"
import type { Command } from "../../kubernetes/apps/commands.ts"
import type { Key } from "../../kubernetes/meta/objects.ts"
import type { StepCause, StepWrite } from "./step.ts"

export interface RecordedActor {
  /** The object's uid; for a container, the Pod's uid, a slash and the container's name. */
  readonly uid: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  /** The chart's name. */
  readonly chart: string
  /** `namespace/name`, in a Pod's containers with the container's name. */
  readonly key: Key
  /** Kind, namespace and name: `Deployment default/web`. */
  readonly path: string
  readonly ref: AnyActorRef
  readonly steps: Array<RecordedStep>
  /** Steps whose commands have not been started. */
  pendingSteps: ReadonlyArray<RecordedStep>
  /** Steps whose commands are being carried out. */
  performingSteps: ReadonlyArray<RecordedStep>
  /** The actors of a Pod's containers, by the id of the child actor. */
  children: Map<string, RecordedActor> | undefined
}

/** A step as recorded; it is rendered as text only on request. */
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
  /** The change that caused the step; undefined for timers and refusals. */
  readonly because: StepCause | undefined
  /** The store's latest resource version at that time. */
  readonly version: number
  writes: Array<StepWrite>
  /** The Kubernetes Events that its commands have recorded. */
  events: ReadonlyArray<string>
  /** The number of the latest step of any actor when the results of its commands were known; undefined until then. */
  finishedAfter: number | undefined
}

export interface RecordedMicrostep {
  readonly event: AnyEventObject
  readonly transitions: ReadonlyArray<AnyTransitionDefinition>
  /** The actor's snapshot after the microstep. */
  readonly snapshot: ChartSnapshot
}

/** What the recorder reads of a snapshot, of a compiled chart or of one that XState interprets. */
export type ChartSnapshot = Pick<AnyMachineSnapshot, "machine" | "value" | "context" | "status"> & {
  readonly tags: ReadonlySet<string>
  /** For each history state: the states that it leads back to. */
  readonly historyValue: ChartHistory
}
