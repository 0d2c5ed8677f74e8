import { conditionOf, withCondition, withoutCondition } from "./conditions.ts"
import { availableReplicas } from "./replicaCounts.ts"
import type { ConditionClaim } from "./conditions.ts"
import type { DeploymentCounts } from "./replicaCounts.ts"
import type { DeploymentObservation } from "./observations.ts"
import type { DeploymentCondition, DeploymentStatus } from "./objects.ts"

/**
 * What a Deployment says about itself.
 *
 * Source: pkg/controller/deployment/sync.go (calculateStatus, syncDeploymentStatus), progress.go
 * (getReplicaFailures).
 */

/**
 * Enough Pods are available when no more are missing than the strategy allows; a Deployment of 0 is
 * available.
 */
export const isAvailable = (seen: DeploymentObservation): boolean =>
  availableReplicas(seen.replicaSets) >= seen.deployment.spec.replicas - seen.unavailableMax

export const availableClaim: ConditionClaim = {
  type: "Available",
  status: "True",
  reason: "MinimumReplicasAvailable",
  message: "Deployment has minimum availability."
}
export const unavailableClaim: ConditionClaim = {
  type: "Available",
  status: "False",
  reason: "MinimumReplicasUnavailable",
  message: "Deployment does not have minimum availability."
}

/**
 * The failure that a ReplicaSet reports, the new one's before the old ones', as the Deployment repeats it.
 */
export const replicaFailureOf = (seen: DeploymentObservation): DeploymentCondition | undefined => {
  for (const replicaSet of seen.next === undefined ? seen.previous : [seen.next, ...seen.previous]) {
    const failure = conditionOf(replicaSet.status.conditions, "ReplicaFailure")
    if (failure !== undefined) return withUpdateTime(failure)
  }
  return undefined
}

const withUpdateTime = (failure: DeploymentCondition): DeploymentCondition =>
  failure.lastTransitionTime === undefined
    ? failure
    : { ...failure, lastUpdateTime: failure.lastTransitionTime }

/** One part of a status, as one region of the chart reports it. The parts of one decision are one write. */
export type StatusReport =
  | { readonly part: "counts"; readonly counts: DeploymentCounts }
  | { readonly part: "condition"; readonly claim: ConditionClaim; readonly refresh: boolean }
  | { readonly part: "noCondition"; readonly conditionType: string }
  | { readonly part: "replicaFailure"; readonly failure: DeploymentCondition | undefined }
  | { readonly part: "collision" }

/**
 * Folds the reports of one decision into the stored status. Zero counts are left out, as Kubernetes leaves
 * them out. The regions of the chart report in an order of their own; the conditions that change are appended in
 * the order in which upstream writes them.
 */
export const withReports = (
  status: DeploymentStatus,
  reports: ReadonlyArray<StatusReport>,
  nowMillis: number
): DeploymentStatus =>
  reports
    .toSorted((a, b) => writeRank(a) - writeRank(b))
    .reduce((so, report) => withReport(so, report, nowMillis), status)

/**
 * The place of a report in upstream's sync of a Deployment: what is written before the status is calculated, then
 * Available, then Progressing, then ReplicaFailure.
 *
 * Source: pkg/controller/deployment/sync.go (getNewReplicaSet and checkPausedConditions, which write Progressing at
 * once; calculateStatus), progress.go (syncRolloutStatus).
 */
const writeRank = (report: StatusReport): number => {
  switch (report.part) {
    case "counts":
    case "collision":
      return 0
    case "condition":
      if (report.claim.type === "Available") return 1
      return reasonsWrittenAtOnce.has(report.claim.reason) ? 0 : 2
    case "noCondition":
      return 2
    case "replicaFailure":
      return 3
  }
}

const reasonsWrittenAtOnce: ReadonlySet<string> = new Set([
  "NewReplicaSetCreated",
  "FoundNewReplicaSet",
  "ReplicaSetCreateError",
  "DeploymentPaused",
  "DeploymentResumed"
])

const withReport = (status: DeploymentStatus, report: StatusReport, nowMillis: number): DeploymentStatus => {
  const conditions = status.conditions ?? []
  switch (report.part) {
    case "counts":
      return withCounts(status, report.counts)
    case "condition":
      return {
        ...status,
        conditions: withCondition(conditions, report.claim, { nowMillis, refresh: report.refresh })
      }
    case "noCondition":
      return { ...status, conditions: withoutCondition(conditions, report.conditionType) }
    case "replicaFailure":
      return { ...status, conditions: withFailure(conditions, report.failure) }
    case "collision":
      return { ...status, collisionCount: (status.collisionCount ?? 0) + 1 }
  }
}

/** A failure that lasts is left untouched; another reason for it does not move the time at which it began. */
const withFailure = (
  conditions: ReadonlyArray<DeploymentCondition>,
  failure: DeploymentCondition | undefined
): ReadonlyArray<DeploymentCondition> => {
  const others = withoutCondition(conditions, "ReplicaFailure")
  if (failure === undefined) return others
  const stored = conditionOf(conditions, "ReplicaFailure")
  if (stored?.status !== failure.status) return [...others, failure]
  if (stored.reason === failure.reason) return conditions
  const { lastTransitionTime } = stored
  return [...others, lastTransitionTime === undefined ? failure : { ...failure, lastTransitionTime }]
}

const withCounts = (status: DeploymentStatus, counts: DeploymentCounts): DeploymentStatus => {
  const { collisionCount, conditions } = status
  const positive = Object.entries(counts).filter(([, count]) => count !== undefined && count !== 0)
  return {
    ...Object.fromEntries(positive),
    // A pointer upstream: 0 is said, unknown is not.
    ...(counts.terminatingReplicas === undefined ? {} : { terminatingReplicas: counts.terminatingReplicas }),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    ...(conditions === undefined ? {} : { conditions })
  }
}
