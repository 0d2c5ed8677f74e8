import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { aManifest, namespaceManifest } from "../builders.ts"
import { conditionOf } from "../../src/kubernetes/meta/conditions.ts"
import { isTerminating } from "../../src/kubernetes/meta/deletion.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import {
  addressOf,
  deploymentManifest,
  createObject,
  withCluster,
  advanceMillis
} from "../cluster/testCluster.ts"
import type { ClusterService } from "../cluster/testCluster.ts"
import type { Draft } from "../../src/kubernetes/meta/objects.ts"

const shop = { resource: resources.namespaces, key: "shop" }

const aConfigMap = (name: string, metadata: Draft["metadata"] = {}): Draft =>
  aManifest("ConfigMap", { name, namespace: "shop", ...metadata })

/** Namespaces `shop` and `beside`, each with a Deployment `web`. */
const twoShops = (cluster: ClusterService, replicas: number) =>
  Effect.gen(function* () {
    for (const name of ["shop", "beside"]) {
      yield* createObject(cluster, namespaceManifest(name))
      yield* createObject(cluster, deploymentManifest({ namespace: name, replicas }))
      yield* Effect.orDie(cluster.rollout("web", { namespace: name }))
    }
  })

const namespaceOf = ({ view }: ClusterService) => view.get(resources.namespaces, "shop")
const conditionTextOf = (cluster: ClusterService, type: string): string | undefined => {
  const condition = conditionOf(namespaceOf(cluster)?.status.conditions, type)
  return condition === undefined ? undefined : `${condition.status} ${condition.message}`
}
const countIn = ({ view }: ClusterService, namespace: string): number =>
  [resources.deployments, resources.replicaSets, resources.pods]
    .flatMap((resource) => [...view.all(resource)])
    .filter(({ metadata }) => metadata.namespace === namespace).length
const remove = (cluster: ClusterService, ref: { readonly resource: string; readonly key: string }) =>
  Effect.orDie(cluster.delete(addressOf(ref)))
const setFinalizers = (
  cluster: ClusterService,
  resource: string,
  key: string,
  finalizers: ReadonlyArray<string>
) =>
  Effect.orDie(
    cluster.modify(addressOf({ resource, key }), (it) => ({
      ...it,
      metadata: { ...it.metadata, finalizers }
    }))
  )

/** Two finalizers hold the Pod, which no node takes, in its namespace `shop`. */
const createHeldPod = (cluster: ClusterService, name: string, terminationGracePeriodSeconds: number) =>
  Effect.gen(function* () {
    yield* createObject(cluster, namespaceManifest("shop"))
    const containers = [{ name: "app", image: "app:1" }]
    const spec = { schedulerName: "none", terminationGracePeriodSeconds, containers }
    const finalizers = ["x.io/y", "x.io/z"]
    const draft = { ...aManifest("Pod", { name, namespace: "shop", finalizers }), spec }
    yield* createObject(cluster, draft)
  })

describe("a namespace", () => {
  it("exists under four names in a new cluster", () =>
    withCluster({}, (cluster) =>
      Effect.sync(() => {
        const names = [...cluster.view.all(resources.namespaces)].map(({ metadata }) => metadata.name)
        expect(names.sort()).toEqual(["default", "kube-node-lease", "kube-public", "kube-system"])
      })
    ))

  it("has a label with its name, and the finalizer kubernetes", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* createObject(cluster, namespaceManifest("shop", { labels: { team: "a" } }))
        const bare = (it: Draft): Draft => ({ ...it, metadata: { ...it.metadata, labels: { team: "b" } } })
        yield* Effect.orDie(cluster.modify(addressOf(shop), bare))
        expect(namespaceOf(cluster)).toMatchObject({
          metadata: { labels: { "kubernetes.io/metadata.name": "shop", team: "b" } },
          spec: { finalizers: ["kubernetes"] },
          status: { phase: "Active" }
        })
      })
    ))

  it.each(["default", "kube-system", "kube-public"])("is not deleted when its name is %s", (name) =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        const refused = yield* Effect.flip(cluster.delete({ resource: resources.namespaces, name }))
        expect([refused._tag, refused.message]).toEqual([
          "Forbidden",
          `namespaces "${name}" is forbidden: this namespace may not be deleted`
        ])
      })
    )
  )

  it("must exist before objects are created in it", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        const refused = yield* Effect.flip(cluster.create(aConfigMap("early")))
        expect([refused._tag, refused.message]).toEqual(["NotFound", 'namespaces "shop" not found'])
      })
    ))
})

describe("a terminating namespace", () => {
  it("refuses new objects, with the reason", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* twoShops(cluster, 2)
        yield* remove(cluster, shop)
        expect(namespaceOf(cluster)?.status.phase).toBe("Terminating")
        const refused = yield* Effect.flip(cluster.create(aConfigMap("late")))
        expect(refused).toMatchObject({
          _tag: "Forbidden",
          cause: "NamespaceTerminating",
          message:
            'configmaps "late" is forbidden: unable to create new content in namespace shop because it is being terminated'
        })
      })
    ))

  it("is emptied, then removed, without effect on other namespaces", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* twoShops(cluster, 3)
        yield* createObject(cluster, aConfigMap("settings"))
        const deletedObjects: Array<string> = []
        cluster.onChange(({ type, object }) => {
          if (type === "DELETED") deletedObjects.push(`${object.metadata.namespace ?? ""} ${object.kind}`)
        })
        yield* remove(cluster, shop)
        yield* cluster.settle()
        expect(deletedObjects.filter((it) => !it.endsWith("Event"))).toEqual([
          "shop Pod",
          "shop Pod",
          "shop Pod",
          "shop Deployment",
          "shop ReplicaSet",
          "shop ConfigMap",
          "shop ConfigMap",
          "shop ServiceAccount",
          " Namespace"
        ])
        expect([countIn(cluster, "shop"), countIn(cluster, "beside")]).toEqual([0, 5])
      })
    ))

  it("loses its Pods before anything else (OrderedNamespaceDeletion: namespace deletion should delete pod first)", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* twoShops(cluster, 1)
        yield* createObject(cluster, aConfigMap("settings"))
        const [pod] = [...cluster.view.all(resources.pods)].filter((it) => it.metadata.namespace === "shop")
        const key = `shop/${pod?.metadata.name}`
        yield* setFinalizers(cluster, resources.pods, key, ["x.io/y"])
        yield* remove(cluster, shop)
        yield* advanceMillis(cluster, 120_000)
        const settings = (): boolean | undefined => {
          const present = cluster.view.get("configmaps", "shop/settings")
          return present && isTerminating(present)
        }
        expect(settings()).toBe(false)
        expect(conditionTextOf(cluster, "NamespaceContentRemaining")).toBe(
          "True Some resources are remaining: pods. has 1 resource instances"
        )
        expect(conditionTextOf(cluster, "NamespaceFinalizersRemaining")).toBe(
          "True Some finalizers are remaining: x.io/y in 1 resource instances"
        )
        yield* setFinalizers(cluster, resources.pods, key, [])
        yield* advanceMillis(cluster, 0)
        expect([settings(), namespaceOf(cluster)]).toEqual([undefined, undefined])
      })
    ))

  it("does not wait for the grace of a Pod that is finished", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* createHeldPod(cluster, "done", 600)
        const pod = cluster.view.get(resources.pods, "shop/done")
        if (pod === undefined) throw new Error("the Pod was not created")
        const finished = { ...pod, status: { ...pod.status, phase: "Succeeded" as const } }
        yield* Effect.orDie(cluster.store.updateStatus(finished))
        yield* remove(cluster, shop)
        yield* advanceMillis(cluster, 0)
        yield* setFinalizers(cluster, resources.pods, "shop/done", ["x.io/z"])
        yield* advanceMillis(cluster, 10_000)
        expect(conditionTextOf(cluster, "NamespaceFinalizersRemaining")).toBe(
          "True Some finalizers are remaining: x.io/z in 1 resource instances"
        )
      })
    ))

  it.each([
    { why: "after half of the Pod's grace, and a second", afterMillis: 0, lookMillis: 11_000 },
    { why: "after as long again, while the grace has not passed", afterMillis: 11_000, lookMillis: 22_000 },
    { why: "after half of the time for finalizers, once it has", afterMillis: 22_000, lookMillis: 30_000 }
  ])("looks at a Pod that remains $why", ({ afterMillis, lookMillis }) =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* createHeldPod(cluster, "held", 20)
        yield* remove(cluster, shop)
        yield* advanceMillis(cluster, afterMillis)
        yield* setFinalizers(cluster, resources.pods, "shop/held", ["x.io/z"])
        const remainingText = () => conditionTextOf(cluster, "NamespaceFinalizersRemaining")
        yield* advanceMillis(cluster, lookMillis - afterMillis - 1)
        expect(remainingText()).toContain("x.io/y in 1 resource instances")
        yield* advanceMillis(cluster, 1)
        expect(remainingText()).not.toContain("x.io/y")
      })
    )
  )

  it("has conditions with its remaining objects and their finalizers", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* createObject(cluster, namespaceManifest("shop"))
        for (const name of ["a", "b", "c"])
          yield* createObject(cluster, aConfigMap(name, { finalizers: ["x.io/y"] }))
        yield* createObject(cluster, aConfigMap("free"))
        yield* remove(cluster, shop)
        yield* advanceMillis(cluster, 0)
        expect(cluster.view.get("configmaps", "shop/free")).toBeUndefined()
        const remaining = (count: number) => [
          `True Some resources are remaining: configmaps. has ${count} resource instances`,
          `True Some finalizers are remaining: x.io/y in ${count} resource instances`
        ]
        const remainingTexts = () => [
          conditionTextOf(cluster, "NamespaceContentRemaining"),
          conditionTextOf(cluster, "NamespaceFinalizersRemaining")
        ]
        expect(remainingTexts()).toEqual(remaining(3))
        yield* setFinalizers(cluster, "configmaps", "shop/b", [])
        // The next look comes after half of the 15 s estimated for finalizers, and a second.
        yield* advanceMillis(cluster, 7_999)
        expect(remainingTexts()).toEqual(remaining(3))
        yield* advanceMillis(cluster, 1)
        expect(remainingTexts()).toEqual(remaining(2))
        for (const name of ["a", "c"]) yield* setFinalizers(cluster, "configmaps", `shop/${name}`, [])
        yield* advanceMillis(cluster, 0)
        expect(namespaceOf(cluster)).toBeUndefined()
      })
    ))

  it("stays as it is when deleted again", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* createObject(cluster, namespaceManifest("shop"))
        yield* createObject(cluster, aConfigMap("held", { finalizers: ["x.io/y"] }))
        yield* remove(cluster, shop)
        yield* advanceMillis(cluster, 0)
        const before = namespaceOf(cluster)
        yield* remove(cluster, shop)
        expect(namespaceOf(cluster)).toBe(before)
      })
    ))

  it.each([
    { where: "its metadata", metadata: ["x.io/y"], spec: ["kubernetes"] },
    { where: "its spec", metadata: [], spec: ["kubernetes", "x.io/y"] }
  ])("waits, empty, for a foreign finalizer in $where", ({ metadata, spec }) =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* createObject(cluster, namespaceManifest("shop", { finalizers: metadata }))
        yield* Effect.orDie(cluster.run(cluster.store.finalizeNamespace("shop", spec)))
        yield* createObject(cluster, aConfigMap("settings"))
        yield* remove(cluster, shop)
        yield* advanceMillis(cluster, 3_600_000)
        expect(cluster.view.get("configmaps", "shop/settings")).toBeUndefined()
        expect(conditionTextOf(cluster, "NamespaceContentRemaining")).toBe(
          "False All content successfully removed"
        )
        expect(namespaceOf(cluster)?.spec.finalizers ?? []).not.toContain("kubernetes")
        if (metadata.length > 0) yield* setFinalizers(cluster, resources.namespaces, "shop", [])
        else yield* Effect.orDie(cluster.run(cluster.store.finalizeNamespace("shop", [])))
        expect(namespaceOf(cluster)).toBeUndefined()
      })
    )
  )

  it("gets no new Pods, and no FailedCreate events", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* twoShops(cluster, 4)
        let made = 0
        cluster.onChange(({ type, object }) => {
          if (type === "ADDED" && object.kind === "Pod") made += 1
        })
        const complaints: Array<string> = []
        cluster.onChange(({ object }) => {
          if (object.kind === "Event" && "reason" in object && object.reason === "FailedCreate")
            complaints.push(object.metadata.name)
        })
        yield* remove(cluster, shop)
        yield* cluster.settle()
        expect([made, complaints, namespaceOf(cluster)]).toEqual([0, [], undefined])
      })
    ))
})
