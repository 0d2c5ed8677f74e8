import { parse } from "yaml"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { aDeployment, asTable, configMaps, deployments } from "./drafts.ts"
import { openWorld } from "./world.ts"
import type { Json, World } from "./world.ts"

let world: World
let made: Json
const web = `${deployments}/web`
beforeAll(async () => {
  world = await openWorld()
  await world.request("POST", deployments, { body: aDeployment() })
  made = (await world.request("GET", web)).json
})
afterAll(() => world.close())

const get = (path: string, accept: string) => world.request("GET", path, { headers: { accept } })
const meta = (what: string): string => `application/json;as=${what};v=v1;g=meta.k8s.io`

describe("an answer has the form", () => {
  it.each([
    { accept: "application/json", form: "Deployment", why: "that is asked for" },
    { accept: "*/*", form: "Deployment", why: "of JSON where any will do" },
    { accept: "application/*", form: "Deployment", why: "of JSON where it need only be data" },
    { accept: "image/png,*/*;q=0.1", form: "Deployment", why: "that is the second best" },
    { accept: meta("Table"), form: "Table", why: "of a table" },
    {
      accept: `${meta("Table")},${meta("Table").replace("v1", "v1beta1")},application/json`,
      form: "Table",
      why: "that kubectl asks for"
    },
    { accept: meta("PartialObjectMetadata"), form: "PartialObjectMetadata", why: "of metadata" },
    {
      accept: `application/json;as=Bogus;v=v1;g=meta.k8s.io,application/json`,
      form: "Deployment",
      why: "that there is, of two"
    },
    {
      accept: "application/vnd.kubernetes.protobuf,application/json",
      form: "Deployment",
      why: "of JSON where protobuf is liked better"
    }
  ])("$why", async ({ accept, form }) => {
    const { code, json, headers } = await get(web, accept)
    expect([code, json.kind]).toEqual([200, form])
    expect(headers["content-type"]).toMatch(/^application\/json/)
  })

  it("of JSON where nothing is said", async () => {
    expect((await world.request("GET", web)).json.kind).toBe("Deployment")
  })

  it("of YAML, that says the same", async () => {
    for (const path of [web, deployments, `${deployments}/nope`, `${web}/scale`]) {
      const { headers, text } = await get(path, "application/yaml")
      expect(headers["content-type"]).toBe("application/yaml")
      expect(parse(text)).toEqual((await get(path, "application/json")).json)
    }
  })

  it("of metadata alone, with nothing of the rest", async () => {
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

  it("of a Status for what is refused, even where a table was asked for", async () => {
    const { code, json } = await get(`${deployments}/nope`, meta("Table"))
    expect([code, json.kind, json.reason]).toEqual([404, "Status", "NotFound"])
  })
})

describe("an answer cannot be had", () => {
  it.each([
    "text/html",
    "image/png",
    "application/json;as=Table;v=v2;g=meta.k8s.io",
    "application/vnd.kubernetes.protobuf"
  ])("as %s", async (accept) => {
    for (const path of [web, deployments]) {
      const { code, json } = await get(path, accept)
      expect([code, json.kind, json.reason]).toEqual([406, "Status", "NotAcceptable"])
      expect(json.message).toBe(
        "only the following media types are accepted: application/json, application/yaml"
      )
    }
  })

  it("to a body in a language nobody reads", async () => {
    const headers = { "content-type": "text/csv" }
    const { code, json } = await world.request("POST", deployments, { body: "a,b", headers })
    expect([code, json.reason]).toEqual([415, "UnsupportedMediaType"])
    expect(json.message).toMatch(
      /^the body of the request was in an unknown format - accepted media types include: application\/json, application\/yaml/
    )
  })
})

describe("an answer is indented", () => {
  it.each([
    { query: "?pretty=true", headers: {}, pretty: true, why: "for who asks" },
    { query: "", headers: { "user-agent": "curl/8.5.0" }, pretty: true, why: "for a person with curl" },
    {
      query: "?pretty=0",
      headers: { "user-agent": "curl/8.5.0" },
      pretty: false,
      why: "for nobody who asks not"
    },
    { query: "", headers: { "user-agent": "kubectl/v1.36.2" }, pretty: false, why: "for no program" }
  ])("$why", async ({ query, headers, pretty }) => {
    const { text, json } = await world.request("GET", `${web}${query}`, { headers })
    expect(text.includes('\n  "metadata": {')).toBe(pretty)
    expect(json).toEqual(made)
  })
})

describe("a request", () => {
  it("for the head gets the same headers, and no body", async () => {
    for (const path of [web, deployments, `${deployments}/nope`, "/version", "/healthz"]) {
      const full = await world.request("GET", path)
      const head = await world.request("HEAD", path)
      expect([head.code, head.text]).toEqual([full.code, ""])
      for (const name of ["content-type", "content-length"]) {
        expect([path, head.headers[name]]).toEqual([path, full.headers[name]])
      }
    }
  })

  it("may end with a slash, and have two where one would do", async () => {
    for (const path of [
      `${web}/`,
      `${deployments.replace("/apps/", "//apps/")}/web`,
      "/version/",
      "/apis/apps/v1/"
    ]) {
      expect((await world.request("GET", path)).code).toBe(200)
    }
    expect((await world.request("GET", "//api")).json.kind).toBe("APIVersions")
    expect((await world.request("GET", "//api/v1/pods")).json.kind).toBe("PodList")
  })

  it("with an escape that means nothing is a bad one", async () => {
    const { code, json } = await world.request("GET", "/api/v1/namespaces/%zz")
    expect([code, json.reason]).toEqual([400, "BadRequest"])
  })

  it("is answered in private, and as what it is", async () => {
    const { headers } = await world.request("GET", web)
    expect(headers).toMatchObject({
      "cache-control": "no-cache, private",
      "x-content-type-options": "nosniff"
    })
  })

  it("for a table of what has been written gets one", async () => {
    const body = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a" },
      data: { one: "1", two: "2" }
    }
    const { code, json } = await world.request("POST", configMaps, { body, headers: asTable })
    expect([code, json.kind, json.rows[0].cells]).toEqual([201, "Table", ["a", 2, "0s"]])
  })
})
