import type { ChangeRequest } from "../kubernetes/meta/changeRequest.ts"
import type { ClusterView } from "../store/objectStore.ts"
import type { Cure } from "./forecast.ts"
import type { Fault } from "../faults/fault.ts"
import type { Pod } from "../kubernetes/meta/objects.ts"
import type { PodLife } from "../kubernetes/pods/podLife.ts"

/** A change that may help, as it is tried in a copy of the cluster. */
export interface PlayableCure extends Cure {
  /** Is sent to the copy where there is no `request`, since a person has to fill something in. */
  readonly exampleRequest?: ChangeRequest
  /** Replaces what Pods draw from their behaviour in the copy. */
  readonly changeLife?: (pod: Pod, life: PodLife) => PodLife
}

/** The cluster for which cures are searched: its objects, and the faults that are active. */
export interface CureContext {
  readonly view: ClusterView["Service"]
  readonly faults: ReadonlyArray<{ readonly id: string; readonly fault: Fault }>
}

/** To at most this many earlier revisions an undo is offered. */
export const undosMax = 3
