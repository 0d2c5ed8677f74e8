import type { Obstacle } from "./placementFilter.ts"

/**
 * What the scheduler says of a Pod that fits on no node.
 * Source: pkg/scheduler/framework/types.go (FitError.Error), pkg/scheduler/schedule_one.go (ErrNoNodesAvailable),
 * pkg/scheduler/framework/plugins (dynamicresources, defaultpreemption).
 */
export const noNodesMessage = "no nodes available to schedule pods"

/** `0/3 nodes are available: 1 Too many pods, 2 Insufficient cpu.` */
export const fitErrorText = (nodeCount: number, obstacles: Iterable<Obstacle>): string => {
  const countByReason = new Map<string, number>()
  for (const { reasons } of obstacles) {
    for (const reason of reasons) countByReason.set(reason, (countByReason.get(reason) ?? 0) + 1)
  }
  const reasons = [...countByReason].map(([reason, count]) => `${count} ${reason}`).sort()
  return `0/${nodeCount} nodes are available: ${reasons.join(", ")}.`
}

/** Of a Pod that no node may take, whatever is on it. */
export const refusalText = (nodeCount: number, reason: string): string =>
  `0/${nodeCount} nodes are available: ${reason}.`

/** With what the plugins say that try to make room: those of resource claims, then preemption. */
export const withPreemptionText = (fitError: string, preemption: string): string =>
  `${fitError}${preemptionMark}${preemption}`

const preemptionMark = " no new claims to deallocate, preemption: "

/** Why the nodes do not take a Pod, without what preemption could do. */
export const withoutPreemptionText = (message: string): string =>
  message.split(preemptionMark, 1)[0] ?? message
