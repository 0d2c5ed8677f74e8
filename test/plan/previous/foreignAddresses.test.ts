import { expect, it } from "vitest"
import { objectText, service, web } from "../verdicts/mistakenManifests.ts"
import { plan } from "../../../src/plan/plan.ts"
import { readManifests } from "../../../src/manifests/readManifests.ts"
import { withoutForeignAddress } from "../../../src/plan/previous/foreignAddresses.ts"

const documentsOf = (text: string) =>
  readManifests([{ name: "all.yaml", text }], { strict: true }).documents.map(withoutForeignAddress)

const addressed = (address: string): string =>
  service("http").replace("spec: {", `spec: { clusterIP: "${address}",`)

it.each([
  { why: "the range of a plan has it", address: "10.96.0.10", kept: "10.96.0.10" },
  { why: "the range of another cluster has it", address: "172.20.3.4", kept: undefined },
  { why: "it is of IPv6", address: "fd00::1", kept: undefined },
  { why: "the Service is headless", address: "None", kept: "None" }
])("keeps $kept of a Service's address where $why", ({ address, kept }) => {
  expect(documentsOf(addressed(address))).toMatchObject([
    {
      draft: {
        spec: kept === undefined ? expect.not.objectContaining({ clusterIP: address }) : { clusterIP: kept }
      },
      rawFields: { spec: { selector: { app: "web" } } }
    }
  ])
})

it("leaves other objects as they are", () => {
  const document = documentsOf(objectText("v1", "ConfigMap", "web", "data: { clusterIP: 1.2.3.4 }"))
  expect(document).toMatchObject([{ rawFields: { data: { clusterIP: "1.2.3.4" } } }])
})

it("plans Services with addresses of another cluster, before and after", async () => {
  const next = [web(), addressed("172.20.3.4")].join("\n---\n")
  const planned = await plan({ next, from: next.replace("app:2", "app:1"), seeds: 1 })
  expect(planned.verdicts).toMatchObject([{ name: "web", verdict: "risky" }])
})
