import { describe, expect, it } from "vitest"
import {
  podSecurityMinor,
  podSecurityViolations
} from "../../../../src/kubernetes/admission/pods/podSecurityStandards.ts"
import type { PodSecurityLevel } from "../../../../src/kubernetes/admission/pods/podSecurityStandards.ts"

const container = { name: "app", image: "app" }
const safeContext = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } }
const safeContainer = { ...container, securityContext: safeContext }
const safePod = { securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } } }

const violationsOf = (
  level: PodSecurityLevel,
  pod: object,
  options: { annotations?: Record<string, string> | undefined; minor?: number } = {}
) => podSecurityViolations(level, { containers: [container], ...pod }, options)

describe("the Pod Security Standard baseline", () => {
  it.for<{ pod: object; violations: ReadonlyArray<string>; annotations?: Record<string, string> }>([
    { pod: {}, violations: [] },
    { pod: { hostNetwork: false, hostUsers: false }, violations: [] },
    {
      pod: { hostNetwork: true, hostPID: true, hostIPC: true },
      violations: ["the Pod has hostNetwork: true", "the Pod has hostPID: true", "the Pod has hostIPC: true"]
    },
    {
      pod: { securityContext: { windowsOptions: { hostProcess: true } } },
      violations: ["the Pod is a host process of Windows"]
    },
    {
      pod: {
        volumes: [
          { name: "logs", hostPath: { path: "/var/log" } },
          { name: "tmp", emptyDir: {} }
        ]
      },
      violations: ["the Pod has volumes of hostPath: logs"]
    },
    {
      pod: { initContainers: [{ ...container, name: "init", securityContext: { privileged: true } }] },
      violations: ['container "init" is privileged']
    },
    {
      pod: { containers: [{ ...container, securityContext: { capabilities: { add: ["CHOWN"] } } }] },
      violations: []
    },
    {
      pod: {
        containers: ["a", "b"].map((name) => ({
          name,
          securityContext: { capabilities: { add: ["NET_ADMIN"] } }
        }))
      },
      violations: [
        'container "a" adds capabilities beyond the default ones',
        'container "b" adds capabilities beyond the default ones'
      ]
    },
    {
      pod: { containers: [{ ...container, ports: [{ containerPort: 80, hostPort: 80 }] }] },
      violations: ['container "app" has a hostPort']
    },
    {
      pod: { containers: [{ ...container, livenessProbe: { httpGet: { host: "127.0.0.1", port: 80 } } }] },
      violations: ['container "app" has a probe or hook that names a host']
    },
    {
      pod: { containers: [{ ...container, lifecycle: { preStop: { httpGet: { port: 80 } } } }] },
      violations: []
    },
    {
      pod: { containers: [{ ...container, securityContext: { procMount: "Unmasked" } }] },
      violations: ['container "app" has another procMount than Default']
    },
    {
      pod: { securityContext: { seLinuxOptions: { type: "spc_t" } } },
      violations: ["the Pod has SELinux options of its own"]
    },
    { pod: { securityContext: { seLinuxOptions: { type: "container_t", level: "s0" } } }, violations: [] },
    {
      pod: {
        securityContext: { seccompProfile: { type: "Unconfined" }, appArmorProfile: { type: "Unconfined" } }
      },
      violations: ["the Pod has no AppArmor profile", "the Pod has no seccomp profile"]
    },
    {
      pod: {},
      annotations: {
        "container.apparmor.security.beta.kubernetes.io/app": "unconfined",
        "container.apparmor.security.beta.kubernetes.io/other": "runtime/default"
      },
      violations: ["the annotation container.apparmor.security.beta.kubernetes.io/app is unconfined"]
    },
    {
      pod: {
        securityContext: {
          sysctls: [
            { name: "net.core.somaxconn", value: "1024" },
            { name: "net.ipv4.tcp_syncookies", value: "1" }
          ]
        }
      },
      violations: ["the Pod sets net.core.somaxconn"]
    }
  ])("has $violations for $pod", ({ pod, annotations, violations }) => {
    expect(violationsOf("baseline", pod, { annotations })).toEqual(violations)
  })
})

describe("the Pod Security Standard restricted", () => {
  it.for<{ pod: object; violations: ReadonlyArray<string> }>([
    { pod: { ...safePod, containers: [safeContainer] }, violations: [] },
    {
      pod: {},
      violations: [
        'container "app" must set allowPrivilegeEscalation: false',
        'container "app" must drop the capabilities ALL',
        'container "app" must set runAsNonRoot: true',
        'container "app" must set seccompProfile.type'
      ]
    },
    {
      pod: {
        containers: [
          {
            ...container,
            securityContext: { ...safeContext, runAsNonRoot: true, seccompProfile: { type: "Localhost" } }
          }
        ]
      },
      violations: []
    },
    {
      pod: {
        ...safePod,
        containers: [{ ...container, securityContext: { ...safeContext, runAsNonRoot: false } }]
      },
      violations: ['container "app" has runAsNonRoot: false']
    },
    {
      pod: { ...safePod, containers: [{ ...container, securityContext: { ...safeContext, runAsUser: 0 } }] },
      violations: ['container "app" has runAsUser: 0']
    },
    {
      pod: {
        ...safePod,
        containers: [
          {
            ...container,
            securityContext: {
              ...safeContext,
              capabilities: { drop: ["ALL"], add: ["CHOWN", "NET_BIND_SERVICE"] }
            }
          }
        ]
      },
      violations: ['container "app" adds capabilities other than NET_BIND_SERVICE']
    },
    {
      pod: {
        ...safePod,
        containers: [safeContainer],
        volumes: [
          { name: "scratch" },
          { name: "config", configMap: { name: "config" } },
          { name: "share", nfs: { server: "nfs", path: "/" } }
        ]
      },
      violations: ["the Pod has volumes of other types: share"]
    },
    {
      pod: { os: { name: "windows" }, securityContext: { runAsNonRoot: true } },
      violations: []
    }
  ])("has $violations for $pod", ({ pod, violations }) => {
    expect(violationsOf("restricted", pod)).toEqual(violations)
  })
})

describe("a version of a Pod Security Standard", () => {
  const inContainer = (securityContext: object) => ({ containers: [{ ...container, securityContext }] })
  const sysctl = (name: string) => ({ securityContext: { sysctls: [{ name, value: "1" }] } })
  const restrictedPod = { ...safePod, containers: [safeContainer] }
  const seccompAnnotation = "seccomp.security.alpha.kubernetes.io/pod"

  it.for<{
    level: PodSecurityLevel
    pod: object
    violation: string
    /** The first minor version with the violation, or the last one. */
    since?: number
    until?: number
    annotations?: Record<string, string>
  }>([
    {
      level: "baseline",
      pod: { containers: [{ ...container, readinessProbe: { tcpSocket: { host: "db", port: 80 } } }] },
      violation: 'container "app" has a probe or hook that names a host',
      since: 34
    },
    {
      level: "baseline",
      pod: { securityContext: { seccompProfile: { type: "Unconfined" } } },
      violation: "the Pod has no seccomp profile",
      since: 19
    },
    {
      level: "baseline",
      pod: {},
      annotations: { [seccompAnnotation]: "unconfined" },
      violation: `the annotation ${seccompAnnotation} is unconfined`,
      until: 18
    },
    {
      level: "baseline",
      pod: {},
      annotations: { "container.seccomp.security.alpha.kubernetes.io/app": "unconfined" },
      violation: "the annotation container.seccomp.security.alpha.kubernetes.io/app is unconfined",
      until: 18
    },
    {
      level: "baseline",
      pod: sysctl("net.ipv4.ip_local_reserved_ports"),
      violation: "the Pod sets net.ipv4.ip_local_reserved_ports",
      until: 26
    },
    {
      level: "baseline",
      pod: sysctl("net.ipv4.tcp_fin_timeout"),
      violation: "the Pod sets net.ipv4.tcp_fin_timeout",
      until: 28
    },
    {
      level: "baseline",
      pod: sysctl("net.ipv4.tcp_rmem"),
      violation: "the Pod sets net.ipv4.tcp_rmem",
      until: 31
    },
    {
      level: "baseline",
      pod: inContainer({ seLinuxOptions: { type: "container_engine_t" } }),
      violation: 'container "app" has SELinux options of its own',
      until: 30
    },
    {
      level: "restricted",
      pod: { ...safePod, ...inContainer({ capabilities: { drop: ["ALL"] } }) },
      violation: 'container "app" must set allowPrivilegeEscalation: false',
      since: 8
    },
    {
      level: "restricted",
      pod: { ...safePod, ...inContainer({ allowPrivilegeEscalation: false }) },
      violation: 'container "app" must drop the capabilities ALL',
      since: 22
    },
    {
      level: "restricted",
      pod: {
        ...safePod,
        ...inContainer({ ...safeContext, capabilities: { drop: ["ALL"], add: ["CHOWN"] } })
      },
      violation: 'container "app" adds capabilities other than NET_BIND_SERVICE',
      since: 22
    },
    {
      level: "restricted",
      pod: { ...safePod, ...inContainer({ ...safeContext, runAsUser: 0 }) },
      violation: 'container "app" has runAsUser: 0',
      since: 23
    },
    {
      level: "restricted",
      pod: { ...restrictedPod, securityContext: { runAsNonRoot: true } },
      violation: 'container "app" must set seccompProfile.type',
      since: 19
    },
    {
      level: "restricted",
      pod: { ...safePod, ...inContainer({ capabilities: { drop: ["ALL"] } }), os: { name: "windows" } },
      violation: 'container "app" must set allowPrivilegeEscalation: false',
      since: 8,
      until: 24
    }
  ])(
    "$level has from 1.$since to 1.$until: $violation",
    ({ level, pod, violation, annotations, ...range }) => {
      const { since = 0, until = Infinity } = range
      for (const minor of [0, Math.max(0, since - 1), since, until, until + 1]) {
        const violations = violationsOf(level, pod, { annotations, minor })
        expect([minor, violations]).toEqual([minor, minor >= since && minor <= until ? [violation] : []])
      }
    }
  )

  it.each([
    [undefined, Infinity],
    ["latest", Infinity],
    ["v1.0", 0],
    ["v1.34", 34],
    ["v1.034", undefined],
    ["v2.0", undefined],
    ["1.34", undefined],
    ["", undefined]
  ])("of the label %j has the minor version %j", (label, minor) => {
    expect(podSecurityMinor(label)).toBe(minor)
  })
})
