import type * as Core from "kubernetes-types/core/v1.js"
import type { Annotations, PodSpec } from "../../meta/objects.ts"

/** The level `privileged` allows everything. */
export type PodSecurityLevel = "baseline" | "restricted"

/**
 * Each version of Kubernetes has its own version of the standards. Source:
 * staging/src/k8s.io/pod-security-admission/policy/check_*.go.
 */
export const podSecurityViolations = (
  level: PodSecurityLevel,
  spec: Partial<PodSpec>,
  {
    annotations = {},
    minor = Infinity
  }: { readonly annotations?: Annotations | undefined; readonly minor?: number } = {}
): ReadonlyArray<string> => {
  const checks = level === "baseline" ? baselineChecks : [...baselineChecks, ...restrictedChecks]
  return checks.flatMap((check) => check({ spec, annotations, minor }))
}

/**
 * The minor version in a label such as `v1.34`; Infinity for the latest, undefined for other texts.
 * Source: staging/src/k8s.io/pod-security-admission/api/helpers.go (ParseVersion).
 */
export const podSecurityMinor = (version = "latest"): number | undefined => {
  if (version === "latest") return Infinity
  const minor = /^v1\.(\d|[1-9]\d*)$/.exec(version)?.[1]
  return minor === undefined ? undefined : Number(minor)
}

interface CheckedPod {
  readonly spec: Partial<PodSpec>
  readonly annotations: Annotations
  /** The version of the standard is 1.minor. */
  readonly minor: number
}

type Check = (pod: CheckedPod) => ReadonlyArray<string>

const containersOf = ({ spec }: CheckedPod): ReadonlyArray<Core.Container> => [
  ...(spec.initContainers ?? []),
  ...(spec.containers ?? [])
]

const eachContainer =
  (isViolation: (container: Core.Container, pod: CheckedPod) => boolean, clause: string): Check =>
  (pod) =>
    containersOf(pod)
      .filter((container) => isViolation(container, pod))
      .map(({ name }) => `container "${name}" ${clause}`)

/** A clause about the Pod, or about the containers that set the field. */
const podAndContainers = (
  isForbidden: (context: Core.PodSecurityContext & Core.SecurityContext, pod: CheckedPod) => boolean,
  clause: string
): Check => {
  const inContainers = eachContainer(
    ({ securityContext = {} }, pod) => isForbidden(securityContext, pod),
    clause
  )
  return (pod) => [
    ...(isForbidden(pod.spec.securityContext ?? {}, pod) ? [`the Pod ${clause}`] : []),
    ...inContainers(pod)
  ]
}

const isWindows = ({ spec }: CheckedPod): boolean => spec.os?.name === "windows"

/** Windows has none of the checked fields; before 1.25 the standards made no such exception. */
const exceptOnWindows =
  (check: Check): Check =>
  (pod) =>
    pod.minor >= 25 && isWindows(pod) ? [] : check(pod)

const sinceMinor =
  (minor: number, check: Check): Check =>
  (pod) =>
    pod.minor >= minor ? check(pod) : []

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

/** The minor version that first allows each value. */
type AllowedSinceMinor = Readonly<Record<string, number>>

const isAllowed = (allowed: AllowedSinceMinor, name: string, minor: number): boolean =>
  Object.hasOwn(allowed, name) && minor >= (allowed[name] ?? 0)

const baselineSysctls: AllowedSinceMinor = {
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

/** Also what a kubelet allows by default. Source: pkg/kubelet/sysctl/safe_sysctls.go. */
export const isSafeSysctl = (name: string): boolean =>
  isAllowed(baselineSysctls, name.replaceAll("/", "."), Infinity)

const seLinuxTypes: AllowedSinceMinor = {
  "": 0,
  container_t: 0,
  container_init_t: 0,
  container_kvm_t: 0,
  container_engine_t: 31
}

const appArmorAnnotation = "container.apparmor.security.beta.kubernetes.io/"

const seccompAnnotation = "seccomp.security.alpha.kubernetes.io/pod"
const containerSeccompAnnotation = "container.seccomp.security.alpha.kubernetes.io/"

const isCustomSeccomp = (profile: string): boolean =>
  profile !== "runtime/default" && profile !== "docker/default" && !profile.startsWith("localhost/")

const isCustomAppArmor = (profile: string): boolean =>
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
  sinceMinor(
    34,
    eachContainer(
      (container) => handlersOf(container).some(({ httpGet, tcpSocket }) => (httpGet ?? tcpSocket)?.host),
      "has a probe or hook that names a host"
    )
  ),
  eachContainer(
    ({ securityContext: { procMount = "Default" } = {} }) => procMount !== "Default",
    "has another procMount than Default"
  ),
  podAndContainers(
    ({ seLinuxOptions: { type = "", user = "", role = "" } = {} }, { minor }) =>
      !isAllowed(seLinuxTypes, type, minor) || user !== "" || role !== "",
    "has SELinux options of its own"
  ),
  podAndContainers(
    ({ appArmorProfile }) => appArmorProfile?.type === "Unconfined",
    "has no AppArmor profile"
  ),
  ({ annotations }) =>
    Object.entries(annotations).flatMap(([name, profile]) =>
      name.startsWith(appArmorAnnotation) && isCustomAppArmor(profile)
        ? [`the annotation ${name} is ${profile}`]
        : []
    ),
  (pod) => {
    if (pod.minor >= 19) return []
    const containerAnnotations = containersOf(pod).map(({ name }) => `${containerSeccompAnnotation}${name}`)
    return [seccompAnnotation, ...containerAnnotations].flatMap((name) => {
      const profile = pod.annotations[name]
      return profile !== undefined && isCustomSeccomp(profile) ? [`the annotation ${name} is ${profile}`] : []
    })
  },
  sinceMinor(
    19,
    podAndContainers(({ seccompProfile }) => seccompProfile?.type === "Unconfined", "has no seccomp profile")
  ),
  ({ spec: { securityContext: { sysctls = [] } = {} }, minor }) => {
    const names = sysctls.map(({ name }) => name).filter((name) => !isAllowed(baselineSysctls, name, minor))
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
  sinceMinor(
    8,
    exceptOnWindows(
      eachContainer(
        ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false,
        "must set allowPrivilegeEscalation: false"
      )
    )
  ),
  sinceMinor(
    22,
    exceptOnWindows(
      eachContainer(
        ({ securityContext }) => !(securityContext?.capabilities?.drop ?? []).includes("ALL"),
        "must drop the capabilities ALL"
      )
    )
  ),
  sinceMinor(
    22,
    exceptOnWindows(
      eachContainer(
        (container) =>
          addedCapabilities(container).some(
            (name) => baselineCapabilities.has(name) && name !== "NET_BIND_SERVICE"
          ),
        "adds capabilities other than NET_BIND_SERVICE"
      )
    )
  ),
  podAndContainers(({ runAsNonRoot }) => runAsNonRoot === false, "has runAsNonRoot: false"),
  eachContainer(
    ({ securityContext }, { spec }) =>
      (securityContext?.runAsNonRoot ?? spec.securityContext?.runAsNonRoot) === undefined,
    "must set runAsNonRoot: true"
  ),
  sinceMinor(
    23,
    podAndContainers(({ runAsUser }) => runAsUser === 0, "has runAsUser: 0")
  ),
  sinceMinor(
    19,
    exceptOnWindows(
      eachContainer(
        ({ securityContext }, { spec }) =>
          (securityContext?.seccompProfile ?? spec.securityContext?.seccompProfile) === undefined,
        "must set seccompProfile.type"
      )
    )
  )
]
