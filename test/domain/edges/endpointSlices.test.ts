import { describe, expect, it } from "vitest"
import { isManagedSlice, planEndpointSlices } from "../../../src/kubernetes/core/endpointSlices.ts"
import { aPod, aTime, startMillis } from "../../builders.ts"
import type { EndpointSlice, Service } from "../../../src/kubernetes/core/endpoints.ts"
import type { Draft, Pod } from "../../../src/kubernetes/meta/objects.ts"

const aService = (spec: object = {}): Service => ({
  ...aPod({ name: "web" }),
  kind: "Service",
  spec: { selector: { app: "web" }, clusterIP: "10.96.1.3", ports: [{ port: 80, protocol: "TCP" }], ...spec }
})

const anAnswering = (
  name: string,
  more: { readonly ready?: boolean; readonly phase?: string; readonly spec?: object } = {}
): Pod => {
  const pod = aPod({ name, ready: true, ...more })
  return { ...pod, status: { ...pod.status, podIP: "10.244.0.3" } }
}

/** Pods `a0`, `a1`, … */
const some = (count: number, prefix = "a"): ReadonlyArray<Pod> =>
  Array.from({ length: count }, (_, index) => anAnswering(`${prefix}${index}`))

const planned = (
  pods: ReadonlyArray<Pod>,
  slices: ReadonlyArray<EndpointSlice> = [],
  service = aService(),
  zoneOf: (node: string) => string | undefined = () => "z1"
) => planEndpointSlices({ service, pods, slices, zoneOf, nowMillis: startMillis })

const asStored = (draft: Draft, name: string): EndpointSlice =>
  ({ ...draft, metadata: { ...aPod({ name }).metadata, ...draft.metadata, name } }) as EndpointSlice

/** A slice of this name that holds these Pods. */
const holding = (name: string, pods: ReadonlyArray<Pod>, service = aService()): EndpointSlice => {
  const [draft] = planned(pods, [], service).create
  if (draft === undefined) throw new Error("no slice")
  return asStored(draft, name)
}

/** What a slice holds; one that is to be created has no type yet. */
const endpointsIn = (slice: Draft): EndpointSlice["endpoints"] => (slice as EndpointSlice).endpoints

const sizeOf = (slice: Draft): number => endpointsIn(slice).length

/** `{ update: ["s1 53"], create: [100], remove: ["s2"] }` */
const told = ({ create, update, remove }: ReturnType<typeof planned>) => ({
  update: update.map((slice) => `${slice.metadata.name} ${sizeOf(slice)}`),
  create: create.map(sizeOf),
  remove: remove.map(({ metadata }) => metadata.name)
})

const nothing = { update: [], create: [], remove: [] }

describe("whose a slice is", () => {
  const slice = holding("s1", some(1))
  const labelled = (labels: object | undefined): EndpointSlice => {
    const { labels: _labels, ...metadata } = slice.metadata
    return { ...slice, metadata: labels === undefined ? metadata : { ...metadata, labels: { ...labels } } }
  }
  it.each([
    { why: "one that is kept up", it: slice, isManaged: true },
    {
      why: "one of another",
      it: labelled({ "endpointslice.kubernetes.io/managed-by": "me" }),
      isManaged: false
    },
    { why: "one of nobody", it: labelled({}), isManaged: false },
    { why: "one without labels", it: labelled(undefined), isManaged: false }
  ])("$why: $isManaged", ({ it, isManaged }) => {
    expect(isManagedSlice(it)).toBe(isManaged)
  })
})

describe("what a slice says of a Pod", () => {
  const endpointsOf = (pod: Pod, service = aService(), zoneOf?: (node: string) => string | undefined) =>
    planned([pod], [], service, zoneOf).create.flatMap(endpointsIn)
  const endpoint = {
    addresses: ["10.244.0.3"],
    conditions: { ready: true, serving: true, terminating: false },
    targetRef: { kind: "Pod", namespace: "shop", name: "a", uid: "uid-a" }
  }
  const homeless = (): Pod => {
    const pod = anAnswering("a")
    const { nodeName: _node, ...spec } = pod.spec
    return { ...pod, spec }
  }

  it("is where it is, and its zone where its node has one", () => {
    expect(endpointsOf(anAnswering("a"))).toStrictEqual([{ ...endpoint, nodeName: "n1", zone: "z1" }])
    expect(endpointsOf(anAnswering("a"), aService(), () => undefined)).toStrictEqual([
      { ...endpoint, nodeName: "n1" }
    ])
    expect(endpointsOf(homeless())).toStrictEqual([endpoint])
  })

  it("is its hostname, if it has one", () => {
    const [hosted] = endpointsOf(anAnswering("a", { spec: { hostname: "db-0", subdomain: "web" } }))
    expect(hosted).toHaveProperty("hostname", "db-0")
  })

  it("is that it is ready where the Service says so of everybody", () => {
    const unready = anAnswering("a", { ready: false })
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

  it("is nothing where it cannot be reached", () => {
    const nowhere = aPod({ name: "b", ready: true })
    const plan = planned([nowhere, anAnswering("c", { phase: "Failed" }), anAnswering("a")])
    expect(told(plan)).toEqual({ ...nothing, create: [1] })
  })

  it("is under the names of its ports, an empty one where there is none", () => {
    const ports = [
      { port: 80, protocol: "TCP" },
      { name: "m", port: 9 }
    ]
    const [slice] = planned([anAnswering("a")], [], aService({ ports })).create
    expect(slice).toMatchObject({
      ports: [
        { name: "", port: 80, protocol: "TCP" },
        { name: "m", port: 9, protocol: "TCP" }
      ]
    })
  })
})

describe("a slice that is written", () => {
  const annotations = { "endpoints.kubernetes.io/last-change-trigger-time": aTime(0) }

  it("is a slice of IPv4 addresses, and says when it was written", () => {
    expect(planned(some(1)).create).toMatchObject([
      {
        apiVersion: "discovery.k8s.io/v1",
        kind: "EndpointSlice",
        addressType: "IPv4",
        metadata: { namespace: "shop", annotations }
      }
    ])
  })

  it("anew keeps what else it says, with the time of the change", () => {
    const slice = holding("s1", some(1))
    const before = { ...slice, metadata: { ...slice.metadata, annotations: { mine: "1", ...annotations } } }
    const service = aService()
    const plan = planEndpointSlices({
      service,
      pods: some(2),
      slices: [before],
      zoneOf: () => "z1",
      nowMillis: startMillis + 9000
    })
    expect(plan.update.map(({ metadata }) => metadata.annotations)).toEqual([
      { mine: "1", "endpoints.kubernetes.io/last-change-trigger-time": aTime(9) }
    ])
  })
})

describe("which slice is written", () => {
  it.each<{
    why: string
    slices: ReadonlyArray<EndpointSlice>
    pods: ReadonlyArray<Pod>
    plan: Partial<ReturnType<typeof told>>
  }>([
    { why: "none while nothing changes", slices: [holding("s1", some(7))], pods: some(7), plan: {} },
    {
      why: "the one with room",
      slices: [holding("s1", some(50))],
      pods: some(53),
      plan: { update: ["s1 53"] }
    },
    {
      why: "the fullest that has room",
      slices: [holding("s1", some(40, "a")), holding("s2", some(90, "b")), holding("s3", some(60, "c"))],
      pods: [...some(40, "a"), ...some(90, "b"), ...some(60, "c"), ...some(7, "d")],
      plan: { update: ["s2 97"] }
    },
    {
      why: "one that is full then",
      slices: [holding("s1", some(40, "a")), holding("s2", some(93, "b"))],
      pods: [...some(40, "a"), ...some(93, "b"), ...some(7, "d")],
      plan: { update: ["s2 100"] }
    },
    {
      why: "a less full one where that has no room",
      slices: [holding("s1", some(40, "a")), holding("s2", some(94, "b"))],
      pods: [...some(40, "a"), ...some(94, "b"), ...some(7, "d")],
      plan: { update: ["s1 47"] }
    },
    {
      why: "a new one where none has room",
      slices: [holding("s1", some(50, "a")), holding("s2", some(50, "b"))],
      pods: [...some(50, "a"), ...some(50, "b"), ...some(60, "d")],
      plan: { create: [60] }
    },
    {
      why: "new ones for hundreds, and one with room for the rest",
      slices: [holding("s1", some(40, "a"))],
      pods: [...some(40, "a"), ...some(250, "d")],
      plan: { update: ["s1 90"], create: [100, 100] }
    },
    {
      why: "a new one for a hundred, and no other",
      slices: [holding("s1", some(40, "a"))],
      pods: [...some(40, "a"), ...some(100, "d")],
      plan: { create: [100] }
    },
    {
      why: "first of all one that is written anyway",
      slices: [holding("s1", some(40, "a")), holding("s2", some(90, "b"))],
      pods: [...some(37, "a"), ...some(90, "b"), ...some(9, "d")],
      plan: { update: ["s1 46"] }
    },
    {
      why: "one that is written anyway, until it is full",
      slices: [holding("s1", some(99, "a")), holding("s2", some(90, "b"))],
      pods: [...some(98, "a"), ...some(90, "b"), ...some(5, "d")],
      plan: { update: ["s1 100", "s2 93"] }
    },
    {
      why: "one that has lost all but one",
      slices: [holding("s1", some(3, "a"))],
      pods: some(1, "a"),
      plan: { update: ["s1 1"] }
    },
    {
      why: "none for Pods of a slice that is taken away with them",
      slices: [holding("s1", some(3, "a")), holding("s2", some(3, "b"))],
      pods: some(3, "a"),
      plan: { remove: ["s2"] }
    },
    {
      why: "the first of those that nobody is in, where nobody is left",
      slices: [holding("s1", some(3, "a")), holding("s2", some(3, "b"))],
      pods: [],
      plan: { update: ["s1 0"], remove: ["s2"] }
    }
  ])("$why", ({ slices, pods, plan }) => {
    expect(told(planned(pods, slices))).toEqual({ ...nothing, ...plan })
  })

  it("loses an endpoint that is nobody's", () => {
    const slice = holding("s1", some(2))
    const stray = { addresses: ["10.244.0.9"], conditions: {} }
    const plan = planned(some(2), [{ ...slice, endpoints: [stray, ...slice.endpoints] }])
    expect(plan.update.map(({ endpoints }) => endpoints.map(({ targetRef }) => targetRef?.name))).toEqual([
      ["a0", "a1"]
    ])
  })

  it("is the same again when the Service moves to another port", () => {
    const moved = aService({ ports: [{ port: 81, protocol: "TCP" }] })
    const { update, ...others } = planned(some(3), [holding("s1", some(3))], moved)
    expect(update.map(({ metadata, ports }) => [metadata.name, ports?.[0]?.port])).toEqual([["s1", 81]])
    expect(others).toEqual({ create: [], remove: [] })
  })
})
