import { describe, expect, it } from "vitest"
import { openCluster } from "../../src/index.ts"
import { cronTab, cronTabs, define, inTwoVersions } from "./cronTabs.ts"
import { aDeployment, deployments, patchType } from "./drafts.ts"
import { inWorld } from "./world.ts"
import type { Json } from "./world.ts"

const core = "/api/v1/namespaces/default/events"
const newer = "/apis/events.k8s.io/v1/namespaces/default/events"

/** `us Update events.k8s.io/v1: .note .reason`, one for each entry. */
const records = ({ metadata }: Json): ReadonlyArray<string> =>
  metadata.managedFields.map(({ manager, operation, apiVersion, fieldsV1 }: Json) => {
    const fields = Object.keys(fieldsV1).map((field) => field.replace("f:", "."))
    return `${manager} ${operation} ${apiVersion}: ${fields.join(" ")}`
  })

const event = {
  metadata: { name: "seen" },
  regarding: { kind: "Pod", name: "p", namespace: "default" },
  reason: "Seen",
  note: "It was seen.",
  type: "Normal"
}

describe("who has written what is recorded", () => {
  it("in the version it was written in, whose names another version does not know", () =>
    inWorld(async ({ request }) => {
      const { json } = await request("POST", `${newer}?fieldManager=us`, { body: event })
      expect(records(json)).toEqual(["us Update events.k8s.io/v1: .note .reason .regarding .type"])
      const headers = patchType.merge
      const again = await request("PATCH", `${newer}/seen?fieldManager=us`, {
        body: { note: "Again." },
        headers
      })
      expect(records(again.json)).toEqual(["us Update events.k8s.io/v1: .note .reason .regarding .type"])
      const body = { message: "Once more.", count: 7 }
      const old = await request("PATCH", `${core}/seen?fieldManager=them`, { body, headers })
      expect(records(old.json)).toEqual([
        "them Update v1: .count .message",
        "us Update events.k8s.io/v1: .reason .regarding .type"
      ])
      const last = await request("PATCH", `${newer}/seen?fieldManager=us`, { body: { note: "No." }, headers })
      expect(records(last.json)).toEqual([
        "them Update v1: .count",
        "us Update events.k8s.io/v1: .note .reason .regarding .type"
      ])
    }))

  it("of a custom object in the version it was written in", () =>
    inWorld(async (world) => {
      await define(world, inTwoVersions())
      const old = cronTabs.replace("/v1/", "/v1beta1/")
      const body = { ...cronTab({}, "old"), apiVersion: "stable.example.com/v1beta1" }
      const { json } = await world.request("POST", `${old}?fieldManager=us`, { body })
      expect(records(json)).toEqual(["us Update stable.example.com/v1beta1: .spec"])
    }))
})

describe("what a program applies", () => {
  it("is recorded as written by charthouse, so that who applies on the server is told whose it is", async () => {
    await using cluster = await openCluster()
    await cluster.apply(aDeployment())
    const { url, token = "" } = await cluster.serve({ tls: false })
    const headers = { authorization: `Bearer ${token}`, ...patchType.apply }
    const asked = async (
      manager: string,
      replicas: number,
      type = patchType.apply as object
    ): Promise<Json> => {
      const reply = await fetch(`${url}${deployments}/web?fieldManager=${manager}`, {
        method: "PATCH",
        headers: { ...headers, ...type },
        body: JSON.stringify(aDeployment({ spec: { replicas } }))
      })
      return reply.json()
    }
    expect((await asked("scaler", 7)).message).toBe(
      'Apply failed with 1 conflict: conflict with "charthouse" using apps/v1: .spec.replicas'
    )
    const edited = await asked("editor", 9, patchType.merge)
    expect(records(edited)).toEqual([
      "charthouse Update apps/v1: .metadata .spec",
      "editor Update apps/v1: .spec",
      "kube-controller-manager Update apps/v1: .metadata .status"
    ])
    await cluster.apply(aDeployment({ spec: { replicas: 5 } }))
    const taken = await cluster.get({ resource: "deployments.apps", name: "web" })
    expect(records(taken)).toEqual([
      "charthouse Update apps/v1: .metadata .spec",
      "kube-controller-manager Update apps/v1: .metadata .status"
    ])
  })

  it("again and unchanged leaves the object as it is", async () => {
    await using cluster = await openCluster()
    const [first] = await cluster.apply(aDeployment())
    await cluster.advance("1m")
    const live = await cluster.get({ resource: "deployments.apps", name: "web" })
    const [second] = await cluster.apply(aDeployment())
    expect([first?.outcome, second?.outcome, second?.object]).toEqual(["created", "unchanged", live])
  })
})
