import { parse } from "yaml"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { aDeployment, asTable, configMaps, deployments } from "../apiObjects.ts"
import { openTestServer } from "../testServer.ts"
import type { Json, TestServer } from "../testServer.ts"

let server: TestServer
let made: Json
const web = `${deployments}/web`
beforeAll(async () => {
  server = await openTestServer()
  await server.request("POST", deployments, { body: aDeployment() })
  made = (await server.request("GET", web)).json
})
afterAll(() => server.close())

const get = (path: string, accept: string) => server.request("GET", path, { headers: { accept } })
const meta = (what: string): string => `application/json;as=${what};v=v1;g=meta.k8s.io`

describe("an answer", () => {
  it.each([
    { accept: "application/json", form: "Deployment", why: "is JSON when JSON is requested" },
    { accept: "*/*", form: "Deployment", why: "is JSON for */*" },
    { accept: "application/*", form: "Deployment", why: "is JSON for application/*" },
    { accept: "image/png,*/*;q=0.1", form: "Deployment", why: "is JSON for the second choice */*" },
    { accept: meta("Table"), form: "Table", why: "is a table when one is requested" },
    {
      accept: `${meta("Table")},${meta("Table").replace("v1", "v1beta1")},application/json`,
      form: "Table",
      why: "is a table for kubectl's header"
    },
    {
      accept: meta("PartialObjectMetadata"),
      form: "PartialObjectMetadata",
      why: "is metadata when that is requested"
    },
    {
      accept: `application/json;as=Bogus;v=v1;g=meta.k8s.io,application/json`,
      form: "Deployment",
      why: "is the supported one of two"
    },
    {
      accept: "application/vnd.kubernetes.protobuf,application/json",
      form: "Deployment",
      why: "is JSON when protobuf is preferred"
    }
  ])("$why", async ({ accept, form }) => {
    const { code, json, headers } = await get(web, accept)
    expect([code, json.kind]).toEqual([200, form])
    expect(headers["content-type"]).toMatch(/^application\/json/)
  })

  it("is JSON without an Accept header", async () => {
    expect((await server.request("GET", web)).json.kind).toBe("Deployment")
  })

  it("is YAML of the same content when YAML is requested", async () => {
    for (const path of [web, deployments, `${deployments}/nope`, `${web}/scale`]) {
      const { headers, text } = await get(path, "application/yaml")
      expect(headers["content-type"]).toBe("application/yaml")
      expect(parse(text)).toEqual((await get(path, "application/json")).json)
    }
  })

  it("contains only metadata as PartialObjectMetadata", async () => {
    const { json } = await get(web, meta("PartialObjectMetadata"))
    expect(json).toEqual({
      kind: "PartialObjectMetadata",
      apiVersion: "meta.k8s.io/v1",
      metadata: made.metadata
    })
    const { json: list } = await get(deployments, meta("PartialObjectMetadataList"))
    expect([list.kind, list.apiVersion]).toEqual(["PartialObjectMetadataList", "meta.k8s.io/v1"])
    expect(list.items.map(({ metadata }: Json) => metadata)).toEqual([made.metadata])
  })

  it("is a Status for an error, even when a table is requested", async () => {
    const { code, json } = await get(`${deployments}/nope`, meta("Table"))
    expect([code, json.kind, json.reason]).toEqual([404, "Status", "NotFound"])
  })
})

describe("an unacceptable media type", () => {
  it.each([
    "text/html",
    "image/png",
    "application/json;as=Table;v=v2;g=meta.k8s.io",
    "application/vnd.kubernetes.protobuf"
  ])("in Accept is refused with 406: %s", async (accept) => {
    for (const path of [web, deployments]) {
      const { code, json } = await get(path, accept)
      expect([code, json.kind, json.reason]).toEqual([406, "Status", "NotAcceptable"])
      expect(json.message).toBe(
        "only the following media types are accepted: application/json, application/yaml"
      )
    }
  })

  it("of a request body is refused with 415", async () => {
    const headers = { "content-type": "text/csv" }
    const { code, json } = await server.request("POST", deployments, { body: "a,b", headers })
    expect([code, json.reason]).toEqual([415, "UnsupportedMediaType"])
    expect(json.message).toMatch(
      /^the body of the request was in an unknown format - accepted media types include: application\/json, application\/yaml/
    )
  })
})

describe("an answer is indented", () => {
  it.each([
    { query: "?pretty=true", headers: {}, pretty: true, why: "with pretty=true" },
    { query: "", headers: { "user-agent": "curl/8.5.0" }, pretty: true, why: "for curl" },
    {
      query: "?pretty=0",
      headers: { "user-agent": "curl/8.5.0" },
      pretty: false,
      why: "not with pretty=false"
    },
    { query: "", headers: { "user-agent": "kubectl/v1.36.2" }, pretty: false, why: "not for other programs" }
  ])("$why", async ({ query, headers, pretty }) => {
    const { text, json } = await server.request("GET", `${web}${query}`, { headers })
    expect(text.includes('\n  "metadata": {')).toBe(pretty)
    expect(json).toEqual(made)
  })
})

describe("a request", () => {
  it("with HEAD gets the headers of GET and no body", async () => {
    for (const path of [web, deployments, `${deployments}/nope`, "/version", "/healthz"]) {
      const full = await server.request("GET", path)
      const head = await server.request("HEAD", path)
      expect([head.code, head.text]).toEqual([full.code, ""])
      for (const name of ["content-type", "content-length"]) {
        expect([path, head.headers[name]]).toEqual([path, full.headers[name]])
      }
    }
  })

  it("may have a trailing slash and doubled slashes", async () => {
    for (const path of [
      `${web}/`,
      `${deployments.replace("/apps/", "//apps/")}/web`,
      "/version/",
      "/apis/apps/v1/"
    ]) {
      expect((await server.request("GET", path)).code).toBe(200)
    }
    expect((await server.request("GET", "//api")).json.kind).toBe("APIVersions")
    expect((await server.request("GET", "//api/v1/pods")).json.kind).toBe("PodList")
  })

  it("with an invalid escape in its path is refused with 400", async () => {
    const { code, json } = await server.request("GET", "/api/v1/namespaces/%zz")
    expect([code, json.reason]).toEqual([400, "BadRequest"])
  })

  it("is answered with headers against caching and content sniffing", async () => {
    const { headers } = await server.request("GET", web)
    expect(headers).toMatchObject({
      "cache-control": "no-cache, private",
      "x-content-type-options": "nosniff"
    })
  })

  it("to create an object gets a table when it asks for one", async () => {
    const body = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a" },
      data: { one: "1", two: "2" }
    }
    const { code, json } = await server.request("POST", configMaps, { body, headers: asTable })
    expect([code, json.kind, json.rows[0].cells]).toEqual([201, "Table", ["a", 2, "0s"]])
  })
})
