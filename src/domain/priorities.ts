import type { GroupResource } from "./kinds.ts"

/**
 * The priorities that Pods can have by the name of a class.
 *
 * Source: pkg/apis/scheduling/types.go, pkg/apis/scheduling/v1/helpers.go.
 */

export const priorityClasses: GroupResource = "priorityclasses.scheduling.k8s.io"

/** Classes that every cluster has. */
export const systemPriorities: ReadonlyMap<string, number> = new Map([
  ["system-cluster-critical", 2_000_000_000],
  ["system-node-critical", 2_000_001_000]
])

/** Above it are the classes of the system. */
export const userPriorityMax = 1_000_000_000
