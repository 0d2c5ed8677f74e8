import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { inFaultCluster } from "../faultCluster.ts"

const web = { deployment: "web" } as const
const one = { ...web, count: 1 } as const
const probes = {
  readinessProbe: { httpGet: { port: 80 }, periodSeconds: 5, failureThreshold: 2 },
  livenessProbe: { httpGet: { port: 80 }, periodSeconds: 10, failureThreshold: 3 }
}

describe("flap", () => {
  it("keeps the cluster from settling until its Pods are gone", () =>
    inFaultCluster({ manifest: { replicas: 2 } }, ({ cluster, beginFault, pass, podsOf }) =>
      Effect.gen(function* () {
        const flapping = { fault: "flap", ready: "7s", unready: "3s" } as const
        expect((yield* beginFault({ ...flapping, pods: { name: "absent-*", count: 1 } })).endedMillis()).toBe(
          cluster.nowMillis()
        )
        const { name } = podsOf()[0]?.metadata ?? { name: "" }
        const handle = yield* beginFault({ ...flapping, pods: { ...one, name } })
        expect(yield* cluster.settle(60_000)).toBe(false)
        yield* beginFault({ fault: "kill", pods: { name } })
        yield* pass(2)
        expect(handle.endedMillis()).toBeUndefined()
        expect(yield* cluster.settle(60_000)).toBe(true)
        expect([handle.endedMillis() !== undefined, cluster.faultInjector.active()]).toEqual([true, []])
        const all = yield* beginFault({ ...flapping, pods: web })
        yield* beginFault({ fault: "kill", pods: web })
        expect(yield* cluster.settle(60_000)).toBe(false)
        yield* all.end
        expect(yield* cluster.settle(60_000)).toBe(true)
      })
    ))
})

describe("hang", () => {
  it.each([
    {
      why: "restarted, which ends the hang",
      container: probes,
      seconds: [20, 50],
      pods: ["Running ready", "Running ready", "Running ready x1"],
      lasts: 0
    },
    {
      why: "reported as not ready",
      container: { readinessProbe: probes.readinessProbe },
      seconds: [5, 10],
      pods: ["Running", "Running ready", "Running ready"],
      lasts: 1
    },
    {
      why: "left alone for want of a probe",
      container: {},
      seconds: [0, 0],
      pods: ["Running ready", "Running ready", "Running ready"],
      lasts: 1
    }
  ])(
    "keeps the cluster from settling until its Pods are $why",
    ({ container, seconds: [least = 0, most = 0], pods: expected, lasts }) =>
      inFaultCluster({ manifest: { container } }, ({ cluster, beginFault, pods }) =>
        Effect.gen(function* () {
          const began = cluster.nowMillis()
          yield* beginFault({ fault: "hang", pods: one })
          expect(yield* cluster.settle()).toBe(true)
          const took = (cluster.nowMillis() - began) / 1000
          expect([took >= least, took <= most, [...pods()].sort()]).toEqual([true, true, expected])
          expect(cluster.faultInjector.active().length).toBe(lasts)
          if (lasts === 0) yield* cluster.snapshot
        })
      )
  )

  it("ends when the last of its Pods no longer hangs", () =>
    inFaultCluster({ manifest: { container: probes } }, ({ cluster, beginFault, pass, podsOf }) =>
      Effect.gen(function* () {
        expect((yield* beginFault({ fault: "hang", pods: { name: "absent-*" } })).endedMillis()).toBe(
          cluster.nowMillis()
        )
        const [first] = podsOf()
        const handle = yield* beginFault({ fault: "hang", pods: { ...web, count: 3 } })
        yield* beginFault({ fault: "crash", pods: { name: first?.metadata.name ?? "" } })
        yield* pass(10)
        expect(handle.endedMillis()).toBeUndefined()
        yield* beginFault({ fault: "kill", pods: web, gracePeriodSeconds: 0 })
        yield* pass(3)
        expect(handle.endedMillis()).toBeLessThan(cluster.nowMillis())
        const timed = yield* beginFault({ fault: "hang", pods: web, for: "5m" })
        yield* pass(240)
        expect(timed.endedMillis()).toBeUndefined()
      })
    ))
})
