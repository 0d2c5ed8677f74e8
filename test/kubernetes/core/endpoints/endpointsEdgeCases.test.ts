import { describe, expect, it } from "vitest"
import {
  endpointsFor,
  hasSameEndpoint,
  hasPodSelector,
  containersServing,
  podTargetRef
} from "../../../../src/kubernetes/core/endpoints.ts"
import { aPod, aTime, startMillis } from "../../../builders.ts"
import { aReachablePod, aService } from "./serviceBuilders.ts"
import type { Service } from "../../../../src/kubernetes/core/endpoints.ts"
import type { Pod } from "../../../../src/kubernetes/meta/objects.ts"

const subsetsOf = (service: Service, ...pods: ReadonlyArray<Pod>) =>
  endpointsFor(service, pods, startMillis).subsets ?? []

const ipsOf = (...pods: ReadonlyArray<Pod>): ReadonlyArray<string> =>
  subsetsOf(aService(), ...pods).flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip))

describe("the selection of Pods by a Service", () => {
  it.each([
    { spec: {}, finds: true },
    { spec: { selector: {} }, finds: false },
    { spec: { selector: undefined }, finds: false },
    { spec: { type: "ExternalName" }, finds: false },
    { spec: { type: "ExternalName", selector: {} }, finds: false },
    { spec: { type: "NodePort" }, finds: true }
  ])("for $spec: $finds", ({ spec, finds }) => {
    expect(hasPodSelector(aService(spec))).toBe(finds)
  })
})

describe("an update of a Pod", () => {
  it("concerns its Services when its labels or its node change", () => {
    const pod = aReachablePod("a", "10.244.0.3")
    const relabelled = { ...pod, metadata: { ...pod.metadata, labels: { app: "web" } } }
    const moved = { ...pod, spec: { ...pod.spec, nodeName: "n2" } }
    expect([relabelled, moved].map((it) => hasSameEndpoint(pod, it))).toEqual([false, false])
  })
})

describe("the address of a Pod in Endpoints", () => {
  const target = { kind: "Pod", namespace: "shop", name: "a", uid: "uid-a" }

  it("has the node of the Pod, and no empty fields", () => {
    expect(subsetsOf(aService(), aReachablePod("a", "10.244.0.3"))).toStrictEqual([
      {
        addresses: [{ ip: "10.244.0.3", nodeName: "n1", targetRef: target }],
        ports: [{ port: 80, protocol: "TCP" }]
      }
    ])
    const podWithoutNode = aReachablePod("a", "10.244.0.3", { ready: false, spec: { nodeName: undefined } })
    const { nodeName: _node, ...spec } = podWithoutNode.spec
    expect(subsetsOf(aService({ ports: [] }), { ...podWithoutNode, spec })).toStrictEqual([
      { notReadyAddresses: [{ ip: "10.244.0.3", targetRef: target }] }
    ])
  })

  it("has the hostname of the Pod", () => {
    const hostnames = [
      { hostname: "db-0", subdomain: "web" },
      { hostname: "", subdomain: "web" },
      { subdomain: "web" }
    ]
    const subsets = hostnames.map((spec) => subsetsOf(aService(), aReachablePod("a", "10.244.0.3", { spec })))
    const at = { ip: "10.244.0.3", nodeName: "n1", targetRef: target }
    expect(subsets.map(([subset]) => subset?.addresses)).toStrictEqual([
      [{ ...at, hostname: "db-0" }],
      [at],
      [at]
    ])
  })

  it("has no namespace in its target when the Pod has none", () => {
    const { namespace: _namespace, ...metadata } = aPod({ name: "a" }).metadata
    expect(podTargetRef({ ...aPod(), metadata })).toStrictEqual({ kind: "Pod", name: "a", uid: "uid-a" })
  })
})

describe("the port of Endpoints", () => {
  const port = (name: string, containerPort: number) => ({ name, containerPort })
  const pod = aReachablePod("a", "10.244.0.3", {
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
      why: "a port with an empty name",
      ports: { name: "", port: 80 },
      arrives: { port: 80, protocol: "TCP" }
    },
    {
      why: "a port with appProtocol and protocol",
      ports: { name: "web", port: 80, appProtocol: "h2c", protocol: "UDP" },
      arrives: { name: "web", port: 80, protocol: "UDP", appProtocol: "h2c" }
    },
    {
      why: "a named port that is not the first of its container",
      ports: { port: 80, targetPort: "http" },
      arrives: { port: 8080, protocol: "TCP" }
    },
    {
      why: "a named port of a sidecar",
      ports: { port: 80, targetPort: "admin" },
      arrives: { port: 15000, protocol: "TCP" }
    },
    {
      why: "no port of an init container",
      ports: { port: 80, targetPort: "once" },
      arrives: undefined
    }
  ])("is $why", ({ ports, arrives }) => {
    const [subset] = subsetsOf(aService({ ports: [ports] }), pod)
    expect(subset?.ports?.[0]).toStrictEqual(arrives)
  })
})

describe("Endpoints of a Service without ports and Pods", () => {
  it("have no subsets", () => {
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

describe("the order of addresses and subsets", () => {
  it("is numeric for addresses", () => {
    const pods = ["10.244.1.0", "10.244.0.200", "10.243.255.255", "9.255.0.1"].map((ip, index) =>
      aReachablePod(`p${index}`, ip)
    )
    expect(ipsOf(...pods)).toEqual(["9.255.0.1", "10.243.255.255", "10.244.0.200", "10.244.1.0"])
  })

  it("is by port for subsets", () => {
    const podListening = (name: string, ip: string, containerPort: number): Pod =>
      aReachablePod(name, ip, {
        spec: { containers: [{ name: "app", ports: [{ name: "http", containerPort }] }] }
      })
    const service = aService({ ports: [{ port: 80, targetPort: "http" }] })
    const ports = subsetsOf(
      service,
      podListening("a", "10.244.0.1", 7001),
      podListening("b", "10.244.0.2", 9001),
      podListening("c", "10.244.0.3", 8001)
    ).map((subset) => subset.ports?.[0]?.port)
    expect(ports).toEqual([7001, 8001, 9001])
  })
})

describe("Endpoints of more than a thousand Pods", () => {
  const crowd = (count: number, isReady: (index: number) => boolean): ReadonlyArray<Pod> =>
    Array.from({ length: count }, (_, index) =>
      aReachablePod(`p${index}`, `10.244.${Math.floor(index / 250)}.${index % 250}`, {
        ready: isReady(index)
      })
    )
  const changedAt = { "endpoints.kubernetes.io/last-change-trigger-time": aTime(0) }

  it("are not truncated at exactly a thousand", () => {
    const { subsets, metadata } = endpointsFor(
      aService(),
      crowd(1000, (index) => index > 0),
      startMillis
    )
    expect([subsets?.[0]?.addresses?.length, subsets?.[0]?.notReadyAddresses?.length]).toEqual([999, 1])
    expect(metadata.annotations).toEqual(changedAt)
  })

  it("drop addresses that are not ready first, each listed once", () => {
    const [subset] = subsetsOf(aService(), ...crowd(1003, (index) => index < 997))
    const subsets = [...(subset?.addresses ?? []), ...(subset?.notReadyAddresses ?? [])].map(({ ip }) => ip)
    expect([subset?.addresses?.length, subset?.notReadyAddresses?.length, new Set(subsets).size]).toEqual([
      997, 3, 1000
    ])
  })
})

describe("the containers that serve the ports of a Service", () => {
  const withPort = (name: string, containerPort: number, more: object = {}) => ({
    name,
    image: "web:v1",
    ports: [{ containerPort, ...more }]
  })
  const spec = {
    containers: [withPort("api", 8080), withPort("dns", 53, { protocol: "UDP" }), { name: "quiet" }],
    initContainers: [{ ...withPort("proxy", 15001), restartPolicy: "Always" }, withPort("setup", 9090)]
  }
  it.each([
    { ports: [{ port: 8080 }], servers: ["api"], why: "the container that declares the port" },
    {
      ports: [{ port: 8080, protocol: "TCP" }],
      servers: ["api"],
      why: "the container that declares port and protocol"
    },
    { ports: [{ port: 53, protocol: "UDP" }], servers: ["dns"], why: "another protocol" },
    {
      ports: [{ port: 53 }],
      servers: ["api", "dns", "quiet"],
      why: "all containers when the port is declared for another protocol"
    },
    { ports: [{ port: 15001 }], servers: ["proxy"], why: "a sidecar" },
    {
      ports: [{ port: 15001 }, { port: 8080 }],
      servers: ["api", "proxy"],
      why: "every container that declares one of the ports"
    },
    {
      ports: [{ port: 8080 }, { port: 1 }],
      servers: ["api"],
      why: "only declaring containers, whatever other ports the Service has"
    },
    { ports: [{ port: 9090 }], servers: ["api", "dns", "quiet"], why: "not the init containers" },
    { ports: [], servers: ["api", "dns", "quiet"], why: "all containers but sidecars without ports" }
  ])("are $servers: $why", ({ ports, servers }) => {
    expect(containersServing(spec, ports).map(({ name }) => name)).toEqual(servers)
  })
})
