import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { aConfigMap, configMaps, deployments, namesIn, patchType, statusSummary } from "../apiObjects.ts"
import { expireHistory } from "./expireHistory.ts"
import { withTestServer, openTestServer } from "../testServer.ts"
import type { Json, TestServer } from "../testServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
  for (const name of ["e", "a", "d", "b", "c"]) {
    const body = aConfigMap(name, { key: name }, { labels: { part: name < "c" ? "first" : "second" } })
    await server.request("POST", `/api/v1/namespaces/kube-public/configmaps`, { body })
  }
})
afterAll(() => server.close())

const publicConfigMaps = "/api/v1/namespaces/kube-public/configmaps"
const labelledConfigMaps = `${publicConfigMaps}?labelSelector=part`
const list = (path: string) => server.request("GET", path)

describe("a list", () => {
  it("has its kind and the current version, and its items are sorted and have no kind", async () => {
    const { code, json } = await list(labelledConfigMaps)
    expect(code).toBe(200)
    expect(json).toMatchObject({ kind: "ConfigMapList", apiVersion: "v1" })
    expect(json.items.map(({ metadata }: Json) => metadata.name)).toEqual(["a", "b", "c", "d", "e"])
    expect(Object.keys(json.items[0]).sort()).toEqual(["data", "metadata"])
    const single = await list(`${publicConfigMaps}/a`)
    expect(json.items[0]).toEqual({ ...single.json, kind: undefined, apiVersion: undefined })
    expect(Number(json.metadata.resourceVersion)).toBeGreaterThanOrEqual(
      Math.max(...json.items.map(({ metadata }: Json) => Number(metadata.resourceVersion)))
    )
  })

  it("without objects has an empty array of items", async () => {
    const { json } = await list(deployments)
    expect(json).toEqual({
      kind: "DeploymentList",
      apiVersion: "apps/v1",
      metadata: { resourceVersion: json.metadata.resourceVersion },
      items: []
    })
  })

  it("across namespaces contains the objects of all", async () => {
    const { json } = await list("/api/v1/configmaps?labelSelector=part=first")
    expect(json.items.map(({ metadata }: Json) => `${metadata.namespace}/${metadata.name}`)).toEqual([
      "kube-public/a",
      "kube-public/b"
    ])
  })

  it("in a missing namespace is empty", async () => {
    const { code, json } = await list("/api/v1/namespaces/nowhere/configmaps")
    expect([code, json.items]).toEqual([200, []])
  })
})

describe("a list of many bytes", () => {
  const largeMaps = "/api/v1/namespaces/kube-node-lease/configmaps"
  const text = "x".repeat(100_000)
  const listLarge = (query: string) =>
    list(`${largeMaps}?fieldSelector=metadata.name!=kube-root-ca.crt${query}`)
  beforeAll(async () => {
    for (let index = 10; index < 22; index += 1)
      await server.request("POST", largeMaps, { body: aConfigMap(`large-${index}`, { text }) })
  })

  it("is sent whole, at its version, while others write", async () => {
    const [listed] = await Promise.all([listLarge(""), server.request("DELETE", `${largeMaps}/large-21`)])
    const { json, headers } = listed
    expect(Number(headers["content-length"])).toBe(Buffer.byteLength(listed.text))
    const deletedBefore =
      (await listLarge("")).json.metadata.resourceVersion === json.metadata.resourceVersion
    expect(json.items).toHaveLength(deletedBefore ? 11 : 12)
    for (const { data } of json.items) expect(data.text).toBe(text)
  })

  it("is sent indented when the client asks for that", async () => {
    const { json, text: body } = await listLarge("&pretty=true")
    expect(body).toBe(`${JSON.stringify(json, undefined, 2)}\n`)
  })
})

describe("a list in pages", () => {
  const pages = async (path: string, limit: number): Promise<ReadonlyArray<Json>> => {
    const all: Array<Json> = []
    let token = ""
    do {
      const { json } = await list(`${path}limit=${limit}${token === "" ? "" : `&continue=${token}`}`)
      all.push(json)
      token = json.metadata.continue ?? ""
    } while (token !== "")
    return all
  }

  it.each([1, 2, 3, 5, 6])("of %i shows each object once", async (limit) => {
    const { json: whole } = await list(`${publicConfigMaps}?fieldSelector=metadata.name!=kube-root-ca.crt`)
    const all = await pages(`${publicConfigMaps}?fieldSelector=metadata.name!=kube-root-ca.crt&`, limit)
    expect(all.flatMap(({ items }) => items)).toEqual(whole.items)
    expect(all).toHaveLength(Math.ceil(5 / limit))
  })

  it("has remainingItemCount only without a selector", async () => {
    const total = (await list(publicConfigMaps)).json.items.length
    const first = await list(`${publicConfigMaps}?limit=2`)
    expect(first.json.metadata.remainingItemCount).toBe(total - 2)
    const selective = await list(`${labelledConfigMaps}&limit=2`)
    expect(selective.json.metadata.remainingItemCount).toBeUndefined()
    expect(selective.json.metadata.continue).toMatch(/./)
  })

  it("shows on each page the state at the first page", () =>
    withTestServer(async ({ request }) => {
      for (const name of ["a", "b", "c", "d"]) await request("POST", configMaps, { body: aConfigMap(name) })
      const first = await request("GET", `${configMaps}?limit=2`)
      await request("DELETE", `${configMaps}/c`)
      await request("POST", configMaps, { body: aConfigMap("cc") })
      await request("PATCH", `${configMaps}/d`, { body: { data: { key: "new" } }, headers: patchType.merge })
      const { continue: token, resourceVersion } = first.json.metadata
      const second = await request("GET", `${configMaps}?limit=7&continue=${token}`)
      expect(namesIn(first).concat(namesIn(second))).toEqual(expect.arrayContaining(["a", "b", "c", "d"]))
      expect(namesIn(second)).not.toContain("cc")
      expect(second.json.items.find(({ metadata }: Json) => metadata.name === "d").data).toEqual({
        key: "value"
      })
      expect(second.json.metadata.resourceVersion).toBe(resourceVersion)
    }))

  it("can continue from the current state after its token has expired", () =>
    withTestServer(async ({ request, cluster }) => {
      for (const name of ["a", "b", "c", "d"]) await request("POST", configMaps, { body: aConfigMap(name) })
      const { json: first } = await request("GET", `${configMaps}?limit=2`)
      await request("POST", configMaps, { body: aConfigMap("z") })
      await expireHistory(cluster)
      const old = `${configMaps}?limit=7&continue=${first.metadata.continue}`
      const expired = await request("GET", old)
      expect(statusSummary(expired)).toEqual({
        code: 410,
        reason: "Expired",
        message: expect.stringMatching(
          /^The provided continue parameter is too old to display a consistent list result\. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results\. Continuing with the provided token results in an inconsistent list - /
        )
      })
      const more = await request("GET", `${configMaps}?limit=7&continue=${expired.json.metadata.continue}`)
      expect(namesIn(more)).toContain("z")
      expect(namesIn(more)).not.toContain("a")
      const exact = `${configMaps}?resourceVersion=${first.metadata.resourceVersion}&resourceVersionMatch=Exact`
      expect(statusSummary(await request("GET", exact))).toEqual({
        code: 410,
        reason: "Expired",
        message: "The resourceVersion for the provided list is too old."
      })
    }))
})

describe("the version of a list", () => {
  it("is the newest by default and with resourceVersion=0, or not older than the given one", async () => {
    const { resourceVersion } = (await list(publicConfigMaps)).json.metadata
    for (const query of [
      "",
      "?resourceVersion=0",
      "?resourceVersion=1",
      `?resourceVersion=${resourceVersion}`
    ]) {
      const { code, json } = await list(`${publicConfigMaps}${query}`)
      expect([code, json.metadata.resourceVersion]).toEqual([200, resourceVersion])
    }
  })

  it("is an old one with resourceVersionMatch=Exact", () =>
    withTestServer(async ({ request }) => {
      await request("POST", configMaps, { body: aConfigMap("a") })
      const { json: before } = await request("GET", configMaps)
      await request("DELETE", `${configMaps}/a`)
      const version = before.metadata.resourceVersion
      const then = await request("GET", `${configMaps}?resourceVersion=${version}&resourceVersionMatch=Exact`)
      expect(then.json).toEqual(before)
      const now = await request(
        "GET",
        `${configMaps}?resourceVersion=${version}&resourceVersionMatch=NotOlderThan`
      )
      expect(namesIn(now)).not.toContain("a")
    }))

  it("is refused with 504 when the cluster has not reached it", async () => {
    const { resourceVersion } = (await list(publicConfigMaps)).json.metadata
    const { code, json, headers } = await list(`${publicConfigMaps}?resourceVersion=999999`)
    expect(code).toBe(504)
    expect(headers["retry-after"]).toBe("1")
    expect(json).toMatchObject({
      reason: "Timeout",
      message: `Timeout: Too large resource version: 999999, current: ${resourceVersion}`,
      details: {
        causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
        retryAfterSeconds: 1
      }
    })
  })

  const match = "resourceVersionMatch"
  it.each([
    {
      query: `${match}=NotOlderThan`,
      causes: [`${match}: Forbidden: ${match} is forbidden unless resourceVersion is provided`],
      why: "a match without a version"
    },
    {
      query: `${match}=Newer&resourceVersion=1`,
      causes: [`${match}: Unsupported value: "Newer": supported values: "Exact", "NotOlderThan", ""`],
      why: "an unknown match"
    },
    {
      query: `${match}=Exact&resourceVersion=0`,
      causes: [`${match}: Forbidden: ${match} "exact" is forbidden for resourceVersion "0"`],
      why: "exactly version 0"
    },
    {
      query: `${match}=Exact&continue=x`,
      causes: [
        `${match}: Forbidden: ${match} is forbidden unless resourceVersion is provided`,
        `${match}: Forbidden: ${match} is forbidden when continue is provided`
      ],
      why: "a match with a continue token and no version, all mistakes told"
    },
    {
      query: "sendInitialEvents=true",
      causes: ["sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"],
      why: "sendInitialEvents without a watch"
    }
  ])("is refused with $why", async ({ query, causes }) => {
    const reply = await list(`${publicConfigMaps}?${query}`)
    const all = causes.length === 1 ? causes[0] : `[${causes.join(", ")}]`
    expect(statusSummary(reply)).toEqual({
      code: 422,
      reason: "Invalid",
      message: `ListOptions.meta.k8s.io "" is invalid: ${all}`
    })
    expect(reply.json.details).toMatchObject({ group: "meta.k8s.io", kind: "ListOptions" })
    expect(reply.json.details.causes.map(({ field, message }: Json) => `${field}: ${message}`)).toEqual(
      causes
    )
  })

  it.each([
    {
      query: "resourceVersion=abc",
      message: 'Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
      why: "a version that is no number"
    },
    {
      query: "continue=abc",
      message:
        "invalid continue token: continue key is not valid: invalid character 'i' looking for beginning of value",
      why: "a foreign continue token"
    },
    {
      query: "continue=a.b",
      message: "invalid continue token: continue key is not valid: illegal base64 data at input byte 1",
      why: "a continue token that is no base64"
    },
    {
      query: "continue=e30",
      message:
        "invalid continue token: continue key is not valid: server does not recognize this encoded version ",
      why: "a continue token without a version"
    },
    {
      query: `continue=${Buffer.from('{"v":"meta.k8s.io/v1","rv":999999,"start":"a"}').toString("base64url")}`,
      message: "invalid continue token: continue key is not valid",
      why: "a continue token of a future version"
    },
    {
      query: "limit=many",
      message: 'strconv.ParseInt: parsing "many": invalid syntax',
      why: "a limit that is no number"
    },
    {
      query: "timeoutSeconds=soon",
      message: 'strconv.ParseInt: parsing "soon": invalid syntax',
      why: "a timeout that is no number"
    },
    {
      query: "continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhIn0&resourceVersion=7",
      message: "specifying resource version is not allowed when using continue",
      why: "a page at another version than its list"
    }
  ])("is refused as a bad request with $why", async ({ query, message }) => {
    const { code, json } = await list(`${publicConfigMaps}?${query}`)
    expect([code, json.reason]).toEqual([400, "BadRequest"])
    expect(json.message).toMatch(message)
  })

  it("is one line of JSON if pretty is no boolean", async () => {
    const { code, text } = await list(`${publicConfigMaps}?pretty=perhaps`)
    expect([code, text.trim().includes("\n")]).toEqual([200, false])
  })

  it("is not limited with a negative limit", async () => {
    expect((await list(`${labelledConfigMaps}&limit=-1`)).json.items).toHaveLength(5)
  })
})
