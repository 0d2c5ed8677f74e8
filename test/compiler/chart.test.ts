import { createMachine } from "xstate"
import { describe, expect, it } from "vitest"
import { CompiledChart } from "../../src/compiler/chart.ts"
import { startSideBySide } from "./sideBySide.ts"
import type { ChartHistory, MicrostepPlan } from "../../src/compiler/configuration.ts"

const wild = createMachine({
  id: "m",
  initial: "a",
  states: {
    a: { on: { "pod.*": "b", "pod.gone": "c" } },
    b: { on: { "*": "a" } },
    c: { on: { "pod.ready.*": "b" } }
  }
})

describe("what a chart keeps", () => {
  it("does not grow with the event types that it does not name", () => {
    const chart = new CompiledChart(wild)
    const configuration = chart.initialPlan.next
    const sources = (type: string): ReadonlyArray<string> | undefined =>
      chart
        .candidatesFor(configuration, type)
        ?.inner.flatMap(({ candidates }) => candidates.map(({ definition }) => definition.eventType))
    for (let number = 0; number < 200; number += 1) {
      expect(sources(`pod.number-${number}`)).toEqual(["pod.*"])
      expect(sources(`pod.ready.${number}`)).toEqual(["pod.*"])
      expect(chart.candidatesFor(configuration, `node.${number}`)).toBeNull()
    }
    expect(sources("pod.gone")).toEqual(["pod.gone", "pod.*"])
    expect([...configuration.candidatesByEvent.keys()]).toEqual(["pod.*", "pod.ready.*", "*", "pod.gone"])
  })

  it("takes the same events as the interpreter, whatever came before", () => {
    const both = startSideBySide(wild)
    const types = [
      "pod",
      "pod.x",
      "nothing",
      "pod.ready.x",
      "pod.*",
      "pod.gone",
      "pod.ready",
      "pod.ready.y",
      "podx"
    ]
    const reached = new Set<unknown>()
    for (const first of types)
      for (const second of types)
        for (const type of [first, second]) {
          both.take({ send: { type } })
          reached.add(both.snapshot().value)
        }
    expect(reached).toEqual(new Set(["a", "b", "c"]))
  })

  it("has one plan for transitions that no history state changes, and one for each history elsewhere", () => {
    const both = startSideBySide(remembering)
    for (const type of ["off", "on", "next", "off", "on", "next", "off", "on", "off", "on"])
      both.take({ send: { type } })
    expect(both.snapshot().value).toEqual({ work: { on: "three" }, clock: "tick" })

    const chart = new CompiledChart(remembering)
    const plans = (history: ChartHistory, ...types: ReadonlyArray<string>): ReadonlyArray<MicrostepPlan> => {
      const { next: configuration } = chart.initialPlan
      return types.map((type) => {
        const enabled = chart.enabledBy(configuration, { context: {}, event: { type } })
        return chart.planOf(configuration, enabled, history)
      })
    }
    const two = remembering.getStateNodeById("m.work.on.two")
    const three = remembering.getStateNodeById("m.work.on.three")
    const [tick, again] = plans({}, "tick", "again")
    expect(plans({ "m.work.on.last": [two] }, "tick")).toEqual([tick])
    expect(plans({ "m.work.on.last": [two] }, "tick")[0]).toBe(tick)
    const [afterTwo] = plans({ "m.work.on.last": [two] }, "again")
    const [afterThree] = plans({ "m.work.on.last": [three] }, "again")
    expect(plans({ "m.work.on.last": [two] }, "again")[0]).toBe(afterTwo)
    expect(new Set([again, afterTwo, afterThree]).size).toBe(3)
  })
})

/** Goes back to where it was when it is switched on; the clock beside it does not. */
const remembering = createMachine({
  id: "m",
  type: "parallel",
  states: {
    work: {
      initial: "on",
      states: {
        on: {
          initial: "one",
          on: { off: "off" },
          states: {
            one: { on: { next: "two", again: "#m.work.on.last" } },
            two: { on: { next: "three" } },
            three: {},
            last: { type: "history" }
          }
        },
        off: { on: { on: "#m.work.on.last" } }
      }
    },
    clock: { initial: "tick", states: { tick: { on: { tick: "tock" } }, tock: { on: { tick: "tick" } } } }
  }
})
