import { and, createMachine, not, or } from "xstate"
import { describe, expect, it } from "vitest"
import { builtInStrategies } from "../../../machines/strategies/strategies.ts"
import { chartOf, chartsOf } from "../../../src/inspect/charts/charts.ts"
import { chartTree, statesWithin } from "../../../src/inspect/charts/chartTree.ts"
import { chartEventText } from "../../../src/inspect/charts/chartNames.ts"
import { blueGreen } from "../../machines/strategies/blueGreen.ts"
import { elementsIn, readXml } from "./readXml.ts"
import type { XmlElement } from "./readXml.ts"

/** Child elements that SCXML allows, of those used here. Source: W3C SCXML, 3 and 4. */
const allowed: Readonly<Record<string, ReadonlyArray<string>>> = {
  scxml: ["datamodel", "state", "parallel", "final"],
  datamodel: ["data"],
  state: ["onentry", "onexit", "transition", "state", "parallel", "final", "history"],
  parallel: ["onentry", "onexit", "transition", "state", "parallel", "history"],
  final: ["onentry", "onexit"],
  history: ["transition"],
  onentry: ["log", "send"],
  onexit: ["log", "cancel"],
  transition: ["log"]
}

const isState = ({ name }: XmlElement): boolean => ["state", "parallel", "final", "history"].includes(name)
const at = (element: XmlElement, name: string): string => element.attributes.get(name) ?? ""
const labels = (elements: ReadonlyArray<XmlElement>): ReadonlyArray<string> =>
  elements.flatMap((element) =>
    element.elements.filter(({ name }) => name === "log").map((it) => at(it, "label"))
  )

describe.each(chartsOf([...builtInStrategies, blueGreen]))("the SCXML of $name", (chart) => {
  const scxml = readXml(chartOf(chart, "scxml"))
  const states = elementsIn(scxml).filter(isState)
  const ids = states.map((state) => at(state, "id"))
  const tree = statesWithin(chartTree(chart.root))

  it("has every element where SCXML allows it", () => {
    const wrong = elementsIn(scxml).flatMap((outer) =>
      outer.elements
        .filter(({ name }) => !(allowed[outer.name] ?? []).includes(name))
        .map(({ name }) => `${name} in ${outer.name}`)
    )
    expect(wrong).toEqual([])
  })

  it("has the same states, with the same actions, as the chart", () => {
    const inDocument = states.map((state) => ({
      id: at(state, "id"),
      initial: at(state, "initial"),
      entry: labels(state.elements.filter(({ name }) => name === "onentry")),
      exit: labels(state.elements.filter(({ name }) => name === "onexit"))
    }))
    expect(inDocument).toEqual(
      tree.map(({ id, initial, entry, exit }) => ({ id, initial: initial.join(" "), entry, exit }))
    )
  })

  it("has the same transitions, in their order", () => {
    const inDocument = states.flatMap((state) =>
      state.elements
        .filter(({ name }) => name === "transition")
        .map((it) => [at(state, "id"), at(it, "event").split(".")[0], at(it, "target"), labels([it]).join()])
    )
    const real = tree.flatMap(({ id, handlers }) =>
      handlers.flatMap(({ event, branches }) =>
        branches.map(({ targets, actions }) => [
          id,
          chartEventText(event).split(/[. ]/)[0],
          targets.join(" "),
          actions.join()
        ])
      )
    )
    expect(inDocument).toEqual(real)
  })

  it("refers only to declared states, guards and delays, each declared once", () => {
    expect(new Set(ids).size).toBe(ids.length)
    const targets = elementsIn(scxml).flatMap((it) =>
      [at(it, "target"), at(it, "initial")].join(" ").trim().split(/\s+/)
    )
    expect(targets.filter((id) => id !== "" && !ids.includes(id))).toEqual([])
    const declared = elementsIn(scxml)
      .filter(({ name }) => name === "data")
      .map((it) => at(it, "id"))
    expect(new Set(declared).size).toBe(declared.length)
    const usedNames = elementsIn(scxml).flatMap(
      (it) => [at(it, "cond"), at(it, "delayexpr")].join(" ").match(/[\w$]+/g) ?? []
    )
    expect(usedNames.filter((name) => !declared.includes(name))).toEqual([])
  })

  it("starts every timer on entry, and cancels it on exit", () => {
    for (const state of states) {
      const parts = state.elements.flatMap((it) => it.elements)
      const sent = parts.filter(({ name }) => name === "send").map((it) => at(it, "id"))
      const events = state.elements.map((it) => at(it, "event")).filter((event) => event.startsWith("after."))
      expect(parts.filter(({ name }) => name === "cancel").map((it) => at(it, "sendid"))).toEqual(sent)
      expect(new Set(events)).toEqual(new Set(sent))
    }
  })
})

describe("an SCXML document", () => {
  it("has combined guards in ECMAScript and delays in milliseconds", () => {
    const machine = createMachine({
      id: "kettle",
      initial: "cold",
      states: {
        cold: {
          on: { press: { guard: and(["hasWater", or(["isOn", not("is open")])]), target: "hot" } },
          after: { 1700: "hot" }
        },
        hot: { type: "final" }
      }
    })
    const scxml = readXml(chartOf(machine, "scxml"))
    const [press, timer] = elementsIn(scxml).filter(({ name }) => name === "transition")
    expect(press?.attributes.get("cond")).toBe("(hasWater && (isOn || !(is_open)))")
    expect(timer?.attributes.get("event")).toBe("after.1700.kettle.cold")
    const sent = elementsIn(scxml).find(({ name }) => name === "send")
    expect(sent?.attributes.get("delay")).toBe("1700ms")
  })

  it("gives states whose names are no XML names valid, unique ids", () => {
    const machine = createMachine({
      id: "1st <b>",
      initial: "a b",
      states: { "a b": { on: { "<go>": "a-b" } }, "a-b": {}, a_b: {}, "a&b": {} }
    })
    const scxml = readXml(chartOf(machine, "scxml"))
    const ids = elementsIn(scxml)
      .filter(isState)
      .map((it) => at(it, "id"))
    expect(ids).toEqual(["_1st__b_", "_1st__b_.a_b", "_1st__b_.a-b", "_1st__b_.a_b_", "_1st__b_.a_b__"])
    expect(elementsIn(scxml).map((it) => at(it, "target"))).toContain("_1st__b_.a-b")
  })

  it("gives guards, delays and states of equal names an id each", () => {
    const machine = createMachine({
      id: "kettle",
      initial: "cold",
      states: {
        cold: {
          on: {
            press: [
              { guard: "is on", target: "hot" },
              { guard: "is_on", target: "hot" }
            ],
            lift: { guard: and(["kettle", "wait"]), target: "hot" }
          },
          after: { wait: "hot", "a b": "hot", a_b: "hot" }
        },
        hot: {}
      }
    })
    const scxml = readXml(chartOf(machine, "scxml"))
    const valuesOf = (name: string, attribute: string) =>
      elementsIn(scxml)
        .filter((it) => it.name === name)
        .map((it) => at(it, attribute))
    expect(valuesOf("data", "id")).toEqual(["is_on", "is_on_", "kettle_", "wait", "wait_", "a_b", "a_b_"])
    expect(valuesOf("transition", "cond").filter((it) => it !== "")).toEqual([
      "is_on",
      "is_on_",
      "(kettle_ && wait)"
    ])
    expect(valuesOf("send", "delayexpr")).toEqual(["wait_", "a_b", "a_b_"])
    expect(valuesOf("send", "id")).toEqual([
      "after.wait.kettle.cold",
      "after.a_b.kettle.cold",
      "after.a_b_.kettle.cold"
    ])
  })
})
