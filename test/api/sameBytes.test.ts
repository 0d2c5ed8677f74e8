import { describe, expect, it } from "vitest"
import { aManifest, logOf } from "../cluster/worlds.ts"
import { openWorld } from "./world.ts"
import type { World } from "./world.ts"

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

const advance = (world: World, by: string) => world.request("POST", `/charthouse/v1/clock/advance?by=${by}`)

/** A rollout as a client makes it: creations, patches of three kinds, reads between them, the clock, a deletion. */
const playOverHttp = async (seed: number, readers: number): Promise<ReadonlyArray<string>> => {
  await using world = await openWorld({ behaviour: "steady", seed })
  const log = logOf(world.cluster)
  const watches = await Promise.all(Array.from({ length: readers }, () => world.watch(`${pods}?watch=1`)))
  const image = (tag: string) => ({
    spec: { template: { spec: { containers: [{ name: "app", image: `registry.example/app:${tag}` }] } } }
  })
  await world.request("POST", deployments, { body: aManifest({ replicas: 5 }) })
  await world.request("POST", pods, { body: aPod })
  await advance(world, "2s")
  await world.request("PATCH", `${deployments}/web`, { body: image("v2"), headers: strategic })
  for (let reader = 0; reader < readers; reader += 1) await world.request("GET", `${pods}?limit=2`)
  await advance(world, "1500ms")
  const owned = { apiVersion: "apps/v1", kind: "Deployment", spec: { replicas: 7 } }
  await world.request("PATCH", `${deployments}/web?fieldManager=scaler&force=true`, {
    body: JSON.stringify(owned),
    headers: serverSide
  })
  await advance(world, "10m")
  await world.request("DELETE", `${deployments}/web`)
  await advance(world, "1m")
  for (const watch of watches) watch.close()
  return log
}

describe("one seed and the same requests over HTTP", () => {
  it("give the same run byte for byte: names, uids, managed fields and times", async () => {
    const [first, second] = [await playOverHttp(5, 0), await playOverHttp(5, 0)]
    expect(first.length).toBeGreaterThan(200)
    expect(second).toEqual(first)
  })

  it("whoever else reads and watches meanwhile", async () => {
    expect(await playOverHttp(5, 3)).toEqual(await playOverHttp(5, 0))
  })

  it("and another seed another run", async () => {
    expect(await playOverHttp(6, 0)).not.toEqual(await playOverHttp(5, 0))
  })
})
