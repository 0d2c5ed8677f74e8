import { isStillTerminating } from "../pods.ts"
import type { DeploymentObservation } from "../observations.ts"
import type { RolloutSeen, Unread } from "./rolloutSeen.ts"

export interface Counts {
  readonly updated: number
  readonly available: number
  readonly old: number
  readonly terminating: number
}

/** Counts the Pods, or uses the Deployment's status if the ReplicaSets or Pods cannot be read. */
export const countsOf = ({ deployment, counts }: DeploymentObservation, rollout: RolloutSeen): Counts => {
  const { status } = deployment
  const countSource = isUnread(rollout, "ReplicaSets") ? status : counts
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = countSource
  return {
    updated: updatedReplicas,
    available: availableReplicas,
    old: replicas - updatedReplicas,
    terminating:
      isUnread(rollout, "ReplicaSets") || isUnread(rollout, "Pods")
        ? (status.terminatingReplicas ?? 0)
        : rollout.pods.filter(isStillTerminating).length
  }
}

export const isUnread = ({ unread = [] }: RolloutSeen, what: Unread["what"]): boolean =>
  unread.some((it) => it.what === what)

export const unreadSentences = ({ unread = [] }: RolloutSeen): ReadonlyArray<string> =>
  unread.map(({ what, why }) => `${unreadableTexts[what]}: ${why.replace(/\.$/u, "")}.`)

const unreadableTexts: Readonly<Record<Unread["what"], string>> = {
  ReplicaSets: "Its ReplicaSets, and with them its Pods, cannot be seen, and may say more",
  Pods: "Its Pods cannot be seen, and may say more",
  events: "Events cannot be seen, and may say more"
}

export const areOf = (count: number): string => (count === 1 ? "is" : "are")
