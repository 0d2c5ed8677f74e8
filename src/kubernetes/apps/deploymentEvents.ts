import { recordEvent, type RecordEvent } from "./sharedCommands.ts"

/** Source: deployment/sync.go, rollback.go. */

export const scalingEvent = (name: string, from: number, to: number): RecordEvent | undefined => {
  if (from === to) return undefined
  const message = `Scaled ${to > from ? "up" : "down"} replica set ${name} from ${from} to ${to}`
  return recordEvent("Normal", "ScalingReplicaSet", message)
}

export const rolledBackEvent = (deployment: string, revision: bigint | undefined): RecordEvent =>
  recordEvent(
    "Normal",
    "DeploymentRollback",
    `Rolled back deployment ${JSON.stringify(deployment)} to revision ${revision}`
  )

export const revisionNotFoundEvent = (missing: "none" | "unknown"): RecordEvent =>
  recordEvent(
    "Warning",
    "DeploymentRollbackRevisionNotFound",
    missing === "none" ? "Unable to find last revision." : "Unable to find the revision to rollback to."
  )

export const sameTemplateEvent = (deployment: string): RecordEvent =>
  recordEvent(
    "Warning",
    "DeploymentRollbackTemplateUnchanged",
    `The rollback revision contains the same template as current deployment ${JSON.stringify(deployment)}`
  )
