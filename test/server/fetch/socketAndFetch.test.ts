import { request as sendRequest } from "node:http"
import { describe, expect, it } from "vitest"
import { openCluster } from "../../../src/index.ts"
import type { OpenCluster } from "../../../src/index.ts"
import {
  aConfigMap,
  aDeployment,
  aPod,
  asTable,
  configMaps,
  deployments,
  patchType,
  pods
} from "../apiObjects.ts"
import { protobufOf } from "../protobuf/protobufWriter.ts"

interface Asking {
  readonly why: string
  readonly path: string
  readonly method?: string
  /** Objects are sent as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Requests before it, in both clusters. */
  readonly after?: ReadonlyArray<Sending>
}

type Sending = Pick<Asking, "method" | "path" | "body" | "headers">

interface Received {
  readonly code: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

const json = { "content-type": "application/json" }
const created = { method: "POST", path: configMaps, body: aConfigMap("a") }
const rolledOut = [
  { method: "POST", path: deployments, body: aDeployment() },
  { method: "POST", path: "/charthouse/v1/clock/settle" }
]
const a = `${configMaps}/a`
const web = `${deployments}/web`
/** A header has bytes, of which each is a character here. */
const utf8 = (text: string): string => Buffer.from(text).toString("latin1")
const identity = {
  method: "POST",
  path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
  body: { kind: "SelfSubjectReview", apiVersion: "authentication.k8s.io/v1" }
}
const protobuf = { "content-type": "application/vnd.kubernetes.protobuf" }
const aProtobufDeployment = protobufOf(aDeployment(), { apiVersion: "apps/v1", kind: "Deployment" })

const rows: ReadonlyArray<Asking> = [
  { why: "health", path: "/readyz?verbose" },
  { why: "the version", path: "/version" },
  { why: "the paths", path: "/" },
  { why: "legacy discovery names the host of the request", path: "/api" },
  {
    why: "aggregated discovery",
    path: "/apis",
    headers: { accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" }
  },
  { why: "OpenAPI 3", path: "/openapi/v3/apis/apps/v1" },
  {
    why: "OpenAPI 2 in protobuf",
    path: "/openapi/v2",
    headers: { accept: "application/com.github.proto-openapi.spec.v2@v1.0+protobuf" }
  },
  { why: "a created object", ...created },
  {
    why: "a created object with warnings",
    method: "POST",
    path: configMaps,
    body: { ...aConfigMap("a"), unknown: 1, other: 2 }
  },
  {
    why: "a YAML body",
    method: "POST",
    path: configMaps,
    body: "metadata: { name: a }",
    headers: { "content-type": "application/yaml" }
  },
  { why: "a protobuf body", method: "POST", path: deployments, body: aProtobufDeployment, headers: protobuf },
  {
    why: "a created Deployment of a user agent",
    method: "POST",
    path: deployments,
    body: aDeployment(),
    headers: { "user-agent": "kubectl/v1.36.0" }
  },
  { why: "a list after a rollout", path: pods, after: rolledOut },
  { why: "a page of a list", path: `${pods}?limit=1`, after: rolledOut },
  { why: "a table", path: pods, headers: asTable, after: rolledOut },
  { why: "YAML", path: a, headers: { accept: "application/yaml" }, after: [created] },
  { why: "pretty JSON", path: `${a}?pretty=true`, after: [created] },
  {
    why: "metadata alone",
    path: configMaps,
    headers: { accept: "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io" },
    after: [created]
  },
  { why: "HEAD of an object", method: "HEAD", path: a, after: [created] },
  { why: "HEAD of a watch", method: "HEAD", path: `${configMaps}?watch=1` },
  {
    why: "a log",
    path: `${pods}/web-1/log`,
    after: [
      { method: "POST", path: pods, body: aPod() },
      { method: "POST", path: "/charthouse/v1/clock/settle" }
    ]
  },
  {
    why: "a merge patch",
    method: "PATCH",
    path: a,
    body: { data: { key: null } },
    headers: patchType.merge,
    after: [created]
  },
  {
    why: "a JSON patch",
    method: "PATCH",
    path: a,
    body: [{ op: "remove", path: "/data/key" }],
    headers: patchType.json,
    after: [created]
  },
  {
    why: "a strategic merge patch",
    method: "PATCH",
    path: web,
    body: { spec: { replicas: 5 } },
    headers: patchType.strategic,
    after: rolledOut
  },
  {
    why: "an apply patch",
    method: "PATCH",
    path: `${a}?fieldManager=me`,
    body: aConfigMap("a", { own: "b" }),
    headers: patchType.apply,
    after: [created]
  },
  {
    why: "a scale",
    method: "PUT",
    path: `${web}/scale`,
    body: { metadata: { name: "web", namespace: "default" }, spec: { replicas: 1 } },
    after: rolledOut
  },
  { why: "a deleted object", method: "DELETE", path: a, after: [created] },
  { why: "a deleted collection", method: "DELETE", path: configMaps, after: [created] },
  { why: "an object that is absent", path: `${configMaps}/absent` },
  { why: "a resource that is absent", path: "/api/v1/absent" },
  { why: "a path that is absent", path: "/absent" },
  { why: "a path that cannot be decoded", path: "/api/v1/%zz" },
  { why: "a path with an escaped slash", path: "/api/v1/namespaces/a%2Fb" },
  { why: "a method that is not allowed", method: "PUT", path: configMaps, body: aConfigMap("a") },
  { why: "a format that is not acceptable", path: configMaps, headers: { accept: "image/png" } },
  {
    why: "a media type that is not supported",
    method: "POST",
    path: configMaps,
    body: "a",
    headers: { "content-type": "text/plain" }
  },
  { why: "a body that cannot be parsed", method: "POST", path: configMaps, body: "{", headers: json },
  { why: "no body", method: "POST", path: configMaps },
  {
    why: "an object that is invalid",
    method: "POST",
    path: deployments,
    body: aDeployment({ spec: { replicas: -1 } })
  },
  { why: "an object that exists", ...created, after: [created] },
  {
    why: "a body of the limit",
    method: "POST",
    path: configMaps,
    body: JSON.stringify(aConfigMap("a")).padEnd(3_145_728),
    headers: json
  },
  {
    why: "a body over the limit",
    method: "POST",
    path: configMaps,
    body: JSON.stringify(aConfigMap("a")).padEnd(3_145_729),
    headers: json
  },
  { why: "its own identity", ...identity },
  {
    why: "an impersonated identity",
    ...identity,
    headers: { "impersonate-user": "jane", "impersonate-group": "devs", "impersonate-extra-a%2fb": utf8("ü") }
  },
  { why: "impersonation without a user", ...identity, headers: { "impersonate-group": "devs" } },
  {
    why: "a review of a token that no server has",
    method: "POST",
    path: "/apis/authentication.k8s.io/v1/tokenreviews",
    body: { spec: { token: "none" } }
  },
  { why: "the clock", path: "/charthouse/v1/clock" },
  { why: "a clock that is advanced", method: "POST", path: "/charthouse/v1/clock/advance?by=1m" },
  {
    why: "a fault that begins",
    method: "POST",
    path: "/charthouse/v1/faults",
    body: { fault: "nodeLost", node: "node-2" }
  },
  {
    why: "a write under a fault",
    ...created,
    after: [
      {
        method: "POST",
        path: "/charthouse/v1/faults",
        body: { fault: "writesRefused", of: "clients", code: 500 }
      }
    ]
  },
  { why: "a fault that is invalid", method: "POST", path: "/charthouse/v1/faults", body: { fault: "none" } },
  { why: "a snapshot", path: "/charthouse/v1/snapshot", after: rolledOut },
  { why: "the actors", path: "/charthouse/v1/actors", after: rolledOut }
]

describe("a request in the process", () => {
  it.each(rows)("gets the answer of a socket, to the byte: $why", async ({ after = [], ...asking }) => {
    await using served = await openCluster()
    await using cluster = await openCluster()
    const { url, token } = await served.serve({ tls: false })
    const overSocket: Array<Received> = []
    const inProcess: Array<Received> = []
    for (const sending of [...after, asking]) {
      overSocket.push(await askSocket(`${url}${sending.path}`, token, sending))
      inProcess.push(await askProcess(`${url}${sending.path}`, cluster.fetch, sending))
    }
    expect(inProcess).toEqual(overSocket)
    const logged = ({ requests }: OpenCluster) => requests.all()
    expect(logged(cluster)).toEqual(logged(served))
  })
})

const toSent = ({ body, headers = {} }: Sending) => {
  if (body === undefined) return { headers }
  if (typeof body === "string" || Buffer.isBuffer(body)) return { headers, body: Buffer.from(body) }
  return { headers: { ...json, ...headers }, body: Buffer.from(JSON.stringify(body)) }
}

/** What a connection has, and a request in the process has not. */
const connectionHeaders = ["connection", "date", "keep-alive", "transfer-encoding"]

const withoutConnection = (headers: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !connectionHeaders.includes(name)))

const askSocket = (url: string, token: string, { method = "GET", ...sending }: Sending): Promise<Received> =>
  new Promise((resolve, reject) => {
    const { headers, body } = toSent(sending)
    const length = body === undefined ? {} : { "content-length": body.length }
    const all = { authorization: `Bearer ${token}`, ...length, ...headers }
    const sent = sendRequest(url, { method, headers: all }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("error", reject)
      response.on("end", () => {
        const { statusCode: code = 0 } = response
        const received = Buffer.concat(chunks).toString("latin1")
        resolve({ code, headers: withoutConnection(response.headers), body: received })
      })
    })
    sent.on("error", reject)
    sent.end(body)
  })

const askProcess = async (
  url: string,
  fetch: OpenCluster["fetch"],
  { method = "GET", ...sending }: Sending
): Promise<Received> => {
  const response = await fetch(url, { method, ...toSent(sending) })
  return {
    code: response.status,
    headers: withoutConnection(Object.fromEntries(response.headers)),
    body: Buffer.from(await response.arrayBuffer()).toString("latin1")
  }
}
