import { isPodTerminating } from "../../kubernetes/pods/podState.ts"
import type { DeploymentObservation } from "../../kubernetes/apps/deploymentObservation.ts"
import type { ExplainRolloutInput, UnreadableResource } from "./explainRolloutInput.ts"

/** Pods: `updated` ones have the present template, `old` ones another. */
export interface RolloutCounts {
  readonly updated: number
  readonly available: number
  readonly old: number
  readonly terminating: number
}

/** Counts come from ReplicaSet statuses and terminating Pods, else, if unreadable, from the Deployment's status. */
export const rolloutCountsOf = (
  { deployment, counts }: DeploymentObservation,
  rollout: ExplainRolloutInput
): RolloutCounts => {
  const { status } = deployment
  const countSource = isUnreadableResource(rollout, "ReplicaSets") ? status : counts
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = countSource
  return {
    updated: updatedReplicas,
    available: availableReplicas,
    old: replicas - updatedReplicas,
    terminating:
      isUnreadableResource(rollout, "ReplicaSets") || isUnreadableResource(rollout, "Pods")
        ? (status.terminatingReplicas ?? 0)
        : rollout.pods.filter(isPodTerminating).length
  }
}

export const isUnreadableResource = (
  { unreadable = [] }: ExplainRolloutInput,
  resource: UnreadableResource["resource"]
): boolean => unreadable.some((it) => it.resource === resource)

export const unreadableSentences = ({ unreadable = [] }: ExplainRolloutInput): ReadonlyArray<string> =>
  unreadable.map(
    ({ resource, serverMessage }) => `${unreadableTexts[resource]}: ${serverMessage.replace(/\.$/u, "")}.`
  )

const unreadableTexts: Readonly<Record<UnreadableResource["resource"], string>> = {
  ReplicaSets: "Its ReplicaSets, and with them its Pods, cannot be seen, and may say more",
  Pods: "Its Pods cannot be seen, and may say more",
  events: "Events cannot be seen, and may say more"
}

export const isOrAre = (count: number): string => (count === 1 ? "is" : "are")
