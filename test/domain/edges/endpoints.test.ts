import { describe, expect, it } from "vitest"
import {
  endpointsFor,
  hasSameEndpoint,
  hasPodSelector,
  containersServing,
  podTargetRef
} from "../../../src/kubernetes/core/endpoints.ts"
import { aPod, aTime, startMillis } from "../../builders.ts"
import type { Service } from "../../../src/kubernetes/core/endpoints.ts"
import type { Pod } from "../../../src/kubernetes/meta/objects.ts"

const aService = (spec: object = {}): Service => ({
  ...aPod({ name: "web" }),
  kind: "Service",
  spec: { selector: { app: "web" }, clusterIP: "10.96.1.3", ports: [{ port: 80, protocol: "TCP" }], ...spec }
})

const anAnswering = (
  name: string,
  podIP: string,
  more: { readonly ready?: boolean; readonly spec?: object } = {}
): Pod => {
  const { ready = true, spec = {} } = more
  const pod = aPod({ name, ready, spec })
  return { ...pod, status: { ...pod.status, podIP } }
}

const subsetsOf = (service: Service, ...pods: ReadonlyArray<Pod>) =>
  endpointsFor(service, pods, startMillis).subsets ?? []

const ipsOf = (...pods: ReadonlyArray<Pod>): ReadonlyArray<string> =>
  subsetsOf(aService(), ...pods).flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip))

describe("whether a Service finds its Pods", () => {
  it.each([
    { spec: {}, finds: true },
    { spec: { selector: {} }, finds: false },
    { spec: { selector: undefined }, finds: false },
    { spec: { type: "ExternalName" }, finds: false },
    { spec: { type: "ExternalName", selector: {} }, finds: false },
    { spec: { type: "NodePort" }, finds: true }
  ])("$spec: $finds", ({ spec, finds }) => {
    expect(hasPodSelector(aService(spec))).toBe(finds)
  })
})

describe("a change of a Pod", () => {
  it("concerns who sends traffic to it when its labels or its node change", () => {
    const pod = anAnswering("a", "10.244.0.3")
    const relabelled = { ...pod, metadata: { ...pod.metadata, labels: { app: "web" } } }
    const moved = { ...pod, spec: { ...pod.spec, nodeName: "n2" } }
    expect([relabelled, moved].map((it) => hasSameEndpoint(pod, it))).toEqual([false, false])
  })
})

describe("what Endpoints say of a Pod", () => {
  const target = { kind: "Pod", namespace: "shop", name: "a", uid: "uid-a" }

  it("is where it is, and no more than there is to say", () => {
    expect(subsetsOf(aService(), anAnswering("a", "10.244.0.3"))).toStrictEqual([
      {
        addresses: [{ ip: "10.244.0.3", nodeName: "n1", targetRef: target }],
        ports: [{ port: 80, protocol: "TCP" }]
      }
    ])
    const homeless = anAnswering("a", "10.244.0.3", { ready: false, spec: { nodeName: undefined } })
    const { nodeName: _node, ...spec } = homeless.spec
    expect(subsetsOf(aService({ ports: [] }), { ...homeless, spec })).toStrictEqual([
      { notReadyAddresses: [{ ip: "10.244.0.3", targetRef: target }] }
    ])
  })

  it("has its hostname where it has one", () => {
    const hostnames = [
      { hostname: "db-0", subdomain: "web" },
      { hostname: "", subdomain: "web" },
      { subdomain: "web" }
    ]
    const told = hostnames.map((spec) => subsetsOf(aService(), anAnswering("a", "10.244.0.3", { spec })))
    const at = { ip: "10.244.0.3", nodeName: "n1", targetRef: target }
    expect(told.map(([subset]) => subset?.addresses)).toStrictEqual([
      [{ ...at, hostname: "db-0" }],
      [at],
      [at]
    ])
  })

  it("names no namespace where it has none", () => {
    const { namespace: _namespace, ...metadata } = aPod({ name: "a" }).metadata
    expect(podTargetRef({ ...aPod(), metadata })).toStrictEqual({ kind: "Pod", name: "a", uid: "uid-a" })
  })
})

describe("where traffic arrives", () => {
  const port = (name: string, containerPort: number) => ({ name, containerPort })
  const pod = anAnswering("a", "10.244.0.3", {
    spec: {
      containers: [{ name: "app", ports: [port("metrics", 9090), port("http", 8080)] }, { name: "quiet" }],
      initContainers: [
        { name: "proxy", restartPolicy: "Always", ports: [port("admin", 15000)] },
        { name: "setup", ports: [port("once", 7)] }
      ]
    }
  })

  it.each([
    { why: "a port without a name", ports: { port: 80 }, arrives: { port: 80, protocol: "TCP" } },
    {
      why: "a port with an empty one",
      ports: { name: "", port: 80 },
      arrives: { port: 80, protocol: "TCP" }
    },
    {
      why: "a port that says what is spoken",
      ports: { name: "web", port: 80, appProtocol: "h2c", protocol: "UDP" },
      arrives: { name: "web", port: 80, protocol: "UDP", appProtocol: "h2c" }
    },
    {
      why: "not the first port of a container",
      ports: { port: 80, targetPort: "http" },
      arrives: { port: 8080, protocol: "TCP" }
    },
    {
      why: "a port of a sidecar",
      ports: { port: 80, targetPort: "admin" },
      arrives: { port: 15000, protocol: "TCP" }
    },
    {
      why: "no port of a container that has run before",
      ports: { port: 80, targetPort: "once" },
      arrives: undefined
    }
  ])("at $why", ({ ports, arrives }) => {
    const [subset] = subsetsOf(aService({ ports: [ports] }), pod)
    expect(subset?.ports?.[0]).toStrictEqual(arrives)
  })
})

describe("Endpoints", () => {
  it("are there for a Service without ports or Pods", () => {
    const { apiVersion, kind, metadata, subsets } = endpointsFor(
      aService({ ports: undefined }),
      [],
      startMillis
    )
    expect([apiVersion, kind, metadata.name, metadata.namespace, subsets]).toEqual([
      "v1",
      "Endpoints",
      "web",
      "shop",
      []
    ])
  })
})

describe("the order of Endpoints", () => {
  it("is that of addresses, read as numbers", () => {
    const pods = ["10.244.1.0", "10.244.0.200", "10.243.255.255", "9.255.0.1"].map((ip, index) =>
      anAnswering(`p${index}`, ip)
    )
    expect(ipsOf(...pods)).toEqual(["9.255.0.1", "10.243.255.255", "10.244.0.200", "10.244.1.0"])
  })

  it("is that of their ports, whoever comes first", () => {
    const listening = (name: string, ip: string, containerPort: number): Pod =>
      anAnswering(name, ip, {
        spec: { containers: [{ name: "app", ports: [{ name: "http", containerPort }] }] }
      })
    const service = aService({ ports: [{ port: 80, targetPort: "http" }] })
    const ports = subsetsOf(
      service,
      listening("a", "10.244.0.1", 7001),
      listening("b", "10.244.0.2", 9001),
      listening("c", "10.244.0.3", 8001)
    ).map((subset) => subset.ports?.[0]?.port)
    expect(ports).toEqual([7001, 8001, 9001])
  })
})

describe("more Pods than Endpoints hold", () => {
  const crowd = (count: number, isReady: (index: number) => boolean): ReadonlyArray<Pod> =>
    Array.from({ length: count }, (_, index) =>
      anAnswering(`p${index}`, `10.244.${Math.floor(index / 250)}.${index % 250}`, { ready: isReady(index) })
    )
  const changedAt = { "endpoints.kubernetes.io/last-change-trigger-time": aTime(0) }

  it("are one more than a thousand", () => {
    const { subsets, metadata } = endpointsFor(
      aService(),
      crowd(1000, (index) => index > 0),
      startMillis
    )
    expect([subsets?.[0]?.addresses?.length, subsets?.[0]?.notReadyAddresses?.length]).toEqual([999, 1])
    expect(metadata.annotations).toEqual(changedAt)
  })

  it("leave out those that are not ready, and name nobody twice", () => {
    const [subset] = subsetsOf(aService(), ...crowd(1003, (index) => index < 997))
    const told = [...(subset?.addresses ?? []), ...(subset?.notReadyAddresses ?? [])].map(({ ip }) => ip)
    expect([subset?.addresses?.length, subset?.notReadyAddresses?.length, new Set(told).size]).toEqual([
      997, 3, 1000
    ])
  })
})

describe("requests that arrive at a Pod's ports go to", () => {
  const declaring = (name: string, containerPort: number, more: object = {}) => ({
    name,
    image: "web:v1",
    ports: [{ containerPort, ...more }]
  })
  const spec = {
    containers: [declaring("api", 8080), declaring("dns", 53, { protocol: "UDP" }), { name: "quiet" }],
    initContainers: [{ ...declaring("proxy", 15001), restartPolicy: "Always" }, declaring("setup", 9090)]
  }
  it.each([
    { ports: [{ port: 8080 }], servers: ["api"], why: "the one that declares it" },
    { ports: [{ port: 8080, protocol: "TCP" }], servers: ["api"], why: "with its protocol" },
    { ports: [{ port: 53, protocol: "UDP" }], servers: ["dns"], why: "or another" },
    { ports: [{ port: 53 }], servers: ["api", "dns", "quiet"], why: "nobody who declares it for another" },
    { ports: [{ port: 15001 }], servers: ["proxy"], why: "a sidecar" },
    { ports: [{ port: 15001 }, { port: 8080 }], servers: ["api", "proxy"], why: "all that declare one" },
    { ports: [{ port: 8080 }, { port: 1 }], servers: ["api"], why: "those alone, whoever listens elsewhere" },
    { ports: [{ port: 9090 }], servers: ["api", "dns", "quiet"], why: "no container for init" },
    { ports: [], servers: ["api", "dns", "quiet"], why: "all but sidecars where nobody says anything" }
  ])("$servers: $why", ({ ports, servers }) => {
    expect(containersServing(spec, ports).map(({ name }) => name)).toEqual(servers)
  })
})
