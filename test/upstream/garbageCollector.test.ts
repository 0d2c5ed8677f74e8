import { describe, expect, it } from "vitest"
import { aManifest, deploymentManifest, namespaceManifest, podManifest } from "../builders.ts"
import { openCluster, resources } from "../../src/index.ts"
import { advanceOneSecond, deploymentAddress } from "./manualCluster.ts"
import type { DeleteOptions, Draft, KubeObject, OpenCluster } from "../../src/index.ts"

/**
 * Source: test/integration/garbagecollector/garbage_collector_test.go,
 * test/e2e/apimachinery/garbage_collector.go. No controller acts on a ReplicationController or these Pods
 * here: only the garbage collector changes them.
 */

const inTwoNamespaces = async (story: (cluster: OpenCluster) => Promise<void>): Promise<void> => {
  await using cluster = await openCluster({ behaviour: "manual" })
  for (const name of ["here", "there"]) {
    await cluster.create(namespaceManifest(name))
  }
  await story(cluster)
}

const aController = (name: string, metadata: Draft["metadata"] = {}): Draft => {
  const labels = { name }
  const template = { metadata: { labels }, spec: { containers: [{ name: "app", image: "app:v1" }] } }
  const controller = aManifest("ReplicationController", { name, namespace: "here", ...metadata })
  return { ...controller, spec: { replicas: 2, selector: labels, template } } as Draft
}

type OwnerReferences = Draft["metadata"]["ownerReferences"] & object

const refTo = (owner: KubeObject, blockOwnerDeletion?: boolean): OwnerReferences[number] => ({
  apiVersion: owner.apiVersion,
  kind: owner.kind,
  name: owner.metadata.name,
  uid: owner.metadata.uid,
  ...(blockOwnerDeletion === undefined ? {} : { blockOwnerDeletion })
})

const aPod = (
  name: string,
  ownerReferences: OwnerReferences = [],
  metadata: Draft["metadata"] = {}
): Draft => {
  const owned = ownerReferences.length === 0 ? {} : { ownerReferences }
  return podManifest(name, {}, { namespace: "here", ...owned, ...metadata })
}

const aSecret = (name: string, namespace: string, ownerReferences: OwnerReferences): Draft =>
  aManifest("Secret", { name, namespace, ownerReferences })

const controller = (name: string) =>
  ({ resource: "replicationcontrollers", name, namespace: "here" }) as const
const pod = (name: string) => ({ resource: resources.pods, name, namespace: "here" }) as const

const remove = (cluster: OpenCluster, name: string, options: DeleteOptions): Promise<KubeObject> =>
  cluster.delete(controller(name), options)
const foreground: DeleteOptions = { propagationPolicy: "Foreground" }
const background: DeleteOptions = { propagationPolicy: "Background" }

const namesOf = async (cluster: OpenCluster, resource: string): Promise<ReadonlyArray<string>> =>
  (await cluster.list(resource, { namespace: "here" })).items.map(({ metadata }) => metadata.name)
const remainingNames = async (cluster: OpenCluster): Promise<ReadonlyArray<string>> => [
  ...(await namesOf(cluster, "replicationcontrollers")),
  ...(await namesOf(cluster, resources.pods))
]
const ownersOf = async (cluster: OpenCluster, name: string): Promise<ReadonlyArray<string>> =>
  ((await cluster.get(pod(name))).metadata.ownerReferences ?? []).map((owner) => owner.name)

describe("the integration tests of the garbage collector", () => {
  it("a dependent is deleted with its only owner, and not with one of two (TestCascadingDeletion)", () =>
    inTwoNamespaces(async (cluster) => {
      const doomed = await cluster.create(aController("doomed"))
      const staying = await cluster.create(aController("staying"))
      await cluster.create(aPod("collected", [refTo(doomed)]))
      await cluster.create(aPod("independent"))
      await cluster.create(aPod("one-valid-owner", [refTo(doomed), refTo(staying)]))
      await advanceOneSecond(cluster)
      expect(await remainingNames(cluster)).toHaveLength(5)
      await remove(cluster, "doomed", background)
      await advanceOneSecond(cluster)
      expect(await remainingNames(cluster)).toEqual(["staying", "independent", "one-valid-owner"])
      expect(await ownersOf(cluster, "one-valid-owner")).toEqual(["staying"])
    }))

  it("a dependent of an owner that does not exist is deleted (TestCreateWithNonExistentOwner)", () =>
    inTwoNamespaces(async (cluster) => {
      const missingOwner = {
        apiVersion: "v1",
        kind: "ReplicationController",
        name: "absent",
        uid: "doesn't matter"
      }
      await cluster.create(aPod("collected", [missingOwner]))
      await advanceOneSecond(cluster)
      expect(await remainingNames(cluster)).toEqual([])
    }))

  it("a dependent of a deleted owner is deleted although another object has the owner's name (TestCreateWithNonExistentOwner)", () =>
    inTwoNamespaces(async (cluster) => {
      const first = await cluster.create(aController("twice"))
      await remove(cluster, "twice", background)
      await cluster.create(aController("twice"))
      await cluster.create(aPod("collected", [refTo(first)]))
      await advanceOneSecond(cluster)
      expect(await remainingNames(cluster)).toEqual(["twice"])
    }))

  it.each([
    { why: "the deletion says Orphan", finalizers: [], options: { propagationPolicy: "Orphan" }, stay: true },
    { why: "the owner carries the finalizer", finalizers: ["orphan"], options: {}, stay: true },
    { why: "Background overrules the finalizer", finalizers: ["orphan"], options: background, stay: false }
  ] as const)(
    "dependents of an orphaning owner stay $stay, without an owner: $why (TestOrphaning)",
    ({ finalizers, options, stay }) =>
      inTwoNamespaces(async (cluster) => {
        const owner = await cluster.create(aController("doomed", { finalizers: [...finalizers] }))
        for (const name of ["p0", "p1", "p2"]) await cluster.create(aPod(name, [refTo(owner)]))
        await remove(cluster, "doomed", options)
        await advanceOneSecond(cluster)
        expect(await remainingNames(cluster)).toEqual(stay ? ["p0", "p1", "p2"] : [])
        for (const name of await remainingNames(cluster)) expect(await ownersOf(cluster, name)).toEqual([])
      })
  )

  it("an owner deleted in the foreground does not wait for a dependent with another owner (TestSolidOwnerDoesNotBlockWaitingOwner)", () =>
    inTwoNamespaces(async (cluster) => {
      const doomed = await cluster.create(aController("doomed"))
      const staying = await cluster.create(aController("staying"))
      await cluster.create(aPod("pod", [refTo(doomed, true), refTo(staying)]))
      await remove(cluster, "doomed", foreground)
      await advanceOneSecond(cluster)
      expect(await remainingNames(cluster)).toEqual(["staying", "pod"])
      expect(await ownersOf(cluster, "pod")).toEqual(["staying"])
    }))

  it("a reference without blockOwnerDeletion does not delay its owner (TestNonBlockingOwnerRefDoesNotBlock)", () =>
    inTwoNamespaces(async (cluster) => {
      const doomed = await cluster.create(aController("doomed"))
      await cluster.create(aPod("unsaid", [refTo(doomed)], { finalizers: ["x/y"] }))
      await cluster.create(aPod("said", [refTo(doomed, false)], { finalizers: ["x/y"] }))
      await remove(cluster, "doomed", foreground)
      await advanceOneSecond(cluster)
      expect(await remainingNames(cluster)).toEqual(["said", "unsaid"])
    }))

  it("a reference with blockOwnerDeletion delays its owner until the dependent is gone (TestBlockingOwnerRefDoesBlock)", () =>
    inTwoNamespaces(async (cluster) => {
      const doomed = await cluster.create(aController("doomed"))
      await cluster.create(aPod("pod", [refTo(doomed, true)], { finalizers: ["x/y"] }))
      await remove(cluster, "doomed", foreground)
      await cluster.advance("15s")
      expect(await remainingNames(cluster)).toEqual(["doomed", "pod"])
      await cluster.patch(pod("pod"), [{ op: "remove", path: "/metadata/finalizers" }])
      await advanceOneSecond(cluster)
      expect(await remainingNames(cluster)).toEqual([])
    }))

  it("a reference that loses blockOwnerDeletion no longer delays its owner (TestBlockingOwnerRefDoesBlock)", () =>
    inTwoNamespaces(async (cluster) => {
      const doomed = await cluster.create(aController("doomed"))
      await cluster.create(aPod("pod", [refTo(doomed, true)], { finalizers: ["x/y"] }))
      await remove(cluster, "doomed", foreground)
      await advanceOneSecond(cluster)
      await cluster.patch(pod("pod"), { metadata: { ownerReferences: [refTo(doomed, false)] } })
      await advanceOneSecond(cluster)
      expect(await remainingNames(cluster)).toEqual(["pod"])
    }))

  it("an object deleted twice keeps only its own finalizer each time (TestDoubleDeletionWithFinalizer)", () =>
    inTwoNamespaces(async (cluster) => {
      await cluster.create(aPod("lucy", [], { finalizers: ["x/y"] }))
      for (let time = 0; time < 2; time += 1) {
        await cluster.delete(pod("lucy"), foreground)
        await advanceOneSecond(cluster)
        expect((await cluster.get(pod("lucy"))).metadata.finalizers).toEqual(["x/y"])
      }
      await cluster.patch(pod("lucy"), [{ op: "remove", path: "/metadata/finalizers" }])
      expect(await remainingNames(cluster)).toEqual([])
    }))

  it("owners and dependents may be of any kinds, across groups and scopes (TestMixedRelationships)", () =>
    inTwoNamespaces(async (cluster) => {
      const scoped = await cluster.create({
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRole",
        metadata: { name: "top" }
      })
      await cluster.create(aSecret("middle", "here", [refTo(scoped)]))
      const middle = await cluster.get({ resource: "secrets", name: "middle", namespace: "here" })
      await cluster.create(aController("bottom", { ownerReferences: [refTo(middle, true)] }))
      await cluster.delete({ resource: roles, name: "top" }, foreground)
      await advanceOneSecond(cluster)
      expect((await cluster.list(roles)).items).toEqual([])
      expect([...(await namesOf(cluster, "secrets")), ...(await remainingNames(cluster))]).toEqual([])
    }))

  it("an owner of a kind that is not served keeps its dependents, since its absence cannot be proved", () =>
    inTwoNamespaces(async (cluster) => {
      const custom = { apiVersion: "example.com/v1", kind: "Widget", name: "w", uid: "no-such-uid" }
      await cluster.create(aPod("pod", [custom]))
      await cluster.advance("1h")
      expect(await remainingNames(cluster)).toEqual(["pod"])
    }))

  it("an owner in another namespace counts as absent, and an event says so (TestCrossNamespaceReferences)", () =>
    inTwoNamespaces(async (cluster) => {
      const owner = await cluster.create(aController("owner"))
      for (const name of ["v0", "v1", "v2"]) await cluster.create(aSecret(name, "here", [refTo(owner)]))
      const children = []
      for (const name of ["i0", "i1"])
        children.push(await cluster.create(aSecret(name, "there", [refTo(owner)])))
      await advanceOneSecond(cluster)
      expect((await cluster.list("secrets")).items.map(({ metadata }) => metadata.name)).toEqual([
        "v0",
        "v1",
        "v2"
      ])
      const { uid } = owner.metadata
      const named = `[v1/ReplicationController, namespace: there, name: owner, uid: ${uid}]`
      for (const { metadata } of children) {
        expect(await cluster.events(metadata)).toMatchObject([
          {
            type: "Warning",
            reason: "OwnerRefInvalidNamespace",
            message: `ownerRef ${named} does not exist in namespace "there"`,
            source: { component: "garbage-collector-controller" },
            metadata: { namespace: "there" }
          }
        ])
      }
    }))

  it("a cluster-scoped object cannot be owned by a namespaced one, and is never collected (TestCrossNamespaceReferences)", () =>
    inTwoNamespaces(async (cluster) => {
      const owner = await cluster.create(aController("owner"))
      const metadata = { name: "free", ownerReferences: [refTo(owner)] }
      const free = await cluster.create({
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRole",
        metadata
      })
      await advanceOneSecond(cluster)
      const named = `[v1/ReplicationController, namespace: , name: owner, uid: ${owner.metadata.uid}]`
      expect((await cluster.events(free.metadata)).map(({ message }) => message)).toEqual([
        `ownerRef ${named} does not exist in namespace ""`
      ])
      await remove(cluster, "owner", background)
      await cluster.advance("1h")
      expect((await cluster.list(roles)).items.map((it) => it.metadata.name)).toEqual(["free"])
    }))
})

const roles = "clusterroles.rbac.authorization.k8s.io"

describe("the end-to-end tests of the garbage collector", () => {
  it("keep a dependent with a valid owner beside a waiting one (should not delete dependents that have both valid owner and owner that's waiting for dependents to be deleted)", () =>
    inTwoNamespaces(async (cluster) => {
      const doomed = await cluster.create(aController("doomed"))
      const staying = await cluster.create(aController("staying"))
      const names = ["p0", "p1", "p2", "p3", "p4", "p5", "p6"]
      for (const [index, name] of names.entries()) {
        const both = [refTo(doomed, true), refTo(staying, true)]
        await cluster.create(aPod(name, index % 2 === 0 ? both : both.slice(0, 1)))
      }
      await remove(cluster, "doomed", foreground)
      await advanceOneSecond(cluster)
      expect(await remainingNames(cluster)).toEqual(["staying", "p0", "p2", "p4", "p6"])
      expect(await ownersOf(cluster, "p4")).toEqual(["staying"])
    }))

  it("delete a circle of owners with any one of them (should not be blocked by dependency circle)", () =>
    inTwoNamespaces(async (cluster) => {
      const pods = []
      for (const name of ["pod1", "pod2", "pod3"]) pods.push(await cluster.create(aPod(name)))
      for (const [index, { metadata }] of pods.entries()) {
        const owner = pods[(index + pods.length - 1) % pods.length]
        if (owner === undefined) throw new Error("a circle of none")
        const reference = { ...refTo(owner, true), controller: true }
        await cluster.patch(pod(metadata.name), { metadata: { ownerReferences: [reference] } })
      }
      await advanceOneSecond(cluster)
      expect(await remainingNames(cluster)).toEqual(["pod1", "pod2", "pod3"])
      await cluster.delete(pod("pod1"), foreground)
      await advanceOneSecond(cluster)
      expect(await remainingNames(cluster)).toEqual([])
    }))

  it("delete the ReplicaSet with its Deployment (should delete RS created by deployment when not orphaning)", async () => {
    await using cluster = await openCluster({})
    await cluster.create(deploymentManifest({}))
    await cluster.rollout("web")
    await cluster.delete(deploymentAddress)
    await cluster.settle()
    expect((await cluster.list(resources.replicaSets)).items).toEqual([])
    expect((await cluster.list(resources.pods)).items).toEqual([])
  })

  it("keep the ReplicaSet without an owner (should orphan RS created by deployment when deleteOptions.PropagationPolicy is Orphan)", async () => {
    await using cluster = await openCluster({})
    await cluster.create(deploymentManifest({}))
    await cluster.rollout("web")
    await cluster.delete(deploymentAddress, { propagationPolicy: "Orphan" })
    await cluster.advance("30s")
    expect((await cluster.list(resources.deployments)).items).toEqual([])
    const { items } = await cluster.list(resources.replicaSets)
    expect(items.map(({ metadata, status }) => [metadata.ownerReferences, status.readyReplicas])).toEqual([
      [undefined, 3]
    ])
  })

  it("keep the owner until the last Pod is gone (should keep the rc around until all its pods are deleted if the deleteOptions says so)", async () => {
    await using cluster = await openCluster({})
    await cluster.create(deploymentManifest({}))
    await cluster.rollout("web")
    await cluster.delete(deploymentAddress, { propagationPolicy: "Orphan" })
    await cluster.settle()
    const [owner] = (await cluster.list(resources.replicaSets)).items
    if (owner === undefined) throw new Error("no ReplicaSet")
    const deletedKinds: Array<string> = []
    cluster.onChange(({ type, object }) => {
      if (type === "DELETED") deletedKinds.push(object.kind)
    })
    const { name, namespace } = owner.metadata
    await cluster.delete({ resource: resources.replicaSets, name, namespace: namespace ?? "" }, foreground)
    await cluster.settle()
    expect(deletedKinds).toEqual(["Pod", "Pod", "Pod", "ReplicaSet"])
  })
})
