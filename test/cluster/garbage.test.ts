import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { objectKeyOf } from "../../src/kubernetes/meta/objects.ts"
import { aManifest, begin, inCluster } from "./worlds.ts"
import type { Living } from "./worlds.ts"

const web = { resource: resources.deployments, key: "default/web" }

const census = ({ view }: Living): string =>
  [resources.deployments, resources.replicaSets, resources.pods]
    .map((resource) => [...view.all(resource)].length)
    .join(" ")

const rolledOut = (cluster: Living) =>
  Effect.andThen(begin(cluster, aManifest({ replicas: 3 })), Effect.asVoid(cluster.rollout("web")))

describe("deleting a Deployment", () => {
  it("in the background takes it away at once, and all it owned soon after", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* rolledOut(cluster)
        yield* Effect.orDie(cluster.delete(web, { propagationPolicy: "Background" }))
        expect(cluster.view.get(web.resource, web.key)).toBeUndefined()
        yield* cluster.settle()
        expect(census(cluster)).toBe("0 0 0")
      })
    ))

  it("in the foreground keeps it until the last Pod is gone", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* rolledOut(cluster)
        const order: Array<string> = []
        cluster.onChange(({ type, object }) => {
          if (type === "DELETED") order.push(object.kind)
        })
        yield* Effect.orDie(cluster.delete(web, { propagationPolicy: "Foreground" }))
        expect(cluster.view.get(web.resource, web.key)?.metadata.finalizers).toEqual(["foregroundDeletion"])
        yield* cluster.settle()
        expect(order).toEqual(["Pod", "Pod", "Pod", "ReplicaSet", "Deployment"])
        expect(census(cluster)).toBe("0 0 0")
      })
    ))

  it("as an orphan leaves ReplicaSet and Pods running, for a later namesake to adopt", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* rolledOut(cluster)
        const pods = [...cluster.view.all(resources.pods)].map(objectKeyOf).sort()
        yield* Effect.orDie(cluster.delete(web, { propagationPolicy: "Orphan" }))
        yield* cluster.settle()
        expect(census(cluster)).toBe("0 1 3")
        expect([...cluster.view.all(resources.replicaSets)][0]?.metadata.ownerReferences).toBeUndefined()
        yield* rolledOut(cluster)
        expect(census(cluster)).toBe("1 1 3")
        expect([...cluster.view.all(resources.pods)].map(objectKeyOf).sort()).toEqual(pods)
      })
    ))
})

describe("an object whose owner does not exist", () => {
  it("is deleted", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        const reference = { apiVersion: "v1", kind: "ConfigMap", name: "gone", uid: "no-such-uid" }
        const child = { name: "child", namespace: "default", ownerReferences: [reference] }
        yield* Effect.orDie(cluster.create({ apiVersion: "v1", kind: "Secret", metadata: child }))
        yield* cluster.settle()
        expect(cluster.view.get("secrets", "default/child")).toBeUndefined()
      })
    ))

  it("is kept while it has another owner, and only loses the reference", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        const owner = yield* Effect.orDie(
          cluster.create({
            apiVersion: "v1",
            kind: "ConfigMap",
            metadata: { name: "there", namespace: "default" }
          })
        )
        const solid = { apiVersion: "v1", kind: "ConfigMap", name: "there", uid: owner.metadata.uid }
        const dangling = { apiVersion: "v1", kind: "ConfigMap", name: "gone", uid: "no-such-uid" }
        const child = { name: "child", namespace: "default", ownerReferences: [dangling, solid] }
        yield* Effect.orDie(cluster.create({ apiVersion: "v1", kind: "Secret", metadata: child }))
        yield* cluster.settle()
        expect(cluster.view.get("secrets", "default/child")?.metadata.ownerReferences).toEqual([solid])
      })
    ))
})

describe("deleting a namespace", () => {
  it("empties it, and lets it go when the last Pod has", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* Effect.orDie(
          cluster.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } })
        )
        const manifest = aManifest({ replicas: 2 })
        yield* begin(cluster, { ...manifest, metadata: { ...manifest.metadata, namespace: "shop" } })
        yield* cluster.rollout("web", { namespace: "shop" })
        yield* Effect.orDie(cluster.delete({ resource: resources.namespaces, key: "shop" }))
        expect(cluster.view.get(resources.namespaces, "shop")?.status.phase).toBe("Terminating")
        const refused = yield* Effect.flip(
          cluster.create({ apiVersion: "v1", kind: "Secret", metadata: { name: "late", namespace: "shop" } })
        )
        expect(refused.message).toBe(
          'secrets "late" is forbidden: unable to create new content in namespace shop because it is being terminated'
        )
        yield* cluster.settle()
        expect(cluster.view.get(resources.namespaces, "shop")).toBeUndefined()
        expect(census(cluster)).toBe("0 0 0")
      })
    ))
})
