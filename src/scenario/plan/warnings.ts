import { unmadePods } from "./unmadePods.ts"
import type { PlanWorld } from "./planRun.ts"

/** What must be known of a plan before it is believed, a sentence each. */
export const warningsOf = ({
  from = [],
  next,
  running,
  warnings = []
}: Pick<PlanWorld, "from" | "next" | "running" | "warnings">): ReadonlyArray<string> => [
  ...warnings,
  // What a cluster has of their Pods is read from it.
  ...(running === undefined ? unmadePods([...from, ...next]) : [])
]
