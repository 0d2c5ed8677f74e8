import type { Deployment, Namespace, Node, Pod, ReplicaSet } from "../objects.ts"
import type { WholeEvent } from "../wholeEvent.ts"

/** What any client can read of a rollout: a Deployment, what it controls, and what was told of that. */
export interface RolloutSeen {
  readonly deployment: Deployment
  /** Those it controls. */
  readonly replicaSets: ReadonlyArray<ReplicaSet>
  /** Those that its ReplicaSets control. */
  readonly pods: ReadonlyArray<Pod>
  /** Of its namespace; those about others are passed over. */
  readonly events: ReadonlyArray<WholeEvent>
  /** Undefined where it may not be read. */
  readonly namespace: Namespace | undefined
  readonly nowMillis: number
  /** Those its Pods may be on; left out where they may not be read. */
  readonly nodes?: Iterable<Node>
  /** What could not be read, and was left out above. */
  readonly unread?: ReadonlyArray<Unread>
}

/** Something that whoever asks may not see. */
export interface Unread {
  readonly what: "ReplicaSets" | "Pods" | "events"
  /** The server's own words. */
  readonly why: string
}
