import { describe, expect, it } from "vitest"
import { plan } from "../../../src/plan/plan.ts"
import { web } from "./mistakenManifests.ts"
import { planMistake } from "./planMistake.ts"
import type { Mistake } from "./planMistake.ts"

const probeOfHost = "readinessProbe: { httpGet: { port: http, host: 127.0.0.1 } }"
const enforcing = (level: string, version = "latest"): string =>
  "{ apiVersion: v1, kind: Namespace, metadata: { name: default, labels: { " +
  `pod-security.kubernetes.io/enforce: ${level}, pod-security.kubernetes.io/enforce-version: "${version}" } } }`

const refused = (level: string, violations: string): ReadonlyArray<string> => [
  `never completes: Pods are forbidden: violates PodSecurity "${level}": ${violations}`
]
const hostNetwork = 'host namespaces (hostNetwork=true), hostPort (container "app" uses hostPort 8080)'

const rows: ReadonlyArray<Mistake> = [
  {
    why: "the namespace enforces a standard that its Pods do not meet",
    next: [enforcing("baseline"), web({ pod: "hostNetwork: true" })],
    verdict: "stuck",
    reasons: refused("baseline:latest", hostNetwork)
  },
  {
    why: "only the new version does not meet the standard that the namespace enforces",
    next: [web({ pod: "hostNetwork: true" })],
    from: [enforcing("baseline"), web({ image: "app:1" })],
    verdict: "stuck",
    reasons: refused("baseline:latest", hostNetwork)
  },
  {
    why: "the namespace enforces the strictest standard, of which the manifest knows nothing",
    next: [enforcing("restricted"), web()],
    verdict: "stuck",
    reasons: refused(
      "restricted:latest",
      'allowPrivilegeEscalation != false (container "app" must set securityContext.allowPrivilegeEscalation=false), ' +
        'unrestricted capabilities (container "app" must set securityContext.capabilities.drop=["ALL"]), ' +
        'runAsNonRoot != true (pod or container "app" must set securityContext.runAsNonRoot=true), ' +
        'seccompProfile (pod or container "app" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")'
    )
  },
  {
    why: "the team knows that its Pods are admitted",
    next: [enforcing("baseline"), web({ pod: "hostNetwork: true" })],
    options: { acceptUnknown: ["PodSecurity"] },
    verdict: "ships"
  },
  {
    why: "the namespace only warns of what its Pods do not meet",
    next: [enforcing("baseline").replace("/enforce:", "/warn:"), web({ pod: "hostNetwork: true" })],
    verdict: "ships"
  },
  {
    why: "the namespace enforces a version of a standard that its Pods meet, unlike the latest one",
    next: [enforcing("baseline", "v1.33"), web({ container: probeOfHost })],
    verdict: "ships"
  },
  {
    why: "the namespace enforces a version of a standard that its Pods do not meet",
    next: [enforcing("baseline", "v1.34"), web({ container: probeOfHost })],
    verdict: "stuck",
    reasons: refused(
      "baseline:v1.34",
      'probe or lifecycle host (container "app" uses probe or lifecycle host "127.0.0.1")'
    )
  },
  {
    why: "the namespace enforces a standard that its Pods meet",
    next: [
      enforcing("restricted"),
      web({
        pod: "securityContext: { runAsNonRoot: true, seccompProfile: { type: RuntimeDefault } }",
        container: "securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: [ALL] } }"
      })
    ],
    verdict: "ships",
    reasons: []
  }
]

describe("a plan beside a Pod Security Standard", () => {
  it.for(rows)("is $verdict where $why", async (row) => {
    expect(await planMistake(row)).toEqual(row)
  })
})

it.each([
  {
    labels: enforcing("restrict"),
    error: 'Invalid value: "restrict": must be one of privileged, baseline, restricted'
  },
  { labels: enforcing("baseline", "1.34"), error: 'Invalid value: "1.34": must be "latest" or "v1.x"' }
])("a plan is refused with a Namespace of which the API server says: $error", async ({ labels, error }) => {
  await expect(plan({ next: [labels, web()].join("\n---\n") })).rejects.toThrow(error)
})
