import { expect, it } from "vitest"
import { httpProbe, objectText, service, web } from "./mistakenManifests.ts"
import { planMistake } from "./planMistake.ts"
import type { Mistake } from "./planMistake.ts"

const policy = (name: string, spec: string): string =>
  objectText("networking.k8s.io/v1", "NetworkPolicy", name, `spec: { ${spec} }`)
const denyAll = policy("deny", "podSelector: {}")
const allowing = (port: string): string =>
  policy("web", `podSelector: { matchLabels: { app: web } }, ingress: [{ ports: [{ port: ${port} }] }]`)
const lossless = `${httpProbe("readinessProbe", "http")}, lifecycle: { preStop: { sleep: { seconds: 5 } } }`
const blocked = (title: string): ReadonlyArray<string> => [
  `${title} all requests from port 8080 of its Pods, which Service/web sends to`
]

const rows: ReadonlyArray<Mistake> = [
  {
    why: "a policy keeps all requests from all Pods",
    next: [web(), service("http"), denyAll],
    verdict: "risky",
    reasons: blocked("NetworkPolicy/deny keeps")
  },
  {
    why: "the port is that of the Service, not that of the Pods",
    next: [web(), service("http"), denyAll, allowing("80")],
    verdict: "risky",
    reasons: blocked("NetworkPolicy/deny and NetworkPolicy/web keep")
  },
  {
    why: "another policy lets requests reach the port",
    next: [web(), service("http"), denyAll, allowing("8080")],
    verdict: "ships"
  },
  { why: "the port has a name", next: [web(), service("http"), allowing("http")], verdict: "ships" },
  {
    why: "the port is in the range of the policy",
    next: [web(), service("http"), allowing("8000, endPort: 8100")],
    verdict: "ships"
  },
  {
    why: "the protocol is another one",
    next: [web(), service("http"), allowing("8080, protocol: UDP")],
    verdict: "risky",
    reasons: blocked("NetworkPolicy/web keeps")
  },
  {
    why: "the policy is about what the Pods send",
    next: [web(), service("http"), policy("deny", "podSelector: {}, policyTypes: [Egress]")],
    verdict: "ships"
  },
  {
    why: "the policy selects other Pods",
    next: [web(), service("http"), policy("db", "podSelector: { matchLabels: { app: db } }")],
    verdict: "ships"
  },
  { why: "no Service sends to the Pods", next: [web(), denyAll], verdict: "ships" },
  {
    why: "it was so before",
    next: [web({ container: lossless }), denyAll],
    from: [web({ container: lossless, image: "app:1" }), service("http"), denyAll],
    verdict: "ships"
  }
]

it.each(rows)("a workload is $verdict when $why", async (row) => {
  expect(await planMistake(row)).toEqual(row)
})
