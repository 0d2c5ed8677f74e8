import { describe, expect, it } from "vitest"
import { countScale } from "../../src/drawing/countScale.ts"
import { markPath } from "../../src/drawing/marks.ts"
import { piecewiseScale } from "../../src/drawing/piecewiseScale.ts"
import { stepAreaPath, stepLinePath } from "../../src/drawing/stepPaths.ts"

describe("the axis of counts", () => {
  it.each<[highest: number, end: number, ticks: ReadonlyArray<number>]>([
    [1, 1, [0, 1]],
    [3, 3, [0, 1, 2, 3]],
    [5, 5, [0, 1, 2, 3, 4, 5]],
    [13, 15, [0, 5, 10, 15]],
    [25, 25, [0, 5, 10, 15, 20, 25]],
    [300, 300, [0, 100, 200, 300]],
    [3001, 4000, [0, 1000, 2000, 3000, 4000]]
  ])("up to %d ends at %d, with round ticks", (highest, end, ticks) => {
    const { y, ticks: given } = countScale(highest, 100, 0)
    expect([given, y(0), y(end)]).toEqual([ticks, 100, 0])
  })
})

describe("a scale of pieces", () => {
  const scale = piecewiseScale([
    { value: 0, position: 10 },
    { value: 100, position: 20 },
    { value: 1000, position: 30 }
  ])

  it.each([
    [0, 10],
    [50, 15],
    [100, 20],
    [550, 25],
    [1000, 30]
  ])("leads %d to %d and back", (value, position) => {
    expect([scale.at(value), scale.invert(position)]).toEqual([position, value])
  })

  it("stays at its ends", () => {
    expect([scale.at(-5), scale.at(2000), scale.invert(0), scale.invert(99)]).toEqual([10, 30, 0, 1000])
  })
})

describe("paths in steps", () => {
  it("keep a value until the next one, and are interrupted without one", () => {
    const path = stepLinePath([{ x: 0, y: 5 }, { x: 10, y: 2.04 }, undefined, { x: 20, y: 1 }])
    expect(path).toBe("M0,5L10,5L10,2M20,1")
  })

  it("enclose an area, back along its lower edge", () => {
    const path = stepAreaPath([
      { x: 0, lower: 9, upper: 5 },
      { x: 10, lower: 8, upper: 2 },
      { x: 20, lower: 8, upper: 2 }
    ])
    expect(path).toBe("M0,5L10,5L10,2L20,2L20,2L20,8L20,8L10,8L10,9L0,9Z")
    expect(stepAreaPath([])).toBe("")
  })
})

describe("marks", () => {
  it("have the size that is asked for", () => {
    expect(markPath("circle", Math.PI * 9)).toBe("M3,0A3,3,0,1,1,-3,0A3,3,0,1,1,3,0")
    expect(markPath("triangle", 46)).toBe("M0,-6L5.2,3L-5.2,3Z")
    expect(markPath("diamond", 60)).toBe("M0,-7.2L4.2,0L0,7.2L-4.2,0Z")
  })
})
