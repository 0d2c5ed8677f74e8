import { execFile } from "node:child_process"
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { get, up } from "./serving.ts"
import type * as Library from "../../src/index.ts"
import type * as Behaviours from "../../src/behaviours/decodeBehaviour.ts"

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

it("the packed command plays stories in threads of its own", async () => {
  const story = {
    apiVersion: "charthouse.dev/v1",
    kind: "Scenario",
    metadata: { name: "calm" },
    spec: { steps: [{ advance: "1s" }] }
  }
  const folder = await mkdtemp(join(tmpdir(), "charthouse-packed-"))
  const file = join(folder, "calm.yaml")
  await writeFile(file, JSON.stringify(story))
  // More seeds than one thread is given.
  const reports = ["--report", "html", "--report", "junit", "--report", "json", "--out", folder]
  const { stdout } = await promisify(execFile)(process.execPath, [
    packed,
    "run",
    file,
    "--seeds",
    "20",
    ...reports
  ])
  expect(stdout).toMatch(/^✓ calm {2}seeds 1\.\.20 {2}up to 1\.0s\n/)
  expect(await readdir(folder)).toEqual(["calm.html", "calm.json", "calm.xml", "calm.yaml"])
  await rm(folder, { recursive: true })
})
