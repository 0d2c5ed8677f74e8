import type { ChangeRequest } from "../kubernetes/meta/changeRequest.ts"
import type { ClusterView } from "../store/objectStore.ts"
import type { Cure } from "./forecast.ts"
import type { Fault } from "../faults/fault.ts"
import type { Pod } from "../kubernetes/meta/objects.ts"
import type { PodLife } from "../kubernetes/pods/podLife.ts"

/** A change that may help a workload, as it is tried in a copy of the cluster. */
export interface PlayableCure extends Cure {
  /** Sent to the copy in place of a `request` in which a person has to fill something in. */
  readonly requestWithExample?: ChangeRequest
  /** Replaces what Pods draw from their behaviour. */
  readonly changeLife?: (pod: Pod, life: PodLife) => PodLife
}

export interface CureContext {
  readonly view: ClusterView["Service"]
  readonly faults: ReadonlyArray<{ readonly id: string; readonly fault: Fault }>
}

/** An undo is offered to at most this many earlier revisions. */
export const undosMax = 3
