import { describe, expect, it } from "vitest"
import { fieldsOrEmpty } from "../../../src/kubernetes/meta/fields.ts"
import { objectText, service, web } from "../verdicts/mistakenManifests.ts"
import { plan } from "../../../src/plan/plan.ts"
import { readManifests } from "../../../src/manifests/readManifests.ts"
import { withoutForeignAddresses } from "../../../src/plan/previous/foreignAddresses.ts"

const documentsOf = (text: string) => readManifests([{ name: "all.yaml", text }], { strict: true }).documents

const addressed = (address: string): string =>
  service("http").replace("spec: {", `spec: { clusterIP: "${address}",`)

const addressIn = (documents: ReturnType<typeof documentsOf>): unknown => {
  const [{ draft, rawFields } = {}] = documents
  expect(draft).toMatchObject({ spec: rawFields?.["spec"] })
  return fieldsOrEmpty(rawFields?.["spec"])["clusterIP"]
}

const ours = "10.96.0.10"
const theirs = "172.20.3.4"

describe("a Service's address", () => {
  it.each([
    { why: "the range of a plan has it", before: undefined, after: ours, kept: ours },
    { why: "the range of another cluster has it", before: undefined, after: theirs, kept: undefined },
    { why: "it is of IPv6", before: undefined, after: "fd00::1", kept: undefined },
    { why: "the Service is headless", before: undefined, after: "None", kept: "None" },
    { why: "it stays the same", before: theirs, after: theirs, kept: undefined },
    { why: "it stays the same in the plan's range", before: ours, after: ours, kept: undefined },
    { why: "the Service stays headless", before: "None", after: "None", kept: "None" },
    { why: "it changes", before: theirs, after: "172.20.3.5", kept: "172.20.3.5" },
    { why: "it changes from one of the plan's range", before: ours, after: theirs, kept: theirs },
    { why: "the Service was headless", before: "None", after: theirs, kept: theirs }
  ])("is $kept in the end where $why", ({ before, after, kept }) => {
    const from = before === undefined ? undefined : documentsOf(addressed(before))
    const result = withoutForeignAddresses({ from, next: documentsOf(addressed(after)) })
    expect(addressIn([...result.next])).toBe(kept)
    if (before !== undefined)
      expect(addressIn([...(result.from ?? [])])).toBe(before === "None" ? before : undefined)
  })

  it("is no field of another kind of object", () => {
    const next = documentsOf(objectText("v1", "ConfigMap", "web", "data: { clusterIP: 1.2.3.4 }"))
    expect(withoutForeignAddresses({ from: undefined, next }).next).toEqual(next)
  })
})

describe("a plan of a Service with an address", () => {
  const manifests = (address: string, image: string): string =>
    [web({ image }), addressed(address)].join("\n---\n")
  const exported = (address: string): string =>
    manifests(address, "app:1").replace(
      "kind: Service, metadata: { name: web }",
      "kind: Service, metadata: { name: web, uid: service-1, resourceVersion: '7' }"
    )

  it.each([
    { why: "another cluster", from: manifests(theirs, "app:1"), address: theirs },
    { why: "an export of another cluster", from: exported(theirs), address: theirs },
    { why: "an export of a cluster of the plan's range", from: exported(ours), address: ours }
  ])("takes one of $why, before and after", async ({ from, address }) => {
    const planned = await plan({ next: manifests(address, "app:2"), from, seeds: 1 })
    expect(planned.verdicts).toMatchObject([{ name: "web", verdict: "risky" }])
  })

  it("takes one that it would itself assign to another Service before", async () => {
    const first = service("http").replace("name: web }", "name: first }")
    const from = [first, exported("10.96.1.1")].join("\n---\n")
    const planned = await plan({ next: web(), from, seeds: 1 })
    expect(planned.verdicts).toMatchObject([{ name: "web", verdict: "risky" }])
  })

  it.each([
    { why: "of another cluster", from: manifests(theirs, "app:1"), address: "172.20.3.5" },
    { why: "of an export", from: exported(ours), address: "10.96.0.11" },
    { why: "that no cluster of one range has", from: exported(ours), address: theirs }
  ])("refuses a change to an address $why, as a cluster does", async ({ from, address }) => {
    const planned = plan({ next: manifests(address, "app:2"), from, seeds: 1 })
    const refusal = `The Service "web" is invalid: spec.clusterIPs[0]: Invalid value: ["${address}"]: may not change once set`
    await expect(planned).rejects.toThrow(refusal)
  })
})
