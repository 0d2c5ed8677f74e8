import { describe, expect, it } from "vitest"
import { apiVersionOf, servedKinds, type Kind } from "../../../src/kubernetes/meta/kinds.ts"
import { withTestServer, type TestServer } from "../testServer.ts"

const collectionOf = ({ group, version, plural, namespaced }: Kind): string => {
  const base = group === "" ? `/api/${version}` : `/apis/${group}/${version}`
  return namespaced ? `${base}/namespaces/default/${plural}` : `${base}/${plural}`
}

const forms = [
  "application/json",
  "application/yaml",
  "application/json;as=Table;v=v1;g=meta.k8s.io",
  "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
]
const nothing = { spec: null, status: null, data: null, involvedObject: null, roleRef: null }
const empties = [{}, { spec: {} }, { spec: null }, { spec: {}, status: {} }]
const metadata = { name: "empty" }
/** Upstream answers this request with 500 as well. */
const bindingError = "target.name: Required value"

/** Performs each verb on an object of the kind. Returns the requests that failed with a 5xx code. */
const serverErrors = async (
  { request }: TestServer,
  kind: Kind,
  more: object
): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  const collection = collectionOf(kind)
  const named = `${collection}/empty`
  const send = async (method: string, path: string, body?: object, type = "json", accept = "*/*") => {
    const headers = { accept, "content-type": `application/${type}` }
    const { code, text } = await request(method, path, { headers, ...(body === undefined ? {} : { body }) })
    if (code >= 500 && !text.includes(bindingError)) found.push(`${method} ${path} as ${accept}: ${text}`)
  }
  const body = { metadata, ...more }
  const typed = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata }
  for (const accept of forms) await send("POST", `${collection}?dryRun=All`, body, "json", accept)
  await send("POST", collection, body)
  for (const below of ["", "/status", "/scale"]) {
    await send("PUT", `${named}${below}`, body)
    await send("PATCH", `${named}${below}`, nothing, "merge-patch+json")
    await send("PATCH", `${named}${below}`, nothing, "strategic-merge-patch+json")
    await send("PATCH", `${named}${below}?fieldManager=me&force=true`, typed, "apply-patch+yaml")
  }
  for (const path of [collection, named]) {
    for (const accept of forms) await send("GET", path, undefined, "json", accept)
  }
  await send("DELETE", named)
  return found
}

describe("a nearly empty object", () => {
  const kinds = servedKinds.filter(({ verbs }) => verbs.includes("create"))
  it.each(kinds.map((kind) => ({ kind, name: `${apiVersionOf(kind)} ${kind.kind}` })))(
    "causes no 5xx when created, read, changed and deleted: $name",
    ({ kind }) =>
      withTestServer(async (server) => {
        for (const more of empties) expect(await serverErrors(server, kind, more)).toEqual([])
      })
  )
})
