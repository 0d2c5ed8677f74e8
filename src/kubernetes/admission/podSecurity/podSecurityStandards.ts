import {
  forbiddenAddedCapabilities,
  baselineCapabilities,
  baselineSysctls,
  checkAppArmor,
  checkDroppedCapabilities,
  checkInherited,
  checkNonRoot,
  checkProcMount,
  checkSeLinux,
  checkSeccomp,
  checkSeccompAnnotations,
  checkVolumes,
  containersOf,
  usedHostPorts,
  handlerHostsOf,
  isAllowed,
  isExemptOnWindows,
  isInUserNamespace,
  namesText,
  containerNamesWhere,
  settersText,
  sortedUnique,
  useVerb,
  violationOfContainers
} from "./podSecurityChecks.ts"
import type { CheckedPod, StandardViolation } from "./podSecurityChecks.ts"
import type { Annotations, PodSpec } from "../../meta/objects.ts"

/** The level `privileged` allows everything. */
export type PodSecurityLevel = "baseline" | "restricted"

/**
 * Each version of Kubernetes has its own version of the standards. Source:
 * pod-security-admission/policy/check_*.go, and registry.go, which orders the checks.
 */
export const podSecurityViolations = (
  level: PodSecurityLevel,
  spec: Partial<PodSpec>,
  {
    annotations = {},
    minor = Infinity
  }: { readonly annotations?: Annotations | undefined; readonly minor?: number } = {}
): ReadonlyArray<StandardViolation> =>
  checks.flatMap(({ checkedBy, since = 0, overriddenSince, check }) => {
    const isOverridden = level === "restricted" && overriddenSince !== undefined && minor >= overriddenSince
    if (minor < since || isOverridden || (level === "baseline" && checkedBy === "restricted")) return []
    return check({ spec, annotations, minor }) ?? []
  })

interface Check {
  readonly checkedBy: PodSecurityLevel
  /** The first minor version with the check. */
  readonly since?: number
  /** The minor version since which the level `restricted` has a stricter check instead. */
  readonly overriddenSince?: number
  readonly check: (pod: CheckedPod) => StandardViolation | undefined
}

/** In upstream's order: by level, then by upstream's check name. */
const checks: ReadonlyArray<Check> = [
  { checkedBy: "baseline", check: checkAppArmor },
  {
    checkedBy: "baseline",
    overriddenSince: 22,
    check: (pod) => {
      const { names, text } = forbiddenAddedCapabilities(
        pod,
        (capability) => !baselineCapabilities.has(capability)
      )
      return violationOfContainers(names, { reason: "non-default capabilities", detail: text })
    }
  },
  {
    checkedBy: "baseline",
    check: ({ spec }) => {
      const fields = (["hostIPC", "hostNetwork", "hostPID"] as const).filter((field) => spec[field] === true)
      const detail = fields.map((field) => `${field}=true`).join(", ")
      return fields.length === 0 ? undefined : { reason: "host namespaces", detail }
    }
  },
  {
    checkedBy: "baseline",
    overriddenSince: 0,
    check: ({ spec: { volumes = [] } }) => {
      const names = volumes.filter(({ hostPath }) => hostPath !== undefined).map(({ name }) => name)
      return names.length === 0
        ? undefined
        : { reason: "hostPath volumes", detail: namesText("volume", names) }
    }
  },
  {
    checkedBy: "baseline",
    check: (pod) => {
      const names = containerNamesWhere(pod, (container) => usedHostPorts(container).length > 0)
      const ports = sortedUnique(containersOf(pod).flatMap(usedHostPorts))
      const noun = ports.length === 1 ? "hostPort" : "hostPorts"
      return violationOfContainers(names, {
        reason: "hostPort",
        detail: `${useVerb(names)} ${noun} ${ports.join(", ")}`
      })
    }
  },
  {
    checkedBy: "baseline",
    since: 34,
    check: (pod) => {
      const names = containerNamesWhere(pod, (container) => handlerHostsOf(container).length > 0)
      const hosts = sortedUnique(containersOf(pod).flatMap(handlerHostsOf))
      return violationOfContainers(sortedUnique(names), {
        reason: "probe or lifecycle host",
        detail: `${useVerb(names)} ${namesText("probe or lifecycle host", hosts)}`
      })
    }
  },
  {
    checkedBy: "baseline",
    check: (pod) =>
      violationOfContainers(
        containerNamesWhere(pod, ({ securityContext }) => securityContext?.privileged === true),
        { reason: "privileged", detail: "must not set securityContext.privileged=true" }
      )
  },
  {
    checkedBy: "baseline",
    overriddenSince: 35,
    check: (pod) => (isInUserNamespace(pod) ? undefined : checkProcMount(pod))
  },
  { checkedBy: "baseline", check: checkSeLinux },
  {
    checkedBy: "baseline",
    overriddenSince: 19,
    check: (pod) => (pod.minor < 19 ? checkSeccompAnnotations(pod) : checkSeccomp(pod))
  },
  {
    checkedBy: "baseline",
    check: ({ spec: { securityContext: { sysctls = [] } = {} }, minor }) => {
      const names = sysctls.map(({ name }) => name).filter((name) => !isAllowed(baselineSysctls, name, minor))
      return names.length === 0 ? undefined : { reason: "forbidden sysctls", detail: names.join(", ") }
    }
  },
  {
    checkedBy: "baseline",
    check: (pod) => {
      const setters = settersText(pod, ({ windowsOptions }) => windowsOptions?.hostProcess === true)
      const detail = `${setters} must not set securityContext.windowsOptions.hostProcess=true`
      return setters === undefined ? undefined : { reason: "hostProcess", detail }
    }
  },
  {
    checkedBy: "restricted",
    since: 8,
    check: (pod) =>
      isExemptOnWindows(pod)
        ? undefined
        : violationOfContainers(
            containerNamesWhere(
              pod,
              ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false
            ),
            {
              reason: "allowPrivilegeEscalation != false",
              detail: "must set securityContext.allowPrivilegeEscalation=false"
            }
          )
  },
  { checkedBy: "restricted", since: 22, check: checkDroppedCapabilities },
  { checkedBy: "restricted", since: 35, check: checkProcMount },
  { checkedBy: "restricted", check: checkVolumes },
  { checkedBy: "restricted", check: checkNonRoot },
  {
    checkedBy: "restricted",
    since: 23,
    check: (pod) => {
      const setters = isInUserNamespace(pod)
        ? undefined
        : settersText(pod, ({ runAsUser }) => runAsUser === 0)
      return setters === undefined
        ? undefined
        : { reason: "runAsUser=0", detail: `${setters} must not set runAsUser=0` }
    }
  },
  {
    checkedBy: "restricted",
    since: 19,
    check: (pod) =>
      isExemptOnWindows(pod)
        ? undefined
        : (checkSeccomp(pod) ??
          checkInherited(pod, ({ seccompProfile }) => seccompProfile?.type !== undefined, {
            reason: "seccompProfile",
            detail: 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"'
          }))
  }
]
