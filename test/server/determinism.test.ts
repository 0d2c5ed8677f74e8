import { describe, expect, it } from "vitest"
import { deploymentManifest, recordChanges } from "../cluster/testCluster.ts"
import { openTestServer } from "./testServer.ts"
import type { TestServer } from "./testServer.ts"

const deployments = "/apis/apps/v1/namespaces/default/deployments"
const pods = "/api/v1/namespaces/default/pods"
const strategic = { "content-type": "application/strategic-merge-patch+json" }
const serverSide = { "content-type": "application/apply-patch+yaml" }

const aPod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { generateName: "lone-" },
  spec: { containers: [{ name: "app", image: "registry.example/app:v1" }] }
}

const advance = (server: TestServer, by: string) =>
  server.request("POST", `/charthouse/v1/clock/advance?by=${by}`)

/** A rollout over HTTP: POST, three types of PATCH, reads, clock moves, DELETE. */
const playOverHttp = async (seed: number, readers: number): Promise<ReadonlyArray<string>> => {
  await using server = await openTestServer({ behaviour: "steady", seed })
  const log = recordChanges(server.cluster)
  const watches = await Promise.all(Array.from({ length: readers }, () => server.watch(`${pods}?watch=1`)))
  const image = (tag: string) => ({
    spec: { template: { spec: { containers: [{ name: "app", image: `registry.example/app:${tag}` }] } } }
  })
  await server.request("POST", deployments, { body: deploymentManifest({ replicas: 5 }) })
  await server.request("POST", pods, { body: aPod })
  await advance(server, "2s")
  await server.request("PATCH", `${deployments}/web`, { body: image("v2"), headers: strategic })
  for (let reader = 0; reader < readers; reader += 1) await server.request("GET", `${pods}?limit=2`)
  await advance(server, "1500ms")
  const owned = { apiVersion: "apps/v1", kind: "Deployment", spec: { replicas: 7 } }
  await server.request("PATCH", `${deployments}/web?fieldManager=scaler&force=true`, {
    body: JSON.stringify(owned),
    headers: serverSide
  })
  await advance(server, "10m")
  await server.request("DELETE", `${deployments}/web`)
  await advance(server, "1m")
  for (const watch of watches) watch.close()
  return log
}

describe("the same requests over HTTP", () => {
  it("give the same changes byte for byte with the same seed", async () => {
    const [first, second] = [await playOverHttp(5, 0), await playOverHttp(5, 0)]
    expect(first.length).toBeGreaterThan(200)
    expect(second).toEqual(first)
  })

  it("give the same changes while other clients read and watch", async () => {
    expect(await playOverHttp(5, 3)).toEqual(await playOverHttp(5, 0))
  })

  it("give other changes with another seed", async () => {
    expect(await playOverHttp(6, 0)).not.toEqual(await playOverHttp(5, 0))
  })
})
