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
