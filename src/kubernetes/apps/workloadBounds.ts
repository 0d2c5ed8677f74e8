import { resolveIntOrPercent } from "../meta/amounts/intOrPercent.ts"
import type { DaemonSet } from "./daemonSets/daemonSetTypes.ts"
import type { StatefulSet } from "./statefulSets/statefulSetTypes.ts"

/** The fewest available and the most existing Pods that an update strategy allows. */
export interface WorkloadBounds {
  readonly floor: number
  readonly ceiling: number
}

/** A rolling update of a StatefulSet replaces one Pod at a time; with OnDelete the controller replaces none. */
export const statefulSetBounds = ({ spec }: StatefulSet): WorkloadBounds => ({
  floor: Math.max(0, spec.updateStrategy?.type === "OnDelete" ? spec.replicas : spec.replicas - 1),
  ceiling: spec.replicas
})

export const daemonSetBounds = ({ spec, status }: DaemonSet): WorkloadBounds => {
  const desired = status.desiredNumberScheduled
  if (spec.updateStrategy?.type === "OnDelete") return { floor: desired, ceiling: desired }
  const { maxSurge = 0, maxUnavailable = 1 } = spec.updateStrategy?.rollingUpdate ?? {}
  const amountOf = (value: number | string): number =>
    resolveIntOrPercent({ value, total: desired, round: "up" })
  const surge = amountOf(maxSurge)
  const unavailable = Math.max(amountOf(maxUnavailable), surge === 0 ? 1 : 0)
  return { floor: Math.max(0, desired - unavailable), ceiling: desired + surge }
}
