import { countText } from "../../kubernetes/meta/text/countText.ts"
import { revisionAnnotation } from "../../kubernetes/apps/revisions/revisions.ts"
import type { Command } from "../../kubernetes/apps/commands.ts"
import type { DeploymentStatusReport } from "../../kubernetes/apps/deploymentStatus.ts"

/** A command with its numbers: `scale web-1 from 10 to 8`. */
export const commandText = (command: Command): string => {
  switch (command.type) {
    case "adoptReplicaSet":
    case "adoptPod":
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
        ? `note the new size on ${name}, which stays at ${replicasTo}`
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
    // The revision annotation shows the revision to clients.
    case "showRevision":
      return `annotate the Deployment with revision ${command.revision}`
    case "createPods":
      return `create ${countText(command.count, "Pod")}`
    case "deletePods":
      return `delete ${countText(command.count, "Pod")}`
    case "reportReplicaSet": {
      const { replicas, readyReplicas = 0, availableReplicas = 0, conditions = [] } = command.status
      const failures = conditions.map(({ type, reason = "" }) => `, ${type} ${reason}`).join("")
      return `report ${replicas} there, ${readyReplicas} ready, ${availableReplicas} available${failures}`
    }
    case "reportPod": {
      const containers = command.containers.map(
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
      return fixedTexts[command.type]
  }
}

const fixedTexts = {
  requestBinding: "ask for a node",
  removePod: "remove the Pod object",
  renewLease: "renew the lease",
  taintNode: "taint the node",
  markPodsUnready: "mark its Pods as not ready",
  lookAgain: "look again"
} as const

const reportText = (report: DeploymentStatusReport): string => {
  switch (report.part) {
    case "counts": {
      const { replicas, updatedReplicas, readyReplicas, availableReplicas } = report.counts
      return `${replicas} there, ${updatedReplicas} updated, ${readyReplicas} ready, ${availableReplicas} available`
    }
    case "condition":
      return `${report.claim.type}=${report.claim.status}, ${report.claim.reason}`
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
