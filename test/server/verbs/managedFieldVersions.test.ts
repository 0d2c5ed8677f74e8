import { describe, expect, it } from "vitest"
import { openCluster } from "../../../src/index.ts"
import {
  cronTab,
  cronTabsPath,
  createDefinition,
  definitionWithTwoVersions
} from "../customResources/cronTabs.ts"
import { aDeployment, deployments, patchType } from "../apiObjects.ts"
import { withTestServer } from "../testServer.ts"
import type { Json } from "../testServer.ts"

const core = "/api/v1/namespaces/default/events"
const newer = "/apis/events.k8s.io/v1/namespaces/default/events"

/** Entries as `us Update events.k8s.io/v1: .note .reason`. */
const managersOf = ({ metadata }: Json): ReadonlyArray<string> =>
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

describe("managedFields", () => {
  it("record an event in the version that was written, whose field names differ from the other version's", () =>
    withTestServer(async ({ request }) => {
      const { json } = await request("POST", `${newer}?fieldManager=us`, { body: event })
      expect(managersOf(json)).toEqual(["us Update events.k8s.io/v1: .note .reason .regarding .type"])
      const headers = patchType.merge
      const again = await request("PATCH", `${newer}/seen?fieldManager=us`, {
        body: { note: "Again." },
        headers
      })
      expect(managersOf(again.json)).toEqual(["us Update events.k8s.io/v1: .note .reason .regarding .type"])
      const body = { message: "Once more.", count: 7 }
      const old = await request("PATCH", `${core}/seen?fieldManager=them`, { body, headers })
      expect(managersOf(old.json)).toEqual([
        "them Update v1: .count .message",
        "us Update events.k8s.io/v1: .reason .regarding .type"
      ])
      const last = await request("PATCH", `${newer}/seen?fieldManager=us`, { body: { note: "No." }, headers })
      expect(managersOf(last.json)).toEqual([
        "them Update v1: .count",
        "us Update events.k8s.io/v1: .note .reason .regarding .type"
      ])
    }))

  it("record a custom object in the version that was written", () =>
    withTestServer(async (server) => {
      await createDefinition(server, definitionWithTwoVersions())
      const old = cronTabsPath.replace("/v1/", "/v1beta1/")
      const body = { ...cronTab({}, "old"), apiVersion: "stable.example.com/v1beta1" }
      const { json } = await server.request("POST", `${old}?fieldManager=us`, { body })
      expect(managersOf(json)).toEqual(["us Update stable.example.com/v1beta1: .spec"])
    }))
})

describe("cluster.apply", () => {
  it("records the manager charthouse, which a conflicting apply on the server names", async () => {
    await using cluster = await openCluster()
    await cluster.apply(aDeployment())
    const { url, token } = await cluster.serve({ tls: false })
    const headers = { authorization: `Bearer ${token}`, ...patchType.apply }
    const applyReplicas = async (
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
    expect((await applyReplicas("scaler", 7)).message).toBe(
      'Apply failed with 1 conflict: conflict with "charthouse" using apps/v1: .spec.replicas'
    )
    const edited = await applyReplicas("editor", 9, patchType.merge)
    expect(managersOf(edited)).toEqual([
      "charthouse Update apps/v1: .metadata .spec",
      "editor Update apps/v1: .spec",
      "kube-controller-manager Update apps/v1: .metadata .status"
    ])
    await cluster.apply(aDeployment({ spec: { replicas: 5 } }))
    const taken = await cluster.get({ resource: "deployments.apps", name: "web" })
    expect(managersOf(taken)).toEqual([
      "charthouse Update apps/v1: .metadata .spec",
      "kube-controller-manager Update apps/v1: .metadata .status"
    ])
  })

  it("leaves an unchanged object as it is", async () => {
    await using cluster = await openCluster()
    const [first] = await cluster.apply(aDeployment())
    await cluster.advance("1m")
    const live = await cluster.get({ resource: "deployments.apps", name: "web" })
    const [second] = await cluster.apply(aDeployment())
    expect([first?.outcome, second?.outcome, second?.object]).toEqual(["created", "unchanged", live])
  })
})
