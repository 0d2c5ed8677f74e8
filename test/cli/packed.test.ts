import { resolve } from "node:path"
import { expect, it } from "vitest"
import { get, up } from "./serving.ts"
import type * as Library from "../../src/index.ts"
import type * as Behaviours from "../../src/behaviours/decode.ts"

const packed = resolve(import.meta.dirname, "../../dist/src/packed/command/start.js")
const example = resolve(import.meta.dirname, "../../scripts/examples/web-v1.yaml")

/** What is not beside the packed files themselves: the documents, and the reader of protobuf. */
const expectWhole = async (url: string, token: string): Promise<void> => {
  const documents = await get(url, token, "/openapi/v3")
  expect(await documents.json()).toMatchObject({ paths: { "apis/apps/v1": {} } })
  const document = await get(url, token, "/openapi/v3/apis/apps/v1")
  expect(await document.json()).toMatchObject({ openapi: "3.0.0" })
  const unreadable = await fetch(`${url}/api/v1/namespaces`, {
    method: "POST",
    body: "k8s\0what no kind is",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/vnd.kubernetes.protobuf" }
  })
  expect(unreadable.status).toBe(415)
}

it("the packed command finds all that it needs", async () => {
  const args = ["-f", example, "--clock", "60x", "--no-tls"]
  const { url, token, end } = await up(args, /Ctrl-C ends it/, packed)
  await expectWhole(url, token)
  expect(await end("SIGTERM")).toBe(0)
})

it("the packed library finds all that it needs, under the name it is imported by", async () => {
  // By its name Node finds what the package says; a path would find the sources.
  const name = "charthouse"
  const library: typeof Library = await import(name)
  await using cluster = await library.openCluster()
  const { url, token = "" } = await cluster.serve({ tls: false })
  await expectWhole(url, token)
  await expect(cluster.get({ resource: "pods", name: "none" })).rejects.toBeInstanceOf(library.NotFound)
  const { decodeBehaviours } = (await import(`${name}/behaviours`)) as typeof Behaviours
  expect(decodeBehaviours).toBeTypeOf("function")
})
