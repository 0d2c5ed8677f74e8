import { and, createActor, createMachine, not, or, SimulatedClock } from "xstate"
import { describe, expect, it } from "vitest"
import { chartOf, chartsOf } from "../../../src/inspect/charts/charts.ts"
import { chartTree, statesWithin } from "../../../src/inspect/charts/chartTree.ts"
import { builtInStrategies } from "../../../machines/strategies/strategies.ts"
import { blueGreen } from "../../machines/strategies/blueGreen.ts"
import type { AnyActorRef, AnyStateMachine } from "xstate"
import type { ChartState } from "../../../src/inspect/charts/chartTree.ts"
import type { GuardTerm } from "../../../src/inspect/charts/chartNames.ts"

const reread = (text: string): AnyStateMachine => createMachine(JSON.parse(text))

const charts = chartsOf([...builtInStrategies, blueGreen])

/** A state with ids relative to its root. */
const inside = (state: ChartState, root: ChartState): unknown => {
  const local = (id: string): string => id.slice(root.id.length)
  const { id, initial, handlers, states, ...rest } = state
  return {
    ...rest,
    id: local(id),
    initial: initial.map(local),
    handlers: handlers
      .filter(({ event }) => state !== root || event.kind !== "done")
      .map(({ event, branches }) => ({
        event,
        branches: branches.map(({ guard, targets, actions, reenter, description }) => ({
          guard,
          actions,
          reenter,
          description,
          targets: targets.map(local)
        }))
      })),
    states: states.map((child) => inside(child, root))
  }
}

describe.each(charts)("the JSON of $name", ({ root, ...chart }) => {
  const json = chartOf({ root, ...chart }, "json")

  it("creates a machine with the same states, transitions, guards, actions, delays, tags and descriptions", () => {
    const [real, fromJson] = [chartTree(root), chartTree(reread(json).root)]
    expect(inside(fromJson, fromJson)).toEqual(inside(real, real))
  })

  it("contains names and no code", () => {
    expect(json).not.toMatch(/=>|function|\[object/)
  })
})

/** A chart that goes round without an event ends its turn when the guard of that way no longer holds. */
const roundsMax = 20

/** Guard results that depend only on seed, turn and guard name. */
const oracle = (seed: number) => {
  let turn = 0
  const rounds = new Map<string, number>()
  return {
    next: () => {
      turn += 1
      rounds.clear()
    },
    holds: (name: string): boolean => {
      const round = (rounds.get(name) ?? 0) + 1
      rounds.set(name, round)
      if (round > roundsMax) return false
      let sum = seed * 31 + turn * 17
      for (const char of name) sum = (sum * 33 + (char.codePointAt(0) ?? 0)) % 1_000_003
      return sum % 3 !== 0
    }
  }
}

const evaluateGuard = (term: GuardTerm, holds: (name: string) => boolean): boolean => {
  if (typeof term === "string") return holds(term)
  const parts = term.operands.map((part) => evaluateGuard(part, holds))
  if (term.operator === "not") return !parts[0]
  return term.operator === "or" ? parts.includes(true) : !parts.includes(false)
}

/** Parses a combined guard of the JSON. */
const parseGuard = (text: string): GuardTerm => {
  if (text.includes(" and ")) return { operator: "and", operands: text.split(" and ").map(parseGuard) }
  return text.startsWith("not ") ? { operator: "not", operands: [text.slice("not ".length)] } : text
}

/** The least input of a container's chart. */
const input = { plan: { life: {} }, facts: {}, elapsedMillis: 0 }

/** The state values of a machine, event by event, with guards from the oracle and no actions. */
const walk = (
  machine: AnyStateMachine,
  seed: number,
  events: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const { holds, next } = oracle(seed)
  const states = statesWithin(chartTree(machine.root))
  const handlers = states.flatMap((state) => state.handlers)
  const branches = handlers.flatMap((handler) => handler.branches)
  const actions = [
    ...states.flatMap(({ entry, exit }) => [...entry, ...exit]),
    ...branches.flatMap((it) => it.actions)
  ]
  const guards = branches.flatMap(({ term }) => namesIn(term))
  const playing = machine.provide({
    guards: Object.fromEntries(guards.map((name) => [name, () => evaluateGuard(parseGuard(name), holds)])),
    actions: Object.fromEntries(actions.map((name) => [name, () => {}])),
    delays: Object.fromEntries(handlers.map(({ event }) => [event.name, 1]))
  })
  // Some charts send events to a parent.
  const parent = createMachine({ invoke: { id: "played", src: playing, input } })
  const actor = createActor(parent, { clock: new SimulatedClock() }).start()
  const played = actor.getSnapshot().children["played"]
  const values = [valueOf(played)]
  for (const type of events) {
    if (played?.getSnapshot().status !== "active") break
    next()
    played.send({ type })
    values.push(valueOf(played))
  }
  return values
}

const valueOf = (actor: AnyActorRef | undefined): string => JSON.stringify(actor?.getSnapshot().value)

const namesIn = (term: GuardTerm | undefined): ReadonlyArray<string> =>
  term === undefined ? [] : typeof term === "string" ? [term] : term.operands.flatMap(namesIn)

/** All events of a chart, including its timers. */
const eventsOf = (root: ChartState): ReadonlyArray<string> => [
  ...new Set(
    statesWithin(root).flatMap(({ id, handlers }) =>
      handlers.flatMap(({ event: { kind, name } }) =>
        kind === "event" ? [name] : kind === "after" ? [`xstate.after.${name}.${id}`] : []
      )
    )
  )
]

describe("a machine created from the JSON", () => {
  const whole = chartsOf().filter(({ root }) => root.parent === undefined)

  it.each(whole)("makes the transitions of the chart $name, whatever its guards return", (chart) => {
    const machine = reread(chartOf(chart, "json"))
    const types = eventsOf(chartTree(chart.root))
    let visitedStates = 0
    for (let seed = 1; seed <= 40; seed += 1) {
      const events = Array.from({ length: 30 }, (_, turn) => types[(turn * seed + turn) % types.length] ?? "")
      const walked = walk(chart.root.machine, seed, events)
      visitedStates += new Set(walked).size
      expect(walk(machine, seed, events)).toEqual(walked)
    }
    expect(visitedStates).toBeGreaterThan(60)
  })
})

describe("chartOf", () => {
  it("writes combined guards in words, with parentheses where needed", () => {
    const machine = createMachine({
      id: "kettle",
      initial: "cold",
      states: {
        cold: { on: { press: { guard: and(["hasWater", or(["isOn", not("isOpen")])]), target: "hot" } } },
        hot: { type: "final" }
      }
    })
    expect(JSON.parse(chartOf(machine, "json"))).toMatchObject({
      states: { cold: { on: { press: { guard: "hasWater and (isOn or not isOpen)" } } } }
    })
  })

  it("writes a strategy as a chart with a final state", () => {
    const machine = reread(chartOf(blueGreen, "json"))
    expect(machine.id).toBe("blueGreen")
    const final = Object.values(machine.states).filter(({ type }) => type === "final")
    expect(final.length).toBeGreaterThan(0)
  })

  it("refuses a strategy whose chart has a missing target", () => {
    const chart = { ...blueGreen.chart, initial: "nowhere" }
    expect(() => chartOf({ ...blueGreen, chart }, "json")).toThrow(
      'the strategy "BlueGreen" goes to "nowhere", which its chart does not have'
    )
  })

  it("keeps parameters, meta, invoked actors and numeric delays, and leaves functions out", () => {
    const machine = createMachine({
      id: "oven",
      context: () => ({ heat: 3 }),
      meta: { room: "kitchen" },
      invoke: { src: "thermometer", onDone: { actions: { type: "log", params: { as: "warm" } } } },
      initial: "off",
      states: { off: { after: { 700: "on" } }, on: { meta: { light: true } } }
    })
    const json = JSON.parse(chartOf(machine, "json"))
    expect(json).toEqual({
      id: "oven",
      meta: { room: "kitchen" },
      initial: "off",
      invoke: { src: "thermometer", onDone: { actions: { type: "log", params: { as: "warm" } } } },
      states: { off: { after: { 700: "on" } }, on: { meta: { light: true } } }
    })
    expect(createActor(createMachine({ ...json, invoke: undefined })).getSnapshot().value).toBe("off")
  })
})
