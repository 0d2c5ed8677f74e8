import type { DeploymentStatusReport } from "./deploymentStatus.ts"
import type { ContainerFacts } from "../pods/containers/containers.ts"
import type { PodEnding } from "../pods/podLife.ts"
import type { Annotations, Key, ReplicaSet, ReplicaSetStatus } from "../meta/objects.ts"
import type { ReplicaSetDraft } from "./revisions/newReplicaSet.ts"

/**
 * Everything a chart can ask for, as plain data. The actor's worker performs commands in order. Each write is based
 * on the observation that led to it and is refused if the object has changed since.
 */
export type Command =
  | DeploymentCommand
  | ReplicaSetCommand
  | PodCommand
  | NodeCommand
  | RecordEvent
  | LookAgain

/** Asks for another look now; emitted by a chart at the end of a delay that it waited for. */
interface LookAgain {
  readonly type: "lookAgain"
}

/** The uid tells the object from a later one of the same name. */
export interface ObjectIdentity {
  readonly name: string
  readonly uid: string
}

export type DeploymentCommand =
  | { readonly type: "adoptReplicaSet" | "releaseReplicaSet"; readonly child: ObjectIdentity }
  | { readonly type: "createReplicaSet"; readonly replicaSet: ReplicaSetDraft }
  | {
      readonly type: "scaleReplicaSet"
      readonly name: string
      readonly replicasFrom: number
      readonly replicasTo: number
      readonly annotations: Annotations
    }
  | {
      readonly type: "renumberReplicaSet"
      readonly name: string
      readonly annotations: Annotations
      readonly minReadySeconds: number
    }
  | { readonly type: "deleteReplicaSet"; readonly child: ObjectIdentity }
  | { readonly type: "rollBack"; readonly to: ReplicaSet | undefined }
  | { readonly type: "report"; readonly report: DeploymentStatusReport }
  | { readonly type: "showRevision"; readonly revision: string }
  | RecordEvent
  | LookAgain

export type ReplicaSetCommand =
  | { readonly type: "adoptPod" | "releasePod"; readonly child: ObjectIdentity }
  | { readonly type: "createPods"; readonly count: number }
  | { readonly type: "deletePods"; readonly count: number }
  | { readonly type: "reportReplicaSet"; readonly status: ReplicaSetStatus }
  | LookAgain

export type PodCommand =
  | { readonly type: "requestBinding" }
  /**
   * Reports the state of all containers. The worker derives the Pod's status from it and from the stored status.
   */
  | {
      readonly type: "reportPod"
      readonly containers: ReadonlyArray<ContainerFacts>
      readonly ending?: PodEnding
    }
  /** The kubelet has released the Pod: removes the object. */
  | { readonly type: "removePod" }
  | RecordEvent

export type NodeCommand =
  | { readonly type: "renewLease" }
  | { readonly type: "reportNode"; readonly ready: "True" | "Unknown" }
  | { readonly type: "taintNode" }
  /** The node's heartbeats have stopped: sets its Pods' Ready condition to False. */
  | { readonly type: "markPodsUnready" }
  | { readonly type: "evictPods" | "cancelEvictions"; readonly keys: ReadonlyArray<Key> }
  | LookAgain

export interface RecordEvent {
  readonly type: "recordEvent"
  readonly eventType: "Normal" | "Warning"
  readonly reason: string
  readonly message: string
  /** For an Event about one container: `spec.containers{app}`. */
  readonly fieldPath?: string
}

export interface CommandRefusal {
  readonly command: Command["type"]
  /** A Kubernetes reason: `Forbidden`, `Conflict`, `NotFound`, … */
  readonly reason: string
  readonly message: string
}
