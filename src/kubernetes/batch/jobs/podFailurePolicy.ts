import type { ContainerStatus, Pod } from "../../meta/objects.ts"
import type { FailureRule, Job } from "./jobTypes.ts"

/**
 * The first matching rule decides; without a match the failure counts. Source:
 * pkg/controller/job/pod_failure_policy.go (matchPodFailurePolicy).
 */
export interface FailureVerdict {
  readonly action: FailureRule["action"]
  readonly message: string
}

export const judgeFailure = ({ spec }: Job, pod: Pod): FailureVerdict => {
  for (const [index, rule] of (spec.podFailurePolicy?.rules ?? []).entries()) {
    const match = matchOf(rule, pod)
    if (match !== undefined)
      return { action: rule.action, message: `${match} matching ${rule.action} rule at index ${index}` }
  }
  return { action: "Count", message: "" }
}

const matchOf = ({ onExitCodes, onPodConditions }: FailureRule, pod: Pod): string | undefined => {
  const podKey = `${pod.metadata.namespace ?? ""}/${pod.metadata.name}`
  if (onExitCodes !== undefined) {
    const { containerName, operator, values } = onExitCodes
    const { containerStatuses = [], initContainerStatuses = [] } = pod.status
    for (const status of [...containerStatuses, ...initContainerStatuses]) {
      const exitCode = exitCodeOf(status)
      const isSelectedContainer = containerName === undefined || status.name === containerName
      if (exitCode === undefined || exitCode === 0 || !isSelectedContainer) continue
      if (values.includes(exitCode) === (operator === "In"))
        return `Container ${status.name} for pod ${podKey} failed with exit code ${exitCode}`
    }
    return undefined
  }
  const matched = (pod.status.conditions ?? []).find(({ type, status }) =>
    (onPodConditions ?? []).some((it) => it.type === type && (it.status ?? "True") === status)
  )
  return matched === undefined ? undefined : `Pod ${podKey} has condition ${matched.type}`
}

const exitCodeOf = ({ state }: ContainerStatus): number | undefined => state?.terminated?.exitCode
