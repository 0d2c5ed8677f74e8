import { invalidField } from "../../validation/fieldErrors.ts"
import { podSecurityViolations } from "./podSecurityStandards.ts"
import type { FieldErrors } from "../../validation/fieldErrors.ts"
import type { Annotations, Labels, PodSpec } from "../../meta/objects.ts"
import type { PodSecurityLevel } from "./podSecurityStandards.ts"

export const enforceLabel = "pod-security.kubernetes.io/enforce"
const modes = ["enforce", "audit", "warn"] as const
const levels = ["privileged", "baseline", "restricted"] as const

interface Policy {
  readonly level: PodSecurityLevel | "privileged"
  readonly version: string
}

interface PodOfTemplate {
  readonly spec: Partial<PodSpec>
  readonly annotations: Annotations | undefined
}

/** Takes a Pod, too. */
export const podOfTemplate = ({
  metadata,
  spec
}: {
  readonly metadata?: { readonly annotations?: Annotations }
  readonly spec?: Partial<PodSpec>
}): PodOfTemplate => ({ spec: spec ?? {}, annotations: metadata?.annotations })

/** Why a Namespace of these labels refuses a Pod. */
export const podSecurityRefusal = (labels: Labels | undefined, pod: PodOfTemplate): string | undefined => {
  const text = labels === undefined ? undefined : violationText(policyOf(labels, "enforce"), pod)
  return text === undefined ? undefined : `violates PodSecurity ${text}`
}

/** The warning for a Pod, or for a workload whose template it is. */
export const podSecurityWarning = (labels: Labels | undefined, pod: PodOfTemplate): string | undefined => {
  const text = labels === undefined ? undefined : violationText(warnPolicyOf(labels), pod)
  return text === undefined ? undefined : `would violate PodSecurity ${text}`
}

/** Source: staging/src/k8s.io/pod-security-admission/admission/admission.go (EvaluatePod). */
const violationText = (
  { level, version }: Policy,
  { spec, annotations }: PodOfTemplate
): string | undefined => {
  if (level === "privileged") return undefined
  const minor = podSecurityMinor(version) ?? Infinity
  const violations = podSecurityViolations(level, spec, { annotations, minor })
  return violations.length === 0 ? undefined : `"${level}:${version}": ${violations.join(", ")}`
}

/**
 * A level or version that does not exist is the strictest one.
 * Source: staging/src/k8s.io/pod-security-admission/api/helpers.go (PolicyToEvaluate).
 */
const policyOf = (labels: Labels, mode: (typeof modes)[number]): Policy => {
  const level = labels[`pod-security.kubernetes.io/${mode}`]
  const version = labels[versionLabelOf(mode)]
  return {
    level: level === undefined ? "privileged" : (levels.find((known) => known === level) ?? "restricted"),
    version: version === undefined || podSecurityMinor(version) === undefined ? "latest" : version
  }
}

/** Without a level of its own, it is that which the Namespace enforces. */
const warnPolicyOf = (labels: Labels): Policy => {
  const own = policyOf(labels, "warn")
  if (labels["pod-security.kubernetes.io/warn"] !== undefined) {
    const isKnown = levels.some((level) => level === labels["pod-security.kubernetes.io/warn"])
    return isKnown ? own : { ...own, level: "privileged" }
  }
  const enforced = policyOf(labels, "enforce")
  return labels[versionLabelOf("warn")] === undefined ? enforced : { ...enforced, version: own.version }
}

const versionLabelOf = (mode: (typeof modes)[number]): string => `pod-security.kubernetes.io/${mode}-version`

/** The minor version in a label such as `v1.34`; Infinity for the latest, undefined for other texts. */
export const podSecurityMinor = (version: string): number | undefined => {
  if (version === "latest") return Infinity
  const minor = /^v1\.(\d|[1-9]\d*)$/.exec(version)?.[1]
  return minor === undefined ? undefined : Number(minor)
}

/** Source: staging/src/k8s.io/pod-security-admission/admission/admission.go (ValidateNamespace). */
export const validatePodSecurityLabels = (labels: Labels = {}): FieldErrors =>
  modes.flatMap((mode) => {
    const name = `pod-security.kubernetes.io/${mode}`
    const [level, version] = [labels[name], labels[versionLabelOf(mode)]]
    return [
      ...(level === undefined || levels.some((known) => known === level)
        ? []
        : [invalidField(`metadata.labels[${name}]`, level, `must be one of ${levels.join(", ")}`)]),
      ...(version === undefined || podSecurityMinor(version) !== undefined
        ? []
        : [invalidField(`metadata.labels[${versionLabelOf(mode)}]`, version, 'must be "latest" or "v1.x"')])
    ]
  })
