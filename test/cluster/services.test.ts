import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { aManifest, begin, change, inCluster } from "./worlds.ts"
import type { Draft } from "../../src/kubernetes/meta/objects.ts"
import type { StoreError } from "../../src/store/storeErrors.ts"
import type { Living } from "./worlds.ts"

const aService = (spec: object = {}, name = "web") =>
  ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: "default" },
    spec: { selector: { app: "web" }, ports: [{ port: 80 }], ...spec }
  }) as Draft

const ref = (name = "web") => ({ resource: resources.services, key: `default/${name}` })
const pass = (cluster: Living, seconds: number) => Effect.orDie(cluster.advance(seconds * 1000))
const specOf = ({ view }: Living, name = "web") => view.get(resources.services, `default/${name}`)?.spec
const setSpec = (cluster: Living, spec: object, name = "web") =>
  cluster.modify(ref(name), (object) => ({ ...object, spec: { ...specOf(cluster, name), ...spec } }) as Draft)

const addressesOf = ({ view }: Living, name = "web") => {
  const subset = view.get(resources.endpoints, `default/${name}`)?.subsets?.[0]
  return [subset?.addresses?.length ?? 0, subset?.notReadyAddresses?.length ?? 0]
}

const slicesOf = ({ view }: Living, name = "web") =>
  [...view.all(resources.endpointSlices)].filter(
    ({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === name
  )

const inSlices = (cluster: Living, name = "web") => {
  const endpoints = slicesOf(cluster, name).flatMap((slice) => slice.endpoints)
  return [endpoints.length, endpoints.filter(({ conditions }) => conditions?.ready === true).length]
}

const refusal = (effect: Effect.Effect<unknown, StoreError>): Effect.Effect<string> =>
  Effect.orDie(Effect.map(Effect.flip(effect), ({ message }) => message))

describe("a Service", () => {
  it("of the cluster's own is there from the beginning and leads to the API server", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* pass(cluster, 5)
        expect(specOf(cluster, "kubernetes")).toMatchObject({
          clusterIP: "10.96.0.1",
          ports: [{ name: "https", port: 443, targetPort: 6443 }]
        })
        expect([addressesOf(cluster, "kubernetes"), inSlices(cluster, "kubernetes")]).toEqual([
          [1, 0],
          [1, 1]
        ])
      })
    ))

  it("is given an address of its own, and a node port where it is to be reached from outside", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* begin(cluster, aService())
        const ports = [
          { name: "a", port: 80 },
          { name: "b", port: 80, protocol: "UDP" },
          { name: "c", port: 9 }
        ]
        yield* begin(cluster, aService({ type: "NodePort", ports }, "out"))
        yield* begin(cluster, aService({ clusterIP: "None" }, "headless"))
        yield* begin(
          cluster,
          aService({ type: "ExternalName", externalName: "a.example", ports: [] }, "away")
        )
        const all = ["web", "out", "headless", "away"].map((name) => specOf(cluster, name))
        expect(all.map((spec) => [spec?.clusterIP, spec?.clusterIPs])).toEqual([
          ["10.96.1.1", ["10.96.1.1"]],
          ["10.96.1.2", ["10.96.1.2"]],
          ["None", ["None"]],
          [undefined, undefined]
        ])
        // Ports of one number share what they have outside.
        expect(all[1]?.ports?.map(({ nodePort }) => nodePort)).toEqual([30_086, 30_086, 30_087])
      })
    ))

  it("gives its address back when it goes, and nobody gets one that is taken", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* begin(
          cluster,
          aService({ clusterIP: "10.96.0.77", type: "NodePort", ports: [{ port: 80, nodePort: 30_007 }] })
        )
        const second = aService({ clusterIP: "10.96.0.77" }, "second")
        const third = aService({ type: "NodePort", ports: [{ port: 80, nodePort: 30_007 }] }, "third")
        const taken = [yield* refusal(cluster.create(second)), yield* refusal(cluster.create(third))]
        expect(taken).toEqual([
          'Service "second" is invalid: spec.clusterIPs: Invalid value: ["10.96.0.77"]: failed to allocate IP 10.96.0.77: provided IP is already allocated',
          'Service "third" is invalid: spec.ports[0].nodePort: Invalid value: 30007: provided port is already allocated'
        ])
        yield* Effect.orDie(cluster.delete(ref()))
        yield* begin(cluster, second)
        yield* begin(cluster, third)
        expect(specOf(cluster, "second")?.clusterIP).toBe("10.96.0.77")
      })
    ))

  it("cannot have an address or a port from elsewhere", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        const away = aService({ clusterIP: "10.1.2.3" })
        const low = aService({ type: "NodePort", ports: [{ port: 80, nodePort: 80 }] })
        expect([yield* refusal(cluster.create(away)), yield* refusal(cluster.create(low))]).toEqual([
          'Service "web" is invalid: spec.clusterIPs: Invalid value: ["10.1.2.3"]: failed to allocate IP 10.1.2.3: the provided IP (10.1.2.3) is not in the valid range. The range of valid IPs is 10.96.0.0/16',
          'Service "web" is invalid: spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767'
        ])
      })
    ))

  it("keeps its address whatever is written, and its node ports as long as it is reached from outside", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* begin(cluster, aService({ type: "NodePort" }))
        const manifest = { selector: { app: "web" }, type: "NodePort", ports: [{ port: 80, targetPort: 9 }] }
        const write = (spec: object) => cluster.modify(ref(), (object) => ({ ...object, spec }) as Draft)
        yield* Effect.orDie(write(manifest))
        expect(specOf(cluster)).toMatchObject({
          clusterIP: "10.96.1.1",
          ports: [{ nodePort: 30_086, targetPort: 9 }]
        })
        expect(yield* refusal(write({ ...manifest, clusterIP: "10.96.1.9" }))).toBe(
          'Service "web" is invalid: spec.clusterIPs[0]: Invalid value: ["10.96.1.9"]: may not change once set'
        )
        yield* Effect.orDie(setSpec(cluster, { type: "ClusterIP" }))
        expect([specOf(cluster)?.ports?.[0]?.nodePort, specOf(cluster)?.externalTrafficPolicy]).toEqual([
          undefined,
          undefined
        ])
        yield* Effect.orDie(setSpec(cluster, { type: "ExternalName", externalName: "a.example" }))
        expect(specOf(cluster)?.clusterIP).toBe(undefined)
      })
    ))

  it("takes no address by being tried or refused, and the next one gets no other for it", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        const tried = aService({ type: "NodePort" })
        yield* Effect.orDie(cluster.run(cluster.store.create(tried, { dryRun: true })))
        yield* refusal(cluster.create(aService({ sessionAffinity: "Cookie" })))
        yield* begin(cluster, tried)
        expect([specOf(cluster)?.clusterIP, specOf(cluster)?.ports?.[0]?.nodePort]).toEqual([
          "10.96.1.1",
          30_086
        ])
      })
    ))
})

describe("the endpoints of a Service", () => {
  it("follow its Pods from when they have an address until they are gone", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* begin(cluster, aService())
        yield* pass(cluster, 1)
        expect([addressesOf(cluster), inSlices(cluster)]).toEqual([
          [0, 0],
          [0, 0]
        ])
        yield* begin(cluster, aManifest({ replicas: 3 }))
        yield* pass(cluster, 60)
        expect([addressesOf(cluster), inSlices(cluster)]).toEqual([
          [3, 0],
          [3, 3]
        ])
        yield* change(cluster, aManifest({ replicas: 1 }))
        yield* pass(cluster, 60)
        expect([addressesOf(cluster), inSlices(cluster)]).toEqual([
          [1, 0],
          [1, 1]
        ])
      })
    ))

  it("follow another selector from the moment it is written", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* begin(cluster, aManifest({ replicas: 3 }))
        yield* begin(cluster, aManifest({ name: "beside", replicas: 2 }))
        yield* begin(cluster, aService())
        yield* pass(cluster, 60)
        yield* Effect.orDie(setSpec(cluster, { selector: { app: "beside" } }))
        yield* pass(cluster, 1)
        expect([addressesOf(cluster), inSlices(cluster)]).toEqual([
          [2, 0],
          [2, 2]
        ])
        yield* change(cluster, aManifest({ name: "beside", replicas: 5 }))
        yield* pass(cluster, 60)
        expect(addressesOf(cluster)).toEqual([5, 0])
      })
    ))

  it("are made again when somebody deletes or changes them, and go with their Service", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* begin(cluster, aManifest({ replicas: 3 }))
        yield* begin(cluster, aService())
        yield* pass(cluster, 60)
        const [slice] = slicesOf(cluster)
        const sliceRef = { resource: resources.endpointSlices, key: `default/${slice?.metadata.name}` }
        const endpoints = { resource: resources.endpoints, key: "default/web" }
        yield* Effect.orDie(cluster.modify(endpoints, (object) => ({ ...object, subsets: [] }) as Draft))
        yield* Effect.orDie(cluster.delete(sliceRef))
        yield* pass(cluster, 1)
        expect([addressesOf(cluster), inSlices(cluster)]).toEqual([
          [3, 0],
          [3, 3]
        ])
        yield* Effect.orDie(cluster.delete(ref()))
        yield* pass(cluster, 60)
        expect([cluster.view.get(resources.endpoints, "default/web"), slicesOf(cluster)]).toEqual([
          undefined,
          []
        ])
      })
    ))

  it("of a Service without a selector are left to whoever writes them", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* begin(cluster, aManifest({ replicas: 3 }))
        yield* begin(cluster, aService({ selector: {} }))
        const subsets = [{ addresses: [{ ip: "192.0.2.7" }] }]
        yield* begin(cluster, {
          apiVersion: "v1",
          kind: "Endpoints",
          metadata: { name: "web", namespace: "default" },
          subsets
        } as Draft)
        yield* pass(cluster, 60)
        expect([cluster.view.get(resources.endpoints, "default/web")?.subsets, slicesOf(cluster)]).toEqual([
          subsets,
          []
        ])
      })
    ))

  it("are written once for all Pods that change at one instant, and not at all for Pods of others", () =>
    inCluster({ behaviour: "instant" }, (cluster) =>
      Effect.gen(function* () {
        yield* begin(cluster, aService())
        yield* pass(cluster, 1)
        let writes = 0
        cluster.onChange(({ resource }) => {
          if (resource === resources.endpoints || resource === resources.endpointSlices) writes += 1
        })
        yield* begin(cluster, aManifest({ name: "beside", replicas: 7 }))
        yield* pass(cluster, 1)
        expect(writes).toBe(0)
        yield* begin(cluster, aManifest({ replicas: 9 }))
        yield* pass(cluster, 1)
        expect([addressesOf(cluster), writes]).toEqual([[9, 0], 2])
      })
    ))
})
