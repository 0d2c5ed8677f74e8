import { invalidField } from "../../validation/fieldErrors.ts"
import { podSecurityViolations } from "./podSecurityStandards.ts"
import type { FieldErrors } from "../../validation/fieldErrors.ts"
import type { Annotations, Labels, PodSpec } from "../../meta/objects.ts"
import type { StandardViolation } from "./podSecurityChecks.ts"

const modes = ["enforce", "audit", "warn"] as const
type Mode = (typeof modes)[number]

/** From the most lenient to the strictest. */
export const podSecurityLevels = ["privileged", "baseline", "restricted"] as const
type Level = (typeof podSecurityLevels)[number]

const levelLabelOf = (mode: Mode): string => `pod-security.kubernetes.io/${mode}`
const versionLabelOf = (mode: Mode): string => `${levelLabelOf(mode)}-version`

export const enforceLabel = levelLabelOf("enforce")

export interface PodSecurityPolicy {
  readonly level: Level
  readonly version: string
}

interface PodToCheck {
  readonly spec: Partial<PodSpec>
  readonly annotations: Annotations | undefined
}

/** Takes a Pod or a Pod template. */
export const podToCheck = ({
  metadata,
  spec
}: {
  readonly metadata?: { readonly annotations?: Annotations }
  readonly spec?: Partial<PodSpec>
}): PodToCheck => ({ spec: spec ?? {}, annotations: metadata?.annotations })

/** Why a Namespace of these labels refuses a Pod. */
export const podSecurityRefusal = (labels: Labels | undefined, pod: PodToCheck): string | undefined => {
  const text = labels === undefined ? undefined : violationText(enforcedPolicyOf(labels), pod)
  return text === undefined ? undefined : `violates PodSecurity ${text}`
}

/** The warning for a Pod, or for a workload with this template. */
export const podSecurityWarning = (labels: Labels | undefined, pod: PodToCheck): string | undefined => {
  const text = labels === undefined ? undefined : violationText(warnPolicyOf(labels), pod)
  return text === undefined ? undefined : `would violate PodSecurity ${text}`
}

/** Source: pod-security-admission/admission/admission.go (EvaluatePod). */
const violationText = (policy: PodSecurityPolicy, pod: PodToCheck): string | undefined => {
  const violations = violationsOf(policy, pod).map(({ reason, detail }) => `${reason} (${detail})`)
  return violations.length === 0 ? undefined : `"${policyText(policy)}": ${violations.join(", ")}`
}

export const policyText = ({ level, version }: PodSecurityPolicy): string => `${level}:${version}`

export const violationsOf = (
  { level, version }: PodSecurityPolicy,
  { spec, annotations }: PodToCheck
): ReadonlyArray<StandardViolation> =>
  level === "privileged"
    ? []
    : podSecurityViolations(level, spec, { annotations, minor: podSecurityMinor(version) ?? Infinity })

/** A version that does not exist is the latest. Source: pod-security-admission/api/helpers.go (PolicyToEvaluate). */
const policyOf = (labels: Labels, mode: Mode, unknownLevel: Level): PodSecurityPolicy => {
  const level = labels[levelLabelOf(mode)]
  const version = labels[versionLabelOf(mode)]
  return {
    level:
      level === undefined
        ? "privileged"
        : (podSecurityLevels.find((known) => known === level) ?? unknownLevel),
    version: version === undefined || podSecurityMinor(version) === undefined ? "latest" : version
  }
}

export const enforcedPolicyOf = (labels: Labels): PodSecurityPolicy =>
  policyOf(labels, "enforce", "restricted")

/** Without a level for warnings, the level that the Namespace enforces. */
const warnPolicyOf = (labels: Labels): PodSecurityPolicy => {
  const own = policyOf(labels, "warn", "privileged")
  if (labels[levelLabelOf("warn")] !== undefined) return own
  const enforced = enforcedPolicyOf(labels)
  return labels[versionLabelOf("warn")] === undefined ? enforced : { ...enforced, version: own.version }
}

/** The minor version in a label such as `v1.34`; Infinity for the latest, undefined for other texts. */
export const podSecurityMinor = (version: string): number | undefined => {
  if (version === "latest") return Infinity
  const minor = /^v1\.(\d|[1-9]\d*)$/.exec(version)?.[1]
  return minor === undefined ? undefined : Number(minor)
}

/** Source: pod-security-admission/admission/admission.go (ValidateNamespace). */
export const validatePodSecurityLabels = (labels: Labels = {}): FieldErrors =>
  modes.flatMap((mode) => {
    const name = levelLabelOf(mode)
    const [level, version] = [labels[name], labels[versionLabelOf(mode)]]
    return [
      ...(level === undefined || podSecurityLevels.some((known) => known === level)
        ? []
        : [
            invalidField(`metadata.labels[${name}]`, level, `must be one of ${podSecurityLevels.join(", ")}`)
          ]),
      ...(version === undefined || podSecurityMinor(version) !== undefined
        ? []
        : [invalidField(`metadata.labels[${versionLabelOf(mode)}]`, version, 'must be "latest" or "v1.x"')])
    ]
  })
