import { describe, expect, it } from "vitest"
import { podSecurityViolations } from "../../../../src/kubernetes/admission/pods/podSecurityStandards.ts"
import type { PodSecurityLevel } from "../../../../src/kubernetes/admission/pods/podSecurityStandards.ts"

const container = { name: "app", image: "app" }
const safeContext = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } }
const safeContainer = { ...container, securityContext: safeContext }
const safePod = { securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } } }

const violationsOf = (level: PodSecurityLevel, pod: object, annotations?: Record<string, string>) =>
  podSecurityViolations(level, { containers: [container], ...pod }, annotations)

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
    expect(violationsOf("baseline", pod, annotations)).toEqual(violations)
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
