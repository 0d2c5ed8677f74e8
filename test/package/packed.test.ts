import { execFile } from "node:child_process"
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { fetchWithToken } from "../cli/harness/servingCommand.ts"
import { projectPath } from "../projectPath.ts"
import type * as Library from "../../src/index.ts"
import type * as Behaviours from "../../src/behaviours/decodeBehaviour.ts"

const packed = projectPath("dist/src/packed/command/start.js")

/** Checks the parts outside the packed files: OpenAPI documents and the protobuf decoder. */
const expectWhole = async (url: string, token: string): Promise<void> => {
  const documents = await fetchWithToken(url, token, "/openapi/v3")
  expect(await documents.json()).toMatchObject({ paths: { "apis/apps/v1": {} } })
  const document = await fetchWithToken(url, token, "/openapi/v3/apis/apps/v1")
  expect(await document.json()).toMatchObject({ openapi: "3.0.0" })
  const unreadable = await fetch(`${url}/api/v1/namespaces`, {
    method: "POST",
    body: "k8s\0what no kind is",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/vnd.kubernetes.protobuf" }
  })
  expect(unreadable.status).toBe(415)
}

it("the packed library, imported by its package name, finds the OpenAPI documents and the protobuf decoder", async () => {
  // A path would import the sources instead.
  const name = "charthouse"
  const library: typeof Library = await import(name)
  await using cluster = await library.openCluster()
  const { url, token } = await cluster.serve({ tls: false })
  await expectWhole(url, token)
  await expect(cluster.get({ resource: "pods", name: "none" })).rejects.toBeInstanceOf(library.NotFound)
  const { decodeBehaviours } = (await import(`${name}/behaviours`)) as typeof Behaviours
  expect(decodeBehaviours).toBeTypeOf("function")
})

it("the packed library loads neither schemas, streams nor drawings before they are needed", async () => {
  const folder = projectPath("dist/src/packed/library")
  const files = new Set(["index.js"])
  const packages = new Set<string>()
  for (const file of files) {
    const text = await readFile(join(folder, file), "utf8")
    for (const [, from = ""] of text.matchAll(/^(?:import|export)\b[^"';]*"([^"]+)";/gm)) {
      if (from.startsWith("./")) files.add(basename(from))
      else packages.add(from)
    }
  }
  expect([...packages]).toContain("effect/Effect")
  expect([...packages].filter((name) => /Schema|Stream|Logger|xml/.test(name))).toEqual([])
})

it("the packed command plays stories on worker threads", async () => {
  const story = {
    apiVersion: "charthouse.dev/v1",
    kind: "Scenario",
    metadata: { name: "calm" },
    spec: { steps: [{ advance: "1s" }] }
  }
  const folder = await mkdtemp(join(tmpdir(), "charthouse-packed-"))
  const file = join(folder, "calm.yaml")
  await writeFile(file, JSON.stringify(story))
  // More seeds than one thread takes at a time.
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
