import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { aManifest } from "../../builders.ts"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import { objectKeyOf } from "../../../src/kubernetes/meta/objects.ts"
import { addressOf, deploymentManifest, createObject, withCluster } from "../../cluster/testCluster.ts"
import type { ClusterService } from "../../cluster/testCluster.ts"

const web = { resource: resources.deployments, key: "default/web" }

const countsOf = ({ view }: ClusterService): string =>
  [resources.deployments, resources.replicaSets, resources.pods]
    .map((resource) => [...view.all(resource)].length)
    .join(" ")

const rollOut = (cluster: ClusterService) =>
  Effect.andThen(
    createObject(cluster, deploymentManifest({ replicas: 3 })),
    Effect.asVoid(cluster.rollout("web"))
  )

describe("deleting a Deployment", () => {
  it("in the background removes it at once, and its dependents later", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* rollOut(cluster)
        yield* Effect.orDie(cluster.delete(addressOf(web), { propagationPolicy: "Background" }))
        expect(cluster.view.get(web.resource, web.key)).toBeUndefined()
        yield* cluster.settle()
        expect(countsOf(cluster)).toBe("0 0 0")
      })
    ))

  it("in the foreground keeps it until its dependents are gone", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* rollOut(cluster)
        const order: Array<string> = []
        cluster.onChange(({ type, object }) => {
          if (type === "DELETED") order.push(object.kind)
        })
        yield* Effect.orDie(cluster.delete(addressOf(web), { propagationPolicy: "Foreground" }))
        expect(cluster.view.get(web.resource, web.key)?.metadata.finalizers).toEqual(["foregroundDeletion"])
        yield* cluster.settle()
        expect(order).toEqual(["Pod", "Pod", "Pod", "ReplicaSet", "Deployment"])
        expect(countsOf(cluster)).toBe("0 0 0")
      })
    ))

  it("as orphan keeps ReplicaSet and Pods, which a later Deployment of the name adopts", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* rollOut(cluster)
        const pods = [...cluster.view.all(resources.pods)].map(objectKeyOf).sort()
        yield* Effect.orDie(cluster.delete(addressOf(web), { propagationPolicy: "Orphan" }))
        yield* cluster.settle()
        expect(countsOf(cluster)).toBe("0 1 3")
        expect([...cluster.view.all(resources.replicaSets)][0]?.metadata.ownerReferences).toBeUndefined()
        yield* rollOut(cluster)
        expect(countsOf(cluster)).toBe("1 1 3")
        expect([...cluster.view.all(resources.pods)].map(objectKeyOf).sort()).toEqual(pods)
      })
    ))
})

describe("an object with a missing owner", () => {
  it("is deleted", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        const reference = { apiVersion: "v1", kind: "ConfigMap", name: "gone", uid: "no-such-uid" }
        const child = { name: "child", namespace: "default", ownerReferences: [reference] }
        yield* Effect.orDie(cluster.create(aManifest("Secret", child)))
        yield* cluster.settle()
        expect(cluster.view.get("secrets", "default/child")).toBeUndefined()
      })
    ))

  it("loses only the reference while it has another owner", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        const owner = yield* Effect.orDie(cluster.create(aManifest("ConfigMap", { name: "there" })))
        const solid = { apiVersion: "v1", kind: "ConfigMap", name: "there", uid: owner.metadata.uid }
        const dangling = { apiVersion: "v1", kind: "ConfigMap", name: "gone", uid: "no-such-uid" }
        const child = { name: "child", namespace: "default", ownerReferences: [dangling, solid] }
        yield* Effect.orDie(cluster.create(aManifest("Secret", child)))
        yield* cluster.settle()
        expect(cluster.view.get("secrets", "default/child")?.metadata.ownerReferences).toEqual([solid])
      })
    ))
})
