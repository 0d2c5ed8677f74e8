import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { endpointsFor, hasSameEndpoint } from "../../../../src/kubernetes/core/endpoints.ts"
import { planEndpointSlices } from "../../../../src/kubernetes/core/endpointSlices.ts"
import { aPod, startMillis } from "../../../builders.ts"
import { aService, aStoredSlice } from "./serviceBuilders.ts"
import type { EndpointSlice, Service } from "../../../../src/kubernetes/core/endpoints.ts"
import type { Pod } from "../../../../src/kubernetes/meta/objects.ts"

interface ReachableOptions {
  readonly address?: number
  readonly ready?: boolean
  readonly terminating?: boolean
  readonly phase?: string
  readonly spec?: object
}

const aReachablePod = (name: string, options: ReachableOptions = {}): Pod => {
  const { address, ready = true, terminating = false, phase = "Running", spec = {} } = options
  const pod = aPod({ name, ready, terminating, phase, spec })
  return {
    ...pod,
    status: { ...pod.status, ...(address === undefined ? {} : { podIP: `10.244.0.${address}` }) }
  }
}

const namedPort = {
  containers: [{ name: "app", image: "a:v1", ports: [{ name: "http", containerPort: 8080 }] }]
}

/** `10.244.0.3 !10.244.0.4 :80/TCP`, one text for each subset; a Pod that is not ready has a mark. */
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
    { why: "are empty without Pods", pods: [], subsets: [] },
    {
      why: "sort addresses numerically, those of unready Pods apart",
      pods: [
        aReachablePod("c", { address: 10 }),
        aReachablePod("b", { address: 9 }),
        aReachablePod("a", { address: 3, ready: false })
      ],
      subsets: ["10.244.0.9 10.244.0.10 !10.244.0.3 :80/TCP"]
    },
    {
      why: "leave out Pods without an address, in a final phase or terminating",
      pods: [
        aReachablePod("a"),
        aReachablePod("b", { address: 4, phase: "Failed" }),
        aReachablePod("c", { address: 5, terminating: true }),
        aReachablePod("d", { address: 6 })
      ],
      subsets: ["10.244.0.6 :80/TCP"]
    },
    {
      why: "list unready and terminating Pods as ready with publishNotReadyAddresses",
      service: aService({ publishNotReadyAddresses: true }),
      pods: [
        aReachablePod("a", { address: 4, ready: false }),
        aReachablePod("b", { address: 5, terminating: true })
      ],
      subsets: ["10.244.0.4 10.244.0.5 :80/TCP"]
    },
    {
      why: "resolve a target port by number or by the name of a container port, and leave out Pods without that name",
      service: aService({
        ports: [
          { name: "web", port: 80, targetPort: "http" },
          { name: "metrics", port: 9, targetPort: 9090 }
        ]
      }),
      pods: [aReachablePod("a", { address: 4, spec: namedPort }), aReachablePod("b", { address: 5 })],
      subsets: ["10.244.0.5 metrics:9090/TCP", "10.244.0.4 web:8080/TCP metrics:9090/TCP"]
    },
    {
      why: "resolve a named port for its protocol only",
      service: aService({ ports: [{ port: 80, targetPort: "http", protocol: "UDP" }] }),
      pods: [aReachablePod("a", { address: 4, spec: namedPort })],
      subsets: []
    },
    {
      why: "may have no ports for a headless Service",
      service: aService({ clusterIP: "None", ports: [] }),
      pods: [aReachablePod("a", { address: 4 })],
      subsets: ["10.244.0.4"]
    }
  ]
  it.each(rows)("$why", ({ service = aService(), pods, subsets }) => {
    expect(subsetTexts(service, pods)).toEqual(subsets)
  })

  it("have the labels of the Service, their manager and a label for headless Services", () => {
    const labelsOf = (spec: object) =>
      endpointsFor(aService(spec, { tier: "front" }), [], startMillis).metadata.labels
    expect(labelsOf({})).toEqual({
      tier: "front",
      "endpoints.kubernetes.io/managed-by": "endpoint-controller"
    })
    expect(labelsOf({ clusterIP: "None" })).toHaveProperty(["service.kubernetes.io/headless"], "")
  })

  it("have a Pod's hostname only if the Service is its subdomain", () => {
    const hosted = aReachablePod("db-0", { address: 4, spec: { hostname: "db-0", subdomain: "web" } })
    const hostnameIn = (service: Service) =>
      endpointsFor(service, [hosted], startMillis).subsets?.[0]?.addresses?.[0]?.hostname
    expect([
      hostnameIn(aService()),
      hostnameIn({ ...aService(), metadata: aPod({ name: "x" }).metadata })
    ]).toEqual(["db-0", undefined])
  })

  it("hold at most a thousand addresses, ready ones first, and are annotated as truncated", () => {
    const manyPods = Array.from({ length: 1003 }, (_, index) =>
      aReachablePod(`p${index}`, { address: index, ready: index >= 5 })
    )
    const { subsets, metadata } = endpointsFor(aService(), manyPods, startMillis)
    expect([subsets?.[0]?.addresses?.length, subsets?.[0]?.notReadyAddresses?.length]).toEqual([998, 2])
    expect(metadata.annotations).toHaveProperty(["endpoints.kubernetes.io/over-capacity"], "truncated")
  })
})

describe("an update of a Pod", () => {
  it("concerns its Services when readiness, address, deletion or phase change", () => {
    const pod = aReachablePod("a", { address: 4 })
    const restarted = { ...pod, status: { ...pod.status, startTime: "2026-01-01T00:00:05Z" } }
    expect(hasSameEndpoint(pod, restarted)).toBe(true)
    const others = [
      aReachablePod("a", { address: 5 }),
      aReachablePod("a", { address: 4, ready: false }),
      aReachablePod("a", { address: 4, terminating: true }),
      aReachablePod("a", { address: 4, phase: "Succeeded" })
    ].map((it) => ({ ...it, metadata: { ...it.metadata, labels: pod.metadata.labels ?? {} } }))
    expect(others.map((other) => hasSameEndpoint(pod, other))).toEqual([false, false, false, false])
  })
})

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
  const stored = plan.create.map((draft, index) => aStoredSlice(draft, `web-${at}-${index}`))
  const remaining = slices.filter((slice) => !plan.remove.includes(slice))
  const updated = remaining.map(
    (slice) => plan.update.find((it) => it.metadata.name === slice.metadata.name) ?? slice
  )
  return { plan, slices: [...updated, ...stored] }
}

const manyPods = (count: number, from = 0): ReadonlyArray<Pod> =>
  Array.from({ length: count }, (_, index) => aReachablePod(`p${from + index}`, { address: from + index }))

describe("the EndpointSlices of a Service (TestReconcile)", () => {
  it("tell the address, node and conditions of each Pod", () => {
    const going = aReachablePod("b", { address: 5, terminating: true })
    const { slices } = applied([], aService(), [aReachablePod("a", { address: 4, ready: false }), going])
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

  it("have the Service as owner and in their labels", () => {
    const [slice] = applied([], aService(), manyPods(1)).slices
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

  it("are a single empty slice without Pods, which is filled and emptied under its name", () => {
    const none = applied([], aService(), [])
    const some = applied(none.slices, aService(), manyPods(3))
    const noneAgain = applied(some.slices, aService(), [])
    const shapes = [none, some, noneAgain].map(({ slices }) =>
      slices.map(({ metadata, endpoints }) => [metadata.name, endpoints.length])
    )
    expect(shapes).toEqual([[["web-0-0", 0]], [["web-0-0", 3]], [["web-0-0", 0]]])
  })

  it("hold a hundred endpoints each, and a change of one Pod rewrites one slice", () => {
    const before = applied([], aService(), manyPods(250))
    expect(before.slices.map(({ endpoints }) => endpoints.length)).toEqual([100, 100, 50])
    const pods = manyPods(250).map((pod, index) =>
      index === 120 ? aReachablePod("p120", { ready: false, address: 9 }) : pod
    )
    const { plan } = applied(before.slices, aService(), pods)
    expect([plan.create.length, plan.update.map((it) => it.metadata.name), plan.remove.length]).toEqual([
      0,
      ["web-0-1"],
      0
    ])
  })

  it("are separate for Pods with other port numbers", () => {
    const service = aService({
      ports: [
        { port: 80, targetPort: "http" },
        { name: "m", port: 9 }
      ]
    })
    const pods = [aReachablePod("a", { address: 4, spec: namedPort }), aReachablePod("b", { address: 5 })]
    const { slices } = applied([], service, pods)
    expect(slices.map(({ ports, endpoints }) => [ports?.map((it) => it.port), endpoints.length])).toEqual([
      [[8080, 9], 1],
      [[9], 1]
    ])
  })

  it("name every Pod once, hold a hundred at most and need no write once they are right", () => {
    const sizes = fc.array(fc.nat(333), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(sizes, fc.nat(77), (counts, shift) => {
        let slices: ReadonlyArray<EndpointSlice> = []
        for (const [turn, count] of counts.entries()) {
          const pods = manyPods(count, turn * shift)
          slices = applied(slices, aService(), pods, turn).slices
          const uids = slices.flatMap(({ endpoints }) => endpoints.map(({ targetRef }) => targetRef?.uid))
          expect(new Set(uids)).toEqual(new Set(pods.map(({ metadata }) => metadata.uid)))
          expect(uids.length).toBe(pods.length)
          expect(Math.max(0, ...slices.map(({ endpoints }) => endpoints.length))).toBeLessThanOrEqual(100)
          const { plan } = applied(slices, aService(), pods, turn)
          expect([plan.create, plan.update, plan.remove]).toEqual([[], [], []])
        }
      }),
      { seed: 7, numRuns: 60 }
    )
  })
})
