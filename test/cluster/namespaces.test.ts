import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { conditionOf } from "../../src/kubernetes/meta/conditions.ts"
import { isTerminating } from "../../src/kubernetes/meta/ownerReferences.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { aManifest, begin, inCluster } from "./worlds.ts"
import type { Living } from "./worlds.ts"
import type { Draft } from "../../src/kubernetes/meta/objects.ts"

const shop = { resource: resources.namespaces, key: "shop" }

const aNamespace = (name: string, metadata: Draft["metadata"] = {}): Draft => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, ...metadata }
})
const aConfigMap = (name: string, metadata: Draft["metadata"] = {}): Draft => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "shop", ...metadata }
})

const webIn = (namespace: string, replicas: number): Draft => {
  const manifest = aManifest({ replicas })
  return { ...manifest, metadata: { ...manifest.metadata, namespace } }
}

/** `shop` with a web of so many Pods in it, and another like it beside. */
const twoShops = (cluster: Living, replicas: number) =>
  Effect.gen(function* () {
    for (const name of ["shop", "beside"]) {
      yield* begin(cluster, aNamespace(name))
      yield* begin(cluster, webIn(name, replicas))
      yield* Effect.orDie(cluster.rollout("web", { namespace: name }))
    }
  })

const namespaceOf = ({ view }: Living) => view.get(resources.namespaces, "shop")
const saidOf = (cluster: Living, type: string): string | undefined => {
  const condition = conditionOf(namespaceOf(cluster)?.status.conditions, type)
  return condition === undefined ? undefined : `${condition.status} ${condition.message}`
}
const countIn = ({ view }: Living, namespace: string): number =>
  [resources.deployments, resources.replicaSets, resources.pods]
    .flatMap((resource) => [...view.all(resource)])
    .filter(({ metadata }) => metadata.namespace === namespace).length
const remove = (cluster: Living, ref: { readonly resource: string; readonly key: string }) =>
  Effect.orDie(cluster.delete(ref))
const pass = (cluster: Living, millis: number) => Effect.orDie(cluster.advance(millis))
const finalizersTo = (cluster: Living, resource: string, key: string, finalizers: ReadonlyArray<string>) =>
  Effect.orDie(
    cluster.modify({ resource, key }, (it) => ({ ...it, metadata: { ...it.metadata, finalizers } }))
  )

describe("a namespace", () => {
  it("is there from the beginning under four names", () =>
    inCluster({}, (cluster) =>
      Effect.sync(() => {
        const names = [...cluster.view.all(resources.namespaces)].map(({ metadata }) => metadata.name)
        expect(names.sort()).toEqual(["default", "kube-node-lease", "kube-public", "kube-system"])
      })
    ))

  it("carries its name as a label that cannot be taken off, and a finalizer in its spec", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* begin(cluster, aNamespace("shop", { labels: { team: "a" } }))
        const bare = (it: Draft): Draft => ({ ...it, metadata: { ...it.metadata, labels: { team: "b" } } })
        yield* Effect.orDie(cluster.modify(shop, bare))
        expect(namespaceOf(cluster)).toMatchObject({
          metadata: { labels: { "kubernetes.io/metadata.name": "shop", team: "b" } },
          spec: { finalizers: ["kubernetes"] },
          status: { phase: "Active" }
        })
      })
    ))

  it.each(["default", "kube-system", "kube-public"])("called %s is not deleted", (name) =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        const refused = yield* Effect.flip(cluster.delete({ resource: resources.namespaces, key: name }))
        expect([refused._tag, refused.message]).toEqual([
          "Forbidden",
          `namespaces "${name}" is forbidden: this namespace may not be deleted`
        ])
      })
    )
  )

  it("that does not exist takes nothing in", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        const refused = yield* Effect.flip(cluster.create(aConfigMap("early")))
        expect([refused._tag, refused.message]).toEqual(["NotFound", 'namespaces "shop" not found'])
      })
    ))
})

describe("a namespace that is being deleted", () => {
  it("takes nothing in any more, and says why", () =>
    inCluster({}, (cluster) =>
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

  it("is emptied and goes with the last of what was in it, and the one beside it is left alone", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* twoShops(cluster, 3)
        yield* begin(cluster, aConfigMap("settings"))
        const gone: Array<string> = []
        cluster.onChange(({ type, object }) => {
          if (type === "DELETED") gone.push(`${object.metadata.namespace ?? ""} ${object.kind}`)
        })
        yield* remove(cluster, shop)
        yield* cluster.settle()
        expect(gone.filter((it) => !it.endsWith("Event"))).toEqual([
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
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* twoShops(cluster, 1)
        yield* begin(cluster, aConfigMap("settings"))
        const [pod] = [...cluster.view.all(resources.pods)].filter((it) => it.metadata.namespace === "shop")
        const key = `shop/${pod?.metadata.name}`
        yield* finalizersTo(cluster, resources.pods, key, ["x.io/y"])
        yield* remove(cluster, shop)
        yield* pass(cluster, 120_000)
        const settings = (): boolean | undefined => {
          const present = cluster.view.get("configmaps", "shop/settings")
          return present && isTerminating(present)
        }
        expect(settings()).toBe(false)
        expect(saidOf(cluster, "NamespaceContentRemaining")).toBe(
          "True Some resources are remaining: pods. has 1 resource instances"
        )
        expect(saidOf(cluster, "NamespaceFinalizersRemaining")).toBe(
          "True Some finalizers are remaining: x.io/y in 1 resource instances"
        )
        yield* finalizersTo(cluster, resources.pods, key, [])
        yield* pass(cluster, 0)
        expect([settings(), namespaceOf(cluster)]).toEqual([undefined, undefined])
      })
    ))

  it("says what is left, and what holds it, until that is gone", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* begin(cluster, aNamespace("shop"))
        for (const name of ["a", "b", "c"])
          yield* begin(cluster, aConfigMap(name, { finalizers: ["x.io/y"] }))
        yield* begin(cluster, aConfigMap("free"))
        yield* remove(cluster, shop)
        yield* pass(cluster, 0)
        expect(cluster.view.get("configmaps", "shop/free")).toBeUndefined()
        const remaining = (count: number) => [
          `True Some resources are remaining: configmaps. has ${count} resource instances`,
          `True Some finalizers are remaining: x.io/y in ${count} resource instances`
        ]
        const said = () => [
          saidOf(cluster, "NamespaceContentRemaining"),
          saidOf(cluster, "NamespaceFinalizersRemaining")
        ]
        expect(said()).toEqual(remaining(3))
        yield* finalizersTo(cluster, "configmaps", "shop/b", [])
        // Looked at again after half of the 15 s that finalizers are thought to need, and a second.
        yield* pass(cluster, 7_999)
        expect(said()).toEqual(remaining(3))
        yield* pass(cluster, 1)
        expect(said()).toEqual(remaining(2))
        for (const name of ["a", "c"]) yield* finalizersTo(cluster, "configmaps", `shop/${name}`, [])
        yield* pass(cluster, 0)
        expect(namespaceOf(cluster)).toBeUndefined()
      })
    ))

  it("asked again changes nothing: what it says of itself stays", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* begin(cluster, aNamespace("shop"))
        yield* begin(cluster, aConfigMap("held", { finalizers: ["x.io/y"] }))
        yield* remove(cluster, shop)
        yield* pass(cluster, 0)
        const before = namespaceOf(cluster)
        yield* remove(cluster, shop)
        expect(namespaceOf(cluster)).toBe(before)
      })
    ))

  it.each([
    { where: "its metadata", metadata: ["x.io/y"], spec: ["kubernetes"] },
    { where: "its spec", metadata: [], spec: ["kubernetes", "x.io/y"] }
  ])("waits, empty, for a finalizer of somebody's in $where", ({ metadata, spec }) =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* begin(cluster, aNamespace("shop", { finalizers: metadata }))
        yield* Effect.orDie(cluster.run(cluster.store.finalizeNamespace("shop", spec)))
        yield* begin(cluster, aConfigMap("settings"))
        yield* remove(cluster, shop)
        yield* pass(cluster, 3_600_000)
        expect(cluster.view.get("configmaps", "shop/settings")).toBeUndefined()
        expect(saidOf(cluster, "NamespaceContentRemaining")).toBe("False All content successfully removed")
        expect(namespaceOf(cluster)?.spec.finalizers ?? []).not.toContain("kubernetes")
        if (metadata.length > 0) yield* finalizersTo(cluster, resources.namespaces, "shop", [])
        else yield* Effect.orDie(cluster.run(cluster.store.finalizeNamespace("shop", [])))
        expect(namespaceOf(cluster)).toBeUndefined()
      })
    )
  )

  it("makes no Pods for those that go, and nobody complains of that", () =>
    inCluster({}, (cluster) =>
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
