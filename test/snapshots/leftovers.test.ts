import { expect, it } from "vitest"
import { aManifest } from "../cluster/worlds.ts"
import { openCluster } from "../../src/cluster/openCluster.ts"
import { snapshotText } from "../../src/cluster/snapshots/snapshotText.ts"
import type { OpenCluster } from "../../src/cluster/openCluster.ts"

type Memories = { readonly $map: ReadonlyArray<readonly [name: string, held: unknown]> }

/** How much is remembered of what, whatever it says; left out is what was said of whom, as upstream a cache with a limit. */
const shapesOf = async (cluster: OpenCluster): Promise<Readonly<Record<string, string>>> => {
  const { memories, digest: _digest, ...rest } = JSON.parse(snapshotText(await cluster.snapshot()))
  const held = (memories as Memories).$map.filter(([name]) => name !== "events")
  const parts = { ...rest, ...rest.objects, ...rest.store.replica, ...Object.fromEntries(held) }
  return Object.fromEntries(Object.entries<unknown>(parts).map(([name, value]) => [name, shapeOf(value)]))
}

const shapeOf = (value: unknown): string =>
  JSON.stringify(value, (_key, it: unknown) => (typeof it === "object" ? it : 0))

const round = async (cluster: OpenCluster, number: number): Promise<void> => {
  const namespace = `n${number}`
  const node = `extra-${number}`
  await cluster.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } })
  await cluster.create({ apiVersion: "v1", kind: "Node", metadata: { name: node } })
  const paused = {
    ...aManifest({ replicas: 0, spec: { paused: true } }),
    metadata: { name: `paused-${number}` }
  }
  await cluster.apply([paused, aManifest({ replicas: 2 })])
  await cluster.create({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "alone", namespace },
    spec: { nodeName: node, containers: [{ name: "c", image: "a" }] }
  })
  await cluster.create({
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: `said-${number}`, namespace: "default" },
    involvedObject: { kind: "Pod", name: "x", namespace: "default" },
    reason: "Said",
    message: "by somebody's own controller",
    type: "Normal"
  })
  await cluster.rollout("web")
  for (const { metadata } of (await cluster.list("pods", { namespace: "default" })).items) {
    for (const beat of ["1", "2", "3"])
      await cluster.patch({ resource: "pods", name: metadata.name }, { metadata: { labels: { beat } } })
  }
  await cluster.delete({ resource: "deployments.apps", name: `paused-${number}` })
  await cluster.delete({ resource: "deployments.apps", name: "web" })
  await cluster.delete({ resource: "namespaces", name: namespace })
  await cluster.advance("1m")
  await cluster.delete({ resource: "nodes", name: node })
  await cluster.advance("2h")
}

it("a cluster that everything was taken out of again remembers no more of it, however often", async () => {
  await using cluster = await openCluster()
  await round(cluster, 1)
  const before = await shapesOf(cluster)
  for (const number of [2, 3, 4]) await round(cluster, number)
  expect(await shapesOf(cluster)).toEqual(before)
})
