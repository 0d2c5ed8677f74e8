import { describe, expect, it } from "vitest"
import { Invalid, resources } from "../../src/index.ts"
import { isPodActive } from "../../src/kubernetes/pods/podState.ts"
import {
  anImage,
  aPod,
  aReplicaSet,
  inManualCluster,
  markReady,
  addressOf,
  ownerOf,
  podsOf,
  replicaSetAddress,
  conditionText,
  setPhase,
  advanceOneSecond
} from "./manualCluster.ts"
import type { KubeObject, OpenCluster, Pod } from "../../src/index.ts"

/** Source: test/integration/replicaset/replicaset_test.go and test/e2e/apps/replica_set.go. */

const started = async (
  cluster: OpenCluster,
  options: Parameters<typeof aReplicaSet>[0] = {}
): Promise<ReadonlyArray<Pod>> => {
  await cluster.create(aReplicaSet(options))
  await advanceOneSecond(cluster)
  return podsOf(cluster)
}

const scaled = async (cluster: OpenCluster, replicas: number): Promise<void> => {
  await cluster.patch(replicaSetAddress, { spec: { replicas } })
  await advanceOneSecond(cluster)
}

const uidsOf = (objects: ReadonlyArray<KubeObject>): ReadonlyArray<string> =>
  objects.map(({ metadata }) => metadata.uid)

describe("a ReplicaSet", () => {
  it("has a selector that cannot be changed (TestRSSelectorImmutability)", () =>
    inManualCluster(async (cluster) => {
      await started(cluster, { replicas: 0 })
      const matchLabels = { app: null, tier: "front" }
      const change = { spec: { selector: { matchLabels }, template: { metadata: { labels: matchLabels } } } }
      const refused = cluster.patch(replicaSetAddress, change)
      await expect(refused).rejects.toBeInstanceOf(Invalid)
      await expect(refused).rejects.toThrow(/spec\.selector: Invalid value: .*: field is immutable/)
    }))

  it("is scaled when its replicas change, and observes any other change (TestSpecReplicasChange)", () =>
    inManualCluster(async (cluster) => {
      await started(cluster, { replicas: 2 })
      for (const replicas of [3, 0, 2]) {
        await scaled(cluster, replicas)
        expect((await cluster.get(replicaSetAddress)).status.replicas).toBe(replicas)
        expect(await podsOf(cluster)).toHaveLength(replicas)
      }
      const { metadata } = await cluster.get(replicaSetAddress)
      await cluster.patch(replicaSetAddress, {
        spec: { template: { metadata: { annotations: { test: "annotation" } } } }
      })
      await advanceOneSecond(cluster)
      const later = await cluster.get(replicaSetAddress)
      expect(later.metadata.generation).toBe((metadata.generation ?? 0) + 1)
      expect(later.status.observedGeneration).toBe(later.metadata.generation)
    }))

  it("is scaled to 3 and to 0 (TestRSScaleSubresource)", () =>
    inManualCluster(async (cluster) => {
      await started(cluster)
      for (const replicas of [3, 0]) {
        await scaled(cluster, replicas)
        const { spec, status } = await cluster.get(replicaSetAddress)
        expect([spec.replicas, status.replicas]).toEqual([replicas, replicas])
      }
    }))

  it("with a new image and size creates only the missing Pods with the new image (Replace and Patch tests)", () =>
    inManualCluster(async (cluster) => {
      await started(cluster)
      await cluster.patch(replicaSetAddress, {
        ...anImage("v2"),
        metadata: { labels: { "test-rs": "patched" } }
      })
      await scaled(cluster, 3)
      const images = (await podsOf(cluster)).map(({ spec }) => spec.containers[0]?.image?.split(":")[1])
      expect(images).toHaveLength(3)
      expect(images.filter((version) => version === "v2")).toHaveLength(2)
      expect((await cluster.get(replicaSetAddress)).metadata.labels).toEqual({
        app: "web",
        "test-rs": "patched"
      })
    }))

  it("keeps its own Pods beside another one with the same selector (TestOverlappingRSs)", () =>
    inManualCluster(async (cluster) => {
      await started(cluster, { name: "rs-1", replicas: 1 })
      await started(cluster, { name: "rs-2", replicas: 2 })
      expect(await podsOf(cluster)).toHaveLength(3)
      const both = (await cluster.list(resources.replicaSets)).items
      expect(both.map(({ status }) => status.replicas)).toEqual([1, 2])
    }))

  it("is deleted in the background by default (TestReplicaSetsAppsV1DefaultGCPolicy)", () =>
    inManualCluster(async (cluster) => {
      const finalizers = ["example.com/hold"]
      await started(cluster, { replicas: 2, metadata: { finalizers } })
      await cluster.delete(replicaSetAddress)
      await cluster.settle()
      const { metadata } = await cluster.get(replicaSetAddress)
      expect([metadata.finalizers, typeof metadata.deletionTimestamp]).toEqual([finalizers, "string"])
      expect(await podsOf(cluster)).toHaveLength(2)
      await cluster.patch(replicaSetAddress, { metadata: { finalizers: [] } })
      await cluster.settle()
      expect([await podsOf(cluster), (await cluster.list(resources.replicaSets)).items]).toEqual([[], []])
    }))

  it("sets ReplicaFailure while Pods are refused, until it needs no more (should surface a failure condition on a common issue like exceeded quota)", () =>
    inManualCluster(
      async (cluster) => {
        await started(cluster, { replicas: 3 })
        expect(conditionText(await cluster.get(replicaSetAddress), "ReplicaFailure")).toBe(
          "True FailedCreate"
        )
        expect(await podsOf(cluster)).toHaveLength(2)
        await scaled(cluster, 2)
        expect(conditionText(await cluster.get(replicaSetAddress), "ReplicaFailure")).toBe("nothing")
      },
      { podsMax: 2 }
    ))
})

describe("terminating and failed Pods", () => {
  it("are replaced and not deleted (TestDeletingAndFailedPods)", () =>
    inManualCluster(async (cluster) => {
      const [deleting, failed] = await started(cluster, { replicas: 2 })
      if (deleting === undefined || failed === undefined) throw new Error("too few Pods")
      await cluster.patch(addressOf(deleting), {
        metadata: { finalizers: ["fake.example.com/blockDeletion"] }
      })
      await cluster.delete(addressOf(deleting))
      await setPhase(cluster, failed, "Failed")
      await advanceOneSecond(cluster)
      const pods = await podsOf(cluster)
      expect(pods).toHaveLength(4)
      expect(uidsOf(pods)).toEqual(expect.arrayContaining([deleting.metadata.uid, failed.metadata.uid]))
      expect((await cluster.get(replicaSetAddress)).status.replicas).toBe(2)
    }))

  it("are counted in terminatingReplicas, but not once they have failed (TestTerminatingReplicas)", () =>
    inManualCluster(async (cluster) => {
      const pods = await started(cluster, { replicas: 5, podSpec: { nodeName: "node-1" } })
      expect((await cluster.get(replicaSetAddress)).status.terminatingReplicas).toBe(0)
      for (const pod of pods.slice(0, 2)) await cluster.delete(addressOf(pod))
      await advanceOneSecond(cluster)
      expect((await cluster.get(replicaSetAddress)).status).toMatchObject({
        replicas: 5,
        terminatingReplicas: 2
      })
      await scaled(cluster, 2)
      expect((await cluster.get(replicaSetAddress)).status).toMatchObject({
        replicas: 2,
        terminatingReplicas: 5
      })

      const [first, second] = pods
      if (first !== undefined) await setPhase(cluster, first, "Failed")
      if (second !== undefined) await cluster.delete(addressOf(second), { gracePeriodSeconds: 0 })
      await advanceOneSecond(cluster)
      expect((await cluster.get(replicaSetAddress)).status).toMatchObject({
        replicas: 2,
        terminatingReplicas: 3
      })
    }))
})

describe("the Pod deleted first of two", () => {
  const rows = [
    { why: "has the lower deletion cost", costs: ["1000", "100"], remaining: 0 },
    { why: "has restarted more often when the costs are equal", costs: ["100", "100"], remaining: 1 },
    { why: "has restarted more often without costs", costs: [], remaining: 1 }
  ]
  it.each(rows)("$why (TestPodDeletionCost)", ({ costs, remaining }) =>
    inManualCluster(async (cluster) => {
      const pods = await started(cluster, { replicas: 2 })
      for (const [index, pod] of pods.entries()) {
        const cost = costs[index]
        if (cost !== undefined) {
          const annotations = { "controller.kubernetes.io/pod-deletion-cost": cost }
          await cluster.patch(addressOf(pod), { metadata: { annotations } })
        }
        const restartCount = index === 0 ? 5 : 0
        const container = { name: "app", image: "i", imageID: "", ready: false, restartCount }
        await cluster.patch(addressOf(pod), { status: { containerStatuses: [container] } }, { status: true })
      }
      await scaled(cluster, 1)
      expect(uidsOf(await podsOf(cluster))).toEqual(uidsOf(pods).slice(remaining, remaining + 1))
    })
  )
})

describe("the status of a ReplicaSet", () => {
  it("counts existing, ready and available Pods (TestReadyAndAvailableReplicas)", () =>
    inManualCluster(async (cluster) => {
      const pods = await started(cluster, { replicas: 3, spec: { minReadySeconds: 3600 } })
      expect((await cluster.get(replicaSetAddress)).status.availableReplicas ?? 0).toBe(0)
      const [unready, ready, available] = pods.map((pod) => [pod])
      await markReady(cluster, unready ?? [], { status: "False" })
      await markReady(cluster, ready ?? [])
      await markReady(cluster, available ?? [], { secondsAgo: 7200 })
      await advanceOneSecond(cluster)
      const seen = { replicas: 3, readyReplicas: 2, availableReplicas: 1 }
      expect((await cluster.get(replicaSetAddress)).status).toMatchObject(seen)
      await cluster.advance("1h")
      expect((await cluster.get(replicaSetAddress)).status).toMatchObject({ ...seen, availableReplicas: 2 })
    }))

  it("counts Pods that have all the labels of the template (TestFullyLabeledReplicas)", () =>
    inManualCluster(async (cluster) => {
      const [first] = await started(cluster, { replicas: 2 })
      expect((await cluster.get(replicaSetAddress)).status.fullyLabeledReplicas).toBe(2)
      const labels = { app: "web", extra: "label" }
      await cluster.patch(replicaSetAddress, { spec: { template: { metadata: { labels } } } })
      await advanceOneSecond(cluster)
      expect((await cluster.get(replicaSetAddress)).status.fullyLabeledReplicas ?? 0).toBe(0)
      if (first !== undefined) await cluster.patch(addressOf(first), { metadata: { labels } })
      await advanceOneSecond(cluster)
      expect((await cluster.get(replicaSetAddress)).status).toMatchObject({
        replicas: 2,
        fullyLabeledReplicas: 1
      })
    }))

  it("keeps a condition that a client wrote (should validate Replicaset Status endpoints)", () =>
    inManualCluster(async (cluster) => {
      await started(cluster)
      const theirs = { type: "StatusUpdate", status: "True", reason: "E2E", message: "Set from a story" }
      await cluster.patch(replicaSetAddress, { status: { conditions: [theirs] } }, { status: true })
      await scaled(cluster, 2)
      expect(conditionText(await cluster.get(replicaSetAddress), "StatusUpdate")).toBe("True E2E")
    }))
})

describe("more matching orphans than replicas", () => {
  it("are all adopted, and the surplus is deleted (TestExtraPodsAdoptionAndDeletion)", () =>
    inManualCluster(async (cluster) => {
      for (const name of ["pod-1", "pod-2", "pod-3"]) await cluster.create(aPod(name))
      const pods = await started(cluster, { replicas: 2 })
      const { metadata, status } = await cluster.get(replicaSetAddress)
      expect(pods.filter(isPodActive).map(ownerOf)).toEqual([metadata.uid, metadata.uid])
      expect(pods.every((pod) => pod.metadata.name.startsWith("pod-"))).toBe(true)
      expect(status.replicas).toBe(2)
    }))
})
