import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { deploymentManifest, replaceSpec } from "../../../cluster/testCluster.ts"
import { resources } from "../../../../src/kubernetes/meta/kinds.ts"
import { accountAfter, firstPod, hook, deleteOnePod } from "./serviceLedgers.ts"
import type { Behaviour } from "../../../../src/behaviours/behaviour.ts"
import type { ClusterOptions } from "../../../../src/cluster/clusterOptions.ts"
import type { Fault } from "../../../../src/faults/fault.ts"
import type { ClusterService } from "../../../cluster/testCluster.ts"
import type { ServiceEntry } from "../../../../src/scenario/ledger/ledger.ts"

const answeringAfter =
  (answersMillis: number): NonNullable<ClusterOptions["livesOf"]> =>
  (_pod, life) => ({ ...life, otherContainers: { ...life.otherContainers, answersMillis } })

describe("requests are lost", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly manifest: Parameters<typeof deploymentManifest>[0]
    readonly action?: (cluster: ClusterService) => Effect.Effect<unknown, unknown>
    readonly options?: Parameters<typeof accountAfter>[2]
    readonly lost: number
    readonly because?: object
  }> = [
    {
      why: "for a second when one of four Pods stops at once and endpoints propagate in a second: 100 / 4",
      manifest: { replicas: 4 },
      lost: 25,
      because: { stopping: 25, starting: 0, failing: 0, noEndpoint: 0 }
    },
    {
      why: "by rate and propagation: 300 a second for half a second to one of three",
      manifest: { replicas: 3 },
      options: { requestsPerSecond: 300, propagationMillis: 500 },
      lost: 50
    },
    {
      why: "not at all when preStop sleeps as long as the propagation",
      manifest: { replicas: 4, container: hook({ sleep: { seconds: 1 } }) },
      lost: 0
    },
    {
      why: "for the two seconds by which the sleep is too short",
      manifest: { replicas: 4, container: hook({ sleep: { seconds: 1 } }) },
      options: { propagationMillis: 3000 },
      lost: 50
    },
    {
      why: "not when a preStop command sleeps",
      manifest: { replicas: 4, container: hook({ exec: { command: ["sleep", "15"] } }) },
      lost: 0
    },
    {
      why: "not when a preStop shell sleeps first",
      manifest: {
        replicas: 4,
        container: hook({ exec: { command: ["/bin/sh", "-c", "sleep 2; nginx -s quit"] } })
      },
      lost: 0
    },
    {
      why: "when preStop runs another command, which takes no time here",
      manifest: { replicas: 4, container: hook({ exec: { command: ["nginx", "-s", "quit"] } }) },
      lost: 25
    },
    {
      why: "from the end of the grace period: killed after 3 s, propagated after 5 s",
      manifest: {
        replicas: 4,
        container: hook({ exec: { command: ["sleep", "20"] } }),
        podSpec: { terminationGracePeriodSeconds: 3 }
      },
      options: { propagationMillis: 5000 },
      lost: 50
    },
    {
      why: "at once when a Pod is deleted with grace 0",
      manifest: { replicas: 4, container: hook({ sleep: { seconds: 20 } }) },
      action: deleteOnePod(0),
      lost: 25
    },
    {
      why: "all during Recreate: six seconds to terminating Pods, two more without endpoints",
      manifest: { replicas: 2, spec: { strategy: { type: "Recreate" } } },
      action: (cluster) =>
        replaceSpec(
          cluster,
          deploymentManifest({ replicas: 2, version: "v2", spec: { strategy: { type: "Recreate" } } })
        ),
      options: { behaviour: { start: "2s" } },
      lost: 800,
      because: { stopping: 600, noEndpoint: 200, starting: 0, failing: 0 }
    },
    {
      why: "by Pods that crash all at once, with a second of propagation each way",
      manifest: { replicas: 5 },
      options: {
        behaviour: {
          start: "0s",
          containers: { app: { start: "10s", exit: { after: "75s", code: 1, times: 1 } } }
        }
      },
      action: () => Effect.void,
      // Ten seconds until they have restarted.
      lost: 1100,
      because: { failing: 100, noEndpoint: 1000, stopping: 0, starting: 0 }
    },
    {
      why: "by an unready Pod with publishNotReadyAddresses: ten seconds of one of three",
      manifest: { replicas: 2 },
      action: (cluster) => replaceSpec(cluster, deploymentManifest({ replicas: 3 })),
      options: { service: { publishNotReadyAddresses: true } },
      lost: 300,
      because: { starting: 300, stopping: 0, failing: 0, noEndpoint: 0 }
    },
    {
      why: "by a Pod that is ready before its application answers: ten seconds of one of three",
      manifest: { replicas: 2 },
      action: (cluster) => replaceSpec(cluster, deploymentManifest({ replicas: 3 })),
      options: { livesOf: answeringAfter(10_000) },
      lost: 300,
      because: { starting: 300, stopping: 0, failing: 0, noEndpoint: 0 }
    },
    {
      why: "all when the Service selects no Pod",
      manifest: { replicas: 2 },
      action: () => Effect.void,
      options: { service: { selector: { app: "another" } } },
      lost: 6000,
      because: { noEndpoint: 6000, starting: 0, stopping: 0, failing: 0 }
    }
  ]
  it.for(rows)("$why", async ({ manifest, action = deleteOnePod(), options, lost, because }) => {
    const totals = await accountAfter(manifest, action, options)
    expect(totals.lost).toBe(lost)
    if (because !== undefined) expect(totals.because).toEqual(because)
    expect(totals.requests).toBe(60 * (options?.requestsPerSecond ?? 100))
  })

  it("by a Pod deleted again with a shorter grace period, from the end of that on", async () => {
    const deleteTwice = (cluster: ClusterService) => {
      const pod = { resource: resources.pods, name: firstPod(cluster) }
      return Effect.gen(function* () {
        yield* cluster.delete(pod)
        yield* cluster.advance(1000)
        yield* cluster.delete(pod, { gracePeriodSeconds: 2 })
      })
    }
    const manifest = { replicas: 4, container: hook({ sleep: { seconds: 20 } }) }
    const { because } = await accountAfter(manifest, deleteTwice, { propagationMillis: 5000 })
    // Killed after three seconds, and clients know after five.
    expect(because).toEqual({ stopping: 50, starting: 0, failing: 0, noEndpoint: 0 })
  })

  it("by the Pods of a lost node until the node controller marks them unready", async () => {
    const stopKubelet = (cluster: ClusterService) => cluster.setKubelet("node-1", "stopped")
    const { lost, because } = await accountAfter({ replicas: 3 }, stopKubelet)
    expect(lost).toBe(because.failing)
    // One of three Pods; noticed 40 to 60 s after the last heartbeat, propagated a second later.
    expect(lost).toBeGreaterThan(40 * 33)
    expect(lost).toBeLessThan(61 * 34)
  })
})

const lines = (from: number, entry: ServiceEntry): ReadonlyArray<string> =>
  entry
    .rows()
    .map(
      ({ atMillis, endpoints, ready, terminating, known, answering, lost, requests }) =>
        `${(atMillis - from) / 1000}: ${endpoints} ${ready} ${terminating}, ${known} ${answering}, ${lost} of ${requests}`
    )

it("every instant has its endpoints (all, ready, terminating), the known and answering ones, and the requests lost so far", async () => {
  const spec = { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } }
  const { from, entry } = await accountAfter({ replicas: 2, spec }, (cluster) =>
    replaceSpec(cluster, deploymentManifest({ replicas: 2, version: "v2", spec }))
  )
  expect(lines(from, entry)).toEqual([
    "0: 3 1 1, 2 1, 0 of 0",
    "1: 3 1 1, 1 1, 50 of 100",
    "5: 2 1 0, 1 1, 50 of 500",
    "10: 3 1 1, 1 0, 50 of 1000",
    "11: 3 1 1, 1 1, 150 of 1100",
    "15: 2 1 0, 1 1, 150 of 1500",
    "20: 2 2 0, 1 1, 150 of 2000",
    "21: 2 2 0, 2 2, 150 of 2100"
  ])
})

it("totals of a past moment are kept, and a deleted Service loses nothing", async () => {
  const { from, entry } = await accountAfter({ replicas: 4 }, (cluster) =>
    Effect.gen(function* () {
      yield* deleteOnePod()(cluster)
      yield* cluster.advance(30_000)
      yield* cluster.delete({ resource: resources.services, name: "web" })
    })
  )
  expect(entry.totals(from + 400)).toMatchObject({ lost: 10, requests: 40 })
  expect(entry.totals(from + 90_000)).toMatchObject({ lost: 25, requests: 3000 })
})

describe("requests lost by Pod faults", () => {
  const probed = { readinessProbe: { httpGet: { port: 80 }, periodSeconds: 10, failureThreshold: 2 } }
  const one = { deployment: "web", count: 1 }
  it.each<{
    readonly why: string
    readonly container?: object
    readonly fault: Fault
    readonly lost: number
  }>([
    {
      why: "a hanging Pod until its probe has failed twice and endpoints propagated",
      container: probed,
      fault: { fault: "hang", pods: one },
      // Probed every 10 s, for a second; it hangs in its 60th second.
      lost: (11 + 1) * 25
    },
    {
      why: "a hanging Pod without a probe until the end",
      fault: { fault: "hang", pods: one },
      lost: 60 * 25
    },
    {
      why: "a hanging Pod without a probe until the fault is over",
      fault: { fault: "hang", pods: one, for: "17s" },
      lost: 17 * 25
    },
    {
      why: "two flapping Pods until their probe fails and endpoints propagate, each time",
      container: { readinessProbe: { httpGet: { port: 80 }, periodSeconds: 1, failureThreshold: 5 } },
      fault: { fault: "flap", pods: { ...one, count: 2 }, ready: "10s", unready: "10s" },
      // Silent at 10 s, unready from 14 s until 24 s; again at 34 s and at 58 s.
      lost: (5 + 5 + 2) * 50
    }
  ])("$why: $lost", async ({ container, fault, lost }) => {
    const found = await accountAfter({ replicas: 4, container: container ?? {} }, (cluster) =>
      cluster.faultInjector.begin(fault)
    )
    expect(found).toMatchObject({ lost, because: { failing: lost } })
  })
})

describe("requests lost by behaviours", () => {
  const probe = (more: object) => ({ httpGet: { port: 80 }, periodSeconds: 10, failureThreshold: 2, ...more })
  const app = (more: object): Partial<Behaviour> => ({
    start: "0s",
    containers: { app: { start: "10s", ...more } }
  })
  it.each<{
    readonly why: string
    readonly container?: object
    readonly behaviour: Partial<Behaviour>
    readonly lost: number
    readonly because: object
  }>([
    {
      why: "Pods that hang without a probe until the end",
      behaviour: app({ hang: "75s" }),
      lost: 45 * 100,
      because: { failing: 4500, noEndpoint: 0 }
    },
    {
      why: "Pods that hang with a liveness probe until they are killed and restarted",
      container: { livenessProbe: probe({}) },
      behaviour: app({ hang: "75s" }),
      lost: (21 + 1) * 100 + 10 * 100,
      because: { failing: 2200, noEndpoint: 1000 }
    },
    {
      why: "Pods that flap from 70 s of their run, unready from 74 s until 84 s",
      container: { readinessProbe: probe({ periodSeconds: 1, failureThreshold: 5 }) },
      behaviour: app({ flap: { ready: "70s", unready: "10s", times: 1 } }),
      lost: 5 * 100 + 10 * 100,
      because: { failing: 500, noEndpoint: 1000 }
    },
    {
      why: "Pods that flapped once before",
      container: { readinessProbe: probe({ periodSeconds: 1, failureThreshold: 5 }) },
      behaviour: app({ flap: { ready: "10s", unready: "10s", times: 1 } }),
      lost: 0,
      because: { failing: 0, noEndpoint: 0 }
    }
  ])("$why: $lost", async ({ container, behaviour, lost, because }) => {
    const found = await accountAfter({ replicas: 4, container: container ?? {} }, () => Effect.void, {
      behaviour
    })
    expect(found).toMatchObject({ lost, because })
  })
})
