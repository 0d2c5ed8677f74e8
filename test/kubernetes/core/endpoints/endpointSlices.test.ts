import { describe, expect, it } from "vitest"
import { isManagedSlice, planEndpointSlices } from "../../../../src/kubernetes/core/endpointSlices.ts"
import { aPod, aTime, startMillis } from "../../../builders.ts"
import { aReachablePod, aService, aStoredSlice } from "./serviceBuilders.ts"
import type { EndpointSlice } from "../../../../src/kubernetes/core/endpoints.ts"
import type { Draft, Pod } from "../../../../src/kubernetes/meta/objects.ts"

const reachablePods = (count: number, prefix = "a"): ReadonlyArray<Pod> =>
  Array.from({ length: count }, (_, index) => aReachablePod(`${prefix}${index}`))

const planned = (
  pods: ReadonlyArray<Pod>,
  slices: ReadonlyArray<EndpointSlice> = [],
  service = aService(),
  zoneOf: (node: string) => string | undefined = () => "z1"
) => planEndpointSlices({ service, pods, slices, zoneOf, nowMillis: startMillis })

const sliceOf = (name: string, pods: ReadonlyArray<Pod>, service = aService()): EndpointSlice => {
  const [draft] = planned(pods, [], service).create
  if (draft === undefined) throw new Error("no slice")
  return aStoredSlice(draft, name)
}

/** The endpoints of a slice or of a draft, which has no type yet. */
const endpointsIn = (slice: Draft): EndpointSlice["endpoints"] => (slice as EndpointSlice).endpoints

const sizeOf = (slice: Draft): number => endpointsIn(slice).length

/** `{ update: ["s1 53"], create: [100], remove: ["s2"] }` */
const planText = ({ create, update, remove }: ReturnType<typeof planned>) => ({
  update: update.map((slice) => `${slice.metadata.name} ${sizeOf(slice)}`),
  create: create.map(sizeOf),
  remove: remove.map(({ metadata }) => metadata.name)
})

const noWrites = { update: [], create: [], remove: [] }

describe("the manager of a slice", () => {
  const slice = sliceOf("s1", reachablePods(1))
  const withLabels = (labels: object | undefined): EndpointSlice => {
    const { labels: _labels, ...metadata } = slice.metadata
    return { ...slice, metadata: labels === undefined ? metadata : { ...metadata, labels: { ...labels } } }
  }
  it.each([
    { why: "the controller's label", it: slice, isManaged: true },
    {
      why: "another manager's label",
      it: withLabels({ "endpointslice.kubernetes.io/managed-by": "me" }),
      isManaged: false
    },
    { why: "no label", it: withLabels({}), isManaged: false },
    { why: "no labels at all", it: withLabels(undefined), isManaged: false }
  ])("is the controller: $isManaged for $why", ({ it, isManaged }) => {
    expect(isManagedSlice(it)).toBe(isManaged)
  })
})

describe("the endpoint of a Pod", () => {
  const endpointsOf = (pod: Pod, service = aService(), zoneOf?: (node: string) => string | undefined) =>
    planned([pod], [], service, zoneOf).create.flatMap(endpointsIn)
  const endpoint = {
    addresses: ["10.244.0.3"],
    conditions: { ready: true, serving: true, terminating: false },
    targetRef: { kind: "Pod", namespace: "shop", name: "a", uid: "uid-a" }
  }
  const podWithoutNode = (): Pod => {
    const pod = aReachablePod("a")
    const { nodeName: _node, ...spec } = pod.spec
    return { ...pod, spec }
  }

  it("has its node and the zone of the node, where they exist", () => {
    expect(endpointsOf(aReachablePod("a"))).toStrictEqual([{ ...endpoint, nodeName: "n1", zone: "z1" }])
    expect(endpointsOf(aReachablePod("a"), aService(), () => undefined)).toStrictEqual([
      { ...endpoint, nodeName: "n1" }
    ])
    expect(endpointsOf(podWithoutNode())).toStrictEqual([endpoint])
  })

  it("has the hostname of the Pod", () => {
    const [hosted] = endpointsOf(
      aReachablePod("a", undefined, { spec: { hostname: "db-0", subdomain: "web" } })
    )
    expect(hosted).toHaveProperty("hostname", "db-0")
  })

  it("is ready when the Service publishes addresses that are not ready", () => {
    const unready = aReachablePod("a", undefined, { ready: false })
    const readiness = (spec: object) =>
      endpointsOf(unready, aService(spec)).map(({ conditions }) => conditions)
    expect([
      readiness({ publishNotReadyAddresses: true }),
      readiness({ publishNotReadyAddresses: false })
    ]).toEqual([
      [{ ready: true, serving: false, terminating: false }],
      [{ ready: false, serving: false, terminating: false }]
    ])
  })

  it("is absent for a Pod without an address or with phase Failed", () => {
    const podWithoutIP = aPod({ name: "b", ready: true })
    const plan = planned([
      podWithoutIP,
      aReachablePod("c", undefined, { phase: "Failed" }),
      aReachablePod("a")
    ])
    expect(planText(plan)).toEqual({ ...noWrites, create: [1] })
  })

  it("is listed under the ports of the Service, with empty names for unnamed ones", () => {
    const ports = [
      { port: 80, protocol: "TCP" },
      { name: "m", port: 9 }
    ]
    const [slice] = planned([aReachablePod("a")], [], aService({ ports })).create
    expect(slice).toMatchObject({
      ports: [
        { name: "", port: 80, protocol: "TCP" },
        { name: "m", port: 9, protocol: "TCP" }
      ]
    })
  })
})

describe("a written slice", () => {
  const annotations = { "endpoints.kubernetes.io/last-change-trigger-time": aTime(0) }

  it("has IPv4 addresses and the time of the change", () => {
    expect(planned(reachablePods(1)).create).toMatchObject([
      {
        apiVersion: "discovery.k8s.io/v1",
        kind: "EndpointSlice",
        addressType: "IPv4",
        metadata: { namespace: "shop", annotations }
      }
    ])
  })

  it("keeps other annotations and gets a new time of change", () => {
    const slice = sliceOf("s1", reachablePods(1))
    const before = { ...slice, metadata: { ...slice.metadata, annotations: { mine: "1", ...annotations } } }
    const service = aService()
    const plan = planEndpointSlices({
      service,
      pods: reachablePods(2),
      slices: [before],
      zoneOf: () => "z1",
      nowMillis: startMillis + 9000
    })
    expect(plan.update.map(({ metadata }) => metadata.annotations)).toEqual([
      { mine: "1", "endpoints.kubernetes.io/last-change-trigger-time": aTime(9) }
    ])
  })
})

describe("the slices that are written", () => {
  it.each<{
    why: string
    slices: ReadonlyArray<EndpointSlice>
    pods: ReadonlyArray<Pod>
    plan: Partial<ReturnType<typeof planText>>
  }>([
    {
      why: "none without a change",
      slices: [sliceOf("s1", reachablePods(7))],
      pods: reachablePods(7),
      plan: {}
    },
    {
      why: "the slice with room",
      slices: [sliceOf("s1", reachablePods(50))],
      pods: reachablePods(53),
      plan: { update: ["s1 53"] }
    },
    {
      why: "the fullest slice that has room",
      slices: [
        sliceOf("s1", reachablePods(40, "a")),
        sliceOf("s2", reachablePods(90, "b")),
        sliceOf("s3", reachablePods(60, "c"))
      ],
      pods: [
        ...reachablePods(40, "a"),
        ...reachablePods(90, "b"),
        ...reachablePods(60, "c"),
        ...reachablePods(7, "d")
      ],
      plan: { update: ["s2 97"] }
    },
    {
      why: "a slice that becomes full",
      slices: [sliceOf("s1", reachablePods(40, "a")), sliceOf("s2", reachablePods(93, "b"))],
      pods: [...reachablePods(40, "a"), ...reachablePods(93, "b"), ...reachablePods(7, "d")],
      plan: { update: ["s2 100"] }
    },
    {
      why: "a less full slice when the fullest has no room",
      slices: [sliceOf("s1", reachablePods(40, "a")), sliceOf("s2", reachablePods(94, "b"))],
      pods: [...reachablePods(40, "a"), ...reachablePods(94, "b"), ...reachablePods(7, "d")],
      plan: { update: ["s1 47"] }
    },
    {
      why: "a new slice when none has room",
      slices: [sliceOf("s1", reachablePods(50, "a")), sliceOf("s2", reachablePods(50, "b"))],
      pods: [...reachablePods(50, "a"), ...reachablePods(50, "b"), ...reachablePods(60, "d")],
      plan: { create: [60] }
    },
    {
      why: "new slices for hundreds, and one with room for the rest",
      slices: [sliceOf("s1", reachablePods(40, "a"))],
      pods: [...reachablePods(40, "a"), ...reachablePods(250, "d")],
      plan: { update: ["s1 90"], create: [100, 100] }
    },
    {
      why: "a new slice for a hundred",
      slices: [sliceOf("s1", reachablePods(40, "a"))],
      pods: [...reachablePods(40, "a"), ...reachablePods(100, "d")],
      plan: { create: [100] }
    },
    {
      why: "first a slice that changes anyway",
      slices: [sliceOf("s1", reachablePods(40, "a")), sliceOf("s2", reachablePods(90, "b"))],
      pods: [...reachablePods(37, "a"), ...reachablePods(90, "b"), ...reachablePods(9, "d")],
      plan: { update: ["s1 46"] }
    },
    {
      why: "a slice that changes anyway, until it is full",
      slices: [sliceOf("s1", reachablePods(99, "a")), sliceOf("s2", reachablePods(90, "b"))],
      pods: [...reachablePods(98, "a"), ...reachablePods(90, "b"), ...reachablePods(5, "d")],
      plan: { update: ["s1 100", "s2 93"] }
    },
    {
      why: "a slice that lost all Pods but one",
      slices: [sliceOf("s1", reachablePods(3, "a"))],
      pods: reachablePods(1, "a"),
      plan: { update: ["s1 1"] }
    },
    {
      why: "no slice but the one that lost all its Pods and is deleted",
      slices: [sliceOf("s1", reachablePods(3, "a")), sliceOf("s2", reachablePods(3, "b"))],
      pods: reachablePods(3, "a"),
      plan: { remove: ["s2"] }
    },
    {
      why: "the first of the empty slices stays when no Pod is left",
      slices: [sliceOf("s1", reachablePods(3, "a")), sliceOf("s2", reachablePods(3, "b"))],
      pods: [],
      plan: { update: ["s1 0"], remove: ["s2"] }
    }
  ])("$why", ({ slices, pods, plan }) => {
    expect(planText(planned(pods, slices))).toEqual({ ...noWrites, ...plan })
  })

  it("lose an endpoint without a Pod", () => {
    const slice = sliceOf("s1", reachablePods(2))
    const stray = { addresses: ["10.244.0.9"], conditions: {} }
    const plan = planned(reachablePods(2), [{ ...slice, endpoints: [stray, ...slice.endpoints] }])
    expect(plan.update.map(({ endpoints }) => endpoints.map(({ targetRef }) => targetRef?.name))).toEqual([
      ["a0", "a1"]
    ])
  })

  it("keep their endpoints when the port of the Service changes", () => {
    const onOtherPort = aService({ ports: [{ port: 81, protocol: "TCP" }] })
    const { update, ...others } = planned(reachablePods(3), [sliceOf("s1", reachablePods(3))], onOtherPort)
    expect(update.map(({ metadata, ports }) => [metadata.name, ports?.[0]?.port])).toEqual([["s1", 81]])
    expect(others).toEqual({ create: [], remove: [] })
  })
})
