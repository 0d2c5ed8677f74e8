import * as Effect from "effect/Effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { makeTimeline } from "../../../src/runtime/time/timeline.ts"
import type { Timeline } from "../../../src/runtime/time/timeline.ts"

const hour = 3_600_000
const turnOrder = 1

describe("a timer on a clock that runs by itself, planned for an hour later", () => {
  let timeline: Timeline
  const ran: Array<string> = []
  const timer = (name: string, millis: number): Promise<void> =>
    new Promise((resolve) => {
      timeline.kernel.after(millis, turnOrder, () => {
        ran.push(name)
        resolve()
      })
    })
  let inAnHour: Promise<void>
  beforeEach(() => {
    ran.length = 0
    timeline = makeTimeline({ clock: "real", startMillis: 0 })
    inAnHour = timer("in an hour", hour)
    timeline.runToPresent()
  })
  afterEach(() => timeline.close())

  it("is due soon after a jump to shortly before it", async () => {
    timeline.jump(hour - 10)
    await inAnHour
    expect(timeline.kernel.nowMillis()).toBeGreaterThanOrEqual(hour)
  })

  it("is due soon when the clock runs faster", async () => {
    timeline.setSpeed(hour)
    await inAnHour
    expect(ran).toEqual(["in an hour"])
  })

  it("does not run in the middle of a step that asks for the time, but after it", async () => {
    timeline.setSpeed(hour)
    const startMillis = performance.now()
    const ranDuringStep = timeline.callBeforeControllers(() => {
      while (performance.now() < startMillis + 2);
      timeline.runToPresentOncePerTurn()
      return [...ran]
    })
    await inAnHour
    expect([ranDuringStep, ran]).toEqual([[], ["in an hour"]])
  })

  it("waits after an earlier one that is set later, and still comes", async () => {
    const soon = timer("soon", 1)
    timeline.runToPresent()
    await soon
    expect(ran).toEqual(["soon"])
    timeline.jump(hour)
    await inAnHour
    expect(ran).toEqual(["soon", "in an hour"])
  })

  it("waits after one that a fiber sets which a promise has resumed, although nothing else happens", async () => {
    const answered = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    const soon = new Promise<void>((resolve) => {
      const fiber = Effect.andThen(
        answered,
        Effect.sync(() => void timer("soon", 1).then(resolve))
      )
      timeline.kernel.run(fiber)
    })
    await soon
    expect(ran).toEqual(["soon"])
  })

  it("waits while the clock is paused, and comes when it runs again", async () => {
    timeline.setSpeed(0)
    timeline.jump(hour + 1)
    timeline.setSpeed(1)
    await inAnHour
    expect(ran).toEqual(["in an hour"])
  })
})

describe("work at one instant of a clock that runs by itself", () => {
  /** How far the cluster is behind after so many pieces of work, which take the machine a millisecond each. */
  const behindAfter = async (pieces: number): Promise<number> => {
    let wallMillis = 0
    const timeline = makeTimeline({ clock: "real", startMillis: 0, machineMillis: () => wallMillis })
    try {
      const done = new Promise<void>((resolve) => {
        for (let piece = 1; piece <= pieces; piece += 1) {
          timeline.kernel.after(100, turnOrder, () => {
            wallMillis += 1
            if (piece === pieces) resolve()
          })
        }
      })
      wallMillis = 100
      timeline.runToPresent()
      await done
      timeline.runToPresent()
      return wallMillis - timeline.kernel.nowMillis()
    } finally {
      timeline.close()
    }
  }

  it.each([1, 8, 15])("lets the clock lose nothing if it is short: %s ms", async (pieces) => {
    expect(await behindAfter(pieces)).toBe(0)
  })

  it("slows the clock down if it is long, so that the machine keeps up", async () => {
    expect(await behindAfter(1000)).toBeGreaterThan(900)
  })
})
