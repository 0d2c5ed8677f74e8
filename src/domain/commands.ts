import type { StatusReport } from "./deploymentStatus.ts"
import type { ContainerFacts } from "./containers.ts"
import type { PodVerdict } from "./podLife.ts"
import type { Annotations, Key, ReplicaSet, ReplicaSetStatus } from "./objects.ts"
import type { ReplicaSetDraft } from "./newReplicaSet.ts"

/**
 * All the commands there are: what charts may ask for. Plain data, performed in order by the actor's worker; each
 * write is made from the observation that led to it, and refused when the object has changed since.
 */
export type Command =
  | DeploymentCommand
  | ReplicaSetCommand
  | PodCommand
  | NodeCommand
  | RecordEvent
  | LookAgain

/** Asks for another observation: time has passed that matters. */
interface LookAgain {
  readonly type: "lookAgain"
}

/** An object by name and identity: a namesake that came later is somebody else. */
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
  | { readonly type: "report"; readonly report: StatusReport }
  | { readonly type: "showRevision"; readonly revision: string }
  | RecordEvent
  | LookAgain

export type ReplicaSetCommand =
  | { readonly type: "adoptPod" | "releasePod"; readonly child: ObjectIdentity }
  | { readonly type: "createPods"; readonly count: number }
  | { readonly type: "deletePods"; readonly count: number }
  | { readonly type: "reportReplicaSet"; readonly status: ReplicaSetStatus }
  | LookAgain

/** A Pod was told to go, was there for longer than it may be, or was given up by its kubelet. */
export type PodEnding = "deleted" | "overdue" | PodVerdict

export type PodCommand =
  /** Says that the scheduler may place the Pod now. */
  | { readonly type: "requestBinding" }
  /** What its containers do now; the status that follows is worked out where the present one is known. */
  | {
      readonly type: "reportPod"
      readonly containers: ReadonlyArray<ContainerFacts>
      /** Why no container will be started any more, where that does not follow from what they do. */
      readonly ending?: PodEnding
    }
  /** The kubelet is done with it. */
  | { readonly type: "removePod" }
  | RecordEvent

export type NodeCommand =
  | { readonly type: "renewLease" }
  | { readonly type: "reportNode"; readonly ready: "True" | "Unknown" }
  /** Brings the taints that speak of its conditions in line with them. */
  | { readonly type: "taintNode" }
  /** Nobody is heard of on the node: what runs there counts as unready. */
  | { readonly type: "markPodsUnready" }
  | { readonly type: "evictPods" | "cancelEvictions"; readonly keys: ReadonlyArray<Key> }
  | LookAgain

/** An event to be recorded on the actor's own object. */
export interface RecordEvent {
  readonly type: "recordEvent"
  readonly eventType: "Normal" | "Warning"
  readonly reason: string
  readonly message: string
  /** `spec.containers{app}` for what happened to one container. */
  readonly fieldPath?: string
}

/** What became of a command, as its actor is told: only refusals are worth saying one by one. */
export interface Refusal {
  readonly command: Command["type"]
  /** A Kubernetes reason: `Forbidden`, `Conflict`, `NotFound`, … */
  readonly reason: string
  readonly message: string
}
