import type * as Core from "kubernetes-types/core/v1.js"
import type { PodSpec } from "../../meta/objects.ts"

/** `privileged` allows everything. */
export type PodSecurityLevel = "baseline" | "restricted"

/**
 * What a Pod has that a Pod Security Standard forbids, and what it lacks that the standard requires: a clause for each.
 * Those of the latest version, whichever one the namespace names.
 *
 * Source: staging/src/k8s.io/pod-security-admission/policy/check_*.go.
 */
export const podSecurityViolations = (
  level: PodSecurityLevel,
  spec: Partial<PodSpec>,
  annotations: Readonly<Record<string, string>> = {}
): ReadonlyArray<string> => {
  const checks = level === "baseline" ? baselineChecks : [...baselineChecks, ...restrictedChecks]
  return checks.flatMap((check) => check({ spec, annotations }))
}

interface CheckedPod {
  readonly spec: Partial<PodSpec>
  readonly annotations: Readonly<Record<string, string>>
}

type Check = (pod: CheckedPod) => ReadonlyArray<string>

const containersOf = ({ spec }: CheckedPod): ReadonlyArray<Core.Container> => [
  ...(spec.initContainers ?? []),
  ...(spec.containers ?? [])
]

/** A clause for each container to which it applies. */
const eachContainer =
  (applies: (container: Core.Container, pod: CheckedPod) => boolean, clause: string): Check =>
  (pod) =>
    containersOf(pod)
      .filter((container) => applies(container, pod))
      .map(({ name }) => `container "${name}" ${clause}`)

/** A clause about the Pod, or the same one about the containers that set the field themselves. */
const podAndContainers = (
  isForbidden: (context: Core.PodSecurityContext & Core.SecurityContext) => boolean,
  clause: string
): Check => {
  const inContainers = eachContainer(({ securityContext = {} }) => isForbidden(securityContext), clause)
  return (pod) => [
    ...(isForbidden(pod.spec.securityContext ?? {}) ? [`the Pod ${clause}`] : []),
    ...inContainers(pod)
  ]
}

const isWindows = ({ spec }: CheckedPod): boolean => spec.os?.name === "windows"

/** Only where the kubelet would heed it: Windows has none of these fields. */
const exceptOnWindows =
  (check: Check): Check =>
  (pod) =>
    isWindows(pod) ? [] : check(pod)

const addedCapabilities = ({ securityContext }: Core.Container): ReadonlyArray<string> =>
  securityContext?.capabilities?.add ?? []

const baselineCapabilities: ReadonlySet<string> = new Set([
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

const baselineSysctls: ReadonlySet<string> = new Set([
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.ip_local_reserved_ports",
  "net.ipv4.ip_unprivileged_port_start",
  "net.ipv4.ping_group_range",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes",
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_rmem",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.tcp_wmem"
])

const seLinuxTypes: ReadonlySet<string> = new Set([
  "",
  "container_t",
  "container_init_t",
  "container_kvm_t",
  "container_engine_t"
])

const appArmorAnnotation = "container.apparmor.security.beta.kubernetes.io/"

const isOwnAppArmor = (profile: string): boolean =>
  profile !== "" && profile !== "runtime/default" && !profile.startsWith("localhost/")

const handlersOf = ({
  livenessProbe,
  readinessProbe,
  startupProbe,
  lifecycle
}: Core.Container): ReadonlyArray<Pick<Core.Probe, "httpGet" | "tcpSocket">> =>
  [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop].filter(
    (handler) => handler !== undefined
  )

const baselineChecks: ReadonlyArray<Check> = [
  ({ spec }) =>
    (["hostNetwork", "hostPID", "hostIPC"] as const).flatMap((field) =>
      spec[field] === true ? [`the Pod has ${field}: true`] : []
    ),
  podAndContainers(
    ({ windowsOptions }) => windowsOptions?.hostProcess === true,
    "is a host process of Windows"
  ),
  ({ spec: { volumes = [] } }) => {
    const names = volumes.filter(({ hostPath }) => hostPath !== undefined).map(({ name }) => name)
    return names.length === 0 ? [] : [`the Pod has volumes of hostPath: ${names.join(", ")}`]
  },
  eachContainer(({ securityContext }) => securityContext?.privileged === true, "is privileged"),
  eachContainer(
    (container) => addedCapabilities(container).some((name) => !baselineCapabilities.has(name)),
    "adds capabilities beyond the default ones"
  ),
  eachContainer(
    ({ ports = [] }, { spec }) =>
      ports.some(({ hostPort = 0 }) => hostPort !== 0 && spec.hostNetwork !== true),
    "has a hostPort"
  ),
  eachContainer(
    (container) => handlersOf(container).some(({ httpGet, tcpSocket }) => (httpGet ?? tcpSocket)?.host),
    "has a probe or hook that names a host"
  ),
  eachContainer(
    ({ securityContext: { procMount = "Default" } = {} }) => procMount !== "Default",
    "has another procMount than Default"
  ),
  podAndContainers(
    ({ seLinuxOptions: { type = "", user = "", role = "" } = {} }) =>
      !seLinuxTypes.has(type) || user !== "" || role !== "",
    "has SELinux options of its own"
  ),
  podAndContainers(
    ({ appArmorProfile }) => appArmorProfile?.type === "Unconfined",
    "has no AppArmor profile"
  ),
  ({ annotations }) =>
    Object.entries(annotations).flatMap(([name, profile]) =>
      name.startsWith(appArmorAnnotation) && isOwnAppArmor(profile)
        ? [`the annotation ${name} is ${profile}`]
        : []
    ),
  podAndContainers(({ seccompProfile }) => seccompProfile?.type === "Unconfined", "has no seccomp profile"),
  ({ spec: { securityContext: { sysctls = [] } = {} } }) => {
    const names = sysctls.map(({ name }) => name).filter((name) => !baselineSysctls.has(name))
    return names.length === 0 ? [] : [`the Pod sets ${names.join(", ")}`]
  }
]

const restrictedVolumes = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "persistentVolumeClaim",
  "projected",
  "secret"
] as const

const restrictedChecks: ReadonlyArray<Check> = [
  ({ spec: { volumes = [] } }) => {
    const names = volumes
      .filter((volume) => volume.hostPath === undefined)
      .filter((volume) => restrictedVolumes.every((type) => volume[type] === undefined))
      // A volume without a type is an emptyDir.
      .filter((volume) => Object.keys(volume).length > 1)
      .map(({ name }) => name)
    return names.length === 0 ? [] : [`the Pod has volumes of other types: ${names.join(", ")}`]
  },
  exceptOnWindows(
    eachContainer(
      ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false,
      "must set allowPrivilegeEscalation: false"
    )
  ),
  exceptOnWindows(
    eachContainer(
      ({ securityContext }) => !(securityContext?.capabilities?.drop ?? []).includes("ALL"),
      "must drop the capabilities ALL"
    )
  ),
  exceptOnWindows(
    eachContainer(
      (container) =>
        addedCapabilities(container).some(
          (name) => baselineCapabilities.has(name) && name !== "NET_BIND_SERVICE"
        ),
      "adds capabilities other than NET_BIND_SERVICE"
    )
  ),
  podAndContainers(({ runAsNonRoot }) => runAsNonRoot === false, "has runAsNonRoot: false"),
  eachContainer(
    ({ securityContext }, { spec }) =>
      (securityContext?.runAsNonRoot ?? spec.securityContext?.runAsNonRoot) === undefined,
    "must set runAsNonRoot: true"
  ),
  podAndContainers(({ runAsUser }) => runAsUser === 0, "has runAsUser: 0"),
  exceptOnWindows(
    eachContainer(
      ({ securityContext }, { spec }) =>
        (securityContext?.seccompProfile ?? spec.securityContext?.seccompProfile) === undefined,
      "must set seccompProfile.type"
    )
  )
]
