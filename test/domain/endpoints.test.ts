import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { endpointsFor, hasSameEndpoint } from "../../src/kubernetes/core/endpoints.ts"
import { planEndpointSlices } from "../../src/kubernetes/core/endpointSlices.ts"
import { aPod, startMillis } from "../builders.ts"
import type { EndpointSlice, Service } from "../../src/kubernetes/core/endpoints.ts"
import type { Draft, Pod } from "../../src/kubernetes/meta/objects.ts"

const aService = (spec: object = {}, labels: Readonly<Record<string, string>> = {}): Service => ({
  ...aPod({ name: "web", labels }),
  kind: "Service",
  spec: { selector: { app: "web" }, clusterIP: "10.96.1.3", ports: [{ port: 80, protocol: "TCP" }], ...spec }
})

interface Reached {
  readonly address?: number
  readonly ready?: boolean
  readonly terminating?: boolean
  readonly phase?: string
  readonly spec?: object
}

const anAnswering = (name: string, options: Reached = {}): Pod => {
  const { address, ready = true, terminating = false, phase = "Running", spec = {} } = options
  const pod = aPod({ name, ready, terminating, phase, spec })
  return {
    ...pod,
    status: { ...pod.status, ...(address === undefined ? {} : { podIP: `10.244.0.${address}` }) }
  }
}

const named = { containers: [{ name: "app", image: "a:v1", ports: [{ name: "http", containerPort: 8080 }] }] }

/** `10.244.0.3 !10.244.0.4 :80/TCP`, one text a subset; a Pod that is not ready after a mark. */
const subsetTexts = (service: Service, pods: ReadonlyArray<Pod>): ReadonlyArray<string> =>
  (endpointsFor(service, pods, startMillis).subsets ?? []).map(({ addresses, notReadyAddresses, ports }) =>
    [
      ...(addresses ?? []).map(({ ip }) => ip),
      ...(notReadyAddresses ?? []).map(({ ip }) => `!${ip}`),
      ...(ports ?? []).map((it) => `${it.name ?? ""}:${it.port}/${it.protocol}`)
    ].join(" ")
  )

describe("the Endpoints of a Service (TestSyncEndpoints)", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly service?: Service
    readonly pods: ReadonlyArray<Pod>
    readonly subsets: ReadonlyArray<string>
  }> = [
    { why: "nobody answers for a Service without Pods", pods: [], subsets: [] },
    {
      why: "addresses are in the order of their numbers, and those that are not ready are apart",
      pods: [
        anAnswering("c", { address: 10 }),
        anAnswering("b", { address: 9 }),
        anAnswering("a", { address: 3, ready: false })
      ],
      subsets: ["10.244.0.9 10.244.0.10 !10.244.0.3 :80/TCP"]
    },
    {
      why: "a Pod without an address, one at its end and one on its way out cannot be reached",
      pods: [
        anAnswering("a"),
        anAnswering("b", { address: 4, phase: "Failed" }),
        anAnswering("c", { address: 5, terminating: true }),
        anAnswering("d", { address: 6 })
      ],
      subsets: ["10.244.0.6 :80/TCP"]
    },
    {
      why: "publishNotReadyAddresses calls everybody ready, even who is on the way out",
      service: aService({ publishNotReadyAddresses: true }),
      pods: [
        anAnswering("a", { address: 4, ready: false }),
        anAnswering("b", { address: 5, terminating: true })
      ],
      subsets: ["10.244.0.4 10.244.0.5 :80/TCP"]
    },
    {
      why: "a target port is a number of its own, or the name of a container's port; without it nobody is reached",
      service: aService({
        ports: [
          { name: "web", port: 80, targetPort: "http" },
          { name: "metrics", port: 9, targetPort: 9090 }
        ]
      }),
      pods: [anAnswering("a", { address: 4, spec: named }), anAnswering("b", { address: 5 })],
      subsets: ["10.244.0.5 metrics:9090/TCP", "10.244.0.4 web:8080/TCP metrics:9090/TCP"]
    },
    {
      why: "a named port of another protocol is another port",
      service: aService({ ports: [{ port: 80, targetPort: "http", protocol: "UDP" }] }),
      pods: [anAnswering("a", { address: 4, spec: named })],
      subsets: []
    },
    {
      why: "a headless Service may have no ports at all",
      service: aService({ clusterIP: "None", ports: [] }),
      pods: [anAnswering("a", { address: 4 })],
      subsets: ["10.244.0.4"]
    }
  ]
  it.each(rows)("$why", ({ service = aService(), pods, subsets }) => {
    expect(subsetTexts(service, pods)).toEqual(subsets)
  })

  it("carry the Service's labels and say who keeps them and whether there is an address in front", () => {
    const labelsOf = (spec: object) =>
      endpointsFor(aService(spec, { tier: "front" }), [], startMillis).metadata.labels
    expect(labelsOf({})).toEqual({
      tier: "front",
      "endpoints.kubernetes.io/managed-by": "endpoint-controller"
    })
    expect(labelsOf({ clusterIP: "None" })).toHaveProperty(["service.kubernetes.io/headless"], "")
  })

  it("name a Pod's host only in the Service that is its subdomain", () => {
    const hosted = anAnswering("db-0", { address: 4, spec: { hostname: "db-0", subdomain: "web" } })
    const hostnameIn = (service: Service) =>
      endpointsFor(service, [hosted], startMillis).subsets?.[0]?.addresses?.[0]?.hostname
    expect([
      hostnameIn(aService()),
      hostnameIn({ ...aService(), metadata: aPod({ name: "x" }).metadata })
    ]).toEqual(["db-0", undefined])
  })

  it("hold a thousand addresses, the ready ones first, and say that they are cut short", () => {
    const crowd = Array.from({ length: 1003 }, (_, index) =>
      anAnswering(`p${index}`, { address: index, ready: index >= 5 })
    )
    const { subsets, metadata } = endpointsFor(aService(), crowd, startMillis)
    expect([subsets?.[0]?.addresses?.length, subsets?.[0]?.notReadyAddresses?.length]).toEqual([998, 2])
    expect(metadata.annotations).toHaveProperty(["endpoints.kubernetes.io/over-capacity"], "truncated")
  })
})

describe("a change of a Pod", () => {
  it("concerns who sends traffic to it when its readiness, address or departure changes, and not otherwise", () => {
    const pod = anAnswering("a", { address: 4 })
    const restarted = { ...pod, status: { ...pod.status, startTime: "2026-01-01T00:00:05Z" } }
    expect(hasSameEndpoint(pod, restarted)).toBe(true)
    const others = [
      anAnswering("a", { address: 5 }),
      anAnswering("a", { address: 4, ready: false }),
      anAnswering("a", { address: 4, terminating: true }),
      anAnswering("a", { address: 4, phase: "Succeeded" })
    ].map((it) => ({ ...it, metadata: { ...it.metadata, labels: pod.metadata.labels ?? {} } }))
    expect(others.map((other) => hasSameEndpoint(pod, other))).toEqual([false, false, false, false])
  })
})

/** Slices as a store would hold them, written by one plan after another. */
const applied = (
  slices: ReadonlyArray<EndpointSlice>,
  service: Service,
  pods: ReadonlyArray<Pod>,
  at = 0
) => {
  const plan = planEndpointSlices({
    service,
    pods,
    slices,
    zoneOf: (node) => `zone-of-${node}`,
    nowMillis: startMillis
  })
  const stored = plan.create.map((draft, index) => asStored(draft, `web-${at}-${index}`))
  const kept = slices.filter((slice) => !plan.remove.includes(slice))
  const updated = kept.map(
    (slice) => plan.update.find((it) => it.metadata.name === slice.metadata.name) ?? slice
  )
  return { plan, slices: [...updated, ...stored] }
}

const asStored = (draft: Draft, name: string): EndpointSlice =>
  ({ ...draft, metadata: { ...aPod({ name }).metadata, ...draft.metadata, name } }) as EndpointSlice

const crowd = (count: number, from = 0): ReadonlyArray<Pod> =>
  Array.from({ length: count }, (_, index) => anAnswering(`p${from + index}`, { address: from + index }))

describe("the EndpointSlices of a Service (TestReconcile)", () => {
  it("say of each Pod where it is, whether it is ready and whether it is going", () => {
    const going = anAnswering("b", { address: 5, terminating: true })
    const { slices } = applied([], aService(), [anAnswering("a", { address: 4, ready: false }), going])
    expect(slices.map(({ endpoints }) => endpoints)).toEqual([
      [
        {
          addresses: ["10.244.0.4"],
          conditions: { ready: false, serving: false, terminating: false },
          targetRef: { kind: "Pod", namespace: "shop", name: "a", uid: "uid-a" },
          nodeName: "n1",
          zone: "zone-of-n1"
        },
        {
          addresses: ["10.244.0.5"],
          conditions: { ready: false, serving: true, terminating: true },
          targetRef: { kind: "Pod", namespace: "shop", name: "b", uid: "uid-b" },
          nodeName: "n1",
          zone: "zone-of-n1"
        }
      ]
    ])
  })

  it("belong to the Service and name it", () => {
    const [slice] = applied([], aService(), crowd(1)).slices
    expect(slice?.metadata).toMatchObject({
      generateName: "web-",
      labels: {
        "kubernetes.io/service-name": "web",
        "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io"
      },
      ownerReferences: [
        { kind: "Service", name: "web", uid: "uid-web", controller: true, blockOwnerDeletion: true }
      ]
    })
  })

  it("are one empty slice where nobody answers, which is filled and emptied again under one name", () => {
    const none = applied([], aService(), [])
    const some = applied(none.slices, aService(), crowd(3))
    const noneAgain = applied(some.slices, aService(), [])
    const shapes = [none, some, noneAgain].map(({ slices }) =>
      slices.map(({ metadata, endpoints }) => [metadata.name, endpoints.length])
    )
    expect(shapes).toEqual([[["web-0-0", 0]], [["web-0-0", 3]], [["web-0-0", 0]]])
  })

  it("hold a hundred each, and a change of one Pod rewrites one of them", () => {
    const before = applied([], aService(), crowd(250))
    expect(before.slices.map(({ endpoints }) => endpoints.length)).toEqual([100, 100, 50])
    const pods = crowd(250).map((pod, index) =>
      index === 120 ? anAnswering("p120", { ready: false, address: 9 }) : pod
    )
    const { plan } = applied(before.slices, aService(), pods)
    expect([plan.create.length, plan.update.map((it) => it.metadata.name), plan.remove.length]).toEqual([
      0,
      ["web-0-1"],
      0
    ])
  })

  it("are apart for Pods that have other ports", () => {
    const service = aService({
      ports: [
        { port: 80, targetPort: "http" },
        { name: "m", port: 9 }
      ]
    })
    const pods = [anAnswering("a", { address: 4, spec: named }), anAnswering("b", { address: 5 })]
    const { slices } = applied([], service, pods)
    expect(slices.map(({ ports, endpoints }) => [ports?.map((it) => it.port), endpoints.length])).toEqual([
      [[8080, 9], 1],
      [[9], 1]
    ])
  })

  it("name every Pod once and none twice, are never too full, and are left alone once they are right", () => {
    const sizes = fc.array(fc.nat(333), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(sizes, fc.nat(77), (counts, shift) => {
        let slices: ReadonlyArray<EndpointSlice> = []
        for (const [turn, count] of counts.entries()) {
          const pods = crowd(count, turn * shift)
          slices = applied(slices, aService(), pods, turn).slices
          const told = slices.flatMap(({ endpoints }) => endpoints.map(({ targetRef }) => targetRef?.uid))
          expect(new Set(told)).toEqual(new Set(pods.map(({ metadata }) => metadata.uid)))
          expect(told.length).toBe(pods.length)
          expect(Math.max(0, ...slices.map(({ endpoints }) => endpoints.length))).toBeLessThanOrEqual(100)
          const { plan } = applied(slices, aService(), pods, turn)
          expect([plan.create, plan.update, plan.remove]).toEqual([[], [], []])
        }
      }),
      { seed: 7, numRuns: 60 }
    )
  })
})
