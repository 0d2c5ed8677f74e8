import { expect, it } from "vitest"
import { aManifest, namespaceManifest, podManifest } from "../../builders.ts"
import { deploymentManifest } from "../testCluster.ts"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { snapshotText } from "../../../src/cluster/snapshots/snapshotText.ts"
import type { OpenCluster } from "../../../src/cluster/openCluster.ts"

type SnapshotParts = { readonly $map: ReadonlyArray<readonly [name: string, part: unknown]> }

/**
 * The shape of every part of the snapshot without its values; without the event cache, which has a limit as in
 * Kubernetes.
 */
const shapesOf = async (cluster: OpenCluster): Promise<Readonly<Record<string, string>>> => {
  const { memories, digest: _digest, ...rest } = JSON.parse(snapshotText(await cluster.snapshot()))
  const part = (memories as SnapshotParts).$map.filter(([name]) => name !== "events")
  const parts = { ...rest, ...rest.objects, ...rest.store.replica, ...Object.fromEntries(part) }
  return Object.fromEntries(Object.entries<unknown>(parts).map(([name, value]) => [name, shapeOf(value)]))
}

const shapeOf = (value: unknown): string =>
  JSON.stringify(value, (_key, it: unknown) => (typeof it === "object" ? it : 0))

const createAndDelete = async (cluster: OpenCluster, number: number): Promise<void> => {
  const namespace = `n${number}`
  const node = `extra-${number}`
  await cluster.create(namespaceManifest(namespace))
  await cluster.create(aManifest("Node", { name: node }))
  const paused = deploymentManifest({ name: `paused-${number}`, replicas: 0, spec: { paused: true } })
  await cluster.apply([paused, deploymentManifest({ replicas: 2 })])
  await cluster.create(podManifest("alone", { nodeName: node }, { namespace }))
  await cluster.create({
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: `said-${number}`, namespace: "default" },
    involvedObject: { kind: "Pod", name: "x", namespace: "default" },
    reason: "Said",
    message: "by a controller of the test",
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

it("a snapshot does not grow when objects are created and deleted again and again", async () => {
  await using cluster = await openCluster()
  await createAndDelete(cluster, 1)
  const before = await shapesOf(cluster)
  for (const number of [2, 3, 4]) await createAndDelete(cluster, number)
  expect(await shapesOf(cluster)).toEqual(before)
})
