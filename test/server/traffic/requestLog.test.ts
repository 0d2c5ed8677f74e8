import { describe, expect, it } from "vitest"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { configMap, openTraffic, paths, web } from "./recordedTraffic.ts"
import type { RequestFilter } from "../../../src/server/traffic/requestFilters.ts"

describe("the request log", () => {
  it("has verb, resource, body, code and time of each request, in order", async () => {
    await using world = await openTraffic()
    await world.ask("POST", paths.deployments, { body: web(3) })
    await world.cluster.advance("90s")
    await world.ask("GET", `${paths.pods}?labelSelector=app%3Dweb&limit=2`, {
      agent: "kubectl/v1.36.0 (linux)"
    })
    await world.ask("PATCH", `${paths.deployments}/web/scale`, {
      body: { spec: { replicas: 1 } },
      type: "application/merge-patch+json"
    })
    await world.ask("PUT", `${paths.configMaps}/none`, {
      body: "kind: ConfigMap\n",
      type: "application/yaml"
    })
    await world.ask("DELETE", paths.configMaps)
    await world.ask("GET", "/apis/batch.example/v2/jobs/one")
    const all = world.requests.all()
    expect(all.map(({ verb, resource, code }) => `${verb} ${resource} ${code}`)).toEqual([
      "create deployments.apps 201",
      "list pods 200",
      "patch deployments.apps 200",
      "update configmaps 400",
      "deletecollection configmaps 200",
      "get jobs.batch.example 404"
    ])
    expect(all[0]).toMatchObject({ number: 1, group: "apps", version: "v1", name: "web", body: web(3) })
    expect(all[0]).toMatchObject({
      at: "2026-01-01T00:00:00.000Z",
      namespace: "default",
      subresource: undefined
    })
    expect(all[1]).toMatchObject({ at: "2026-01-01T00:01:30.000Z", userAgent: "kubectl/v1.36.0 (linux)" })
    expect(all[1]?.query).toEqual({ labelSelector: "app=web", limit: "2" })
    expect(all[2]).toMatchObject({ subresource: "scale", contentType: "application/merge-patch+json" })
    expect(all[2]?.body).toEqual({ spec: { replicas: 1 } })
    expect(all[3]?.body).toEqual({ kind: "ConfigMap" })
  })

  it("has no requests of the library, for discovery, or without the token", async () => {
    await using world = await openTraffic()
    await world.cluster.create(configMap("mine"))
    await world.cluster.list("pods")
    await world.ask("GET", "/apis")
    await fetch(`${world.url}${paths.pods}`)
    expect(world.requests.seen()).toBe(0)
  })

  const filters: ReadonlyArray<{
    readonly why: string
    readonly filter: RequestFilter
    readonly numbers: ReadonlyArray<number>
  }> = [
    { why: "an empty filter matches all", filter: {}, numbers: [1, 2, 3, 4, 5] },
    { why: "by verb", filter: { verb: "create" }, numbers: [1, 2] },
    { why: "by several verbs", filter: { verb: ["patch", "watch"] }, numbers: [3, 5] },
    { why: "by resource", filter: { resource: "deployments.apps" }, numbers: [2, 3] },
    { why: "by name, of created objects too", filter: { name: "web" }, numbers: [2, 3] },
    { why: "by a pattern", filter: { name: /^a/ }, numbers: [1, 4] },
    { why: "by subresource", filter: { subresource: "status" }, numbers: [3] },
    { why: "without subresource", filter: { resource: "deployments.apps", subresource: "" }, numbers: [2] },
    { why: "by user agent", filter: { userAgent: "kubectl" }, numbers: [4] },
    { why: "by namespace", filter: { namespace: "other" }, numbers: [5] },
    { why: "no match", filter: { verb: "delete", name: "web" }, numbers: [] }
  ]
  it("is filtered by all fields of a filter together", async () => {
    await using world = await openTraffic()
    await world.ask("POST", paths.configMaps, { body: configMap("a") })
    await world.ask("POST", paths.deployments, { body: web(0) })
    await world.ask("PATCH", `${paths.deployments}/web/status`, {
      body: [],
      type: "application/json-patch+json"
    })
    await world.ask("GET", `${paths.configMaps}/a`, { agent: "kubectl/v1.36.0" })
    await world.ask("GET", "/api/v1/namespaces/other/pods?watch=true&timeoutSeconds=1&resourceVersion=0x")
    for (const { why, filter, numbers } of filters) {
      const found = world.requests.all(filter).map(({ number }) => number)
      expect({ why, found }).toEqual({ why, found: numbers })
    }
  })

  const invalidFilters: ReadonlyArray<readonly [filter: object, words: string]> = [
    [
      { verb: "fetch" },
      '"fetch" is no verb; the verbs are create, delete, deletecollection, get, list, patch, update, watch'
    ],
    [{ resource: "deployments" }, '"deployments" is no resource; did you mean "deployments.apps"?'],
    [{ resource: "deploy" }, '"deploy" is no resource; did you mean "deployments.apps"?'],
    [{ resource: ["pods", ""] }, 'resource must be a text such as "deployments.apps", not ""'],
    [
      { kind: "Pod" },
      '"kind" is no field of a request; the fields are verb, resource, subresource, namespace, name, userAgent, user'
    ],
    [{ name: 7 }, "name must be a text or a pattern, not 7"],
    [{ namespace: /x/ }, "namespace must be a text, not /x/"],
    [{ name: 7n }, "name must be a text or a pattern, not 7"],
    [
      { verb: /get/ },
      "/get/ is no verb; the verbs are create, delete, deletecollection, get, list, patch, update, watch"
    ],
    [{ resource: /pods/ }, 'resource must be a text such as "deployments.apps", not /pods/'],
    [{ verb: [] }, "verb must not be an empty list: without it, requests of every verb match"],
    [{ resource: [] }, "resource must not be an empty list: without it, requests of every resource match"]
  ]
  it("refuses a filter that cannot match, with the reason", async () => {
    await using cluster = await openCluster()
    for (const [filter, words] of invalidFilters) {
      expect(() => cluster.requests.all(filter)).toThrow(new TypeError(words))
      expect(() => cluster.intercept(filter, () => {})).toThrow(new TypeError(words))
    }
  })

  it("redacts the values of Secrets and tokens", async () => {
    await using world = await openTraffic()
    const kept = {
      "kubectl.kubernetes.io/last-applied-configuration": '{"data":{"password":"aHVudGVyMg=="}}',
      a: "b"
    }
    const secret = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "s", annotations: kept },
      data: { password: "aHVudGVyMg==" },
      stringData: { user: "hunter2" }
    }
    await world.ask("POST", paths.secrets, { body: secret })
    await world.ask("PATCH", `${paths.secrets}/s`, {
      body: [{ op: "replace", path: "/data/password", value: "aHVudGVyMg==" }],
      type: "application/json-patch+json"
    })
    await world.ask("PATCH", `${paths.secrets}/s`, {
      body: { data: { password: null, other: "aHVudGVyMg==" } },
      type: "application/merge-patch+json"
    })
    await world.ask("PUT", `${paths.secrets}/s`, { body: '{"data": hunter2 aHVudGVyMg==' })
    await world.ask("POST", "/apis/authentication.k8s.io/v1/tokenreviews", {
      body: { spec: { token: "hunter2" } }
    })
    const [created, , merged] = world.requests.all()
    expect(created?.body).toMatchObject({ metadata: { name: "s", annotations: { a: "b" } } })
    expect(Object.keys(created?.body as object)).toEqual(Object.keys(secret))
    expect(merged?.body).toEqual({ data: { password: null, other: "(redacted)" } })
    expect(JSON.stringify(world.requests.all())).not.toMatch(/hunter2|aHVudGVyMg/)
    expect(world.requests.all()).toHaveLength(5)
    const [stored] = (await world.cluster.list("secrets", { namespace: "default" })).items
    expect(stored).toMatchObject({ data: { other: "aHVudGVyMg==" } })
  })

  it("keeps the newest requests, counts the dropped ones, and can be cleared", async () => {
    await using world = await openTraffic({ requestsKept: 3 })
    for (const name of ["a", "b", "c", "d", "e", "f", "g", "h"])
      await world.ask("GET", `${paths.pods}/${name}`)
    expect(world.requests.all().map(({ name }) => name)).toEqual(["f", "g", "h"])
    expect([world.requests.dropped(), world.requests.seen()]).toEqual([5, 8])
    world.requests.clear()
    expect([world.requests.all().length, world.requests.dropped(), world.requests.seen()]).toEqual([0, 0, 8])
    await world.ask("GET", `${paths.pods}/i`)
    expect(world.requests.all().map(({ number, name }) => `${number} ${name}`)).toEqual(["9 i"])
  })

  it("keeps no requests with requestsKept 0, and refuses less", async () => {
    await using world = await openTraffic({ requestsKept: 0 })
    await world.ask("GET", paths.pods)
    expect([world.requests.all().length, world.requests.seen()]).toEqual([0, 1])
    await expect(openCluster({ requestsKept: -1 })).rejects.toThrow(
      "requestsKept must be an integer from 0 on, not -1"
    )
  })

  it("resolves next() when the next matching request has been answered", async () => {
    await using world = await openTraffic()
    await world.ask("POST", paths.configMaps, { body: configMap("before") })
    const next = world.requests.next({ verb: "create", resource: "configmaps" })
    await world.ask("GET", paths.configMaps)
    await world.ask("POST", paths.configMaps, { body: configMap("after") })
    expect(await next).toMatchObject({ name: "after", code: 201 })
  })

  it("rejects next() when the cluster is closed", async () => {
    const server = await openTraffic()
    const next = server.requests.next()
    await server.stop()
    await expect(next).rejects.toThrow("the cluster was closed before such a request came")
  })
})
