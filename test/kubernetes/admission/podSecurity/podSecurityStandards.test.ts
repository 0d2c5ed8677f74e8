import { describe, expect, it } from "vitest"
import { podSecurityViolations } from "../../../../src/kubernetes/admission/podSecurity/podSecurityStandards.ts"
import type { PodSecurityLevel } from "../../../../src/kubernetes/admission/podSecurity/podSecurityStandards.ts"

const container = { name: "app", image: "app" }
const safeContext = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } }
const safeContainer = { ...container, securityContext: safeContext }
const safePod = { securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } } }

const violationsOf = (
  level: PodSecurityLevel,
  pod: object,
  options: { annotations?: Record<string, string> | undefined; minor?: number } = {}
) =>
  podSecurityViolations(level, { containers: [container], ...pod }, options).map(
    ({ reason, detail }) => `${reason} (${detail})`
  )

describe("the Pod Security Standard baseline", () => {
  it.for<{ pod: object; violations: ReadonlyArray<string>; annotations?: Record<string, string> }>([
    { pod: {}, violations: [] },
    { pod: { hostNetwork: false, hostUsers: false }, violations: [] },
    {
      pod: { hostNetwork: true, hostPID: true, hostIPC: true },
      violations: ["host namespaces (hostIPC=true, hostNetwork=true, hostPID=true)"]
    },
    {
      pod: { securityContext: { windowsOptions: { hostProcess: true } } },
      violations: ["hostProcess (pod must not set securityContext.windowsOptions.hostProcess=true)"]
    },
    {
      pod: {
        volumes: [
          { name: "logs", hostPath: { path: "/var/log" } },
          { name: "tmp", emptyDir: {} }
        ]
      },
      violations: ['hostPath volumes (volume "logs")']
    },
    {
      pod: { initContainers: [{ ...container, name: "init", securityContext: { privileged: true } }] },
      violations: ['privileged (container "init" must not set securityContext.privileged=true)']
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
        'non-default capabilities (containers "a", "b" must not include "NET_ADMIN" in securityContext.capabilities.add)'
      ]
    },
    {
      pod: { containers: [{ ...container, ports: [{ containerPort: 80, hostPort: 80 }] }] },
      violations: ['hostPort (container "app" uses hostPort 80)']
    },
    {
      pod: { containers: [{ ...container, livenessProbe: { httpGet: { host: "127.0.0.1", port: 80 } } }] },
      violations: ['probe or lifecycle host (container "app" uses probe or lifecycle host "127.0.0.1")']
    },
    {
      pod: { containers: [{ ...container, lifecycle: { preStop: { httpGet: { port: 80 } } } }] },
      violations: []
    },
    {
      pod: { containers: [{ ...container, securityContext: { procMount: "Unmasked" } }] },
      violations: ['procMount (container "app" must not set securityContext.procMount to "Unmasked")']
    },
    {
      pod: { securityContext: { seLinuxOptions: { type: "spc_t" } } },
      violations: ['seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: type "spc_t")']
    },
    { pod: { securityContext: { seLinuxOptions: { type: "container_t", level: "s0" } } }, violations: [] },
    {
      pod: {
        securityContext: { seccompProfile: { type: "Unconfined" }, appArmorProfile: { type: "Unconfined" } }
      },
      violations: [
        'forbidden AppArmor profile (pod must not set AppArmor profile type to "Unconfined")',
        'seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined")'
      ]
    },
    {
      pod: {},
      annotations: {
        "container.apparmor.security.beta.kubernetes.io/app": "unconfined",
        "container.apparmor.security.beta.kubernetes.io/other": "runtime/default"
      },
      violations: [
        'forbidden AppArmor profile (annotation must not set AppArmor profile type to container.apparmor.security.beta.kubernetes.io/app="unconfined")'
      ]
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
      violations: ["forbidden sysctls (net.core.somaxconn)"]
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
        'allowPrivilegeEscalation != false (container "app" must set securityContext.allowPrivilegeEscalation=false)',
        'unrestricted capabilities (container "app" must set securityContext.capabilities.drop=["ALL"])',
        'runAsNonRoot != true (pod or container "app" must set securityContext.runAsNonRoot=true)',
        'seccompProfile (pod or container "app" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")'
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
      violations: ['runAsNonRoot != true (container "app" must not set securityContext.runAsNonRoot=false)']
    },
    {
      pod: { ...safePod, containers: [{ ...container, securityContext: { ...safeContext, runAsUser: 0 } }] },
      violations: ['runAsUser=0 (container "app" must not set runAsUser=0)']
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
      violations: [
        'unrestricted capabilities (container "app" must not include "CHOWN" in securityContext.capabilities.add)'
      ]
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
      violations: ['restricted volume types (volume "share" uses restricted volume type "nfs")']
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
      violation: 'probe or lifecycle host (container "app" uses probe or lifecycle host "db")',
      since: 34
    },
    {
      level: "baseline",
      pod: { securityContext: { seccompProfile: { type: "Unconfined" } } },
      violation: 'seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined")',
      since: 19
    },
    {
      level: "baseline",
      pod: {},
      annotations: { [seccompAnnotation]: "unconfined" },
      violation: `seccompProfile (forbidden annotation ${seccompAnnotation}="unconfined")`,
      until: 18
    },
    {
      level: "baseline",
      pod: {},
      annotations: { "container.seccomp.security.alpha.kubernetes.io/app": "unconfined" },
      violation:
        'seccompProfile (forbidden annotation container.seccomp.security.alpha.kubernetes.io/app="unconfined")',
      until: 18
    },
    {
      level: "baseline",
      pod: sysctl("net.ipv4.ip_local_reserved_ports"),
      violation: "forbidden sysctls (net.ipv4.ip_local_reserved_ports)",
      until: 26
    },
    {
      level: "baseline",
      pod: sysctl("net.ipv4.tcp_fin_timeout"),
      violation: "forbidden sysctls (net.ipv4.tcp_fin_timeout)",
      until: 28
    },
    {
      level: "baseline",
      pod: sysctl("net.ipv4.tcp_rmem"),
      violation: "forbidden sysctls (net.ipv4.tcp_rmem)",
      until: 31
    },
    {
      level: "baseline",
      pod: inContainer({ seLinuxOptions: { type: "container_engine_t" } }),
      violation:
        'seLinuxOptions (container "app" set forbidden securityContext.seLinuxOptions: type "container_engine_t")',
      until: 30
    },
    {
      level: "restricted",
      pod: { ...safePod, ...inContainer({ capabilities: { drop: ["ALL"] } }) },
      violation:
        'allowPrivilegeEscalation != false (container "app" must set securityContext.allowPrivilegeEscalation=false)',
      since: 8
    },
    {
      level: "restricted",
      pod: { ...safePod, ...inContainer({ allowPrivilegeEscalation: false }) },
      violation:
        'unrestricted capabilities (container "app" must set securityContext.capabilities.drop=["ALL"])',
      since: 22
    },
    {
      level: "restricted",
      pod: {
        ...safePod,
        ...inContainer({ ...safeContext, capabilities: { drop: ["ALL"], add: ["CHOWN"] } })
      },
      violation:
        'unrestricted capabilities (container "app" must not include "CHOWN" in securityContext.capabilities.add)',
      since: 22
    },
    {
      level: "restricted",
      pod: { ...safePod, ...inContainer({ ...safeContext, runAsUser: 0 }) },
      violation: 'runAsUser=0 (container "app" must not set runAsUser=0)',
      since: 23
    },
    {
      level: "restricted",
      pod: { ...restrictedPod, securityContext: { runAsNonRoot: true } },
      violation:
        'seccompProfile (pod or container "app" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
      since: 19
    },
    {
      level: "restricted",
      pod: { ...safePod, ...inContainer({ capabilities: { drop: ["ALL"] } }), os: { name: "windows" } },
      violation:
        'allowPrivilegeEscalation != false (container "app" must set securityContext.allowPrivilegeEscalation=false)',
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
})
