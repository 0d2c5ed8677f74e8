import { resolveIntOrPercent } from "../meta/amounts/intOrPercent.ts"
import type { DaemonSet } from "./daemonSets/daemonSetTypes.ts"
import type { Deployment } from "../meta/objects.ts"
import type { StatefulSet } from "./statefulSets/statefulSetTypes.ts"

/** The floor and ceiling of a rollout; undefined where a strategy sets none. */
export interface RolloutBounds {
  readonly podsMax: number | undefined
  readonly availableMin: number | undefined
}

/** Of a Deployment whose manifest names none. */
export const rollingUpdateDefaults = { maxUnavailable: "25%", maxSurge: "25%" } as const

/** A Deployment without `maxSurge` and `maxUnavailable` has no bounds. */
export const fencepostBounds = (deployment: Deployment): RolloutBounds => {
  const { replicas, strategy } = deployment.spec
  if (strategy.rollingUpdate === undefined) return { podsMax: undefined, availableMin: undefined }
  const { surgeMax, unavailableMax } = resolveFenceposts(deployment)
  return { podsMax: replicas + surgeMax, availableMin: availableFloor({ deployment, unavailableMax }) }
}

/**
 * Resolves maxSurge (rounded up) and maxUnavailable (rounded down) to numbers of Pods; if both are
 * 0, one Pod may be unavailable. Source: deployment_util.go
 * (ResolveFenceposts).
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

export const availableFloor = ({
  deployment,
  unavailableMax
}: {
  readonly deployment: Deployment
  readonly unavailableMax: number
}): number => deployment.spec.replicas - unavailableMax

export interface WorkloadBounds {
  readonly floor: number
  readonly ceiling: number
}

/** A rolling update replaces one Pod at a time; OnDelete replaces none. */
export const statefulSetBounds = ({ spec }: StatefulSet): WorkloadBounds => ({
  floor: Math.max(0, spec.updateStrategy?.type === "OnDelete" ? spec.replicas : spec.replicas - 1),
  ceiling: spec.replicas
})

export const daemonSetBounds = ({ spec, status }: DaemonSet): WorkloadBounds => {
  const desired = status.desiredNumberScheduled
  if (spec.updateStrategy?.type === "OnDelete") return { floor: desired, ceiling: desired }
  const { maxSurge = 0, maxUnavailable = 1 } = spec.updateStrategy?.rollingUpdate ?? {}
  const podCountOf = (value: number | string): number =>
    resolveIntOrPercent({ value, total: desired, round: "up" })
  const surge = podCountOf(maxSurge)
  const unavailable = Math.max(podCountOf(maxUnavailable), surge === 0 ? 1 : 0)
  return { floor: Math.max(0, desired - unavailable), ceiling: desired + surge }
}
