import { progressingCondition } from "./progress.ts"
import type { Deployment } from "../meta/objects.ts"

/**
 * The state of a rollout, with the message of `kubectl rollout status`.
 * Source: staging/src/k8s.io/kubectl/pkg/polymorphichelpers/rollout_status.go (DeploymentStatusViewer).
 */
export interface RolloutStatus {
  readonly state: "waiting" | "complete" | "failed"
  readonly message: string
}

export const rolloutStatus = (deployment: Deployment): RolloutStatus => {
  const { metadata, spec, status } = deployment
  const name = JSON.stringify(metadata.name)
  const waiting = (message: string): RolloutStatus => ({ state: "waiting", message })
  if ((metadata.generation ?? 0) > (status.observedGeneration ?? 0)) {
    return waiting("Waiting for deployment spec update to be observed...")
  }
  if (progressingCondition(deployment)?.reason === "ProgressDeadlineExceeded") {
    return { state: "failed", message: `deployment ${name} exceeded its progress deadline` }
  }
  const { updatedReplicas: updated = 0, replicas = 0, availableReplicas: available = 0 } = status
  const prefix = `Waiting for deployment ${name} rollout to finish:`
  if (updated < spec.replicas) {
    return waiting(`${prefix} ${updated} out of ${spec.replicas} new replicas have been updated...`)
  }
  if (replicas > updated) {
    return waiting(`${prefix} ${replicas - updated} old replicas are pending termination...`)
  }
  if (available < updated) {
    return waiting(`${prefix} ${available} of ${updated} updated replicas are available...`)
  }
  return { state: "complete", message: `deployment ${name} successfully rolled out` }
}
