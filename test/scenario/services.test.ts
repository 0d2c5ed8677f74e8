import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { aManifest, change } from "../cluster/worlds.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { after, firstPod, hook, stopOne } from "./serviceWorlds.ts"
import type { Behaviour } from "../../src/behaviours/behaviour.ts"
import type { ClusterOptions } from "../../src/cluster/clusterOptions.ts"
import type { Fault } from "../../src/faults/fault.ts"
import type { Living } from "../cluster/worlds.ts"
import type { ServiceEntry } from "../../src/scenario/ledger/ledger.ts"

const answeringAfter =
  (answersMillis: number): NonNullable<ClusterOptions["livesOf"]> =>
  (_pod, life) => ({ ...life, otherContainers: { ...life.otherContainers, answersMillis } })

describe("requests are lost", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly manifest: Parameters<typeof aManifest>[0]
    readonly deed?: (cluster: Living) => Effect.Effect<unknown, unknown>
    readonly options?: Parameters<typeof after>[2]
    readonly lost: number
    readonly because?: object
  }> = [
    {
      why: "for a second, where one of four stops at once and clients hear of it a second later: 100 / 4",
      manifest: { replicas: 4 },
      lost: 25,
      because: { stopping: 25, starting: 0, failing: 0, nobody: 0 }
    },
    {
      why: "as many as come: 300 a second for half a second to one of three",
      manifest: { replicas: 3 },
      options: { requestsPerSecond: 300, propagationMillis: 500 },
      lost: 50
    },
    {
      why: "not at all where the Pod sleeps first for as long as clients need",
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
      why: "not where a command sleeps",
      manifest: { replicas: 4, container: hook({ exec: { command: ["sleep", "15"] } }) },
      lost: 0
    },
    {
      why: "not where a shell sleeps before what else it does",
      manifest: {
        replicas: 4,
        container: hook({ exec: { command: ["/bin/sh", "-c", "sleep 2; nginx -s quit"] } })
      },
      lost: 0
    },
    {
      why: "where another command is run, which takes no time here",
      manifest: { replicas: 4, container: hook({ exec: { command: ["nginx", "-s", "quit"] } }) },
      lost: 25
    },
    {
      why: "from the end of the grace on, however long the hook: it is told after 3 s, clients after 5",
      manifest: {
        replicas: 4,
        container: hook({ exec: { command: ["sleep", "20"] } }),
        podSpec: { terminationGracePeriodSeconds: 3 }
      },
      options: { propagationMillis: 5000 },
      lost: 50
    },
    {
      why: "at once where a Pod is taken away by force, hook or none",
      manifest: { replicas: 4, container: hook({ sleep: { seconds: 20 } }) },
      deed: stopOne(0),
      lost: 25
    },
    {
      why: "all of them while nobody answers: six seconds by Pods on their way out, two more by nobody",
      manifest: { replicas: 2, spec: { strategy: { type: "Recreate" } } },
      deed: (cluster) =>
        change(cluster, aManifest({ replicas: 2, version: "v2", spec: { strategy: { type: "Recreate" } } })),
      options: { behaviour: { start: "2s" } },
      lost: 800,
      because: { stopping: 600, nobody: 200, starting: 0, failing: 0 }
    },
    {
      why: "by those that crash: all at once, and clients hear a second late that they have, and that they are back",
      manifest: { replicas: 5 },
      options: {
        behaviour: {
          start: "0s",
          containers: { app: { start: "10s", exit: { after: "75s", code: 1, times: 1 } } }
        }
      },
      deed: () => Effect.void,
      // Ten seconds until they are back.
      lost: 1100,
      because: { failing: 100, nobody: 1000, stopping: 0, starting: 0 }
    },
    {
      why: "by a Pod that is told as ready though it is not: ten seconds of one of three, but for the first",
      manifest: { replicas: 2 },
      deed: (cluster) => change(cluster, aManifest({ replicas: 3 })),
      options: { service: { publishNotReadyAddresses: true } },
      lost: 300,
      because: { starting: 300, stopping: 0, failing: 0, nobody: 0 }
    },
    {
      why: "by a Pod that is ready before its application answers: ten seconds of one of three, but for the first",
      manifest: { replicas: 2 },
      deed: (cluster) => change(cluster, aManifest({ replicas: 3 })),
      options: { livesOf: answeringAfter(10_000) },
      lost: 300,
      because: { starting: 300, stopping: 0, failing: 0, nobody: 0 }
    },
    {
      why: "all of them where the Service finds nobody",
      manifest: { replicas: 2 },
      deed: () => Effect.void,
      options: { service: { selector: { app: "another" } } },
      lost: 6000,
      because: { nobody: 6000, starting: 0, stopping: 0, failing: 0 }
    }
  ]
  it.for(rows)("$why", async ({ manifest, deed = stopOne(), options, lost, because }) => {
    const totals = await after(manifest, deed, options)
    expect(totals.lost).toBe(lost)
    if (because !== undefined) expect(totals.because).toEqual(because)
    expect(totals.requests).toBe(60 * (options?.requestsPerSecond ?? 100))
  })

  it("by a Pod that is asked once more, with less grace, from the end of that on", async () => {
    const asked = (cluster: Living) => {
      const pod = { resource: resources.pods, key: `default/${firstPod(cluster)}` } as const
      return Effect.gen(function* () {
        yield* cluster.delete(pod)
        yield* cluster.advance(1000)
        yield* cluster.delete(pod, { gracePeriodSeconds: 2 })
      })
    }
    const manifest = { replicas: 4, container: hook({ sleep: { seconds: 20 } }) }
    const { because } = await after(manifest, asked, { propagationMillis: 5000 })
    // Told to stop after three seconds, and clients hear of it after five.
    expect(because).toEqual({ stopping: 50, starting: 0, failing: 0, nobody: 0 })
  })

  it("by the Pods of a lost node until the node controller has noticed, and no longer", async () => {
    const silence = (cluster: Living) => cluster.setKubelet("node-1", "stopped")
    const { lost, because } = await after({ replicas: 3 }, silence)
    expect(lost).toBe(because.failing)
    // One of three Pods; noticed 40 to 60 s after the last heartbeat, and told a second later.
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

it("every instant has its endpoints: in the slices, ready, terminating; known, answering; lost so far", async () => {
  const spec = { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } }
  const { from, entry } = await after({ replicas: 2, spec }, (cluster) =>
    change(cluster, aManifest({ replicas: 2, version: "v2", spec }))
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

it("a past moment can be asked for, and a Service that is gone loses nothing", async () => {
  const { from, entry } = await after({ replicas: 4 }, (cluster) =>
    Effect.gen(function* () {
      yield* stopOne()(cluster)
      yield* cluster.advance(30_000)
      yield* cluster.delete({ resource: resources.services, key: "default/web" })
    })
  )
  expect(entry.totals(from + 400)).toMatchObject({ lost: 10, requests: 40 })
  expect(entry.totals(from + 90_000)).toMatchObject({ lost: 25, requests: 3000 })
})

describe("what comes over Pods", () => {
  const probed = { readinessProbe: { httpGet: { port: 80 }, periodSeconds: 10, failureThreshold: 2 } }
  const one = { deployment: "web", count: 1 }
  it.each<{
    readonly why: string
    readonly container?: object
    readonly fault: Fault
    readonly lost: number
  }>([
    {
      why: "one that hangs answers nobody until its probe has failed for the second time and clients have heard of it",
      container: probed,
      fault: { fault: "hang", pods: one },
      // Asked at 10 s and 20 s of its life, and so on; hung at its 60th second.
      lost: (10 + 1) * 25
    },
    {
      why: "without a probe it never answers again",
      fault: { fault: "hang", pods: one },
      lost: 60 * 25
    },
    {
      why: "or until it is over",
      fault: { fault: "hang", pods: one, for: "17s" },
      lost: 17 * 25
    },
    {
      why: "two that flap answer for so long, and then not until their probe and clients know: ready again, once more",
      container: { readinessProbe: { httpGet: { port: 80 }, periodSeconds: 1, failureThreshold: 5 } },
      fault: { fault: "flap", pods: { ...one, count: 2 }, ready: "10s", unready: "10s" },
      // Silent at 10 s, not ready from 14 s until 24 s; again at 34 s, and at 58 s.
      lost: (5 + 5 + 2) * 50
    }
  ])("$why: $lost are lost", async ({ container, fault, lost }) => {
    const found = await after({ replicas: 4, container: container ?? {} }, (cluster) =>
      cluster.faults.begin(fault)
    )
    expect(found).toMatchObject({ lost, because: { failing: lost } })
  })
})

describe("how Pods live of themselves", () => {
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
      why: "those that hang fifteen seconds from now and have no probe never answer again",
      behaviour: app({ hang: "75s" }),
      lost: 45 * 100,
      because: { failing: 4500, nobody: 0 }
    },
    {
      why: "with a liveness probe they are killed at 90 s of their run, gone at 95 and back ten seconds later",
      container: { livenessProbe: probe({}) },
      behaviour: app({ hang: "75s" }),
      lost: (20 + 1) * 100 + 10 * 100,
      because: { failing: 2100, nobody: 1000 }
    },
    {
      why: "those that flap are silent at 70 s of their run, not ready from 74 s until 84 s, and clients hear a second late",
      container: { readinessProbe: probe({ periodSeconds: 1, failureThreshold: 5 }) },
      behaviour: app({ flap: { ready: "70s", unready: "10s", times: 1 } }),
      lost: 5 * 100 + 10 * 100,
      because: { failing: 500, nobody: 1000 }
    },
    {
      why: "those that flap once answer from then on",
      container: { readinessProbe: probe({ periodSeconds: 1, failureThreshold: 5 }) },
      behaviour: app({ flap: { ready: "10s", unready: "10s", times: 1 } }),
      lost: 0,
      because: { failing: 0, nobody: 0 }
    }
  ])("$why: $lost are lost", async ({ container, behaviour, lost, because }) => {
    const found = await after({ replicas: 4, container: container ?? {} }, () => Effect.void, { behaviour })
    expect(found).toMatchObject({ lost, because })
  })
})
