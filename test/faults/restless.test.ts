import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { tell } from "./world.ts"

const web = { deployment: "web" } as const
const one = { ...web, count: 1 } as const
const probes = {
  readinessProbe: { httpGet: { port: 80 }, periodSeconds: 5, failureThreshold: 2 },
  livenessProbe: { httpGet: { port: 80 }, periodSeconds: 10, failureThreshold: 3 }
}

describe("Pods that flap", () => {
  it("never let the cluster come to rest without an end, until those are gone that were drawn", () =>
    tell({ manifest: { replicas: 2 } }, ({ cluster, strike, pass, podsOf }) =>
      Effect.gen(function* () {
        const flapping = { fault: "flap", ready: "7s", unready: "3s" } as const
        expect((yield* strike({ ...flapping, pods: { name: "nobody-*", count: 1 } })).endedMillis()).toBe(
          cluster.nowMillis()
        )
        const { name } = podsOf()[0]?.metadata ?? { name: "" }
        const handle = yield* strike({ ...flapping, pods: { ...one, name } })
        expect(yield* cluster.settle(60_000)).toBe(false)
        yield* strike({ fault: "kill", pods: { name } })
        yield* pass(2)
        expect(handle.endedMillis()).toBeUndefined()
        expect(yield* cluster.settle(60_000)).toBe(true)
        expect([handle.endedMillis() !== undefined, cluster.faults.active()]).toEqual([true, []])
        const all = yield* strike({ ...flapping, pods: web })
        yield* strike({ fault: "kill", pods: web })
        expect(yield* cluster.settle(60_000)).toBe(false)
        yield* all.end
        expect(yield* cluster.settle(60_000)).toBe(true)
      })
    ))
})

describe("Pods that hang", () => {
  it.each([
    {
      why: "started again, which ends it",
      container: probes,
      seconds: [20, 50],
      pods: ["Running ready", "Running ready", "Running ready x1"],
      lasts: 0
    },
    {
      why: "noticed as not ready",
      container: { readinessProbe: probes.readinessProbe },
      seconds: [5, 10],
      pods: ["Running", "Running ready", "Running ready"],
      lasts: 1
    },
    {
      why: "passed over, for want of a probe",
      container: {},
      seconds: [0, 0],
      pods: ["Running ready", "Running ready", "Running ready"],
      lasts: 1
    }
  ])(
    "are waited for until they are $why",
    ({ container, seconds: [least = 0, most = 0], pods: expected, lasts }) =>
      tell({ manifest: { container } }, ({ cluster, strike, pods }) =>
        Effect.gen(function* () {
          const began = cluster.nowMillis()
          yield* strike({ fault: "hang", pods: one })
          expect(yield* cluster.settle()).toBe(true)
          const took = (cluster.nowMillis() - began) / 1000
          expect([took >= least, took <= most, [...pods()].sort()]).toEqual([true, true, expected])
          expect(cluster.faults.active().length).toBe(lasts)
          if (lasts === 0) yield* cluster.snapshot
        })
      )
  )

  it("are followed no longer than the last of them hangs", () =>
    tell({ manifest: { container: probes } }, ({ cluster, strike, pass, podsOf }) =>
      Effect.gen(function* () {
        expect((yield* strike({ fault: "hang", pods: { name: "nobody-*" } })).endedMillis()).toBe(
          cluster.nowMillis()
        )
        const [first] = podsOf()
        const handle = yield* strike({ fault: "hang", pods: { ...web, count: 3 } })
        yield* strike({ fault: "crash", pods: { name: first?.metadata.name ?? "" } })
        yield* pass(10)
        expect(handle.endedMillis()).toBeUndefined()
        yield* strike({ fault: "kill", pods: web, gracePeriodSeconds: 0 })
        yield* pass(3)
        expect(handle.endedMillis()).toBeLessThan(cluster.nowMillis())
        const timed = yield* strike({ fault: "hang", pods: web, for: "5m" })
        yield* pass(240)
        expect(timed.endedMillis()).toBeUndefined()
      })
    ))
})
