import { goQuote } from "../../meta/text/goQuote.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Annotations, PodSpec } from "../../meta/objects.ts"

export interface CheckedPod {
  readonly spec: Partial<PodSpec>
  readonly annotations: Annotations
  /** The version of the standard is 1.minor. */
  readonly minor: number
}

export interface StandardViolation {
  readonly reason: string
  readonly detail: string
}

type SecurityContext = Core.PodSecurityContext & Core.SecurityContext

export const containersOf = ({ spec }: CheckedPod): ReadonlyArray<Core.Container> => [
  ...(spec.initContainers ?? []),
  ...(spec.containers ?? []),
  ...((spec.ephemeralContainers ?? []) as ReadonlyArray<Core.Container>)
]

export const containerNamesWhere = (
  pod: CheckedPod,
  isBad: (container: Core.Container) => boolean
): ReadonlyArray<string> =>
  containersOf(pod)
    .filter(isBad)
    .map(({ name }) => name)

const quoted = (texts: ReadonlyArray<string>): string => texts.map(goQuote).join(", ")

export const sortedUnique = (texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(texts)].toSorted()

export const namesText = (noun: string, names: ReadonlyArray<string>): string =>
  `${noun}${names.length === 1 ? "" : "s"} ${quoted(names)}`

export const useVerb = (names: ReadonlyArray<string>): string => (names.length === 1 ? "uses" : "use")

export const violationOfContainers = (
  names: ReadonlyArray<string>,
  { reason, detail }: StandardViolation
): StandardViolation | undefined =>
  names.length === 0 ? undefined : { reason, detail: `${namesText("container", names)} ${detail}` }

/** A text such as `pod and container "app"`; undefined if no security context is bad. */
export const settersText = (
  pod: CheckedPod,
  isBad: (context: SecurityContext) => boolean
): string | undefined => {
  const names = containerNamesWhere(pod, ({ securityContext = {} }) => isBad(securityContext))
  const setters = [
    ...(isBad(pod.spec.securityContext ?? {}) ? ["pod"] : []),
    ...(names.length === 0 ? [] : [namesText("container", names)])
  ]
  return setters.length === 0 ? undefined : setters.join(" and ")
}

const valuesOf = <A>(
  pod: CheckedPod,
  valueOf: (context: SecurityContext) => A | undefined
): ReadonlyArray<A> =>
  [pod.spec.securityContext ?? {}, ...containersOf(pod).map(({ securityContext = {} }) => securityContext)]
    .map(valueOf)
    .filter((value) => value !== undefined)

/** Windows has none of the checked fields; before 1.25 the standards made no such exception. */
export const isExemptOnWindows = ({ spec, minor }: CheckedPod): boolean =>
  minor >= 25 && spec.os?.name === "windows"

export const isInUserNamespace = ({ spec, minor }: CheckedPod): boolean =>
  minor >= 35 && spec.hostUsers === false

const addedCapabilities = ({ securityContext }: Core.Container): ReadonlyArray<string> =>
  securityContext?.capabilities?.add ?? []

export const baselineCapabilities: ReadonlySet<string> = new Set([
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT"
])

export const forbiddenAddedCapabilities = (
  pod: CheckedPod,
  isForbidden: (capability: string) => boolean
): { readonly names: ReadonlyArray<string>; readonly text: string } => {
  const names = containerNamesWhere(pod, (container) => addedCapabilities(container).some(isForbidden))
  const capabilities = containersOf(pod).flatMap(addedCapabilities).filter(isForbidden)
  return {
    names,
    text: `must not include ${quoted(sortedUnique(capabilities))} in securityContext.capabilities.add`
  }
}

type AllowedSinceMinor = Readonly<Record<string, number>>

export const isAllowed = (allowed: AllowedSinceMinor, name: string, minor: number): boolean =>
  Object.hasOwn(allowed, name) && minor >= (allowed[name] ?? 0)

export const baselineSysctls: AllowedSinceMinor = {
  "kernel.shm_rmid_forced": 0,
  "net.ipv4.ip_local_port_range": 0,
  "net.ipv4.ip_local_reserved_ports": 27,
  "net.ipv4.ip_unprivileged_port_start": 0,
  "net.ipv4.ping_group_range": 0,
  "net.ipv4.tcp_fin_timeout": 29,
  "net.ipv4.tcp_keepalive_intvl": 29,
  "net.ipv4.tcp_keepalive_probes": 29,
  "net.ipv4.tcp_keepalive_time": 29,
  "net.ipv4.tcp_rmem": 32,
  "net.ipv4.tcp_syncookies": 0,
  "net.ipv4.tcp_wmem": 32
}

/** A kubelet allows the same sysctls by default. Source: pkg/kubelet/sysctl/safe_sysctls.go. */
export const isSafeSysctl = (name: string): boolean =>
  isAllowed(baselineSysctls, name.replaceAll("/", "."), Infinity)

const seLinuxTypes: AllowedSinceMinor = {
  "": 0,
  container_t: 0,
  container_init_t: 0,
  container_kvm_t: 0,
  container_engine_t: 31
}

const annotationTexts = (pod: CheckedPod, isForbidden: (name: string, value: string) => boolean) =>
  sortedUnique(
    Object.entries(pod.annotations).flatMap(([name, value]) =>
      isForbidden(name, value) ? [`${name}=${goQuote(value)}`] : []
    )
  )

const appArmorAnnotation = "container.apparmor.security.beta.kubernetes.io/"

export const checkAppArmor = (pod: CheckedPod): StandardViolation | undefined => {
  const annotations = annotationTexts(
    pod,
    (name, value) =>
      name.startsWith(appArmorAnnotation) &&
      value !== "" &&
      value !== "runtime/default" &&
      !value.startsWith("localhost/")
  )
  const fieldSetters = settersText(pod, ({ appArmorProfile }) => appArmorProfile?.type === "Unconfined")
  const setters = [
    ...(fieldSetters === undefined ? [] : [fieldSetters]),
    ...(annotations.length === 0 ? [] : [annotations.length === 1 ? "annotation" : "annotations"])
  ]
  const values = [...(fieldSetters === undefined ? [] : [goQuote("Unconfined")]), ...annotations]
  return setters.length === 0
    ? undefined
    : {
        reason: `forbidden AppArmor profile${values.length === 1 ? "" : "s"}`,
        detail: `${setters.join(" and ")} must not set AppArmor profile type to ${values.join(", ")}`
      }
}

const isForbiddenSeccompType = (type: string | undefined): boolean =>
  type !== undefined && type !== "RuntimeDefault" && type !== "Localhost"

export const checkSeccomp = (pod: CheckedPod): StandardViolation | undefined => {
  const setters = settersText(pod, ({ seccompProfile }) => isForbiddenSeccompType(seccompProfile?.type))
  const types = valuesOf(pod, ({ seccompProfile }) => seccompProfile?.type).filter(isForbiddenSeccompType)
  return setters === undefined
    ? undefined
    : {
        reason: "seccompProfile",
        detail: `${setters} must not set securityContext.seccompProfile.type to ${quoted(sortedUnique(types))}`
      }
}

/** What a container has to set where the Pod does not. */
export const checkInherited = (
  pod: CheckedPod,
  isSet: (context: SecurityContext) => boolean,
  { reason, detail }: StandardViolation
): StandardViolation | undefined => {
  const names = isSet(pod.spec.securityContext ?? {})
    ? []
    : containerNamesWhere(pod, ({ securityContext = {} }) => !isSet(securityContext))
  return names.length === 0
    ? undefined
    : { reason, detail: `pod or ${namesText("container", names)} ${detail}` }
}

const seccompAnnotation = "seccomp.security.alpha.kubernetes.io/pod"
export const containerSeccompAnnotation = "container.seccomp.security.alpha.kubernetes.io/"

export const checkSeccompAnnotations = (pod: CheckedPod): StandardViolation | undefined => {
  const ofContainers = new Set(containersOf(pod).map(({ name }) => `${containerSeccompAnnotation}${name}`))
  const texts = annotationTexts(
    pod,
    (name, value) =>
      (name === seccompAnnotation || ofContainers.has(name)) &&
      value !== "runtime/default" &&
      value !== "docker/default" &&
      !value.startsWith("localhost/")
  )
  return texts.length === 0
    ? undefined
    : {
        reason: "seccompProfile",
        detail: `forbidden annotation${texts.length === 1 ? "" : "s"} ${texts.join(", ")}`
      }
}

export const handlerHostsOf = ({
  livenessProbe,
  readinessProbe,
  startupProbe,
  lifecycle
}: Core.Container): ReadonlyArray<string> =>
  [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop]
    .flatMap((handler) => [handler?.httpGet?.host ?? "", handler?.tcpSocket?.host ?? ""])
    .filter((host) => host !== "")

export const usedHostPorts = ({ ports = [] }: Core.Container): ReadonlyArray<string> =>
  ports.flatMap(({ hostPort = 0 }) => (hostPort === 0 ? [] : [String(hostPort)]))

export const checkSeLinux = (pod: CheckedPod): StandardViolation | undefined => {
  const { minor } = pod
  const isForbiddenType = (type: string): boolean => !isAllowed(seLinuxTypes, type, minor)
  const setters = settersText(
    pod,
    ({ seLinuxOptions: { type = "", user = "", role = "" } = {} }) =>
      isForbiddenType(type) || user !== "" || role !== ""
  )
  const all = valuesOf(pod, ({ seLinuxOptions }) => seLinuxOptions)
  const types = sortedUnique(all.map(({ type = "" }) => type).filter(isForbiddenType))
  const texts = [
    ...(types.length === 0 ? [] : [namesText("type", types)]),
    ...(all.some(({ user = "" }) => user !== "") ? ["user may not be set"] : []),
    ...(all.some(({ role = "" }) => role !== "") ? ["role may not be set"] : [])
  ]
  return setters === undefined
    ? undefined
    : {
        reason: "seLinuxOptions",
        detail: `${setters} set forbidden securityContext.seLinuxOptions: ${texts.join("; ")}`
      }
}

const volumesOfRestricted: ReadonlySet<string> = new Set([
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "persistentVolumeClaim",
  "projected",
  "secret"
])

export const checkVolumes = ({ spec: { volumes = [] } }: CheckedPod): StandardViolation | undefined => {
  const types = volumes.map((volume) => Object.keys(volume).find((field) => field !== "name") ?? "emptyDir")
  const badVolumes = volumes.filter((_volume, index) => !volumesOfRestricted.has(types[index] ?? ""))
  const names = badVolumes.map(({ name }) => name)
  const badTypes = sortedUnique(types.filter((type) => !volumesOfRestricted.has(type)))
  return names.length === 0
    ? undefined
    : {
        reason: "restricted volume types",
        detail: `${namesText("volume", names)} ${useVerb(names)} ${namesText("restricted volume type", badTypes)}`
      }
}

export const checkDroppedCapabilities = (pod: CheckedPod): StandardViolation | undefined => {
  if (isExemptOnWindows(pod)) return undefined
  const keeping = containerNamesWhere(
    pod,
    ({ securityContext }) => !(securityContext?.capabilities?.drop ?? []).includes("ALL")
  )
  const added = forbiddenAddedCapabilities(pod, (capability) => capability !== "NET_BIND_SERVICE")
  const details = [
    ...(keeping.length === 0
      ? []
      : [`${namesText("container", keeping)} must set securityContext.capabilities.drop=["ALL"]`]),
    ...(added.names.length === 0 ? [] : [`${namesText("container", added.names)} ${added.text}`])
  ]
  return details.length === 0
    ? undefined
    : { reason: "unrestricted capabilities", detail: details.join("; ") }
}

export const checkNonRoot = (pod: CheckedPod): StandardViolation | undefined => {
  if (isInUserNamespace(pod)) return undefined
  const reason = "runAsNonRoot != true"
  const setters = settersText(pod, ({ runAsNonRoot }) => runAsNonRoot === false)
  return setters === undefined
    ? checkInherited(pod, ({ runAsNonRoot }) => runAsNonRoot === true, {
        reason,
        detail: "must set securityContext.runAsNonRoot=true"
      })
    : { reason, detail: `${setters} must not set securityContext.runAsNonRoot=false` }
}

export const checkProcMount = (pod: CheckedPod): StandardViolation | undefined => {
  const isOther = (procMount = "Default"): boolean => procMount !== "Default"
  const values = containersOf(pod).flatMap(({ securityContext }) => securityContext?.procMount ?? [])
  return violationOfContainers(
    containerNamesWhere(pod, ({ securityContext }) => isOther(securityContext?.procMount)),
    {
      reason: "procMount",
      detail: `must not set securityContext.procMount to ${quoted(sortedUnique(values.filter(isOther)))}`
    }
  )
}
