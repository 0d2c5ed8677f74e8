import { resolve } from "node:path"
import { expect, it } from "vitest"
import { get, up } from "./serving.ts"

const packed = resolve(import.meta.dirname, "../../dist/src/cli/packed/start.js")
const example = resolve(import.meta.dirname, "../../scripts/examples/web-v1.yaml")

/** What is not beside the packed files themselves: the documents, and the reader of protobuf. */
it("the packed command finds all that it needs", async () => {
  const args = ["-f", example, "--clock", "60x", "--no-tls"]
  const { url, token, end } = await up(args, /Ctrl-C ends it/, packed)
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
  expect(await end("SIGTERM")).toBe(0)
})
