import { describe, expect, it } from "vitest"
import { aManifest, namespaceManifest } from "../builders.ts"
import { Invalid, NotFound, resources } from "../../src/index.ts"
import {
  aPod,
  aReplicaSet,
  inManualCluster,
  addressOf,
  ownerOf,
  podsOf,
  replicaSetAddress,
  advanceOneSecond
} from "./manualCluster.ts"
import type { OpenCluster, Pod, ReplicaSet } from "../../src/index.ts"

/** Source: test/integration/replicaset/replicaset_test.go and test/e2e/apps/replica_set.go. */

const started = async (
  cluster: OpenCluster,
  options: Parameters<typeof aReplicaSet>[0] = {}
): Promise<ReplicaSet> => {
  const { metadata } = await cluster.create(aReplicaSet(options))
  await advanceOneSecond(cluster)
  return cluster.get({ ...replicaSetAddress, name: metadata.name })
}

/** A Pod with this deletion cost stays when the ReplicaSet deletes surplus Pods. */
const highDeletionCost = { annotations: { "controller.kubernetes.io/pod-deletion-cost": "100" } }

const podNamed = (cluster: OpenCluster, name: string): Promise<Pod> =>
  cluster.get({ resource: resources.pods, name })

const onlyPod = async (cluster: OpenCluster): Promise<Pod> => {
  const [only, ...others] = await podsOf(cluster)
  if (only === undefined || others.length > 0) throw new Error(`${others.length + 1} Pods`)
  return only
}

const identityOf = ({ apiVersion, kind, metadata: { name, uid } }: ReplicaSet, more: object = {}) => ({
  apiVersion,
  kind,
  name,
  uid,
  ...more
})

const asController = { controller: true, blockOwnerDeletion: true }

describe("a Pod that matches", () => {
  const rows = [
    {
      why: "it names the ReplicaSet as an owner, not as its controller",
      before: (own: ReplicaSet) => [identityOf(own)],
      after: (own: ReplicaSet) => [identityOf(own, asController)]
    },
    {
      why: "it has no owner",
      before: () => [],
      after: (own: ReplicaSet) => [identityOf(own, asController)]
    },
    {
      why: "it names the ReplicaSet as its controller already",
      before: (own: ReplicaSet) => [identityOf(own, { controller: true })],
      after: (own: ReplicaSet) => [identityOf(own, { controller: true })]
    },
    {
      why: "another ReplicaSet controls it and keeps it",
      before: (own: ReplicaSet, other: ReplicaSet) => [identityOf(other, asController), identityOf(own)],
      after: (own: ReplicaSet, other: ReplicaSet) => [identityOf(other, asController), identityOf(own)]
    }
  ]
  it.each(rows)("is adopted only when it has no other controller: $why (TestAdoption)", ({ before, after }) =>
    inManualCluster(async (cluster) => {
      const own = await started(cluster)
      const labels = { app: "web", tier: "other" }
      const other = await started(cluster, { name: "other", labels, replicas: 1 })
      await cluster.create(aPod("bare", { ...highDeletionCost, labels, ownerReferences: before(own, other) }))
      await advanceOneSecond(cluster)
      const { metadata } = await podNamed(cluster, "bare")
      expect(metadata.ownerReferences).toEqual(after(own, other))
      const statuses = [
        await cluster.get(replicaSetAddress),
        await cluster.get({ ...replicaSetAddress, name: "other" })
      ]
      expect(statuses.map(({ status }) => status.replicas)).toEqual([1, 1])
    })
  )

  const patches = [
    { why: "a reference to another owner stays beside it", kind: "StatefulSet", isOwn: false, references: 2 },
    {
      why: "its own reference becomes the controller reference",
      kind: "ReplicaSet",
      isOwn: true,
      references: 1
    }
  ]
  it.each(patches)("is adopted again when it loses its controller: $why (TestGeneralPodAdoption)", (row) =>
    inManualCluster(async (cluster) => {
      const own = await started(cluster)
      const settings = await cluster.create(aManifest("ConfigMap", { name: "settings" }))
      const stranger = { apiVersion: "v1", kind: "ConfigMap", name: "settings", uid: settings.metadata.uid }
      const reference = { ...(row.isOwn ? identityOf(own) : stranger), controller: false }
      const pod = await onlyPod(cluster)
      await cluster.patch(addressOf(pod), { metadata: { ownerReferences: [reference] } })
      await advanceOneSecond(cluster)
      const { metadata } = await podNamed(cluster, pod.metadata.name)
      expect(metadata.ownerReferences?.[0]).toEqual(identityOf(own, asController))
      expect(metadata.ownerReferences).toHaveLength(row.references)
    })
  )

  it("is adopted when the ReplicaSet is created (should adopt matching pods on creation and release no longer matching pods)", () =>
    inManualCluster(async (cluster) => {
      await cluster.create(aPod("pod-adoption"))
      const own = await started(cluster)
      const pod = await onlyPod(cluster)
      expect([pod.metadata.name, ownerOf(pod)]).toEqual(["pod-adoption", own.metadata.uid])

      await cluster.patch(addressOf(pod), { metadata: { labels: { app: "not-matching" } } })
      await advanceOneSecond(cluster)
      expect((await podNamed(cluster, "pod-adoption")).metadata.ownerReferences).toBeUndefined()
      expect(await podsOf(cluster, own)).toHaveLength(1)
    }))

  it("is adopted, and the Pod with the lowest deletion cost is deleted", () =>
    inManualCluster(async (cluster) => {
      const own = await started(cluster)
      const first = await onlyPod(cluster)
      await cluster.create(aPod("dear", highDeletionCost))
      await advanceOneSecond(cluster)
      expect((await onlyPod(cluster)).metadata.name).toBe("dear")
      expect(await podsOf(cluster, own)).toHaveLength(1)
      await expect(podNamed(cluster, first.metadata.name)).rejects.toBeInstanceOf(NotFound)

      const cheap = { annotations: { "controller.kubernetes.io/pod-deletion-cost": "-7" } }
      await cluster.create(aPod("cheap", cheap))
      await advanceOneSecond(cluster)
      expect((await onlyPod(cluster)).metadata.name).toBe("dear")
    }))

  it.each([
    { why: "it has failed", phase: "Failed" },
    { why: "it has succeeded", phase: "Succeeded" }
  ])("is not adopted when $why", ({ phase }) =>
    inManualCluster(async (cluster) => {
      await cluster.create(aPod("done"))
      await cluster.patch({ resource: resources.pods, name: "done" }, { status: { phase } }, { status: true })
      const own = await started(cluster)
      expect((await podNamed(cluster, "done")).metadata.ownerReferences).toBeUndefined()
      expect(await podsOf(cluster, own)).toHaveLength(1)
    })
  )

  it("is not adopted while it terminates", () =>
    inManualCluster(async (cluster) => {
      await cluster.create(aPod("leaving", { finalizers: ["example.com/hold"] }))
      await cluster.delete({ resource: resources.pods, name: "leaving" })
      const own = await started(cluster)
      expect((await podNamed(cluster, "leaving")).metadata.ownerReferences).toBeUndefined()
      expect(await podsOf(cluster, own)).toHaveLength(1)
    }))

  it("is adopted in its own namespace only", () =>
    inManualCluster(async (cluster) => {
      await cluster.create(namespaceManifest("shop"))
      await cluster.create(aPod("elsewhere", { namespace: "shop" }))
      const own = await started(cluster)
      const elsewhere = await cluster.get({ resource: resources.pods, name: "elsewhere", namespace: "shop" })
      expect(elsewhere.metadata.ownerReferences).toBeUndefined()
      expect(await podsOf(cluster, own)).toHaveLength(1)
    }))

  it("cannot be given a second controller", () =>
    inManualCluster(async (cluster) => {
      const own = await started(cluster)
      const other = await started(cluster, { name: "other", replicas: 0 })
      const pod = await onlyPod(cluster)
      const ownerReferences = [identityOf(own, asController), identityOf(other, asController)]
      const refused = cluster.patch(addressOf(pod), { metadata: { ownerReferences } })
      await expect(refused).rejects.toBeInstanceOf(Invalid)
      await expect(refused).rejects.toThrow("Only one reference can have Controller set to true")
    }))
})

describe("a Pod whose labels change", () => {
  it("is released and replaced, and adopted when they match again (TestPodOrphaningAndAdoptionWhenLabelsChange)", () =>
    inManualCluster(async (cluster) => {
      const own = await started(cluster)
      const { metadata } = await onlyPod(cluster)
      const pod = { resource: resources.pods, name: metadata.name }
      await cluster.patch(pod, { metadata: { ...highDeletionCost, labels: { app: null, role: "patient" } } })
      await advanceOneSecond(cluster)
      expect((await podNamed(cluster, metadata.name)).metadata.ownerReferences).toBeUndefined()
      expect(await podsOf(cluster)).toHaveLength(2)
      expect((await cluster.get(replicaSetAddress)).status.replicas).toBe(1)

      await cluster.patch(pod, { metadata: { labels: { app: "web", role: null } } })
      await advanceOneSecond(cluster)
      const only = await onlyPod(cluster)
      expect([only.metadata.uid, ownerOf(only)]).toEqual([metadata.uid, own.metadata.uid])
    }))

  it("outlives the ReplicaSet that released it", () =>
    inManualCluster(async (cluster) => {
      await started(cluster, { replicas: 3 })
      const [pod] = await podsOf(cluster)
      if (pod === undefined) throw new Error("no Pod")
      await cluster.patch(addressOf(pod), { metadata: { labels: { app: "retired" } } })
      await advanceOneSecond(cluster)
      await cluster.delete(replicaSetAddress)
      await cluster.settle()
      expect((await onlyPod(cluster)).metadata.uid).toBe(pod.metadata.uid)
    }))

  it("is adopted by a ReplicaSet that it matches now", () =>
    inManualCluster(async (cluster) => {
      const [own, other] = [
        await started(cluster, { replicas: 2 }),
        await started(cluster, { name: "other", labels: { app: "shop" }, replicas: 1 })
      ]
      const [pod] = await podsOf(cluster, own)
      if (pod === undefined) throw new Error("no Pod")
      await cluster.patch(addressOf(pod), { metadata: { ...highDeletionCost, labels: { app: "shop" } } })
      await advanceOneSecond(cluster)
      expect((await podsOf(cluster, other)).map(({ metadata }) => metadata.uid)).toEqual([pod.metadata.uid])
      expect(await podsOf(cluster, own)).toHaveLength(2)
    }))
})

describe("a ReplicaSet that is being deleted", () => {
  it("neither adopts, nor releases, nor replaces Pods, but updates its status", () =>
    inManualCluster(async (cluster) => {
      const own = await started(cluster, { replicas: 3, metadata: { finalizers: ["example.com/hold"] } })
      await cluster.delete(replicaSetAddress)
      const [kept, deleted] = await podsOf(cluster)
      if (kept === undefined || deleted === undefined) throw new Error("too few Pods")
      await cluster.create(aPod("bare"))
      await cluster.patch(addressOf(kept), { metadata: { labels: { app: "retired" } } })
      await cluster.delete(addressOf(deleted))
      await advanceOneSecond(cluster)
      expect((await podNamed(cluster, "bare")).metadata.ownerReferences).toBeUndefined()
      expect(ownerOf(await podNamed(cluster, kept.metadata.name))).toBe(own.metadata.uid)
      expect(await podsOf(cluster, own)).toHaveLength(2)
      expect((await cluster.get(replicaSetAddress)).status.replicas).toBe(1)
    }))
})
