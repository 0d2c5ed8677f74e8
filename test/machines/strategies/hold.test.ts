import { describe, expect, it } from "vitest"
import { openCluster, readSnapshot, snapshotText, stepText } from "../../../src/index.ts"
import { explainRollout } from "../../../src/explain/objects/explainRollout.ts"
import { rollbackAnnotation } from "../../../src/kubernetes/apps/revisions/revisions.ts"
import { deploymentManifest } from "../../cluster/testCluster.ts"
import { heldBlueGreen } from "./heldBlueGreen.ts"
import type { PodTemplate } from "../../../src/kubernetes/meta/objects.ts"
import type { ClusterOptions, Manifest, OpenCluster, ReplicaSet } from "../../../src/index.ts"

const holdSeconds = 300
const web = { resource: "deployments.apps", name: "web" } as const

const manifest = (version: string): Manifest => {
  const deployment = deploymentManifest({ replicas: 3, version })
  return { ...deployment, spec: { ...deployment.spec, strategy: { type: "HeldBlueGreen" } } }
}

/** How many seconds after the beginning of its hold an old ReplicaSet was first scaled to 0; undefined if none was. */
const watchEnd = async (cluster: OpenCluster): Promise<() => number | undefined> => {
  let endMillis: number | undefined
  cluster.onChange(({ resource, object, old }) => {
    if (resource !== "replicasets.apps") return
    const [replicas, replicasBefore] = [object, old].map(
      (it) => (it as ReplicaSet | undefined)?.spec.replicas
    )
    if (replicas === 0 && replicasBefore !== 0) endMillis ??= cluster.now().getTime()
  })
  const { metadata } = await cluster.get(web)
  const [, since = ""] = (metadata.annotations?.["example.com/held-since"] ?? "").split(" ")
  return () => (endMillis === undefined ? undefined : (endMillis - Date.parse(since)) / 1000)
}

/** A rollout to v2 whose new Pods are available and held. */
const withHold = async (
  check: (cluster: OpenCluster) => Promise<void>,
  options: ClusterOptions = {}
): Promise<void> => {
  await using cluster = await openCluster({ strategies: [heldBlueGreen], ...options })
  await cluster.apply(manifest("v1"))
  await cluster.settle()
  await cluster.apply(manifest("v2"))
  await cluster.advance("30s")
  expect((await cluster.get(web)).status).toMatchObject({ replicas: 6, availableReplicas: 6 })
  await check(cluster)
}

/** The sizes of the ReplicaSets by the version of their image. */
const sizes = async (cluster: OpenCluster): Promise<Readonly<Record<string, number>>> =>
  Object.fromEntries(
    (await cluster.list("replicasets.apps")).items.map(({ spec }) => [
      versionOf(spec.template),
      spec.replicas
    ])
  )

const versionOf = ({ spec }: { readonly spec?: PodTemplate["spec"] }): string =>
  spec?.containers[0]?.image?.split(":")[1] ?? ""

describe("a hold of five minutes", () => {
  it("ends after five minutes, and `settle` waits for it", () =>
    withHold(async (cluster) => {
      const end = await watchEnd(cluster)
      expect(await cluster.settle()).toBe(true)
      expect(end()).toBe(holdSeconds)
      expect(await sizes(cluster)).toEqual({ v1: 0, v2: 3 })
    }))

  it("ends at the same moment in a fork, and in a cluster from a snapshot that was written and read", () =>
    withHold(async (cluster) => {
      await cluster.advance("2m")
      await using fork = await cluster.fork()
      const from = readSnapshot(snapshotText(await cluster.snapshot()))
      await using restored = await openCluster({ strategies: [heldBlueGreen], from })
      for (const each of [cluster, fork, restored]) {
        const end = await watchEnd(each)
        await each.settle()
        expect(end()).toBe(holdSeconds)
      }
    }))

  it("ends at the same moment after a restart of the controller", () =>
    withHold(async (cluster) => {
      await cluster.advance("2m")
      const end = await watchEnd(cluster)
      await cluster.fault({ fault: "controllerRestarted", controller: "deployment" })
      await cluster.settle()
      expect(end()).toBe(holdSeconds)
    }))

  it("is not prolonged by a pause that ends before it", () =>
    withHold(async (cluster) => {
      const end = await watchEnd(cluster)
      await cluster.patch(web, { spec: { paused: true } })
      await cluster.advance("1m")
      await cluster.patch(web, { spec: { paused: false } })
      await cluster.settle()
      expect(end()).toBe(holdSeconds)
    }))

  it("waits for the end of a pause that lasts longer", () =>
    withHold(async (cluster) => {
      const end = await watchEnd(cluster)
      await cluster.patch(web, { spec: { paused: true } })
      expect(await cluster.settle()).toBe(true)
      await cluster.advance("20m")
      expect(end()).toBeUndefined()
      expect(await sizes(cluster)).toEqual({ v1: 3, v2: 3 })
      await cluster.patch(web, { spec: { paused: false } })
      await cluster.settle()
      expect(await sizes(cluster)).toEqual({ v1: 0, v2: 3 })
    }))

  it("ends at the same moment with another size", () =>
    withHold(async (cluster) => {
      const end = await watchEnd(cluster)
      await cluster.patch(web, { spec: { replicas: 5 } })
      await cluster.settle()
      expect(end()).toBe(holdSeconds)
      expect(await sizes(cluster)).toEqual({ v1: 0, v2: 5 })
    }))

  it("ends at the same moment though a new Pod is deleted and replaced meanwhile", () =>
    withHold(async (cluster) => {
      const end = await watchEnd(cluster)
      const { items } = await cluster.list("pods")
      const newPod = items.find((pod) => versionOf(pod) === "v2")
      await cluster.delete({ resource: "pods", name: newPod?.metadata.name ?? "" })
      await cluster.settle()
      expect(end()).toBe(holdSeconds)
    }))

  it("begins anew for another revision, and for one that is rolled back to", () =>
    withHold(async (cluster) => {
      await cluster.settle()
      const rollOutAndHold = async (change: () => Promise<unknown>) => {
        await change()
        await cluster.advance("30s")
        const end = await watchEnd(cluster)
        await cluster.settle()
        return end()
      }
      expect(await rollOutAndHold(() => cluster.apply(manifest("v3")))).toBe(holdSeconds)
      const annotations = { [rollbackAnnotation]: "2" }
      expect(await rollOutAndHold(() => cluster.patch(web, { metadata: { annotations } }))).toBe(holdSeconds)
      expect(await sizes(cluster)).toEqual({ v1: 0, v2: 3, v3: 0 })
    }))
})

describe("a hold", () => {
  it("is explained: when the Deployment is looked at again", () =>
    withHold(async (cluster) => {
      const { metadata } = await cluster.get(web)
      const [, since = ""] = (metadata.annotations?.["example.com/held-since"] ?? "").split(" ")
      const passed = cluster.now().getTime() - Date.parse(since)
      const rollout = {
        deployment: await cluster.get(web),
        replicaSets: (await cluster.list("replicasets.apps")).items,
        pods: (await cluster.list("pods")).items,
        events: [],
        namespace: undefined,
        nowMillis: cluster.now().getTime(),
        strategies: [heldBlueGreen]
      }
      const seconds = Math.ceil((holdSeconds * 1000 - passed) / 1000)
      expect(explainRollout(rollout).sentences).toContain(
        `HeldBlueGreen looks again in 4m${seconds - 240}s, or at a change.`
      )
    }))

  it("is told by `why`: what was recorded, and that the timer led to a look", () =>
    withHold(
      async (cluster) => {
        await cluster.settle()
        const steps = await cluster.why(web)
        const texts = steps.map((step) => stepText(step))
        expect(
          texts.filter((text) => text.includes("annotate the Deployment with example.com/held-since=2 "))
        ).toHaveLength(1)
        const timers = texts.filter((text) => text.includes("untilHeld"))
        expect(timers.at(-1)).toContain("look again")
      },
      { why: true }
    ))
})
