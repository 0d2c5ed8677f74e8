import { resolveIntOrPercent } from "../meta/amounts/intOrPercent.ts"
import type { DaemonSet } from "./daemonSets/daemonSetTypes.ts"
import type { Deployment } from "../meta/objects.ts"
import type { StatefulSet } from "./statefulSets/statefulSetTypes.ts"

/**
 * How many Pods must stay available, and how many there may be, during a rollout: its floor and its ceiling. Upstream
 * calls `maxSurge` and `maxUnavailable` fenceposts.
 */

/** The bounds that a Deployment keeps during a rollout; undefined: no bound. */
export interface RolloutBounds {
  readonly podsMax: number | undefined
  readonly availableMin: number | undefined
}

/**
 * The bounds from `maxSurge` and `maxUnavailable`. A Deployment without these amounts has none.
 * Source: pkg/controller/deployment/util/deployment_util.go (ResolveFenceposts).
 */
export const fencepostBounds = (deployment: Deployment): RolloutBounds => {
  const { replicas, strategy } = deployment.spec
  if (strategy.rollingUpdate === undefined) return { podsMax: undefined, availableMin: undefined }
  const { surgeMax, unavailableMax } = resolveFenceposts(deployment)
  return { podsMax: replicas + surgeMax, availableMin: availableFloor({ deployment, unavailableMax }) }
}

/**
 * Resolves maxSurge (rounded up) and maxUnavailable (rounded down) to numbers of Pods. If both are 0, one Pod may
 * be unavailable, since nothing could change otherwise. Without `rollingUpdate`, as for Recreate, both are 0.
 * Source: pkg/controller/deployment/util/deployment_util.go (ResolveFenceposts, MaxSurge, MaxUnavailable).
 */
export const resolveFenceposts = (
  deployment: Deployment
): { readonly surgeMax: number; readonly unavailableMax: number } => {
  const { replicas, strategy } = deployment.spec
  if (strategy.rollingUpdate === undefined) return { surgeMax: 0, unavailableMax: 0 }
  const surgeMax = resolveIntOrPercent({
    value: strategy.rollingUpdate.maxSurge ?? 0,
    total: replicas,
    round: "up"
  })
  const unavailable = resolveIntOrPercent({
    value: strategy.rollingUpdate.maxUnavailable ?? 0,
    total: replicas,
    round: "down"
  })
  const unavailableMax = surgeMax === 0 && unavailable === 0 ? 1 : unavailable
  return { surgeMax, unavailableMax: Math.min(unavailableMax, replicas) }
}

/** The floor: how many Pods must stay available during a rollout. */
export const availableFloor = ({
  deployment,
  unavailableMax
}: {
  readonly deployment: Deployment
  readonly unavailableMax: number
}): number => deployment.spec.replicas - unavailableMax

/** The fewest available and the most existing Pods that the update strategy of a StatefulSet or DaemonSet allows. */
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
