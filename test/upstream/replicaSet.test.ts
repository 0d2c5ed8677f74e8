import { describe, expect, it } from "vitest"
import { Invalid, resources } from "../../src/index.ts"
import { isPodActive } from "../../src/kubernetes/pods/podState.ts"
import {
  anImage,
  aPod,
  aReplicaSet,
  inWorld,
  markReady,
  named,
  ownerOf,
  podsOf,
  rs,
  saying,
  setPhase,
  soon
} from "./world.ts"
import type { KubeObject, OpenCluster, Pod } from "../../src/index.ts"

/** Source of the stories: test/integration/replicaset/replicaset_test.go and test/e2e/apps/replica_set.go. */

const started = async (
  cluster: OpenCluster,
  options: Parameters<typeof aReplicaSet>[0] = {}
): Promise<ReadonlyArray<Pod>> => {
  await cluster.create(aReplicaSet(options))
  await soon(cluster)
  return podsOf(cluster)
}

const scaled = async (cluster: OpenCluster, replicas: number): Promise<void> => {
  await cluster.patch(rs, { spec: { replicas } })
  await soon(cluster)
}

const uidsOf = (objects: ReadonlyArray<KubeObject>): ReadonlyArray<string> =>
  objects.map(({ metadata }) => metadata.uid)

describe("a ReplicaSet", () => {
  it("has a selector that cannot be changed (TestRSSelectorImmutability)", () =>
    inWorld(async (cluster) => {
      await started(cluster, { replicas: 0 })
      const matchLabels = { app: null, tier: "front" }
      const change = { spec: { selector: { matchLabels }, template: { metadata: { labels: matchLabels } } } }
      const refused = cluster.patch(rs, change)
      await expect(refused).rejects.toBeInstanceOf(Invalid)
      await expect(refused).rejects.toThrow(/spec\.selector: Invalid value: .*: field is immutable/)
    }))

  it("follows its size, and observes any other change (TestSpecReplicasChange)", () =>
    inWorld(async (cluster) => {
      await started(cluster, { replicas: 2 })
      for (const replicas of [3, 0, 2]) {
        await scaled(cluster, replicas)
        expect((await cluster.get(rs)).status.replicas).toBe(replicas)
        expect(await podsOf(cluster)).toHaveLength(replicas)
      }
      const { metadata } = await cluster.get(rs)
      await cluster.patch(rs, { spec: { template: { metadata: { annotations: { test: "annotation" } } } } })
      await soon(cluster)
      const later = await cluster.get(rs)
      expect(later.metadata.generation).toBe((metadata.generation ?? 0) + 1)
      expect(later.status.observedGeneration).toBe(later.metadata.generation)
    }))

  it("is scaled to three and to nothing (TestRSScaleSubresource)", () =>
    inWorld(async (cluster) => {
      await started(cluster)
      for (const replicas of [3, 0]) {
        await scaled(cluster, replicas)
        const { spec, status } = await cluster.get(rs)
        expect([spec.replicas, status.replicas]).toEqual([replicas, replicas])
      }
    }))

  it("of a new image and size makes only what is missing of it (Replace and Patch tests)", () =>
    inWorld(async (cluster) => {
      await started(cluster)
      await cluster.patch(rs, { ...anImage("v2"), metadata: { labels: { "test-rs": "patched" } } })
      await scaled(cluster, 3)
      const images = (await podsOf(cluster)).map(({ spec }) => spec.containers[0]?.image?.split(":")[1])
      expect(images).toHaveLength(3)
      expect(images.filter((version) => version === "v2")).toHaveLength(2)
      expect((await cluster.get(rs)).metadata.labels).toEqual({ app: "web", "test-rs": "patched" })
    }))

  it("lets each of two with one selector have its Pods (TestOverlappingRSs)", () =>
    inWorld(async (cluster) => {
      await started(cluster, { name: "rs-1", replicas: 1 })
      await started(cluster, { name: "rs-2", replicas: 2 })
      expect(await podsOf(cluster)).toHaveLength(3)
      const both = (await cluster.list(resources.replicaSets)).items
      expect(both.map(({ status }) => status.replicas)).toEqual([1, 2])
    }))

  it("is deleted in the background where nobody says otherwise (TestReplicaSetsAppsV1DefaultGCPolicy)", () =>
    inWorld(async (cluster) => {
      const finalizers = ["example.com/hold"]
      await started(cluster, { replicas: 2, metadata: { finalizers } })
      await cluster.delete(rs)
      await cluster.settle()
      const { metadata } = await cluster.get(rs)
      expect([metadata.finalizers, typeof metadata.deletionTimestamp]).toEqual([finalizers, "string"])
      expect(await podsOf(cluster)).toHaveLength(2)
      await cluster.patch(rs, { metadata: { finalizers: [] } })
      await cluster.settle()
      expect([await podsOf(cluster), (await cluster.list(resources.replicaSets)).items]).toEqual([[], []])
    }))

  it("that is refused Pods says so until it asks for no more (should surface a failure condition on a common issue like exceeded quota)", () =>
    inWorld(
      async (cluster) => {
        await started(cluster, { replicas: 3 })
        expect(saying(await cluster.get(rs), "ReplicaFailure")).toBe("True FailedCreate")
        expect(await podsOf(cluster)).toHaveLength(2)
        await scaled(cluster, 2)
        expect(saying(await cluster.get(rs), "ReplicaFailure")).toBe("nothing")
      },
      { podsMax: 2 }
    ))
})

describe("Pods that no longer count", () => {
  it("are replaced and left where they are (TestDeletingAndFailedPods)", () =>
    inWorld(async (cluster) => {
      const [deleting, failed] = await started(cluster, { replicas: 2 })
      if (deleting === undefined || failed === undefined) throw new Error("too few Pods")
      await cluster.patch(named(deleting), { metadata: { finalizers: ["fake.example.com/blockDeletion"] } })
      await cluster.delete(named(deleting))
      await setPhase(cluster, failed, "Failed")
      await soon(cluster)
      const pods = await podsOf(cluster)
      expect(pods).toHaveLength(4)
      expect(uidsOf(pods)).toEqual(expect.arrayContaining([deleting.metadata.uid, failed.metadata.uid]))
      expect((await cluster.get(rs)).status.replicas).toBe(2)
    }))

  it("are counted apart while they terminate, but not once they have failed (TestTerminatingReplicas)", () =>
    inWorld(async (cluster) => {
      const pods = await started(cluster, { replicas: 5, podSpec: { nodeName: "node-1" } })
      expect((await cluster.get(rs)).status.terminatingReplicas).toBe(0)
      for (const pod of pods.slice(0, 2)) await cluster.delete(named(pod))
      await soon(cluster)
      expect((await cluster.get(rs)).status).toMatchObject({ replicas: 5, terminatingReplicas: 2 })
      await scaled(cluster, 2)
      expect((await cluster.get(rs)).status).toMatchObject({ replicas: 2, terminatingReplicas: 5 })

      const [first, second] = pods
      if (first !== undefined) await setPhase(cluster, first, "Failed")
      if (second !== undefined) await cluster.delete(named(second), { gracePeriodSeconds: 0 })
      await soon(cluster)
      expect((await cluster.get(rs)).status).toMatchObject({ replicas: 2, terminatingReplicas: 3 })
    }))
})

describe("of two Pods one has to go", () => {
  const rows = [
    { why: "it is the cheaper one", costs: ["1000", "100"], remaining: 0 },
    { why: "at one price it is the one that restarted more often", costs: ["100", "100"], remaining: 1 },
    { why: "without a price too", costs: [], remaining: 1 }
  ]
  it.each(rows)("$why (TestPodDeletionCost)", ({ costs, remaining }) =>
    inWorld(async (cluster) => {
      const pods = await started(cluster, { replicas: 2 })
      for (const [index, pod] of pods.entries()) {
        const cost = costs[index]
        if (cost !== undefined) {
          const annotations = { "controller.kubernetes.io/pod-deletion-cost": cost }
          await cluster.patch(named(pod), { metadata: { annotations } })
        }
        const restartCount = index === 0 ? 5 : 0
        const container = { name: "app", image: "i", imageID: "", ready: false, restartCount }
        await cluster.patch(named(pod), { status: { containerStatuses: [container] } }, { status: true })
      }
      await scaled(cluster, 1)
      expect(uidsOf(await podsOf(cluster))).toEqual(uidsOf(pods).slice(remaining, remaining + 1))
    })
  )
})

describe("the status of a ReplicaSet", () => {
  it("tells Pods that are there from ready ones and those from available ones (TestReadyAndAvailableReplicas)", () =>
    inWorld(async (cluster) => {
      const pods = await started(cluster, { replicas: 3, spec: { minReadySeconds: 3600 } })
      expect((await cluster.get(rs)).status.availableReplicas ?? 0).toBe(0)
      const [unready, ready, available] = pods.map((pod) => [pod])
      await markReady(cluster, unready ?? [], { status: "False" })
      await markReady(cluster, ready ?? [])
      await markReady(cluster, available ?? [], { secondsAgo: 7200 })
      await soon(cluster)
      const seen = { replicas: 3, readyReplicas: 2, availableReplicas: 1 }
      expect((await cluster.get(rs)).status).toMatchObject(seen)
      await cluster.advance("1h")
      expect((await cluster.get(rs)).status).toMatchObject({ ...seen, availableReplicas: 2 })
    }))

  it("counts Pods that have all the labels of the template (TestFullyLabeledReplicas)", () =>
    inWorld(async (cluster) => {
      const [first] = await started(cluster, { replicas: 2 })
      expect((await cluster.get(rs)).status.fullyLabeledReplicas).toBe(2)
      const labels = { app: "web", extra: "label" }
      await cluster.patch(rs, { spec: { template: { metadata: { labels } } } })
      await soon(cluster)
      expect((await cluster.get(rs)).status.fullyLabeledReplicas ?? 0).toBe(0)
      if (first !== undefined) await cluster.patch(named(first), { metadata: { labels } })
      await soon(cluster)
      expect((await cluster.get(rs)).status).toMatchObject({ replicas: 2, fullyLabeledReplicas: 1 })
    }))

  it("keeps a condition that somebody else wrote (should validate Replicaset Status endpoints)", () =>
    inWorld(async (cluster) => {
      await started(cluster)
      const theirs = { type: "StatusUpdate", status: "True", reason: "E2E", message: "Set from a story" }
      await cluster.patch(rs, { status: { conditions: [theirs] } }, { status: true })
      await scaled(cluster, 2)
      expect(saying(await cluster.get(rs), "StatusUpdate")).toBe("True E2E")
    }))
})

describe("more Pods than are wanted", () => {
  it("are all adopted, and the surplus goes (TestExtraPodsAdoptionAndDeletion)", () =>
    inWorld(async (cluster) => {
      for (const name of ["pod-1", "pod-2", "pod-3"]) await cluster.create(aPod(name))
      const pods = await started(cluster, { replicas: 2 })
      const { metadata, status } = await cluster.get(rs)
      expect(pods.filter(isPodActive).map(ownerOf)).toEqual([metadata.uid, metadata.uid])
      expect(pods.every((pod) => pod.metadata.name.startsWith("pod-"))).toBe(true)
      expect(status.replicas).toBe(2)
    }))
})
