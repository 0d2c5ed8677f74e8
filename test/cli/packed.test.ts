import { join, resolve } from "node:path"
import { expect, it } from "vitest"
import { aFolder, get, readKubeconfig, up } from "./serving.ts"

const packed = resolve(import.meta.dirname, "../../dist/src/cli/packed/start.js")
const example = resolve(import.meta.dirname, "../../scripts/examples/web-v1.yaml")

/** What is not beside the packed files themselves: the documents, and the reader of protobuf. */
it("the packed command finds all that it needs", async () => {
  const kubeconfig = join(aFolder(), "config")
  const args = ["-f", example, "--clock", "60x", "--kubeconfig", kubeconfig, "--no-tls"]
  const { url, end } = await up(args, /Ctrl-C ends it/, packed)
  const token = readKubeconfig(kubeconfig).users[0]?.user.token ?? ""
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
