import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { drawRandomFaults } from "../../src/faults/randomFaults.ts"
import type { Fault, RandomFaults } from "../../src/faults/fault.ts"

const lost: Fault = { fault: "nodeLost", node: "node-1", for: "1m" }
const crash: Fault = { fault: "crash", pods: { count: 1 } }
const weather: RandomFaults = { every: "30s", until: "1h", faults: [{ ...lost, weight: 3 }, crash] }

describe("random faults", () => {
  it("are the same for the same seed and differ for another", () => {
    const drawn = drawRandomFaults(weather, 17)
    expect(drawRandomFaults(weather, 17)).toEqual(drawn)
    expect(drawRandomFaults(weather, 18)).not.toEqual(drawn)
    expect(drawn.slice(0, 3)).toEqual([
      { atMillis: 36_804, fault: lost },
      { atMillis: 82_957, fault: lost },
      { atMillis: 105_283, fault: crash }
    ])
  })

  it("come about as often as every says, each fault by its weight", () => {
    const drawn = Array.from({ length: 50 }, (_, seed) => drawRandomFaults(weather, seed)).flat()
    const each = drawn.length / 50
    expect(each).toBeGreaterThan(110)
    expect(each).toBeLessThan(130)
    const share = drawn.filter(({ fault }) => fault.fault === "nodeLost").length / drawn.length
    expect(share).toBeGreaterThan(0.72)
    expect(share).toBeLessThan(0.78)
  })

  it("come between from and until, in order, without their weights", () => {
    const law = fc.property(fc.integer(), fc.integer({ min: 0, max: 600 }), (seed, from) => {
      const drawn = drawRandomFaults({ ...weather, from: `${from}s`, until: "11m" }, seed)
      const times = drawn.map(({ atMillis }) => atMillis)
      expect(times).toEqual([...times].sort((a, b) => a - b))
      for (const atMillis of times) {
        expect(Number.isInteger(atMillis)).toBe(true)
        expect(atMillis).toBeGreaterThanOrEqual(from * 1000)
        expect(atMillis).toBeLessThan(660_000)
      }
      for (const { fault } of drawn) expect([lost, crash]).toContainEqual(fault)
    })
    fc.assert(law, { seed: 20260305, numRuns: 200 })
  })

  it("never include a fault of weight 0", () => {
    const faults = [
      { ...crash, weight: 0 },
      { ...lost, weight: 1 },
      { ...crash, weight: 0 },
      { ...lost, weight: 2 },
      { ...crash, weight: 0 }
    ]
    const drawn = drawRandomFaults({ ...weather, faults }, 5)
    expect(new Set(drawn.map(({ fault }) => fault.fault))).toEqual(new Set(["nodeLost"]))
  })

  it("include a fault by the sum of the weights of its entries", () => {
    const kill: Fault = { fault: "kill", pods: { count: 1 } }
    const faults = [{ ...crash, weight: 0.5 }, kill, { ...lost, weight: 2.5 }, { ...crash, weight: 1 }]
    const drawn = drawRandomFaults({ every: "1s", until: "2h", faults }, 11)
    const shareOf = (name: string) =>
      Math.round((10 * drawn.filter(({ fault }) => fault.fault === name).length) / drawn.length)
    expect([shareOf("crash"), shareOf("kill"), shareOf("nodeLost")]).toEqual([3, 2, 5])
  })

  it("depend on the ratio of weights alone", () => {
    const weighing = (weight: number) =>
      drawRandomFaults(
        {
          ...weather,
          faults: [
            { ...lost, weight: 3 * weight },
            { ...crash, weight }
          ]
        },
        17
      )
    expect(weighing(0.125)).toEqual(weighing(1))
    expect(weighing(1024)).toEqual(weighing(1))
  })

  it("come at most once a millisecond", () => {
    expect(drawRandomFaults({ ...weather, every: "1ms", until: "1s" }, 3).length).toBeGreaterThan(900)
  })

  it.each([
    [{ ...weather, every: "0s" }, "weather: every must be 1ms or more, not 0s"],
    [{ ...weather, every: "often" }, 'weather: every must be a duration such as "250ms"'],
    [{ ...weather, until: "-1m" }, "weather: until must be a duration such as"],
    [
      { ...weather, faults: [{ ...crash, weight: Infinity }] },
      "weather: weights are 0 or more, and not all of them 0"
    ],
    [
      { ...weather, faults: [{ ...crash, weight: -1 }, lost, lost] },
      "weather: weights are 0 or more, and not all of them 0"
    ],
    [{ ...weather, faults: [] }, "weather: weights are 0 or more, and not all of them 0"],
    [
      { ...weather, faults: [{ ...crash, weight: -1 }] },
      "weather: weights are 0 or more, and not all of them 0"
    ]
  ])("are refused: %#", (given, why) => {
    expect(() => drawRandomFaults(given, 1)).toThrow(why)
  })
})
