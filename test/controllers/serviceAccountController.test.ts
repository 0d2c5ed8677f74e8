import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { aManifest, namespaceManifest, podManifest, quotaManifest, serviceManifest } from "../builders.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { addressOf, createObject, withCluster, advanceMillis } from "../cluster/testCluster.ts"
import type { ClusterService } from "../cluster/testCluster.ts"

const keysOf = ({ view }: ClusterService, resource: string): ReadonlyArray<string> =>
  [...view.all(resource)].map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort()

describe("a namespace", () => {
  it("gets a ServiceAccount and kube-root-ca.crt", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* createObject(cluster, namespaceManifest("shop"))
        yield* advanceMillis(cluster, 1)
        const namespaces = ["default", "kube-node-lease", "kube-public", "kube-system", "shop"]
        expect(keysOf(cluster, resources.serviceAccounts)).toEqual(namespaces.map((it) => `${it}/default`))
        expect(keysOf(cluster, resources.configMaps)).toEqual(
          namespaces.map((it) => `${it}/kube-root-ca.crt`)
        )
      })
    ))

  it("gets them again after deletion or a changed certificate", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* advanceMillis(cluster, 1)
        const account = { resource: resources.serviceAccounts, key: "default/default" }
        const certificate = { resource: resources.configMaps, key: "default/kube-root-ca.crt" }
        const before = [account, certificate].map(({ resource, key }) => cluster.view.get(resource, key))
        yield* Effect.orDie(cluster.delete(addressOf(account)))
        const forged = (object: object) => ({ ...object, data: { "ca.crt": "forged" } }) as never
        yield* Effect.orDie(cluster.modify(addressOf(certificate), forged))
        yield* advanceMillis(cluster, 1)
        const after = [account, certificate].map(({ resource, key }) => cluster.view.get(resource, key))
        expect(after[0]?.metadata.uid).not.toBe(before[0]?.metadata.uid)
        expect(after[1]).toMatchObject({ data: (before[1] as never)["data"] })
      })
    ))

  it("that is terminating does not get them again", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* createObject(cluster, namespaceManifest("shop"))
        yield* advanceMillis(cluster, 1)
        yield* Effect.orDie(cluster.delete({ resource: resources.namespaces, name: "shop" }))
        yield* advanceMillis(cluster, 60_000)
        expect(
          [...cluster.view.all(resources.namespaces)].some(({ metadata }) => metadata.name === "shop")
        ).toBe(false)
        expect(keysOf(cluster, resources.serviceAccounts)).not.toContain("shop/default")
      })
    ))

  it("gets them once its quota has room for them", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* advanceMillis(cluster, 1)
        const certificate = { resource: resources.configMaps, key: "default/kube-root-ca.crt" }
        yield* createObject(cluster, quotaManifest({ configmaps: "0" }))
        yield* Effect.orDie(cluster.delete(addressOf(certificate)))
        yield* advanceMillis(cluster, 5000)
        expect(keysOf(cluster, resources.configMaps)).not.toContain(certificate.key)
        yield* Effect.orDie(cluster.delete({ resource: resources.resourceQuotas, name: "q" }))
        yield* advanceMillis(cluster, 10_000)
        expect(keysOf(cluster, resources.configMaps)).toContain(certificate.key)
      })
    ))
})

describe("the cluster's own objects", () => {
  it("do not affect names and uids of other objects", () =>
    withCluster({ seed: 3 }, (cluster) =>
      Effect.gen(function* () {
        const pod = (name: string) =>
          aManifest("Pod", { generateName: `${name}-` }, { spec: podManifest(name).spec })
        const made = yield* Effect.orDie(cluster.create(pod("a")))
        const quiet = yield* Effect.promise(() =>
          withCluster({ seed: 3 }, (other) =>
            Effect.gen(function* () {
              yield* createObject(other, serviceManifest({}, "early"))
              return yield* Effect.orDie(other.create(pod("a")))
            })
          )
        )
        expect([quiet.metadata.name, quiet.metadata.uid]).toEqual([made.metadata.name, made.metadata.uid])
      })
    ))
})
