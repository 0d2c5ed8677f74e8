import fc from "fast-check"
import { createMachine } from "xstate"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { eventTypes, generatedChart } from "./generatedCharts.ts"
import { startSideBySide } from "./sideBySide.ts"
import type { ActorStep } from "./sideBySide.ts"

/** fast-check prints the seed of a failure. */
const seeded = { numRuns: 700, seed: 20260301 }

const event = fc.record({ type: fc.constantFrom(...eventTypes), loud: fc.boolean() })

const step: fc.Arbitrary<ActorStep> = fc.oneof(
  { weight: 8, arbitrary: event.map((send) => ({ send })) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 12 }).map((wait) => ({ wait })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("as it is" as const, "from JSON" as const).map((restore) => ({ restore }))
  }
)

/** Leaves `one` as nothing is remembered, and enters only what it remembers by then: XState loses `one`. */
const losesParent = createMachine({
  id: "m",
  initial: "one",
  states: {
    one: {
      type: "parallel",
      states: { inner: { on: { go: "#m.one.last" } }, last: { type: "history" } }
    }
  }
})

describe("a compiled chart", () => {
  beforeAll(() => void vi.spyOn(console, "warn").mockImplementation(() => {}))
  afterAll(() => void vi.restoreAllMocks())

  it("has the value of an interpreted one whose states are not all active", () => {
    const both = startSideBySide(losesParent)
    both.take({ send: { type: "go" } })
    const { value, _nodes: nodes } = both.snapshot()
    expect(nodes.map(({ id }) => id)).toEqual(["m", "m.one.inner"])
    expect(value).toEqual({ one: { inner: {} } })
  })

  it("does in every step what XState's interpreter does, whatever the chart is", () => {
    const reached = new Map<string, number>()
    const law = fc.property(
      generatedChart,
      fc.array(step, { maxLength: 14, size: "max" }),
      ({ machine }, steps) => {
        const possibleEvents = eventTypes.map((type) => ({ type }))
        const both = startSideBySide(machine, { input: 1, possibleEvents })
        for (const it of steps) {
          both.take(it)
          for (const line of both.lines()) {
            const [word = ""] = line.slice(2).split('"', 1)
            reached.set(word, (reached.get(word) ?? 0) + 1)
          }
          const { status } = both.snapshot()
          reached.set(status, (reached.get(status) ?? 0) + 1)
          if (status !== "active") break
        }
        both.stop()
      }
    )
    fc.assert(law, seeded)
    const rare = [
      "macrostep",
      "emitted",
      "timer",
      "noted",
      "logged",
      "failed",
      "complete",
      "done",
      "error"
    ].filter((word) => (reached.get(word) ?? 0) < 20)
    expect(rare).toEqual([])
  })
})
