import type * as Core from "kubernetes-types/core/v1.js"
import type { Labels } from "../../meta/objects.ts"
import { validateContainers, validateInitContainers, type PodScope } from "./validateContainers.ts"
import {
  invalidField,
  noErrors,
  requiredValue,
  unsupportedValue,
  validateOptionalOneOf,
  validateRequiredOneOf,
  type FieldError,
  type FieldErrors
} from "../../validation/fieldErrors.ts"
import { validateLabels } from "../../validation/validateLabels.ts"
import {
  labelProblems,
  labelValueProblems,
  qualifiedNameProblems,
  subdomainProblems,
  type NameRule
} from "../../validation/nameRules.ts"
import { podTermsOf, validateAffinity } from "./placement/validateAffinity.ts"
import { validateMergedKeys } from "./placement/validateLabelKeys.ts"
import { podResourceClaimNames, validatePodResourceClaims } from "./validatePodResourceClaims.ts"
import { validateDnsConfig, validateHostAliases } from "./validatePodNetwork.ts"
import { validatePodResources } from "./validatePodResources.ts"
import { validatePodSecurityContext } from "./validateSecurityContext.ts"
import { validateNameBy } from "../../validation/validateNames.ts"
import { validateSchedulingGates } from "./placement/validateSchedulingGates.ts"
import type { PodSpecWithResources } from "../../pods/podResources.ts"
import type { ShallowPartial } from "../../validation/partialTypes.ts"
import { memoizeCheck } from "../../validation/memoizeCheck.ts"
import { validateTopologySpread } from "./placement/validateTopologySpread.ts"
import { validateVolumes } from "./volumes/validateVolumes.ts"

export type PodSpecDraft = ShallowPartial<Core.PodSpec> &
  Pick<ShallowPartial<PodSpecWithResources>, "resources">

/** Source: pkg/apis/core/validation/validation.go (ValidatePodSpec). */
export const validatePodSpec = (spec: PodSpecDraft, path: string, scope: PodScope): FieldErrors =>
  checkByScope[scope](spec, path)

const checkByScope = {
  pod: memoizeCheck<PodSpecDraft>((spec, path) => validateAllFields(spec, path, "pod")),
  template: memoizeCheck<PodSpecDraft>((spec, path) => validateAllFields(spec, path, "template"))
}

const validateAllFields = (spec: PodSpecDraft, path: string, scope: PodScope): FieldErrors => [
  ...validateVolumesAndContainers(spec, path, scope),
  ...validatePodSettings(spec, path)
]

export const validateVolumesAndContainers = (
  spec: PodSpecDraft,
  path: string,
  scope: PodScope
): FieldErrors => {
  const { errors, names } = validateVolumes(spec.volumes ?? [], `${path}.volumes`)
  const podContext = {
    volumeNames: names,
    claimNames: podResourceClaimNames(spec),
    scope,
    graceSeconds: spec.terminationGracePeriodSeconds
  }
  const containers = spec.containers ?? []
  return [
    ...errors,
    ...validatePodResourceClaims(spec, path),
    ...validateContainers(containers, { ...podContext, path: `${path}.containers` }),
    ...validateInitContainers(spec.initContainers ?? [], {
      ...podContext,
      path: `${path}.initContainers`,
      containers
    }),
    ...validatePodResources(spec, `${path}.resources`)
  ]
}

const restartPolicies: ReadonlyArray<string> = ["Always", "OnFailure", "Never"]
const dnsPolicies: ReadonlyArray<string> = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"]
const preemptionPolicies: ReadonlyArray<string> = ["Never", "PreemptLowerPriority"]

export const validatePodSettings = (spec: PodSpecDraft, path: string): FieldErrors => {
  const { preemptionPolicy } = spec
  return [
    ...validateHostNetworkPorts(spec, path),
    ...validateRequiredOneOf(spec.restartPolicy, restartPolicies, `${path}.restartPolicy`),
    ...validateRequiredOneOf(spec.dnsPolicy, dnsPolicies, `${path}.dnsPolicy`),
    ...validateLabels(spec.nodeSelector, `${path}.nodeSelector`),
    ...validatePodSecurityContext(spec, `${path}.securityContext`),
    ...validateAffinity(spec.affinity, `${path}.affinity`),
    ...validateDnsConfig(spec, `${path}.dnsConfig`),
    ...(spec.readinessGates ?? []).flatMap(({ conditionType }, index) =>
      validateNameBy(qualifiedNameProblems, conditionType, `${path}.readinessGates[${index}].conditionType`)
    ),
    ...validateSchedulingGates(spec.schedulingGates, `${path}.schedulingGates`),
    ...validateTopologySpread(spec.topologySpreadConstraints, `${path}.topologySpreadConstraints`),
    ...nameRules.flatMap(([field, rule]) => validateName(rule, spec[field], `${path}.${field}`)),
    ...validateActiveDeadline(spec.activeDeadlineSeconds, `${path}.activeDeadlineSeconds`),
    ...validateTolerations(spec.tolerations ?? [], `${path}.tolerations`),
    ...validateHostAliases(spec.hostAliases, `${path}.hostAliases`),
    ...validatePreemptionPolicy(preemptionPolicy, `${path}.preemptionPolicy`)
  ]
}

export const validatePreemptionPolicy = (policy: string | undefined, path: string): FieldErrors =>
  policy === "" ? [requiredValue(path)] : validateOptionalOneOf(policy, preemptionPolicies, path)

export const validateMatchLabelKeys = (
  { affinity, topologySpreadConstraints }: PodSpecDraft,
  labels: Labels | undefined
): FieldErrors =>
  affinity === undefined && topologySpreadConstraints === undefined
    ? noErrors
    : [
        ...podTermsOf(affinity, "spec.affinity"),
        ...(topologySpreadConstraints ?? []).map((term, index) => ({
          term,
          path: `spec.topologySpreadConstraints[${index}]`
        }))
      ].flatMap((locatedTerm) => validateMergedKeys(locatedTerm, labels))

const nameRules = [
  ["serviceAccountName", subdomainProblems],
  ["nodeName", subdomainProblems],
  ["hostname", labelProblems],
  ["subdomain", labelProblems],
  ["priorityClassName", subdomainProblems],
  ["runtimeClassName", subdomainProblems]
] as const satisfies ReadonlyArray<readonly [keyof PodSpecDraft, NameRule]>

const validateName = (rule: NameRule, name: string | undefined, path: string): FieldErrors =>
  name === undefined || name === ""
    ? noErrors
    : rule(name).map((problem) => invalidField(path, name, problem))

const int32Max = 2 ** 31 - 1

const validateActiveDeadline = (seconds: number | undefined, path: string): FieldErrors =>
  seconds === undefined || (seconds >= 1 && seconds <= int32Max)
    ? noErrors
    : [invalidField(path, seconds, `must be between 1 and ${int32Max}, inclusive`)]

/** A host port of 0 is allowed: Pod defaults fill it in. */
const validateHostNetworkPorts = (spec: PodSpecDraft, path: string): FieldErrors => {
  if (spec.hostNetwork !== true) return noErrors
  const problem = "must match `containerPort` when `hostNetwork` is true"
  return (spec.containers ?? []).flatMap((container, index) =>
    (container.ports ?? []).flatMap(
      ({ hostPort = 0, containerPort }: ShallowPartial<Core.ContainerPort>, portIndex) =>
        hostPort === containerPort || hostPort === 0
          ? []
          : [invalidField(`${path}.containers[${index}].ports[${portIndex}].hostPort`, hostPort, problem)]
    )
  )
}

const effects: ReadonlyArray<string> = ["NoSchedule", "PreferNoSchedule", "NoExecute"]
const operators: ReadonlyArray<string> = ["Equal", "Exists"]
const emptyKeyRule =
  'operator must be Exists when `key` is empty, which means "match all values and all keys"'

export const validateTolerations = (
  tolerations: ReadonlyArray<Core.Toleration>,
  path: string
): FieldErrors => {
  const errors: Array<FieldError> = []
  for (const [index, toleration] of tolerations.entries()) {
    const field = `${path}[${index}]`
    const { key = "", operator = "", value = "", effect = "", tolerationSeconds } = toleration
    if (key !== "")
      for (const problem of qualifiedNameProblems(key))
        errors.push(invalidField(`${field}.key`, key, problem))
    else if (operator !== "Exists") errors.push(invalidField(`${field}.operator`, operator, emptyKeyRule))
    if (tolerationSeconds !== undefined && effect !== "NoExecute") {
      const problem = "effect must be 'NoExecute' when `tolerationSeconds` is set"
      errors.push(invalidField(`${field}.effect`, effect, problem))
    }
    errors.push(...validateTolerationValue({ operator, value, toleration, path: `${field}.operator` }))
    if (effect !== "" && !effects.includes(effect))
      errors.push(unsupportedValue(`${field}.effect`, effect, effects))
  }
  return errors
}

const validateTolerationValue = (options: {
  readonly operator: string
  readonly value: string
  readonly toleration: Core.Toleration
  readonly path: string
}): FieldErrors => {
  const { operator, value, toleration, path } = options
  if (operator === "Exists") {
    return value === ""
      ? noErrors
      : [invalidField(path, toleration, "value must be empty when `operator` is 'Exists'")]
  }
  if (operator !== "" && operator !== "Equal") return [unsupportedValue(path, operator, operators)]
  const problems = labelValueProblems(value)
  return problems.length === 0 ? noErrors : [invalidField(path, value, problems.join(";"))]
}
