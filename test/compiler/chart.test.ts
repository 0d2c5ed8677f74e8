import { createMachine } from "xstate"
import { describe, expect, it } from "vitest"
import { CompiledChart } from "../../src/compiler/chart.ts"
import { startSideBySide } from "./sideBySide.ts"

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
        .choiceOf(configuration, type)
        ?.inner.flatMap(({ candidates }) => candidates.map(({ definition }) => definition.eventType))
    for (let number = 0; number < 200; number += 1) {
      expect(sources(`pod.number-${number}`)).toEqual(["pod.*"])
      expect(sources(`pod.ready.${number}`)).toEqual(["pod.*"])
      expect(chart.choiceOf(configuration, `node.${number}`)).toBeNull()
    }
    expect(sources("pod.gone")).toEqual(["pod.gone", "pod.*"])
    expect([...configuration.choices.keys()]).toEqual(["pod.*", "pod.ready.*", "*", "pod.gone"])
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
})
