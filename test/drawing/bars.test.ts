import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { layOutBars } from "../../src/drawing/bars.ts"
import { timeScale } from "../../src/drawing/timeScale.ts"
import type { LabelledSpan } from "../../src/drawing/bars.ts"

type Range = readonly [from: number, to: number]
const wide: Range = [0, 400]
const narrow: Range = [10, 70]
const roomOf = (lanesMax: number, range: Range) => ({
  scale: timeScale({ endMillis: 4000, moments: Array.from({ length: 400 }, (_, at) => at * 10), range }),
  xRange: range,
  lanesMax,
  lettersMax: 9,
  letterWidth: 7
})
const laid = (things: ReadonlyArray<LabelledSpan>, lanesMax = 5, range = wide) =>
  layOutBars(things, roomOf(lanesMax, range))

describe("bars of lasting things", () => {
  it.each([
    {
      why: "have their text at their beginning",
      span: { text: "lost", beganMillis: 1000, endedMillis: 2000 },
      drawn: { x: 100, width: 100, text: "lost", textX: 100, isEndAnchored: false }
    },
    {
      why: "reach the end of the drawing if they have not ended",
      span: { text: "lost", beganMillis: 3110 },
      drawn: { x: 311, width: 89, text: "lost", textX: 311, isEndAnchored: false }
    },
    {
      why: "have a text that ends with the bar if there is no room after it",
      span: { text: "lost", beganMillis: 3800, endedMillis: 3900 },
      drawn: { x: 380, width: 10, text: "lost", textX: 390, isEndAnchored: true }
    },
    {
      why: "have a text at their beginning if it just fits",
      span: { text: "lost", beganMillis: 3720, endedMillis: 3800 },
      drawn: { x: 372, width: 8, text: "lost", textX: 372, isEndAnchored: false }
    },
    {
      why: "have a complete text of the maximal length",
      span: { text: "just nine", beganMillis: 0, endedMillis: 20 },
      drawn: { x: 0, width: 3, text: "just nine", textX: 0, isEndAnchored: false }
    },
    {
      why: "have a minimal width, and truncate a long text",
      span: { text: "exactly ten", beganMillis: 130, endedMillis: 130 },
      drawn: { x: 13, width: 3, text: "exactly …", textX: 13, isEndAnchored: false }
    }
  ])("$why", ({ span, drawn }) => {
    expect(laid([span])).toEqual({ bars: [{ span, lane: 0, ...drawn }], laneCount: 1, hiddenCount: 0 })
  })

  it("have a text that begins with the drawing if it is longer than that", () => {
    const [bar] = laid([{ text: "just nine", beganMillis: 2000, endedMillis: 2400 }], 1, narrow).bars
    expect(bar).toMatchObject({ x: 40, width: 6, textX: 10 + 63, isEndAnchored: true })
  })

  it.each([
    { why: "share a lane if there is room between them", beganMillis: 410, lane: 0 },
    { why: "have lanes of their own if there is less room", beganMillis: 400, lane: 1 }
  ])("$why", ({ beganMillis, lane }) => {
    const { bars } = laid([
      { text: "lossy", beganMillis: 0, endedMillis: 100 },
      { text: "b", beganMillis }
    ])
    expect(bars.map((bar) => bar.lane)).toEqual([0, lane])
  })

  it("have no lanes without things", () => {
    expect(laid([])).toEqual({ bars: [], laneCount: 0, hiddenCount: 0 })
  })

  it("are left out and counted if there is no lane for them", () => {
    const things = ["a", "b", "c"].map((text) => ({ text, beganMillis: 0 }))
    const { bars, laneCount, hiddenCount } = laid(things, 2)
    expect([bars.map(({ text }) => text), laneCount, hiddenCount]).toEqual([["a", "b"], 2, 1])
  })

  it("never overlap, with their texts", () => {
    const millis = fc.integer({ min: 0, max: 4000 })
    const thing = fc.record({ text: fc.string({ maxLength: 20 }), beganMillis: millis, endedMillis: millis })
    fc.assert(
      fc.property(fc.array(thing, { maxLength: 12 }), fc.constantFrom(wide, narrow), (things, range) => {
        const spans = things.map((it) => ({ ...it, endedMillis: Math.max(it.beganMillis, it.endedMillis) }))
        const rooms = laid(spans, 12, range).bars.map(({ lane, x, width, text, textX, isEndAnchored }) => {
          const length = text.length * 7
          const from = isEndAnchored ? textX - length : textX
          return { lane, from: Math.min(x, from), to: Math.max(x + width, from + length) }
        })
        for (const [index, one] of rooms.entries()) {
          for (const other of rooms.slice(index + 1)) {
            const isClear = one.to <= other.from || other.to <= one.from
            expect(one.lane !== other.lane || isClear).toBe(true)
          }
        }
      }),
      { seed: 17, numRuns: 300 }
    )
  })
})
