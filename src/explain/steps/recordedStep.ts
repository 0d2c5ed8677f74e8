import type { AnyActorRef, AnyEventObject, AnyMachineSnapshot, AnyTransitionDefinition } from "xstate"
import type { ChartHistory } from "../../compiler/configuration.ts"
import type { Command } from "../../kubernetes/apps/commands.ts"
import type { Key } from "../../kubernetes/meta/objects.ts"
import type { StepCause, StepWrite } from "./step.ts"

export interface RecordedActor {
  /** The uid of the object; `POD_UID/NAME` for a container. */
  readonly uid: string
  readonly kind: string
  readonly namespace: string | undefined
  readonly name: string
  readonly chart: string
  /** `namespace/name`; of a container `default/web-1/app`. */
  readonly key: Key
  /** Kind, namespace and name: `Deployment default/web`. */
  readonly path: string
  readonly ref: AnyActorRef
  readonly steps: Array<RecordedStep>
  /** Steps whose commands have not been started. */
  pendingSteps: ReadonlyArray<RecordedStep>
  performingSteps: ReadonlyArray<RecordedStep>
  /** A Pod's containers. */
  children: ReadonlyArray<RecordedActor> | undefined
}

/** A step is rendered as text only on request. */
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
  events: ReadonlyArray<string>
  /** The number of the latest step of any actor when the results were known; undefined until then. */
  finishedAfterNumber: number | undefined
}

export interface RecordedMicrostep {
  readonly event: AnyEventObject
  readonly transitions: ReadonlyArray<AnyTransitionDefinition>
  /** The snapshot after the microstep. */
  readonly snapshot: ChartSnapshot
}

/** A snapshot of a compiled chart, or of a chart that XState interprets. */
export type ChartSnapshot = Pick<AnyMachineSnapshot, "machine" | "value" | "context" | "status"> & {
  readonly tags: ReadonlySet<string>
  readonly historyValue: ChartHistory
}
