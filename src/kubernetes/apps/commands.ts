import { countText } from "../meta/text/countText.ts"
import { steeringRecordText } from "../steering/steeringRecord.ts"
import { revisionAnnotation } from "./revisions/revisions.ts"
import type { DeploymentStatusReport } from "./deploymentStatus.ts"
import type { ContainerFacts } from "../pods/containers/containers.ts"
import type { PodEnding } from "../pods/podLife.ts"
import type { Annotations, Key, ReplicaSet, ReplicaSetStatus } from "../meta/objects.ts"
import type { LookAgain, ObjectIdentity, RecordEvent } from "./sharedCommands.ts"
import type { DaemonSetCommand } from "./daemonSets/daemonSetCommands.ts"
import type { AutoscalerCommand } from "../autoscaling/autoscalerCommands.ts"
import type { CronJobCommand } from "../batch/cronJobs/cronJobCommands.ts"
import type { JobCommand } from "../batch/jobs/jobCommands.ts"
import type { StatefulSetCommand } from "./statefulSets/statefulSetCommands.ts"
import type { SteeringCommand } from "../steering/steeringCommands.ts"
import type { ReplicaSetDraft } from "./revisions/newReplicaSet.ts"

/** A write is refused if its object has changed since the observation. */
export type Command =
  | DeploymentCommand
  | ReplicaSetCommand
  | StatefulSetCommand
  | DaemonSetCommand
  | JobCommand
  | CronJobCommand
  | AutoscalerCommand
  | SteeringCommand
  | PodCommand
  | NodeCommand
  | RecordEvent
  | LookAgain

/** By name; undefined removes an annotation. */
export type AnnotationChanges = Readonly<Record<string, string | undefined>>

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
  /** `annotations`: all that the ReplicaSet has afterwards. */
  | {
      readonly type: "renumberReplicaSet"
      readonly name: string
      readonly annotations: Annotations
      readonly minReadySeconds: number
    }
  | { readonly type: "deleteReplicaSet"; readonly child: ObjectIdentity }
  /** If `to` is undefined, only the annotation that requests the rollback is removed. */
  | { readonly type: "rollBack"; readonly to: ReplicaSet | undefined }
  /** All reports of one decision become one write. */
  | { readonly type: "report"; readonly report: DeploymentStatusReport }
  | { readonly type: "showRevision"; readonly revision: string }
  /** What a strategy records on the Deployment. */
  | { readonly type: "annotateDeployment"; readonly annotations: AnnotationChanges }
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
  /** The controller derives the Pod's status from the container facts. */
  | {
      readonly type: "reportPod"
      readonly containers: ReadonlyArray<ContainerFacts>
      readonly ephemerals?: ReadonlyArray<ContainerFacts>
      /** Why the Pod is being stopped. */
      readonly ending?: PodEnding
      /** Set while the Pod waits for its volumes. */
      readonly isMounted?: false
    }
  | { readonly type: "removePod" }
  | RecordEvent

export type NodeCommand =
  | { readonly type: "renewLease" }
  | { readonly type: "reportNode"; readonly ready: "True" | "Unknown" }
  | { readonly type: "taintNode" }
  /** The node's heartbeats have stopped: sets the Ready condition of its Pods to False. */
  | { readonly type: "markPodsUnready" }
  | { readonly type: "evictPods" | "cancelEvictions"; readonly keys: ReadonlyArray<Key> }
  | LookAgain

export interface CommandRefusal {
  readonly command: Command["type"]
  /** A Kubernetes reason: `Forbidden`, `Conflict`, `NotFound`, … */
  readonly reason: string
  readonly message: string
}

/** For example `scale web-1 from 10 to 8`. */
export const commandText = (command: Command): string => {
  switch (command.type) {
    case "adoptReplicaSet":
    case "adoptPod":
    case "adoptRevision":
      return `adopt ${command.child.name}`
    case "releaseReplicaSet":
    case "releasePod":
      return `release ${command.child.name}`
    case "createReplicaSet": {
      const { metadata, spec } = command.replicaSet
      return `create ReplicaSet ${metadata.name ?? ""} of ${spec.replicas}`
    }
    case "scaleReplicaSet": {
      const { name, replicasFrom, replicasTo } = command
      return replicasFrom === replicasTo
        ? `note the new size of the Deployment on ${name}, which stays at ${replicasTo}`
        : `scale ${name} from ${replicasFrom} to ${replicasTo}`
    }
    case "renumberReplicaSet":
      return `give ${command.name} revision ${command.annotations[revisionAnnotation] ?? "none"}`
    case "deleteReplicaSet":
      return `delete ReplicaSet ${command.child.name}`
    case "rollBack":
      return command.to === undefined
        ? "drop the request to go back"
        : `go back to ${command.to.metadata.name}`
    case "report":
      return `report ${reportText(command.report)}`
    case "showRevision":
      return `annotate the Deployment with revision ${command.revision}`
    case "annotateDeployment": {
      const changes = Object.entries(command.annotations).map(([name, value]) =>
        value === undefined ? `no ${name}` : `${name}=${value}`
      )
      return `annotate the Deployment with ${changes.join(", ")}`
    }
    case "createPods":
      return `create ${countText(command.count, "Pod")}`
    case "deletePods":
      return `delete ${countText(command.count, "Pod")}`
    case "reportReplicaSet": {
      const { replicas, readyReplicas = 0, availableReplicas = 0, conditions = [] } = command.status
      const failures = conditions.map(({ type, reason = "" }) => `, ${type} ${reason}`).join("")
      return `report ${replicas} there, ${readyReplicas} ready, ${availableReplicas} available${failures}`
    }
    case "createRevision":
      return `create ControllerRevision ${command.revision.metadata.name ?? ""} of revision ${command.revision.revision}`
    case "renumberRevision":
      return `give ${command.child.name} revision ${command.revision}`
    case "deleteRevision":
      return `delete ControllerRevision ${command.child.name}`
    case "createReplica":
      return `create Pod ${command.pod.metadata.name ?? ""}`
    case "createClaims":
      return `create the claims of Pod ${command.podName}`
    case "repairReplica":
      return `repair Pod ${command.pod.metadata.name}`
    case "deleteReplica":
      return `delete Pod ${command.child.name}`
    case "reownClaim":
      return `change the owners of claim ${command.owners.claim.metadata.name}`
    case "reportStatefulSet": {
      const { replicas, readyReplicas = 0, updatedReplicas = 0 } = command.status
      return `report ${replicas} there, ${readyReplicas} ready, ${updatedReplicas} updated`
    }
    case "createDaemonPods":
    case "createJobPods":
      return `create ${countText(command.pods.length, "Pod")}`
    case "deleteDaemonPods":
    case "deleteJobPods":
    case "deleteJobs":
      return `delete ${command.children.map(({ name }) => name).join(", ")}`
    case "deleteFinishedPod":
      return `delete ${command.child.name}, which has ${command.phase.toLowerCase()}`
    case "releaseJobPods":
      return `release ${command.children.map(({ name }) => name).join(", ")}`
    case "reportJob": {
      const { active = 0, succeeded = 0, failed = 0, conditions = [] } = command.status
      const states = conditions.map(({ type, status }) => `, ${type}=${status}`).join("")
      return `report ${active} active, ${succeeded} succeeded, ${failed} failed${states}`
    }
    case "startJob": {
      const { job, replaces } = command
      const former = replaces.map(({ name }) => name).join(", ")
      return `create Job ${job.metadata.name ?? ""}${former === "" ? "" : ` in place of ${former}`}`
    }
    case "run":
      return `create Job ${command.job.metadata.name ?? ""}`
    case "reportCronJob": {
      const { active = [], lastScheduleTime = "never" } = command.status
      return `report ${active.length} active, last scheduled ${lastScheduleTime}`
    }
    case "scaleTarget":
      return `scale its target from ${command.from} to ${command.to}`
    case "reportAutoscaler": {
      const { currentReplicas = 0, desiredReplicas, conditions = [] } = command.status
      const states = conditions.map(({ reason = "" }) => `, ${reason}`).join("")
      return `report ${currentReplicas} there, ${desiredReplicas} desired${states}`
    }
    case "recordSteering": {
      const { record, undoTo } = command
      if (undoTo !== undefined) return `go back to the template of ${undoTo.metadata.name}`
      return record === undefined ? "remove the record" : `record ${steeringRecordText(record)}`
    }
    case "approve":
    case "revoke":
      return `${command.type} ${command.pods.map(({ metadata }) => metadata.name).join(", ")}`
    case "ask":
      return `ask for ${command.question.name}`
    case "pointService":
      return `point Service ${command.service.metadata.name} at ${command.hash}`
    case "markComplete":
      return `mark ${command.replicaSet.metadata.name} as complete`
    case "reportSteering":
      return command.condition === undefined
        ? "report that it is not steered"
        : `report ${command.condition.reason}: ${command.condition.message}`
    case "reportDaemonSet": {
      const { desiredNumberScheduled, numberReady, updatedNumberScheduled = 0 } = command.status
      return `report ${desiredNumberScheduled} wanted, ${numberReady} ready, ${updatedNumberScheduled} updated`
    }
    case "reportPod": {
      const containers = [...command.containers, ...(command.ephemerals ?? [])].map(
        ({ name, doing, ready }) => `${name} ${doing}${ready ? " and ready" : ""}`
      )
      return `report ${containers.join(", ")}`
    }
    case "recordEvent":
      return `record ${command.eventType} ${command.reason}`
    case "reportNode":
      return `report Ready=${command.ready}`
    case "evictPods":
      return `evict ${command.keys.join(", ")}`
    case "cancelEvictions":
      return `no longer evict ${command.keys.join(", ")}`
    default:
      return textsWithoutDetails[command.type]
  }
}

const textsWithoutDetails = {
  requestBinding: "ask for a node",
  removePod: "remove the Pod object",
  renewLease: "renew the lease",
  taintNode: "taint the node",
  markPodsUnready: "mark its Pods as not ready",
  deleteJob: "delete the Job, which has expired",
  lookAgain: "look again"
} as const

const reportText = (report: DeploymentStatusReport): string => {
  switch (report.part) {
    case "counts": {
      const { replicas, updatedReplicas, readyReplicas, availableReplicas } = report.counts
      return `${replicas} there, ${updatedReplicas} updated, ${readyReplicas} ready, ${availableReplicas} available`
    }
    case "condition":
      return `${report.condition.type}=${report.condition.status}, ${report.condition.reason}`
    case "noCondition":
      return `no ${report.conditionType}`
    case "replicaFailure":
      return report.failure === undefined
        ? "that no ReplicaSet fails"
        : `ReplicaFailure=${report.failure.status}, ${report.failure.reason ?? ""}`
    case "collision":
      return "a collision of names"
  }
}
