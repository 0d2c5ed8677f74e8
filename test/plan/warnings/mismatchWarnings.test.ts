import { expect, it } from "vitest"
import { mismatchWarnings } from "../../../src/plan/warnings/mismatchWarnings.ts"
import { readManifests } from "../../../src/manifests/readManifests.ts"
import { budget, objectText, service, web } from "../verdicts/mistakenManifests.ts"

const on9090 = web().replace("8080", "9090")
const api = web({ name: "api" })
const ofTier = (tier: string) => web({ labels: `{ app: web, tier: ${tier} }` })
const oldTierBudget = budget("maxUnavailable: 1", "{ tier: old }")

const database = objectText(
  "apps/v1",
  "StatefulSet",
  "db",
  'spec: { serviceName: web, selector: { matchLabels: { app: db } }, template: { metadata: { labels: { app: db } }, spec: { containers: [{ name: db, image: "db:1" }] } } }'
)
const headless = service("8080", "db").replace("spec: {", "spec: { clusterIP: None,")

const unselecting = objectText("v1", "Service", "db", "spec: { ports: [{ port: 5432 }] }")
const external = objectText(
  "v1",
  "Service",
  "db",
  "spec: { type: ExternalName, externalName: db.example.com }"
)
const addresses = objectText(
  "discovery.k8s.io/v1",
  "EndpointSlice",
  "db-1",
  "addressType: IPv4, endpoints: [{ addresses: [10.1.2.3] }]"
).replace("name: db-1", "name: db-1, labels: { kubernetes.io/service-name: db }")
const ofNoPod = "Service/db has no selector, and no file has its EndpointSlice: it reaches no Pod by itself"

const podsOf = (kind: string): string => {
  const pod =
    "metadata: { name: it, labels: { app: db } }, spec: { containers: [{ name: db, image: a, ports: [{ containerPort: 5432 }] }] }"
  return kind === "Pod"
    ? `{ apiVersion: v1, kind: Pod, ${pod} }`
    : objectText("v1", kind, "it", `spec: { selector: { app: db }, template: { ${pod} } }`)
}

interface Row {
  readonly why: string
  readonly from: ReadonlyArray<string>
  readonly next: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<string>
}

it.each<Row>([
  {
    why: "a Service asks for a port that only the replaced Pods declare",
    from: [web(), service("8080")],
    next: [on9090, service("8080")],
    warnings: ["Service/web sends to port 8080, which no container that it selects declares"]
  },
  {
    why: "a Deployment that stays declares the Service's port",
    from: [api, web()],
    next: [on9090, service("8080")],
    warnings: []
  },
  {
    why: "a budget selects only the replaced Pods",
    from: [ofTier("old"), oldTierBudget],
    next: [ofTier("new"), oldTierBudget],
    warnings: ["PodDisruptionBudget/web selects no Pod of these files"]
  },
  {
    why: "a budget selects Pods of a Deployment that stays",
    from: [ofTier("old")],
    next: [oldTierBudget],
    warnings: []
  },
  {
    why: "a Service selects Pods of a ReplicationController",
    from: [],
    next: [api, podsOf("ReplicationController"), service("5432", "db")],
    warnings: []
  },
  {
    why: "a Service selects a Pod of its own",
    from: [],
    next: [api, podsOf("Pod"), service("5432", "db")],
    warnings: []
  },
  { why: "a new Service has no selector", from: [web()], next: [web(), unselecting], warnings: [ofNoPod] },
  {
    why: "a Service had no selector before",
    from: [web(), unselecting],
    next: [web(), unselecting],
    warnings: []
  },
  {
    why: "a file has the addresses of a Service without a selector",
    from: [],
    next: [web(), unselecting, addresses],
    warnings: []
  },
  { why: "a Service names a host elsewhere", from: [], next: [web(), external], warnings: [] },
  {
    why: "the governing Service of a StatefulSet becomes headless",
    from: [database, service("8080", "db")],
    next: [database, headless],
    warnings: []
  },
  {
    why: "the governing Service of a StatefulSet is no longer headless",
    from: [database, headless],
    next: [database, service("8080", "db")],
    warnings: ["StatefulSet/db names Service/web, which is not headless: its Pods have no names in DNS"]
  }
])("has the right warnings where $why", ({ from, next, warnings }) => {
  expect(mismatchWarnings(documentsOf(from), documentsOf(next))).toEqual(warnings)
})

const documentsOf = (texts: ReadonlyArray<string>) =>
  readManifests([{ name: "all.yaml", text: texts.join("\n---\n") }], { strict: true }).documents
