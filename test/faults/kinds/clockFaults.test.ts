import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { makeKernel } from "../../../src/runtime/time/kernel.ts"
import { deploymentManifest, replaceSpec } from "../../cluster/testCluster.ts"
import { inFaultCluster } from "../faultCluster.ts"

describe("a clockJump", () => {
  it("moves the clock at once and fires what was due in between", () =>
    inFaultCluster({ manifest: { replicas: 2 } }, ({ cluster, beginFault, pass, pods, podsOf }) =>
      Effect.gen(function* () {
        yield* replaceSpec(cluster, deploymentManifest({ replicas: 3 }))
        yield* pass(1)
        const before = cluster.nowMillis()
        yield* beginFault({ fault: "clockJump", by: "1m30s" })
        expect(cluster.nowMillis()).toBe(before + 90_000)
        // The pull was due and ends now; the container starts from here on.
        expect(pods().filter((text) => text === "Pending ContainerCreating")).toHaveLength(1)
        yield* pass(1)
        expect(pods().filter((text) => text === "Running")).toHaveLength(1)
        yield* pass(1)
        expect(pods()).toEqual(["Running ready", "Running ready", "Running ready"])
        const started = podsOf().map(({ status }) => status.containerStatuses?.[0]?.state?.running?.startedAt)
        expect(started).toContain(new Date(before + 91_000).toISOString().replace(".000Z", "Z"))
      })
    ))

  it("leaves the clock running as before", () =>
    inFaultCluster({}, ({ cluster, beginFault, pass, ready }) =>
      Effect.gen(function* () {
        const before = cluster.nowMillis()
        yield* beginFault({ fault: "clockJump", by: "250ms" })
        yield* pass(10)
        expect(cluster.nowMillis()).toBe(before + 10_250)
        yield* beginFault({ fault: "clockJump", by: "8h" })
        yield* pass(30)
        expect(ready()).toBe(3)
      })
    ))

  it.each([
    { by: "0s", why: "by must be more than 0, not 0s: time only goes forward" },
    { by: "-5m", why: "by must not be negative, as -5m is" },
    {
      by: "tomorrow",
      why: 'by must be a duration with its unit, such as "250ms", "1.5s" or "1h30m", not "tomorrow"'
    }
  ])("is refused by $by", ({ by, why }) =>
    inFaultCluster({}, ({ refusal }) =>
      Effect.map(refusal({ fault: "clockJump", by }), (message) =>
        expect(message).toBe(`fault clockJump: ${why}`)
      )
    )
  )
})

describe("the kernel's jump", () => {
  it("fires the timers that were due in their order, all at the new instant", () => {
    const kernel = makeKernel({ startMillis: 1000 })
    const seen: Array<string> = []
    for (const [millis, turnOrder] of [
      [70, 1],
      [30, 9],
      [500, 1],
      [30, 2]
    ] as const) {
      kernel.after(millis, turnOrder, () => seen.push(`${millis}/${turnOrder} at ${kernel.nowMillis()}`))
    }
    kernel.jump(100)
    expect([seen, kernel.nowMillis()]).toEqual([[], 1100])
    kernel.drain()
    expect(seen).toEqual(["30/2 at 1100", "30/9 at 1100", "70/1 at 1100"])
  })

  it("ends a wait for an earlier instant", () => {
    const kernel = makeKernel({ startMillis: 0 })
    kernel.after(10, 0, () => kernel.jump(1000))
    expect(kernel.advanceTo(500)).toBe(true)
    expect(kernel.nowMillis()).toBe(1010)
  })

  it("never moves the clock back", () => {
    const kernel = makeKernel({ startMillis: 700 })
    kernel.jump(-300)
    expect(kernel.nowMillis()).toBe(700)
  })
})
