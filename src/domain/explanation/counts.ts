import { isStillTerminating } from "../pods.ts"
import type { DeploymentObservation } from "../observations.ts"
import type { RolloutSeen, Unread } from "./rolloutSeen.ts"

/** How many Pods there are of which kind. */
export interface Counts {
  readonly updated: number
  readonly available: number
  readonly old: number
  readonly terminating: number
}

/** By what is there; by what the Deployment itself says where that may not be read. */
export const countsOf = ({ deployment, counts }: DeploymentObservation, seen: RolloutSeen): Counts => {
  const { status } = deployment
  const told = isUnread(seen, "ReplicaSets") ? status : counts
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = told
  return {
    updated: updatedReplicas,
    available: availableReplicas,
    old: replicas - updatedReplicas,
    terminating:
      isUnread(seen, "ReplicaSets") || isUnread(seen, "Pods")
        ? (status.terminatingReplicas ?? 0)
        : seen.pods.filter(isStillTerminating).length
  }
}

export const isUnread = ({ unread = [] }: RolloutSeen, what: Unread["what"]): boolean =>
  unread.some((it) => it.what === what)

/** What is missing from an explanation, and who says so. */
export const unreadSentences = ({ unread = [] }: RolloutSeen): ReadonlyArray<string> =>
  unread.map(({ what, why }) => `${unseen[what]}: ${why.replace(/\.$/u, "")}.`)

const unseen: Readonly<Record<Unread["what"], string>> = {
  ReplicaSets: "Its ReplicaSets, and with them its Pods, cannot be seen, and may say more",
  Pods: "Its Pods cannot be seen, and may say more",
  events: "Events cannot be seen, and may say more"
}

export const areOf = (count: number): string => (count === 1 ? "is" : "are")
