import { describe, expect, it } from "vitest"
import { web } from "./mistakenManifests.ts"
import { planMistake } from "./planMistake.ts"
import type { Mistake } from "./planMistake.ts"

const probeOfHost = "readinessProbe: { httpGet: { port: http, host: 127.0.0.1 } }"
const enforcing = (level: string, version = "latest"): string =>
  "{ apiVersion: v1, kind: Namespace, metadata: { name: default, labels: { " +
  `pod-security.kubernetes.io/enforce: ${level}, pod-security.kubernetes.io/enforce-version: "${version}" } } }`

const rows: ReadonlyArray<Mistake> = [
  {
    why: "the namespace enforces a standard that its Pods do not meet",
    next: [enforcing("baseline"), web({ pod: "hostNetwork: true" })],
    verdict: "unknown",
    reasons: ["Namespace/default enforces the Pod Security Standard baseline: the Pod has hostNetwork: true"]
  },
  {
    why: "the namespace enforces a version of a standard that its Pods meet, unlike the latest one",
    next: [enforcing("baseline", "v1.33"), web({ container: probeOfHost })],
    verdict: "ships"
  },
  {
    why: "the namespace enforces a version of a standard that its Pods do not meet",
    next: [enforcing("baseline", "v1.34"), web({ container: probeOfHost })],
    verdict: "unknown",
    reasons: [
      "Namespace/default enforces the Pod Security Standard baseline v1.34: " +
        'container "app" has a probe or hook that names a host'
    ]
  },
  {
    why: "the namespace enforces a version of a standard that does not exist",
    next: [enforcing("baseline", "1.34"), web()],
    verdict: "unknown",
    reasons: ["Namespace/default enforces the Pod Security Standard baseline 1.34: there is no such version"]
  },
  {
    why: "the namespace enforces a standard that does not exist",
    next: [enforcing("restrict"), web()],
    verdict: "unknown",
    reasons: ["Namespace/default enforces the Pod Security Standard restrict: there is no such standard"]
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
