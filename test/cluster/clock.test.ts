import * as Effect from "effect/Effect"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { makeCluster } from "../../src/cluster/cluster.ts"
import { makeTimeline } from "../../src/runtime/time/timeline.ts"
import { openCluster } from "../../src/cluster/openCluster.ts"
import { makeTimelineWaits } from "../../src/runtime/time/timelineWaits.ts"
import { deploymentManifest } from "./testCluster.ts"

const startAt = "2026-01-01T00:00:00.000Z"
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

describe("a virtual clock", () => {
  it("stands still, and knows when the next timer is due", async () => {
    await using cluster = await openCluster({ behaviour: "steady" })
    await cluster.create(deploymentManifest({ replicas: 1 }))
    await turns()
    const { now, speed, next = "" } = cluster.clock.state()
    expect({ now, speed }).toEqual({ now: startAt, speed: 0 })
    expect(next > now).toBe(true)
  })

  it("steps to the next timer that is due", async () => {
    await using cluster = await openCluster({ behaviour: "steady" })
    await cluster.create(deploymentManifest({ replicas: 1 }))
    const moments: Array<string> = []
    while (moments.length < 20) {
      const { next = "" } = cluster.clock.state()
      expect(await cluster.clock.step()).toBe(true)
      const { now } = cluster.clock.state()
      expect(now).toBe(next)
      moments.push(now)
    }
    expect(moments).toEqual(moments.toSorted())
    expect((await cluster.rollout("web")).outcome).toBe("complete")
  })

  it("moves while a test fakes the machine's timers", async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    await using cluster = await openCluster()
    await cluster.advance("10m")
    expect(cluster.clock.state().now).toBe("2026-01-01T00:10:00.000Z")
  })

  it("runs at a speed, and pauses", async () => {
    await using cluster = await openCluster({ behaviour: "steady" })
    await cluster.create(deploymentManifest({ replicas: 3 }))
    await cluster.clock.setSpeed(100_000)
    expect(cluster.clock.state().speed).toBe(100_000)
    await expect(cluster.advance("1s")).rejects.toThrow("only a clock that stands still can be advanced")
    await expect(cluster.clock.step()).rejects.toThrow("only a clock that stands still can be advanced")
    expect((await cluster.rollout("web")).outcome).toBe("complete")
    await cluster.clock.pause()
    const { now } = cluster.clock.state()
    expect(now > startAt).toBe(true)
    await turns()
    expect(cluster.clock.state().now).toBe(now)
    await cluster.advance("10m")
    expect(Date.parse(cluster.clock.state().now) - Date.parse(now)).toBe(600_000)
  })

  it("takes pending waits along when it gets a speed", async () => {
    await using cluster = await openCluster({ behaviour: "steady" })
    const waiting = cluster.until(() => false, "30h")
    await cluster.clock.setSpeed(1_000_000)
    expect(await waiting).toBe(false)
    expect(Date.parse(cluster.clock.state().now) - Date.parse(startAt)).toBeGreaterThanOrEqual(108_000_000)
  })
})

describe("until", () => {
  it("lasts as long as requested, regardless of idle time before", async () => {
    await using cluster = await openCluster({ clock: "real", nodes: 0 })
    const own = performance.now.bind(performance)
    let aheadMillis = 5000
    const machine = vi.spyOn(performance, "now").mockImplementation(() => own() + aheadMillis)
    onTestFinished(() => machine.mockRestore())
    let isOver = false
    const waiting = cluster.until(() => false, "4s").finally(() => (isOver = true))
    await turns()
    expect(isOver).toBe(false)
    aheadMillis += 4000
    cluster.clock.state()
    expect(await waiting).toBe(false)
  })

  it("counts from the start of each run of its effect", () =>
    Effect.gen(function* () {
      const cluster = yield* makeCluster()
      const beganMillis = cluster.nowMillis()
      const aMinute = cluster.until(() => false, 60_000)
      yield* aMinute
      yield* aMinute
      expect(cluster.nowMillis() - beganMillis).toBe(120_000)
    }).pipe(Effect.scoped, Effect.runPromise))

  it("leaves no timer behind when its condition holds", async () => {
    const timeline = makeTimeline({ clock: "virtual", startMillis: 0 })
    onTestFinished(timeline.close)
    let holds = false
    timeline.kernel.after(5, 1, () => {})
    const waiting = Effect.runPromise(makeTimelineWaits(timeline).until(() => holds, 1e7, false))
    timeline.setSpeed(1)
    holds = true
    expect(await waiting).toBe(true)
    timeline.kernel.advanceTo(timeline.kernel.nowMillis() + 10)
    expect(timeline.kernel.nextTimerMillis()).toBeUndefined()
  })
})

describe("a running clock", () => {
  it("keeps its speed over pause and resume", async () => {
    await using cluster = await openCluster({ clock: { speed: 60 } })
    await cluster.clock.pause()
    await cluster.clock.pause()
    expect(cluster.clock.state().speed).toBe(0)
    const before = Date.parse(cluster.clock.state().now)
    await cluster.advance("1h")
    expect(Date.parse(cluster.clock.state().now) - before).toBe(3_600_000)
    await cluster.clock.resume()
    await cluster.clock.resume()
    expect(cluster.clock.state().speed).toBe(60)
  })

  it.each([0, -1, Number.NaN, Infinity, 1_000_001])("refuses the speed %s", async (speed) => {
    await using cluster = await openCluster({ clock: "real" })
    await expect(cluster.clock.setSpeed(speed)).rejects.toThrow(`not a speed: ${speed}`)
    expect(cluster.clock.state().speed).toBe(1)
  })

  it("is closed with its cluster", async () => {
    const cluster = await openCluster()
    await cluster.close()
    await expect(cluster.clock.resume()).rejects.toThrow("the cluster is closed")
    await expect(cluster.clock.step()).rejects.toThrow("the cluster is closed")
  })
})
