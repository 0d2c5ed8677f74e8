import type { Deployment, Namespace, Node, Pod, ReplicaSet } from "../objects.ts"
import type { WholeEvent } from "../wholeEvent.ts"

/** The readable objects of a rollout: a Deployment, its descendants and their events. */
export interface RolloutSeen {
  readonly deployment: Deployment
  /** The ReplicaSets that the Deployment controls. */
  readonly replicaSets: ReadonlyArray<ReplicaSet>
  /** The Pods that its ReplicaSets control. */
  readonly pods: ReadonlyArray<Pod>
  /** Events of its namespace. Those about other objects are ignored. */
  readonly events: ReadonlyArray<WholeEvent>
  /** Undefined if it cannot be read. */
  readonly namespace: Namespace | undefined
  readonly nowMillis: number
  /** The nodes of its Pods; omitted if they cannot be read. */
  readonly nodes?: Iterable<Node>
  /** Resources that could not be read and are missing above. */
  readonly unread?: ReadonlyArray<Unread>
}

/** A resource that the client may not read. */
export interface Unread {
  readonly what: "ReplicaSets" | "Pods" | "events"
  /** The server's message. */
  readonly why: string
}
