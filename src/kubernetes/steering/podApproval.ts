import { approvalGate, strategyAnnotation } from "./steeringNames.ts"
import { conditionOf, noProbeTime, replaceConditions, transitionTime } from "../meta/conditions.ts"
import type { Deployment, Pod } from "../meta/objects.ts"

export const hasApprovalGate = ({ spec }: Pick<Pod | Deployment["spec"]["template"], "spec">): boolean => {
  for (const { conditionType } of spec?.readinessGates ?? []) if (conditionType === approvalGate) return true
  return false
}

export const gateWithoutStrategyText =
  `nothing approves Pods with the readiness gate ${approvalGate}: ` +
  `remove it from spec.template.spec, or set the annotation ${strategyAnnotation}`

export const isApproved = ({ status }: Pod): boolean =>
  conditionOf(status.conditions, approvalGate)?.status === "True"

export const areContainersReady = ({ status }: Pod): boolean =>
  conditionOf(status.conditions, "ContainersReady")?.status === "True"

export const isWaitingForApproval = (pod: Pod): boolean => !isApproved(pod) && areContainersReady(pod)

export const withApprovalCondition = (
  pod: Pod,
  {
    isGateOpen,
    reason,
    message
  }: { readonly isGateOpen: boolean; readonly reason: string; readonly message: string },
  nowMillis: number
): Pod => {
  const present = pod.status.conditions ?? []
  const status = isGateOpen ? "True" : "False"
  const before = conditionOf(present, approvalGate)
  const condition = {
    type: approvalGate,
    status,
    reason,
    message,
    lastProbeTime: noProbeTime,
    lastTransitionTime: transitionTime(before, status, nowMillis)
  }
  return { ...pod, status: { ...pod.status, conditions: replaceConditions(present, [condition]) } }
}
