import { describe, expect, it } from "vitest"
import { apiVersionOf, servedKinds } from "../../../src/kubernetes/meta/kinds.ts"
import { withTestServer, type Json } from "../testServer.ts"

const listPathOf = ({ group, version, plural }: (typeof servedKinds)[number]): string =>
  group === "" ? `/api/${version}/${plural}` : `/apis/${group}/${version}/${plural}`

describe("a list", () => {
  it("has the list type of its kind, for every kind that can be listed", () =>
    withTestServer(async ({ request }) => {
      const listed = servedKinds.filter(({ verbs }) => verbs.includes("list"))
      for (const kind of listed) {
        const { code, json } = await request("GET", listPathOf(kind))
        expect([code, json.apiVersion, json.kind]).toEqual([200, apiVersionOf(kind), `${kind.kind}List`])
        expect(Array.isArray(json.items)).toBe(true)
      }
      expect(listed.length).toBeGreaterThan(50)
    }))
})

describe("the APIServices", () => {
  const path = "/apis/apiregistration.k8s.io/v1/apiservices"
  const priorities = { groupPriorityMinimum: 100, versionPriority: 100 }
  const names = (json: Json): ReadonlyArray<string> => json.items.map(({ metadata }: Json) => metadata.name)

  it("of each group and version that the server serves are there, available", () =>
    withTestServer(async ({ request }) => {
      const { json } = await request("GET", path)
      const versions = new Set(servedKinds.map(({ group, version }) => `${version}.${group}`))
      expect(names(json)).toEqual([...versions].toSorted())
      expect((await request("GET", `${path}/v1.apps`)).json).toMatchObject({
        apiVersion: "apiregistration.k8s.io/v1",
        kind: "APIService",
        metadata: { labels: { "kube-aggregator.kubernetes.io/automanaged": "onstart" } },
        spec: { group: "apps", version: "v1", groupPriorityMinimum: 17_800, versionPriority: 15 },
        status: { conditions: [{ type: "Available", status: "True", reason: "Local" }] }
      })
      expect((await request("GET", `${path}/v9.apps`)).code).toBe(404)
    }))

  it("that clients create come with them, by name, and obey selectors", () =>
    withTestServer(async ({ request }) => {
      const spec = {
        group: "metrics.k8s.io",
        version: "v1beta1",
        ...priorities,
        insecureSkipTLSVerify: true,
        service: { namespace: "kube-system", name: "metrics-server" }
      }
      const metadata = { name: "v1beta1.metrics.k8s.io", labels: { tier: "metrics" } }
      expect((await request("POST", path, { body: { metadata, spec } })).code).toBe(201)
      const { json } = await request("GET", path)
      expect(names(json)).toEqual(names(json).toSorted())
      expect(names(json)).toContain("v1beta1.metrics.k8s.io")
      const selected = await request("GET", `${path}?labelSelector=tier%3Dmetrics`)
      expect(names(selected.json)).toEqual(["v1beta1.metrics.k8s.io"])
      const one = await request("GET", `${path}?fieldSelector=metadata.name%3Dv1.apps`)
      expect(names(one.json)).toEqual(["v1.apps"])
    }))

  it("are listed once where a client has created one that the server also has, on an earlier page too", () =>
    withTestServer(async ({ request }) => {
      for (const group of ["apps", "batch"]) {
        const body = { metadata: { name: `v1.${group}` }, spec: { group, version: "v1", ...priorities } }
        expect((await request("POST", path, { body })).code).toBe(201)
      }
      const first = (await request("GET", `${path}?limit=1`)).json
      const last = (await request("GET", `${path}?limit=1&continue=${first.metadata.continue}`)).json
      expect(names(first)).toEqual(["v1.apps"])
      const all = [...names(first), ...names(last)]
      expect(all.toSorted()).toEqual(names((await request("GET", path)).json))
    }))
})
