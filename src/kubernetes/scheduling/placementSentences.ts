import type { Obstacle } from "./placementFilter.ts"

/** Source: framework/types.go (FitError.Error), schedule_one.go (ErrNoNodesAvailable). */

export const noNodesMessage = "no nodes available to schedule pods"

export const fitErrorText = (nodeCount: number, obstacles: Iterable<Obstacle>): string => {
  const countByReason = new Map<string, number>()
  for (const { reasons } of obstacles) {
    for (const reason of reasons) countByReason.set(reason, (countByReason.get(reason) ?? 0) + 1)
  }
  const reasons = [...countByReason].map(([reason, count]) => `${count} ${reason}`).sort()
  return `0/${nodeCount} nodes are available: ${reasons.join(", ")}.`
}

export const refusalText = (nodeCount: number, reason: string): string =>
  `0/${nodeCount} nodes are available: ${reason}.`

export const withPreemptionText = (fitError: string, preemption: string): string =>
  `${fitError}${preemptionMark}${preemption}`

const preemptionMark = " no new claims to deallocate, preemption: "

export const withoutPreemptionText = (message: string): string =>
  message.split(preemptionMark, 1)[0] ?? message
