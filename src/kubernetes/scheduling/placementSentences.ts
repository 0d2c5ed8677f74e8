import type { Obstacle } from "./placementFilter.ts"

/**
 * The scheduler's messages about a Pod that fits on no node.
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

/** The message for a Pod that no node may take, whatever Pods are on it. */
export const refusalText = (nodeCount: number, reason: string): string =>
  `0/${nodeCount} nodes are available: ${reason}.`

/** Adds the messages of the plugins that try to make room: those of resource claims, then of preemption. */
export const withPreemptionText = (fitError: string, preemption: string): string =>
  `${fitError}${preemptionMark}${preemption}`

const preemptionMark = " no new claims to deallocate, preemption: "

/** The message of a Pod's condition without the part about preemption. */
export const withoutPreemptionText = (message: string): string =>
  message.split(preemptionMark, 1)[0] ?? message
