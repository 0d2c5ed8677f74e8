import type { PlacementInput } from "../../kubernetes/scheduling/placementDeadlock.ts"
import type { Strategy } from "../../../machines/strategies/strategy.ts"
import type { Deployment, Namespace, Node, Pod, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { NormalizedEvent } from "../../kubernetes/meta/normalizeEvent.ts"
import type { SteeringSettings } from "../../kubernetes/steering/steeringObservation.ts"

/** What a client could read of a Deployment's rollout. */
export interface ExplainRolloutInput {
  readonly deployment: Deployment
  readonly replicaSets: ReadonlyArray<ReplicaSet>
  readonly pods: ReadonlyArray<Pod>
  /** Events about other objects are ignored. */
  readonly events: ReadonlyArray<NormalizedEvent>
  /** Undefined if the namespace cannot be read. */
  readonly namespace: Namespace | undefined
  readonly nowMillis: number
  /** Omitted if the nodes cannot be read. */
  readonly nodes?: Iterable<Node>
  /** Reads the objects that decide where Pods may go; by default the own Pods and the nodes. */
  readonly readPlacementInput?: () => PlacementInput
  /** Undefined without a recording: no object tells which revision was complete. */
  readonly lastCompleteRevision?: number | undefined
  /** The built-in strategies by default. */
  readonly strategies?: ReadonlyArray<Strategy>
  /** Undefined without a valid steering annotation. */
  readonly steering?: SteeringSettings | undefined
  /** The field managers that apply the template of a steered Deployment from Git. */
  readonly gitManagers?: ReadonlyArray<string>
  /** Resources that the client may not read; their fields above are empty. */
  readonly unreadable?: ReadonlyArray<UnreadableResource>
}

export interface UnreadableResource {
  readonly resource: "ReplicaSets" | "Pods" | "events"
  readonly serverMessage: string
}
