import { createMachine } from "xstate"
import { beforeAll, describe, expect, it } from "vitest"
import { builtInStrategies } from "../../../machines/strategies/strategies.ts"
import { rollingUpdate } from "../../../machines/strategies/rollingUpdate.ts"
import { chartOf, chartsOf } from "../../../src/inspect/charts/charts.ts"
import { chartTree, statesWithin } from "../../../src/inspect/charts/chartTree.ts"
import { loadElk } from "../../../src/inspect/charts/loadElk.ts"
import { blueGreen } from "../../machines/strategies/blueGreen.ts"
import { elementsIn, readXml } from "./readXml.ts"
import type { XmlElement } from "./readXml.ts"

interface Rect {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

const numberOf = (element: XmlElement, name: string): number => Number(element.attributes.get(name))

const rectOf = (element: XmlElement): Rect => {
  const [left, top] = [numberOf(element, "x"), numberOf(element, "y")]
  return { left, top, right: left + numberOf(element, "width"), bottom: top + numberOf(element, "height") }
}

const overlap = (a: Rect, b: Rect): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom

const contains = (outer: Rect, inner: Rect): boolean =>
  outer.left <= inner.left &&
  outer.top <= inner.top &&
  outer.right >= inner.right &&
  outer.bottom >= inner.bottom

const frameOf = (group: XmlElement): Rect => {
  const rect = group.elements.find(({ name }) => name === "rect")
  if (rect === undefined) throw new Error("a state without a box")
  return rectOf(rect)
}

/** The approximate box of a text, narrower than the real one. */
const textRect = (text: XmlElement): Rect => {
  const width = text.text.length * 4
  const [x, y] = [numberOf(text, "x"), numberOf(text, "y")]
  const anchor = text.attributes.get("text-anchor")
  const left = anchor === "end" ? x - width : anchor === "middle" ? x - width / 2 : x
  return { left, top: y - 8, right: left + width, bottom: y }
}

/** The straight parts of an arrow. */
const segmentsOf = (arrow: XmlElement): ReadonlyArray<Rect> => {
  const path = arrow.elements.find(({ attributes }) => attributes.get("class") === "arrow")
  const points = Array.from(
    (path?.attributes.get("d") ?? "").matchAll(/([\d.]+) ([\d.]+)(?=[A-Z]|$)/g),
    (match) => ({
      x: Number(match[1]),
      y: Number(match[2])
    })
  )
  return points.slice(1).map((point, index) => {
    const { x, y } = points[index] ?? point
    const [left, right] = [Math.min(x, point.x), Math.max(x, point.x)]
    return { left, right, top: Math.min(y, point.y), bottom: Math.max(y, point.y) }
  })
}

const charts = chartsOf([...builtInStrategies, blueGreen])

describe.each(charts)("the drawing of $name", (chart) => {
  let svg: XmlElement
  let groups: ReadonlyArray<XmlElement>
  let arrows: ReadonlyArray<XmlElement>
  beforeAll(async () => {
    svg = readXml(await chartOf(chart, "svg"))
    groups = elementsIn(svg).filter(({ attributes }) => attributes.has("data-state"))
    arrows = elementsIn(svg).filter(({ attributes }) => attributes.has("data-transition"))
  })
  const states = statesWithin(chartTree(chart.root))

  it("has a box for every state, with the state's id in XState", () => {
    const drawn = groups.map(({ attributes }) => attributes.get("data-state"))
    expect(drawn).toEqual(states.map(({ id }) => id))
  })

  it("has an arrow for every transition with a target, with source, target and guard", () => {
    const drawn = arrows.map(({ attributes }) =>
      ["data-transition", "data-source", "data-target", "data-guard"].map((name) => attributes.get(name))
    )
    const real = states.flatMap(({ id, handlers }) =>
      handlers.flatMap(({ branches }) =>
        branches.flatMap((it) => it.targets.map((target) => [it.id, id, target, it.guard]))
      )
    )
    expect(new Set(drawn.map(String))).toEqual(new Set(real.map(String)))
    expect(drawn).toHaveLength(real.length)
    expect(new Set(drawn.map(([transition, , target]) => `${transition} ${target}`)).size).toBe(drawn.length)
  })

  it("draws every state within its parent and beside its siblings", () => {
    const wrong = elementsIn(svg).flatMap((outer) => {
      const inner = outer.elements.filter(({ attributes }) => attributes.has("data-state"))
      const isState = outer.attributes.has("data-state")
      const outside = inner.filter((it) => isState && !contains(frameOf(outer), frameOf(it)))
      const colliding = inner.filter((it, index) =>
        inner.slice(index + 1).some((other) => overlap(frameOf(it), frameOf(other)))
      )
      return [...outside, ...colliding].map(({ attributes }) => attributes.get("data-state"))
    })
    expect(wrong).toEqual([])
  })

  it("draws no label over another label or over a state without children", () => {
    const labels = arrows.flatMap(({ elements }) => elements.filter(({ name }) => name === "text"))
    const leaves = groups.filter(({ elements }) => !elements.some((it) => it.attributes.has("data-state")))
    const wrong = labels.filter(
      (label, index) =>
        labels.slice(index + 1).some((other) => overlap(textRect(label), textRect(other))) ||
        leaves.some((leaf) => overlap(textRect(label), frameOf(leaf)))
    )
    expect(wrong.map(({ text }) => text)).toEqual([])
  })

  it("draws no arrow through a label", () => {
    const wrong = arrows.flatMap(({ elements }) =>
      elements.filter(
        (it) =>
          it.name === "text" &&
          arrows.some((arrow) => segmentsOf(arrow).some((line) => overlap(line, textRect(it))))
      )
    )
    expect(wrong.map(({ text }) => text)).toEqual([])
  })

  it("keeps everything within its borders", () => {
    const [left = 0, top = 0, width = 0, height = 0] = (svg.attributes.get("viewBox") ?? "")
      .split(" ")
      .map(Number)
    const page = { left, top, right: left + width, bottom: top + height }
    const placed = elementsIn(svg).filter(({ name }) => name === "rect" || name === "text")
    const wrong = placed.filter((it) => !contains(page, it.name === "rect" ? rectOf(it) : textRect(it)))
    expect(wrong.map(({ text }) => text)).toEqual([])
    // Of a laptop's screen.
    expect(width).toBeLessThanOrEqual(1280)
  })

  it("has each description in a title, and no scripts", () => {
    const titles = elementsIn(svg).filter(({ name }) => name === "title")
    const descriptions = titles.map(({ text }) => text).join("\n")
    expect(states.filter(({ description = "" }) => !descriptions.includes(description))).toEqual([])
    const active = elementsIn(svg).filter(
      ({ name, attributes }) =>
        name === "script" || [...attributes.keys()].some((key) => key.startsWith("on"))
    )
    expect(active).toEqual([])
  })
})

describe("an SVG chart", () => {
  it("has the same bytes each time", async () => {
    const [first, second] = [await chartOf(rollingUpdate, "svg"), await chartOf(rollingUpdate, "svg")]
    expect(second).toBe(first)
  })

  it("shows names full of markup as text", async () => {
    const evil = '<script>alert("1")</script>&amp;'
    const machine = createMachine({
      id: "m",
      description: `${evil}\u0007`,
      initial: evil,
      states: {
        [evil]: { entry: evil, on: { [evil]: { target: "end", guard: evil, actions: [evil] } } },
        end: {}
      }
    })
    const svg = await chartOf(machine, "svg")
    expect(svg).not.toContain("<script")
    const texts = elementsIn(readXml(svg)).filter(({ name }) => name === "text")
    const withClass = (name: string) => texts.filter(({ attributes }) => attributes.get("class") === name)
    expect(withClass("name").map(({ text }) => text)).toEqual([evil, "end", "m"])
    expect(
      withClass("label")
        .map(({ text }) => text)
        .join(" ")
    ).toBe(`${evil} [${evil}]`)
    expect(texts.some(({ text }) => text.includes("\ufffd"))).toBe(true)
  })

  it("labels a guard in words if there are any, with its name in the tooltip", async () => {
    const [rolling = "", own = ""] = await Promise.all(
      [rollingUpdate, blueGreen].map((strategy) => chartOf(strategy, "svg"))
    )
    expect(rolling).toContain(">3. [room for more new Pods]<")
    expect(rolling).toContain("[rollingUpdate.mayResizeNew] room for more new Pods")
    expect(own).toContain(">4. [maySwitch]<")
  })

  it("accepts a chart of a single state, and one with a history state", async () => {
    const lone = createMachine({ id: "lone" })
    expect(readXml(await chartOf(lone, "svg")).name).toBe("svg")
    const paused = createMachine({
      id: "player",
      initial: "on",
      states: {
        on: {
          initial: "slow",
          on: { stop: "off" },
          states: { slow: {}, fast: {}, last: { type: "history", history: "deep" } }
        },
        off: { on: { go: "on.last" } }
      }
    })
    const svg = readXml(await chartOf(paused, "svg"))
    const ids = elementsIn(svg).flatMap(({ attributes }) => attributes.get("data-state") ?? [])
    expect(ids).toContain("player.on.last")
  })

  it("draws the alternatives of a decision in order from top to bottom", async () => {
    const svg = readXml(await chartOf(rollingUpdate, "svg"))
    const targets = elementsIn(svg).filter(({ name, attributes }) => {
      const id = attributes.get("data-state")?.split(".").at(-1) ?? ""
      return name === "g" && id !== "" && !["rollingUpdate", "deciding"].includes(id)
    })
    const fromTop = targets.toSorted((a, b) => frameOf(a).top - frameOf(b).top)
    expect(fromTop.map(({ attributes }) => attributes.get("data-state")?.split(".").at(-1))).toEqual(
      rollingUpdate.chart.states["deciding"]?.always?.map(({ target }) => target)
    )
  })

  it("rejects for a strategy whose chart has a missing target, as for a missing package", async () => {
    const chart = { ...blueGreen.chart, initial: "nowhere" }
    const drawn = chartOf({ ...blueGreen, chart }, "svg")
    await expect(drawn).rejects.toThrow('the strategy "BlueGreen" goes to "nowhere"')
  })

  it("does without an optional package that is not installed, and fails if the package is broken", async () => {
    const failing = (code: string) => loadElk(() => Promise.reject(Object.assign(new Error(code), { code })))
    expect(await failing("ERR_MODULE_NOT_FOUND")).toBeUndefined()
    await expect(failing("EACCES")).rejects.toThrow("EACCES")
  })
})
