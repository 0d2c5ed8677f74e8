import { conditionOf, withCondition, withoutCondition } from "../meta/conditions.ts"
import { availableFloor } from "./rolloutBounds.ts"
import { availableReplicas } from "./replicaCounts.ts"
import type { Mutable } from "../meta/fields.ts"
import type { DesiredCondition } from "../meta/conditions.ts"
import type { DeploymentCounts } from "./replicaCounts.ts"
import type { DeploymentObservation } from "./deploymentObservation.ts"
import type { DeploymentCondition, DeploymentStatus } from "../meta/objects.ts"

/** Source: deployment/sync.go, progress.go. */

/** A Deployment of 0 replicas is available. */
export const isDeploymentAvailable = (observation: DeploymentObservation): boolean =>
  availableReplicas(observation.replicaSets) >= availableFloor(observation)

export const availableCondition: DesiredCondition = {
  type: "Available",
  status: "True",
  reason: "MinimumReplicasAvailable",
  message: "Deployment has minimum availability."
}
export const unavailableCondition: DesiredCondition = {
  type: "Available",
  status: "False",
  reason: "MinimumReplicasUnavailable",
  message: "Deployment does not have minimum availability."
}

/** The ReplicaFailure of the new ReplicaSet, or else of the oldest that has one. */
export const replicaFailureOf = (observation: DeploymentObservation): DeploymentCondition | undefined => {
  for (const replicaSet of observation.newReplicaSet === undefined
    ? observation.oldReplicaSets
    : [observation.newReplicaSet, ...observation.oldReplicaSets]) {
    const failure = conditionOf(replicaSet.status.conditions, "ReplicaFailure")
    if (failure !== undefined) return withUpdateTime(failure)
  }
  return undefined
}

/** Conditions of ReplicaSets have no update time. */
const withUpdateTime = (failure: DeploymentCondition): DeploymentCondition =>
  failure.lastTransitionTime === undefined
    ? failure
    : { ...failure, lastUpdateTime: failure.lastTransitionTime }

/** One part of the status, reported by one region of the chart. */
export type DeploymentStatusReport =
  | { readonly part: "counts"; readonly counts: DeploymentCounts }
  /** `refresh`: an equal stored condition gets a new `lastUpdateTime`. */
  | { readonly part: "condition"; readonly condition: DesiredCondition; readonly refresh: boolean }
  | { readonly part: "noCondition"; readonly conditionType: string }
  | { readonly part: "replicaFailure"; readonly failure: DeploymentCondition | undefined }
  /** Another object has the name of the new ReplicaSet. */
  | { readonly part: "collision" }

/** Applies the reports to the stored status; conditions are appended in Kubernetes' order. */
export const withStatusReports = (
  status: DeploymentStatus,
  reports: ReadonlyArray<DeploymentStatusReport>,
  nowMillis: number
): DeploymentStatus =>
  reports
    .toSorted((a, b) => writeOrder(a) - writeOrder(b))
    .reduce((result, report) => withReport(result, report, nowMillis), status)

const writeOrder = (report: DeploymentStatusReport): number => {
  switch (report.part) {
    case "counts":
    case "collision":
      return 0
    case "condition":
      if (report.condition.type === "Available") return 1
      return reasonsWrittenFirst.has(report.condition.reason) ? 0 : 2
    case "noCondition":
      return 2
    case "replicaFailure":
      return 3
  }
}

/** Reasons of Progressing that Kubernetes writes before it calculates the status. */
const reasonsWrittenFirst: ReadonlySet<string> = new Set([
  "NewReplicaSetCreated",
  "FoundNewReplicaSet",
  "ReplicaSetCreateError",
  "DeploymentPaused",
  "DeploymentResumed"
])

const withReport = (
  status: DeploymentStatus,
  report: DeploymentStatusReport,
  nowMillis: number
): DeploymentStatus => {
  const conditions = status.conditions ?? []
  switch (report.part) {
    case "counts":
      return withCounts(status, report.counts)
    case "condition":
      return {
        ...status,
        conditions: withCondition(conditions, report.condition, { nowMillis, refresh: report.refresh })
      }
    case "noCondition":
      return { ...status, conditions: withoutCondition(conditions, report.conditionType) }
    case "replicaFailure":
      return { ...status, conditions: withReplicaFailure(conditions, report.failure) }
    case "collision":
      return { ...status, collisionCount: (status.collisionCount ?? 0) + 1 }
  }
}

/** A failure with the stored reason changes nothing; another reason keeps the transition time. */
const withReplicaFailure = (
  conditions: ReadonlyArray<DeploymentCondition>,
  failure: DeploymentCondition | undefined
): ReadonlyArray<DeploymentCondition> => {
  const otherConditions = withoutCondition(conditions, "ReplicaFailure")
  if (failure === undefined) return otherConditions
  const present = conditionOf(conditions, "ReplicaFailure")
  if (present?.status !== failure.status) return [...otherConditions, failure]
  if (present.reason === failure.reason) return conditions
  const { lastTransitionTime } = present
  return [...otherConditions, lastTransitionTime === undefined ? failure : { ...failure, lastTransitionTime }]
}

/** The counts, in the order in which a status has them. */
const countsOmittedAtZero = [
  "observedGeneration",
  "replicas",
  "updatedReplicas",
  "readyReplicas",
  "availableReplicas",
  "unavailableReplicas"
] as const

const withCounts = (
  { collisionCount, conditions }: DeploymentStatus,
  counts: DeploymentCounts
): DeploymentStatus => {
  const status: Mutable<DeploymentStatus> = {}
  for (const name of countsOmittedAtZero) if (counts[name] !== 0) status[name] = counts[name]
  // This count is a pointer in Go: 0 is written, unknown is omitted.
  if (counts.terminatingReplicas !== undefined) status.terminatingReplicas = counts.terminatingReplicas
  if (collisionCount !== undefined) status.collisionCount = collisionCount
  if (conditions !== undefined) status.conditions = conditions
  return status
}
