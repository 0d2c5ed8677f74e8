import type { Deployment, Namespace, Node, Pod, ReplicaSet } from "../objects.ts"
import type { WholeEvent } from "../wholeEvent.ts"

export interface RolloutSeen {
  readonly deployment: Deployment
  readonly replicaSets: ReadonlyArray<ReplicaSet>
  readonly pods: ReadonlyArray<Pod>
  /** Events of its namespace. Those about other objects are ignored. */
  readonly events: ReadonlyArray<WholeEvent>
  /** Undefined if it cannot be read. */
  readonly namespace: Namespace | undefined
  readonly nowMillis: number
  /** The nodes of its Pods; omitted if they cannot be read. */
  readonly nodes?: Iterable<Node>
  readonly unread?: ReadonlyArray<Unread>
}

export interface Unread {
  readonly what: "ReplicaSets" | "Pods" | "events"
  readonly why: string
}
