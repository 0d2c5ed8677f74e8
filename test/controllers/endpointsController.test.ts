import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { serviceManifest } from "../builders.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import {
  deploymentManifest,
  createObject,
  replaceSpec,
  withCluster,
  advanceSeconds
} from "../cluster/testCluster.ts"
import type { Draft } from "../../src/kubernetes/meta/objects.ts"
import type { StoreError } from "../../src/store/storeErrors.ts"
import type { ClusterService } from "../cluster/testCluster.ts"

const addressOfService = (name = "web") => ({ resource: resources.services, name })
const specOf = ({ view }: ClusterService, name = "web") =>
  view.get(resources.services, `default/${name}`)?.spec
const setSpec = (cluster: ClusterService, spec: object, name = "web") =>
  cluster.modify(
    addressOfService(name),
    (object) => ({ ...object, spec: { ...specOf(cluster, name), ...spec } }) as Draft
  )

const addressesOf = ({ view }: ClusterService, name = "web") => {
  const subset = view.get(resources.endpoints, `default/${name}`)?.subsets?.[0]
  return [subset?.addresses?.length ?? 0, subset?.notReadyAddresses?.length ?? 0]
}

const slicesOf = ({ view }: ClusterService, name = "web") =>
  [...view.all(resources.endpointSlices)].filter(
    ({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === name
  )

const inSlices = (cluster: ClusterService, name = "web") => {
  const endpoints = slicesOf(cluster, name).flatMap((slice) => slice.endpoints)
  return [endpoints.length, endpoints.filter(({ conditions }) => conditions?.ready === true).length]
}

const refusal = (effect: Effect.Effect<unknown, StoreError>): Effect.Effect<string> =>
  Effect.orDie(Effect.map(Effect.flip(effect), ({ message }) => message))

describe("a Service", () => {
  it("named kubernetes exists from the beginning, with the API server's endpoint", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* advanceSeconds(cluster, 5)
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

  it("gets a cluster IP, and node ports when its type needs them", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* createObject(cluster, serviceManifest())
        const ports = [
          { name: "a", port: 80 },
          { name: "b", port: 80, protocol: "UDP" },
          { name: "c", port: 9 }
        ]
        yield* createObject(cluster, serviceManifest({ type: "NodePort", ports }, "out"))
        yield* createObject(cluster, serviceManifest({ clusterIP: "None" }, "headless"))
        yield* createObject(
          cluster,
          serviceManifest({ type: "ExternalName", externalName: "a.example", ports: [] }, "away")
        )
        const all = ["web", "out", "headless", "away"].map((name) => specOf(cluster, name))
        expect(all.map((spec) => [spec?.clusterIP, spec?.clusterIPs])).toEqual([
          ["10.96.1.1", ["10.96.1.1"]],
          ["10.96.1.2", ["10.96.1.2"]],
          ["None", ["None"]],
          [undefined, undefined]
        ])
        expect(all[1]?.ports?.map(({ nodePort }) => nodePort)).toEqual([30_086, 30_086, 30_087])
      })
    ))

  it("frees its IP and node ports when deleted, and cannot take those of another", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* createObject(
          cluster,
          serviceManifest({
            clusterIP: "10.96.0.77",
            type: "NodePort",
            ports: [{ port: 80, nodePort: 30_007 }]
          })
        )
        const second = serviceManifest({ clusterIP: "10.96.0.77" }, "second")
        const third = serviceManifest({ type: "NodePort", ports: [{ port: 80, nodePort: 30_007 }] }, "third")
        const taken = [yield* refusal(cluster.create(second)), yield* refusal(cluster.create(third))]
        expect(taken).toEqual([
          'Service "second" is invalid: spec.clusterIPs: Invalid value: ["10.96.0.77"]: failed to allocate IP 10.96.0.77: provided IP is already allocated',
          'Service "third" is invalid: spec.ports[0].nodePort: Invalid value: 30007: provided port is already allocated'
        ])
        yield* Effect.orDie(cluster.delete(addressOfService()))
        yield* createObject(cluster, second)
        yield* createObject(cluster, third)
        expect(specOf(cluster, "second")?.clusterIP).toBe("10.96.0.77")
      })
    ))

  it("is refused an IP or node port outside the range", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        const away = serviceManifest({ clusterIP: "10.1.2.3" })
        const low = serviceManifest({ type: "NodePort", ports: [{ port: 80, nodePort: 80 }] })
        expect([yield* refusal(cluster.create(away)), yield* refusal(cluster.create(low))]).toEqual([
          'Service "web" is invalid: spec.clusterIPs: Invalid value: ["10.1.2.3"]: failed to allocate IP 10.1.2.3: the provided IP (10.1.2.3) is not in the valid range. The range of valid IPs is 10.96.0.0/16',
          'Service "web" is invalid: spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767'
        ])
      })
    ))

  it("keeps its cluster IP on update, and its node ports as long as its type needs them", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* createObject(cluster, serviceManifest({ type: "NodePort" }))
        const manifest = { selector: { app: "web" }, type: "NodePort", ports: [{ port: 80, targetPort: 9 }] }
        const write = (spec: object) =>
          cluster.modify(addressOfService(), (object) => ({ ...object, spec }) as Draft)
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

  it("takes no IP in a dry run or when refused", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        const tried = serviceManifest({ type: "NodePort" })
        yield* Effect.orDie(cluster.run(cluster.store.create(tried, { dryRun: true })))
        yield* refusal(cluster.create(serviceManifest({ sessionAffinity: "Cookie" })))
        yield* createObject(cluster, tried)
        expect([specOf(cluster)?.clusterIP, specOf(cluster)?.ports?.[0]?.nodePort]).toEqual([
          "10.96.1.1",
          30_086
        ])
      })
    ))
})

describe("the endpoints of a Service", () => {
  it("contain its Pods from when they have an IP until they are gone", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* createObject(cluster, serviceManifest())
        yield* advanceSeconds(cluster, 1)
        expect([addressesOf(cluster), inSlices(cluster)]).toEqual([
          [0, 0],
          [0, 0]
        ])
        yield* createObject(cluster, deploymentManifest({ replicas: 3 }))
        yield* advanceSeconds(cluster, 60)
        expect([addressesOf(cluster), inSlices(cluster)]).toEqual([
          [3, 0],
          [3, 3]
        ])
        yield* replaceSpec(cluster, deploymentManifest({ replicas: 1 }))
        yield* advanceSeconds(cluster, 60)
        expect([addressesOf(cluster), inSlices(cluster)]).toEqual([
          [1, 0],
          [1, 1]
        ])
      })
    ))

  it("follow a changed selector", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* createObject(cluster, deploymentManifest({ replicas: 3 }))
        yield* createObject(cluster, deploymentManifest({ name: "beside", replicas: 2 }))
        yield* createObject(cluster, serviceManifest())
        yield* advanceSeconds(cluster, 60)
        yield* Effect.orDie(setSpec(cluster, { selector: { app: "beside" } }))
        yield* advanceSeconds(cluster, 1)
        expect([addressesOf(cluster), inSlices(cluster)]).toEqual([
          [2, 0],
          [2, 2]
        ])
        yield* replaceSpec(cluster, deploymentManifest({ name: "beside", replicas: 5 }))
        yield* advanceSeconds(cluster, 60)
        expect(addressesOf(cluster)).toEqual([5, 0])
      })
    ))

  it("are restored after deletion or changes, and deleted with their Service", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* createObject(cluster, deploymentManifest({ replicas: 3 }))
        yield* createObject(cluster, serviceManifest())
        yield* advanceSeconds(cluster, 60)
        const [slice] = slicesOf(cluster)
        const sliceAddress = { resource: resources.endpointSlices, name: slice?.metadata.name ?? "" }
        const endpoints = { resource: resources.endpoints, name: "web" }
        yield* Effect.orDie(cluster.modify(endpoints, (object) => ({ ...object, subsets: [] }) as Draft))
        yield* Effect.orDie(cluster.delete(sliceAddress))
        yield* advanceSeconds(cluster, 1)
        expect([addressesOf(cluster), inSlices(cluster)]).toEqual([
          [3, 0],
          [3, 3]
        ])
        yield* Effect.orDie(cluster.delete(addressOfService()))
        yield* advanceSeconds(cluster, 60)
        expect([cluster.view.get(resources.endpoints, "default/web"), slicesOf(cluster)]).toEqual([
          undefined,
          []
        ])
      })
    ))

  it("are not managed for a Service without a selector", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* createObject(cluster, deploymentManifest({ replicas: 3 }))
        yield* createObject(cluster, serviceManifest({ selector: {} }))
        const subsets = [{ addresses: [{ ip: "192.0.2.7" }] }]
        yield* createObject(cluster, {
          apiVersion: "v1",
          kind: "Endpoints",
          metadata: { name: "web", namespace: "default" },
          subsets
        } as Draft)
        yield* advanceSeconds(cluster, 60)
        expect([cluster.view.get(resources.endpoints, "default/web")?.subsets, slicesOf(cluster)]).toEqual([
          subsets,
          []
        ])
      })
    ))

  it("are written once per instant, and not for other Pods", () =>
    withCluster({ behaviour: "instant" }, (cluster) =>
      Effect.gen(function* () {
        yield* createObject(cluster, serviceManifest())
        yield* advanceSeconds(cluster, 1)
        let writes = 0
        cluster.onChange(({ resource }) => {
          if (resource === resources.endpoints || resource === resources.endpointSlices) writes += 1
        })
        yield* createObject(cluster, deploymentManifest({ name: "beside", replicas: 7 }))
        yield* advanceSeconds(cluster, 1)
        expect(writes).toBe(0)
        yield* createObject(cluster, deploymentManifest({ replicas: 9 }))
        yield* advanceSeconds(cluster, 1)
        expect([addressesOf(cluster), writes]).toEqual([[9, 0], 2])
      })
    ))
})
