import { progressingCondition } from "./progress.ts"
import type { Deployment } from "../meta/objects.ts"

/**
 * The message is that of `kubectl rollout status`. Source:
 * polymorphichelpers/rollout_status.go.
 */
export interface RolloutStatus {
  readonly state: "waiting" | "complete" | "failed"
  readonly message: string
}

type RolloutPhase =
  | "unobserved"
  | "overdue"
  | "updating"
  | "terminatingOld"
  | "becomingAvailable"
  | "complete"

const phaseOf = (deployment: Deployment): RolloutPhase => {
  const { metadata, spec, status } = deployment
  if ((metadata.generation ?? 0) > (status.observedGeneration ?? 0)) return "unobserved"
  if (progressingCondition(deployment)?.reason === "ProgressDeadlineExceeded") return "overdue"
  const { updatedReplicas = 0, replicas = 0, availableReplicas = 0 } = status
  if (updatedReplicas < spec.replicas) return "updating"
  if (replicas > updatedReplicas) return "terminatingOld"
  return availableReplicas < updatedReplicas ? "becomingAvailable" : "complete"
}

const stateOf = (phase: RolloutPhase): RolloutStatus["state"] =>
  phase === "complete" ? "complete" : phase === "overdue" ? "failed" : "waiting"

export const rolloutStateOf = (deployment: Deployment): RolloutStatus["state"] => stateOf(phaseOf(deployment))

export const rolloutStatus = (deployment: Deployment): RolloutStatus => {
  const phase = phaseOf(deployment)
  return { state: stateOf(phase), message: messageOf(phase, deployment) }
}

const messageOf = (phase: RolloutPhase, { metadata, spec, status }: Deployment): string => {
  const name = JSON.stringify(metadata.name)
  const { updatedReplicas: updated = 0, replicas = 0, availableReplicas: available = 0 } = status
  const prefix = `Waiting for deployment ${name} rollout to finish:`
  switch (phase) {
    case "unobserved":
      return "Waiting for deployment spec update to be observed..."
    case "overdue":
      return `deployment ${name} exceeded its progress deadline`
    case "updating":
      return `${prefix} ${updated} out of ${spec.replicas} new replicas have been updated...`
    case "terminatingOld":
      return `${prefix} ${replicas - updated} old replicas are pending termination...`
    case "becomingAvailable":
      return `${prefix} ${available} of ${updated} updated replicas are available...`
    case "complete":
      return `deployment ${name} successfully rolled out`
  }
}
