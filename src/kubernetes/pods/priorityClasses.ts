import type { GroupResource } from "../meta/kinds.ts"

/** Source: pkg/apis/scheduling (types.go, v1/helpers.go). */

export const priorityClassResource: GroupResource = "priorityclasses.scheduling.k8s.io"

export const systemPriorityClasses: ReadonlyMap<string, number> = new Map([
  ["system-cluster-critical", 2_000_000_000],
  ["system-node-critical", 2_000_001_000]
])

/** Only the system's classes may have higher priorities. */
export const userPriorityMax = 1_000_000_000
