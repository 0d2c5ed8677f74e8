import type { PlacementInput } from "../../kubernetes/scheduling/placementDeadlock.ts"
import type { Strategy } from "../../../machines/strategies/strategy.ts"
import type { Deployment, Namespace, Node, Pod, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { NormalizedEvent } from "../../kubernetes/meta/normalizeEvent.ts"
import type { SteeringSettings } from "../../kubernetes/steering/steeringObservation.ts"

/** What a client could read of a Deployment's rollout: the input of `explainRollout`. */
export interface ReadableRollout {
  readonly deployment: Deployment
  readonly replicaSets: ReadonlyArray<ReplicaSet>
  readonly pods: ReadonlyArray<Pod>
  /** Events of its namespace. Those about other objects are ignored. */
  readonly events: ReadonlyArray<NormalizedEvent>
  /** Undefined if it cannot be read. */
  readonly namespace: Namespace | undefined
  readonly nowMillis: number
  /** The nodes of its Pods; omitted if they cannot be read. */
  readonly nodes?: Iterable<Node>
  /** Reads the objects that decide where its Pods may go. By default its own Pods and the nodes. */
  readonly readPlacementInput?: () => PlacementInput
  /** The newest revision before the present one that was complete once; undefined where no recording tells. */
  readonly lastCompleteRevision?: number | undefined
  /** The strategies that Deployments may select. Default: the built-in ones. */
  readonly strategies?: ReadonlyArray<Strategy>
  /** The strategy of its steering annotation; undefined without one, or if it is invalid. */
  readonly steering?: SteeringSettings | undefined
  /** The field managers that apply its template from Git, if it is steered. */
  readonly gitManagers?: ReadonlyArray<string>
  /** Resources that the client may not read: the fields above are empty for them. */
  readonly unreadable?: ReadonlyArray<UnreadableResource>
}

export interface UnreadableResource {
  readonly resource: "ReplicaSets" | "Pods" | "events"
  readonly serverMessage: string
}
