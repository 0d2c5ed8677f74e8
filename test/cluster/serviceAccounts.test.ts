import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { begin, inCluster } from "./worlds.ts"
import type { Draft } from "../../src/kubernetes/meta/objects.ts"
import type { Living } from "./worlds.ts"

const pass = (cluster: Living, millis = 1) => Effect.orDie(cluster.advance(millis))
const aNamespace = (name: string): Draft => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } })

const keysOf = ({ view }: Living, resource: string): ReadonlyArray<string> =>
  [...view.all(resource)].map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort()

describe("a namespace", () => {
  it("has a ServiceAccount and a certificate authority from the beginning, whoever made it", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* begin(cluster, aNamespace("shop"))
        yield* pass(cluster)
        const namespaces = ["default", "kube-node-lease", "kube-public", "kube-system", "shop"]
        expect(keysOf(cluster, resources.serviceAccounts)).toEqual(namespaces.map((it) => `${it}/default`))
        expect(keysOf(cluster, resources.configMaps)).toEqual(
          namespaces.map((it) => `${it}/kube-root-ca.crt`)
        )
      })
    ))

  it("gets them again when they are deleted, or when somebody writes another certificate", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* pass(cluster)
        const account = { resource: resources.serviceAccounts, key: "default/default" }
        const certificate = { resource: resources.configMaps, key: "default/kube-root-ca.crt" }
        const before = [account, certificate].map(({ resource, key }) => cluster.view.get(resource, key))
        yield* Effect.orDie(cluster.delete(account))
        const forged = (object: object) => ({ ...object, data: { "ca.crt": "forged" } }) as never
        yield* Effect.orDie(cluster.modify(certificate, forged))
        yield* pass(cluster)
        const after = [account, certificate].map(({ resource, key }) => cluster.view.get(resource, key))
        expect(after[0]?.metadata.uid).not.toBe(before[0]?.metadata.uid)
        expect(after[1]).toMatchObject({ data: (before[1] as never)["data"] })
      })
    ))

  it("that is on its way out gets nothing more, and goes", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* begin(cluster, aNamespace("shop"))
        yield* pass(cluster)
        yield* Effect.orDie(cluster.delete({ resource: resources.namespaces, key: "shop" }))
        yield* pass(cluster, 60_000)
        expect(
          [...cluster.view.all(resources.namespaces)].some(({ metadata }) => metadata.name === "shop")
        ).toBe(false)
        expect(keysOf(cluster, resources.serviceAccounts)).not.toContain("shop/default")
      })
    ))

  it("whose quota has no room for them gets them when it has", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* pass(cluster)
        const certificate = { resource: resources.configMaps, key: "default/kube-root-ca.crt" }
        const quota = {
          apiVersion: "v1",
          kind: "ResourceQuota",
          metadata: { name: "q", namespace: "default" }
        }
        yield* begin(cluster, { ...quota, spec: { hard: { configmaps: "0" } } } as Draft)
        yield* Effect.orDie(cluster.delete(certificate))
        yield* pass(cluster, 5000)
        expect(keysOf(cluster, resources.configMaps)).not.toContain(certificate.key)
        yield* Effect.orDie(cluster.delete({ resource: resources.resourceQuotas, key: "default/q" }))
        yield* pass(cluster, 10_000)
        expect(keysOf(cluster, resources.configMaps)).toContain(certificate.key)
      })
    ))
})

describe("what the cluster keeps for itself", () => {
  it("changes no name and no uid of what runs in it", () =>
    inCluster({ seed: 3 }, (cluster) =>
      Effect.gen(function* () {
        const pod = (name: string) =>
          ({
            apiVersion: "v1",
            kind: "Pod",
            metadata: { generateName: `${name}-`, namespace: "default" },
            spec: { containers: [{ name: "app", image: "a:v1" }] }
          }) as Draft
        const made = yield* Effect.orDie(cluster.create(pod("a")))
        const quiet = yield* Effect.promise(() =>
          inCluster({ seed: 3 }, (other) =>
            Effect.gen(function* () {
              yield* begin(other, aService("early"))
              return yield* Effect.orDie(other.create(pod("a")))
            })
          )
        )
        expect([quiet.metadata.name, quiet.metadata.uid]).toEqual([made.metadata.name, made.metadata.uid])
      })
    ))
})

const aService = (name: string) =>
  ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: "default" },
    spec: { selector: { app: name }, ports: [{ port: 80 }] }
  }) as Draft
