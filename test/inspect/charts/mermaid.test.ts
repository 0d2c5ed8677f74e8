import { and, createMachine, not } from "xstate"
import { describe, expect, it } from "vitest"
import { containerMachine } from "../../../machines/container.ts"
import { deploymentMachine } from "../../../machines/deployment.ts"
import { nodeMachine } from "../../../machines/node.ts"
import { podMachine } from "../../../machines/pod.ts"
import { replicaSetMachine } from "../../../machines/replicaSet.ts"
import { chartOf } from "../../../src/inspect/charts/charts.ts"
import { mermaidOf } from "../../../src/inspect/charts/mermaid.ts"
import { statesOf } from "../../machines/exploration/explore.ts"

const charts = [deploymentMachine(), replicaSetMachine, podMachine, containerMachine, nodeMachine].map(
  (machine) => ({ name: machine.id, machine })
)

/** The lines of Mermaid's grammar that we write. A label ends at a colon or semicolon. */
const shapes = {
  leaf: /^(\w+)$/,
  titled: /^state "[^"]+" as (\w+)$/,
  composite: /^state "[^"]+" as (\w+) \{$/,
  text: /^(\w+) : [^:;]+$/,
  arrow: /^(\[\*\]|\w+) --> (\[\*\]|\w+)(?: : [^:;]+)?$/,
  close: /^\}$/,
  regions: /^--$/,
  style: /^(?:classDef \w+ \S+|class [\w,]+ \w+)$/
}

interface Parsed {
  readonly parents: ReadonlyMap<string, string | undefined>
  readonly arrows: ReadonlyArray<{
    readonly from: string
    readonly to: string
    readonly inside: string | undefined
  }>
  readonly problems: ReadonlyArray<string>
}

const parse = (text: string): Parsed => {
  const parents = new Map<string, string | undefined>()
  const arrows: Array<Parsed["arrows"][number]> = []
  const problems: Array<string> = []
  const open: Array<string> = []
  const [first, ...lines] = text.split("\n").map((line) => line.trim())
  if (first !== "stateDiagram-v2") problems.push(`begins with ${String(first)}`)
  for (const line of lines) {
    const shape = Object.entries(shapes).find(([, pattern]) => pattern.test(line))
    const [, id = "", to = ""] = shape?.[1].exec(line) ?? []
    switch (shape?.[0]) {
      case "leaf":
      case "titled":
      case "composite":
        if (parents.has(id)) problems.push(`${id} is declared twice`)
        parents.set(id, open.at(-1))
        if (shape[0] === "composite") open.push(id)
        break
      case "text":
        if (!parents.has(id)) problems.push(`${id} is written into before it is declared`)
        break
      case "arrow":
        arrows.push({ from: id, to, inside: open.at(-1) })
        break
      case "close":
        if (open.pop() === undefined) problems.push("a brace too many")
        break
      case undefined:
        problems.push(`not Mermaid: ${line}`)
        break
      default:
    }
  }
  if (open.length > 0) problems.push(`${open.join(", ")} left open`)
  return { parents, arrows, problems }
}

const contains = ({ parents }: Parsed, outer: string, id: string | undefined): boolean =>
  id !== undefined && (id === outer || contains({ parents } as Parsed, outer, parents.get(id)))

describe.each(charts)("the drawing of $name", ({ machine }) => {
  const parsed = parse(mermaidOf(machine))
  const states = parsed.arrows.filter(({ from, to }) => from !== "[*]" && to !== "[*]")

  it("has only lines that Mermaid parses", () => {
    expect(parsed.problems).toEqual([])
  })

  it("has a box with its own id for every state", () => {
    const boxes = [...parsed.parents.keys()].filter((id) => !id.startsWith("anywhere_"))
    const isWrapped = machine.root.type === "parallel"
    expect(boxes.length - (isWrapped ? 1 : 0)).toBe(statesOf(machine).length)
  })

  it("has no arrow between a state and its own children, which Mermaid cannot lay out", () => {
    const bad = states.filter(
      ({ from, to }) => from !== to && (contains(parsed, from, to) || contains(parsed, to, from))
    )
    expect(bad).toEqual([])
  })

  it("has arrows between states at the level of their common parent, so that no state changes its parent", () => {
    const bad = states.filter(
      ({ from, to, inside }) =>
        inside !== undefined && (parsed.parents.get(from) !== inside || parsed.parents.get(to) !== inside)
    )
    expect(bad).toEqual([])
    expect(states.filter(({ from, to }) => !parsed.parents.has(from) || !parsed.parents.has(to))).toEqual([])
  })
})

describe("mermaidOf", () => {
  it("shows order, guards, actions, timers, final states and ignored events", () => {
    const machine = createMachine({
      id: "kettle",
      initial: "cold",
      on: { drop: ".broken" },
      states: {
        cold: {
          entry: "sigh",
          tags: "moving",
          on: { touch: { actions: "note" }, look: {} },
          after: {
            heating: [
              { guard: and(["hasWater", not("isOpen")]), target: "hot", actions: ["click", "glow"] },
              { target: "broken" }
            ]
          }
        },
        hot: {
          initial: "cold",
          states: { cold: { always: "done" }, done: { type: "final" } },
          onDone: "cold"
        },
        broken: { type: "final" }
      }
    })
    expect(mermaidOf(machine)).toBe(
      [
        "stateDiagram-v2",
        '  state "cold" as kettle_cold',
        "  kettle_cold : entry / sigh",
        "  kettle_cold : touch / note",
        "  kettle_cold : look is ignored",
        '  state "hot" as hot {',
        '    state "cold" as hot_cold',
        "    done",
        "    [*] --> hot_cold",
        "    hot_cold --> done",
        "    done --> [*]",
        "  }",
        "  broken",
        '  state "anywhere" as anywhere_kettle',
        "  [*] --> kettle_cold",
        "  anywhere_kettle --> broken : drop",
        "  kettle_cold --> hot : after heating (1) [hasWater and not isOpen] / click, glow",
        "  kettle_cold --> broken : after heating (2)",
        "  hot --> kettle_cold : done",
        "  broken --> [*]",
        "  classDef moving stroke-dasharray:4",
        "  class kettle_cold moving"
      ].join("\n")
    )
  })
})

it("is one of the formats of chartOf, which exports no other and nothing but charts", () => {
  expect(chartOf(nodeMachine, "mermaid")).toBe(`${mermaidOf(nodeMachine)}\n`)
  expect(() => chartOf(nodeMachine, "pdf" as "json")).toThrow(
    'a chart is exported as json, mermaid, svg, scxml, not "pdf"'
  )
  expect(() => chartOf("deployment" as never, "json")).toThrow('or one of chartsOf(), not "deployment"')
})
