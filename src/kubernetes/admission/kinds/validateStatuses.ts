import type * as Core from "kubernetes-types/core/v1.js"
import type { DeploymentStatus, Draft, ReplicaSetStatus } from "../../meta/objects.ts"
import { initContainerRole } from "../../pods/containers/containerRoles.ts"
import {
  couldRestartAllContainers,
  mayRestart,
  restartTermsOf
} from "../../pods/containers/restartPolicies.ts"
import {
  forbiddenField,
  invalidField,
  noErrors,
  validateNonNegative,
  type FieldError,
  type FieldErrors
} from "../../validation/fieldErrors.ts"
import type { ShallowPartial } from "../../validation/partialTypes.ts"

interface DeploymentStatusDraft extends Draft {
  readonly status?: ShallowPartial<DeploymentStatus>
}

interface ReplicaSetStatusDraft extends Draft {
  readonly status?: ShallowPartial<ReplicaSetStatus>
}

interface PodStatusDraft extends Draft {
  readonly spec?: ShallowPartial<Core.PodSpec>
  readonly status?: ShallowPartial<Core.PodStatus>
}

/**
 * Source: pkg/apis/apps/validation/validation.go (ValidateDeploymentStatus),
 * pkg/apis/core/validation/validation.go (ValidatePodStatusUpdate).
 */
export const validateDeploymentStatus = (
  { status = {} }: DeploymentStatusDraft,
  { status: old = {} }: DeploymentStatusDraft
): FieldErrors => {
  const errors: Array<FieldError> = []
  for (const field of deploymentCounts) errors.push(...validateNonNegative(`status.${field}`, status[field]))
  errors.push(...validateReplicaCounts(status, ["updatedReplicas", "readyReplicas", "availableReplicas"]))
  // A lower count would repeat a collision of ReplicaSet names.
  const { collisionCount } = status
  if (isDecremented(collisionCount, old.collisionCount)) {
    errors.push(invalidField("status.collisionCount", collisionCount ?? 0, "cannot be decremented"))
  }
  return errors
}

const isDecremented = (count: number | undefined, before: number | undefined): boolean =>
  before !== undefined && (count === undefined || count < before)

const deploymentCounts = [
  "observedGeneration",
  "replicas",
  "updatedReplicas",
  "readyReplicas",
  "terminatingReplicas",
  "availableReplicas",
  "unavailableReplicas",
  "collisionCount"
] as const

export const validateReplicaSetStatus = ({ status = {} }: ReplicaSetStatusDraft): FieldErrors => {
  const errors: Array<FieldError> = []
  for (const field of replicaSetCounts) errors.push(...validateNonNegative(`status.${field}`, status[field]))
  errors.push(
    ...validateReplicaCounts(status, ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"])
  )
  return errors
}

const replicaSetCounts = [
  "replicas",
  "fullyLabeledReplicas",
  "readyReplicas",
  "availableReplicas",
  "terminatingReplicas",
  "observedGeneration"
] as const

interface ReplicaCounts {
  readonly replicas?: number | undefined
  readonly readyReplicas?: number | undefined
  readonly availableReplicas?: number | undefined
  readonly updatedReplicas?: number | undefined
  readonly fullyLabeledReplicas?: number | undefined
}

const validateReplicaCounts = (
  status: ReplicaCounts,
  fields: ReadonlyArray<keyof ReplicaCounts>
): FieldErrors => {
  const { replicas = 0, readyReplicas = 0, availableReplicas = 0 } = status
  const errors: Array<FieldError> = []
  for (const field of fields) {
    const count = status[field] ?? 0
    if (count > replicas)
      errors.push(invalidField(`status.${field}`, count, "cannot be greater than status.replicas"))
  }
  if (availableReplicas > readyReplicas) {
    errors.push(
      invalidField("status.availableReplicas", availableReplicas, "cannot be greater than readyReplicas")
    )
  }
  return errors
}

export const validatePodStatus = (pod: PodStatusDraft, old: PodStatusDraft): FieldErrors => {
  const restartPolicy = old.spec?.restartPolicy ?? "Always"
  if (restartPolicy === "Always" || couldRestartAllContainers(old.spec ?? {})) return noErrors
  const problem = "may not be transitioned to non-terminated state"
  const { initContainers = [], containers = [] } = old.spec ?? {}
  return (["containerStatuses", "initContainerStatuses"] as const).flatMap((field) =>
    (old.status?.[field] ?? []).flatMap((before, index) => {
      const endState = before.state?.terminated
      if (endState === undefined) return []
      const isInit = field === "initContainerStatuses"
      const container = (isInit ? initContainers : containers).find(({ name }) => name === before.name)
      const role = isInit && container !== undefined ? initContainerRole(container) : "app"
      if (mayRestart(restartTermsOf(role, container ?? {}, restartPolicy), { code: endState.exitCode }))
        return []
      const status = pod.status?.[field]?.find(({ name }) => name === before.name)
      return status === undefined || status.state?.terminated !== undefined
        ? []
        : [forbiddenField(`status.${field}[${index}].state`, problem)]
    })
  )
}
