import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeKernel } from "../../../src/runtime/time/kernel.ts"
import { TimerHeap } from "../../../src/runtime/time/timerHeap.ts"
import type { Kernel } from "../../../src/runtime/time/kernel.ts"

const kernelAt = (startMillis = 0): Kernel => makeKernel({ startMillis })

describe("the kernel's time", () => {
  it("stands still while work remains at the current instant", () => {
    const kernel = kernelAt(1000)
    const seen: Array<string> = []
    kernel.after(5, 0, () => seen.push(`timer at ${kernel.nowMillis()}`))
    kernel.run(
      Effect.andThen(
        Effect.yieldNow,
        Effect.sync(() => seen.push(`fiber at ${kernel.nowMillis()}`))
      )
    )
    kernel.advanceTo(1010)
    expect(seen).toEqual(["fiber at 1000", "timer at 1005"])
    expect(kernel.nowMillis()).toBe(1010)
  })

  it("wakes sleeping fibers at their exact times, however far the jump", () => {
    const kernel = kernelAt()
    const woken: Array<number> = []
    for (const millis of [600_000, 7, 30_000]) {
      kernel.run(
        Effect.andThen(
          Effect.sleep(millis),
          Effect.sync(() => woken.push(kernel.nowMillis()))
        )
      )
    }
    kernel.advanceTo(3_600_000)
    expect(woken).toEqual([7, 30_000, 600_000])
  })

  it("runs what is due at one instant by turn order, and in order of arrival within one turn order", () => {
    const kernel = kernelAt()
    const seen: Array<string> = []
    kernel.after(10, 60, () => seen.push("deployment"))
    kernel.after(10, 10, () => seen.push("pod a"))
    kernel.after(10, 50, () => seen.push("replicaSet"))
    kernel.after(10, 10, () => seen.push("pod b"))
    kernel.advanceTo(10)
    expect(seen).toEqual(["pod a", "pod b", "replicaSet", "deployment"])
  })

  it("runs a new turn with a lower turn order before a waiting one with a higher", () => {
    const kernel = kernelAt()
    const seen: Array<string> = []
    kernel.post(60, () => seen.push("deployment"))
    kernel.post(50, () => {
      seen.push("replicaSet")
      kernel.post(10, () => seen.push("pod"))
    })
    kernel.drain()
    expect(seen).toEqual(["replicaSet", "pod", "deployment"])
  })

  it("stops early on a condition, without moving past that instant", () => {
    const kernel = kernelAt()
    let fired = 0
    for (const millis of [10, 20, 30]) kernel.after(millis, 0, () => (fired += 1))
    expect(kernel.advanceTo(100, () => fired === 2)).toBe(false)
    expect(kernel.nowMillis()).toBe(20)
  })

  it("stops in the middle of a long instant, and goes on with it before time moves", () => {
    const kernel = kernelAt()
    const seen: Array<number> = []
    const count = 100
    for (let turn = 0; turn < count; turn += 1) kernel.post(0, () => seen.push(turn))
    kernel.after(5, 0, () => seen.push(-1))
    let quiet = 0
    kernel.onQuiet(() => (quiet += 1))
    const stops = (): boolean => true
    expect(kernel.advanceTo(10, undefined, { stopTurns: stops })).toBe(false)
    expect(seen.length).toBeGreaterThan(0)
    expect(seen.length).toBeLessThan(count)
    expect([kernel.nowMillis(), quiet]).toEqual([0, 0])
    expect(kernel.idleState()).toBeUndefined()
    expect(kernel.advanceTo(10)).toBe(true)
    expect(seen).toEqual([...Array(count).keys(), -1])
  })

  it("drops all timers when closed", () => {
    const kernel = kernelAt()
    let fired = 0
    kernel.after(10, 0, () => (fired += 1))
    kernel.close()
    kernel.advanceTo(100)
    expect([fired, kernel.nextTimerMillis()]).toEqual([0, undefined])
  })
})

describe("an endless instant", () => {
  const turnsMax = 700
  const spin = (kernel: Kernel, key: string): void =>
    kernel.post(30, () => {
      kernel.noteTurn("node", key)
      spin(kernel, key)
    })

  it("fails after its last turn, with the names of what kept running", () => {
    const kernel = makeKernel({ startMillis: 1000, turnsMax })
    kernel.after(7, 30, () => spin(kernel, "node-1"))
    expect(() => kernel.advanceTo(2000)).toThrow(
      "1970-01-01T00:00:01.007Z does not end: 700 turns, and still running: node node-1"
    )
  })

  it("is attributed to a fiber when no actor is running", () => {
    const kernel = makeKernel({ startMillis: 0, turnsMax })
    kernel.run(Effect.forever(Effect.yieldNow))
    expect(() => kernel.drain()).toThrow("still running: a fiber that waits for nothing")
  })

  it("is the last one: nothing starts any more, fibers may end, and time stands", () => {
    const kernel = makeKernel({ startMillis: 0, turnsMax })
    spin(kernel, "node-1")
    expect(() => kernel.drain()).toThrow("does not end")
    let [begun, ended] = [0, 0]
    kernel.post(10, () => (begun += 1))
    const end = Effect.sync(() => (ended += 1))
    kernel.run(Effect.andThen(Effect.yieldNow, end))
    kernel.drain()
    expect(() => kernel.advanceTo(2000)).toThrow("does not end")
    expect([begun, ended, kernel.nowMillis()]).toEqual([0, 1, 0])
  })

  it("is not reached with as many turns as allowed, even in two instants in a row", () => {
    const kernel = makeKernel({ startMillis: 0, turnsMax })
    let count = 0
    const begin = (): void => {
      for (let turn = 1; turn < turnsMax; turn += 1) kernel.post(30, () => (count += 1))
    }
    kernel.after(7, 30, begin)
    kernel.after(9, 30, begin)
    expect([kernel.advanceTo(20), count]).toEqual([true, 2 * (turnsMax - 1)])
  })
})

describe("the order of ready work", () => {
  const orderOf = (shuffleSeed: number | undefined): string => {
    const kernel = makeKernel({ startMillis: 0, ...(shuffleSeed === undefined ? {} : { shuffleSeed }) })
    let order = ""
    for (const name of "abcdef") {
      kernel.run(
        Effect.andThen(
          Effect.yieldNow,
          Effect.sync(() => (order += name))
        )
      )
    }
    kernel.drain()
    return order
  }

  it("is the order of arrival unless shuffled by a seed", () => {
    expect(orderOf(undefined)).toBe("abcdef")
  })

  it("is the same for one shuffle seed and varies between seeds", () => {
    const orders = Array.from({ length: 40 }, (_, seed) => orderOf(seed))
    expect(Array.from({ length: 40 }, (_, seed) => orderOf(seed))).toEqual(orders)
    expect(new Set(orders).size).toBeGreaterThan(20)
  })
})

it("a timer with NaN as its time is refused", () => {
  const kernel = makeKernel({ startMillis: 0 })
  expect(() => kernel.after(Number.NaN, 1, () => {})).toThrow("a timer that is due at no time")
})

describe("the timer heap", () => {
  it("pops like a sorted list, whatever is added and cancelled", () => {
    const step = fc.oneof(
      fc.record({ add: fc.integer({ min: 0, max: 20 }), turnOrder: fc.integer({ min: 0, max: 2 }) }),
      fc.record({ cancel: fc.nat() })
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const heap = new TimerHeap()
        let model: Array<ReturnType<TimerHeap["add"]>> = []
        for (const it of steps) {
          if ("add" in it) model.push(heap.add(it.add, it.turnOrder, () => {}))
          else {
            const victim = model[it.cancel % Math.max(1, model.length)]
            if (victim === undefined) continue
            heap.remove(victim)
            model = model.filter((timer) => timer !== victim)
          }
        }
        model.sort((a, b) => a.atMillis - b.atMillis || a.turnOrder - b.turnOrder || a.sequence - b.sequence)
        const popped = []
        for (let timer = heap.peek(); timer !== undefined; timer = heap.peek()) {
          popped.push(timer)
          heap.remove(timer)
        }
        return popped.every((timer, index) => timer === model[index]) && popped.length === model.length
      }),
      { seed: 20260101, numRuns: 300 }
    )
  })
})
