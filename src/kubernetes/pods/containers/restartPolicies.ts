import type * as Core from "kubernetes-types/core/v1.js"
import type { ContainerRole } from "./containerRoles.ts"

/** Source: pod/util.go (ContainerShouldRestart), kuberuntime_container.go (computeInitContainerActions). */
export interface RestartTerms {
  readonly role: ContainerRole
  readonly restartPolicy: string
  /** The first rule that matches the exit code overrides the policy. */
  readonly restartRules?: ReadonlyArray<RestartRule>
}

export interface RestartRule {
  readonly action?: string
  readonly exitCodes?: { readonly operator?: string; readonly values?: ReadonlyArray<number> }
}

/** Restart rules came with 1.34 and are not in the published types yet. */
export interface ContainerRestartFields extends Pick<Core.Container, "restartPolicy"> {
  readonly restartPolicyRules?: ReadonlyArray<RestartRule>
}

export const restartTermsOf = (
  role: ContainerRole,
  { restartPolicy, restartPolicyRules = [] }: ContainerRestartFields,
  podPolicy = "Always"
): RestartTerms => ({
  role,
  restartPolicy: effectivePolicy(role, restartPolicy ?? podPolicy),
  ...(restartPolicyRules.length === 0 ? {} : { restartRules: restartPolicyRules })
})

const effectivePolicy = (role: ContainerRole, policy: string): string => {
  if (role === "sidecar") return "Always"
  if (role === "ephemeral") return "Never"
  return role === "init" && policy === "Always" ? "OnFailure" : policy
}

export const mayRestart = (
  { role, restartPolicy, restartRules = [] }: RestartTerms,
  lastExit: { readonly code: number } | undefined
): boolean => {
  // An init container that has succeeded is done, whatever its rules say.
  if (role === "init" && lastExit?.code === 0) return false
  if (lastExit !== undefined && restartRules.some((rule) => matchesExit(rule, lastExit.code))) return true
  return restartPolicy === "Always" || (restartPolicy === "OnFailure" && lastExit?.code !== 0)
}

/** Source: container/helpers.go (ShouldAllContainersRestart). */
export const restartsAllContainers = (
  { restartPolicyRules = [] }: ContainerRestartFields,
  lastExit: { readonly code: number }
): boolean => restartPolicyRules.find((rule) => matchesExit(rule, lastExit.code))?.action === restartAllAction

/** Source: pod/util.go (AllContainersCouldRestart). */
export const couldRestartAllContainers = ({
  containers = [],
  initContainers = []
}: {
  readonly containers?: ReadonlyArray<ContainerRestartFields> | undefined
  readonly initContainers?: ReadonlyArray<ContainerRestartFields> | undefined
}): boolean => containers.some(hasRestartAllRule) || initContainers.some(hasRestartAllRule)

const hasRestartAllRule = ({ restartPolicyRules }: ContainerRestartFields): boolean =>
  restartPolicyRules?.some(({ action }) => action === restartAllAction) === true

const restartAllAction = "RestartAllContainers"

const matchesExit = ({ exitCodes: { operator, values = [] } = {} }: RestartRule, code: number): boolean =>
  operator === "In" ? values.includes(code) : operator === "NotIn" && !values.includes(code)
