import fc from "fast-check"
import { assign, createActor, createMachine, raise } from "xstate"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { toInterpretedMicrostep } from "../../../src/explain/steps/interpretedMicrostep.ts"
import { eventTypes, generatedChart } from "../../compiler/generatedCharts.ts"
import { makeClock } from "../../machines/chartActor.ts"
import type { AnyActorRef, AnyEventObject, AnyStateMachine, AnyTransitionDefinition } from "xstate"
import type { ChartSnapshot } from "../../../src/explain/steps/recordedStep.ts"

interface ReportedMicrostep {
  readonly event: AnyEventObject
  readonly isInitial: boolean
  readonly guessed: ReadonlyArray<string>
  /** What XState has reported in a field that it does not document. */
  readonly taken: ReadonlyArray<string>
}

const textOf = ({ source, eventType, target, actions }: AnyTransitionDefinition): string =>
  `${source.id} ${eventType || "always"} ${target?.map(({ id }) => id).join() ?? ""} ${actions.length}`.trim()

/** Runs an interpreted actor as the recorder of steps sees it. */
const microstepsOf = (
  machine: AnyStateMachine,
  events: ReadonlyArray<AnyEventObject>
): ReadonlyArray<ReportedMicrostep> => {
  const recorded: Array<() => ReportedMicrostep> = []
  let before: ChartSnapshot | undefined
  let previousEvent: AnyEventObject | undefined
  let isStarting = true
  const actor = createActor(machine, {
    clock: makeClock(0),
    input: 1,
    id: "root",
    logger: () => {},
    inspect: (inspection) => {
      if ((inspection.actorRef as AnyActorRef).id !== "root" || inspection.type !== "@xstate.microstep")
        return
      const { event, _transitions: taken } = inspection
      const known = [before, previousEvent, isStarting] as const
      before = inspection.snapshot as unknown as ChartSnapshot
      previousEvent = event
      // Evaluated at the end: an inspector that throws makes the actor fail.
      recorded.push(() => {
        const [from, previous, isInitial] = known
        const { transitions } = toInterpretedMicrostep(inspection, from, previous)
        return { event, isInitial, guessed: transitions.map(textOf), taken: taken.map(textOf) }
      })
    }
  })
  actor.subscribe({ error: () => {} })
  actor.start()
  isStarting = false
  for (const event of events) {
    previousEvent = undefined
    before = actor.getSnapshot() as unknown as ChartSnapshot
    if (before.status !== "active") break
    actor.send(event)
  }
  return recorded.map((evaluate) => evaluate())
}

describe("a microstep that XState has interpreted", () => {
  beforeAll(() => void vi.spyOn(console, "warn").mockImplementation(() => {}))
  afterAll(() => void vi.restoreAllMocks())

  it("is recorded with the transitions that XState has taken, whatever the chart is", () => {
    const counts = { wildcard: 0, eventless: 0, several: 0, none: 0 }
    const event = fc.record({ type: fc.constantFrom(...eventTypes), loud: fc.boolean() })
    const law = fc.property(
      generatedChart,
      fc.array(event, { maxLength: 10, size: "max" }),
      (chart, events) => {
        // The context in which an actor of these charts begins is known to XState alone.
        for (const { isInitial, guessed, taken } of microstepsOf(chart.machine, events)) {
          if (isInitial) continue
          expect(guessed).toEqual(taken)
          if (taken.some((it) => it.includes("*"))) counts.wildcard += 1
          if (taken.some((it) => it.includes("always"))) counts.eventless += 1
          if (taken.length > 1) counts.several += 1
          if (taken.length === 0) counts.none += 1
        }
      }
    )
    // fast-check prints the seed of a failure.
    fc.assert(law, { numRuns: 300, seed: 20260302 })
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(20)
  })

  const isZero = ({ context }: { readonly context: { readonly n: number } }): boolean => context.n === 0
  const count = assign(({ context }: { readonly context: { readonly n: number } }) => ({ n: context.n + 1 }))
  const again: AnyEventObject = { type: "again" }
  const rows: ReadonlyArray<{
    readonly what: string
    readonly config: object
    readonly events: ReadonlyArray<AnyEventObject>
    readonly taken: ReadonlyArray<ReadonlyArray<string>>
  }> = [
    {
      what: "an event that is raised twice",
      config: {
        initial: "a",
        states: {
          a: { on: { go: { target: "b", actions: [raise(again), raise(again)] } } },
          b: { on: { again: "c" } },
          c: { on: { again: "d" } },
          d: {}
        }
      },
      events: [{ type: "go" }],
      taken: [["m.a go m.b 2"], ["m.b again m.c 0"], ["m.c again m.d 0"]]
    },
    {
      what: "an event that raises itself",
      config: {
        initial: "a",
        states: {
          a: { on: { go: { target: "b", actions: raise(({ event }) => event) } } },
          b: { on: { "*": "c" } },
          c: {}
        }
      },
      events: [{ type: "go" }],
      taken: [["m.a go m.b 1"], ["m.b * m.c 0"]]
    },
    {
      what: "an initial step that changes what its guard asks",
      config: {
        context: { n: 0 },
        initial: "a",
        states: { a: { always: { guard: isZero, target: "b", actions: count } }, b: {} }
      },
      events: [],
      taken: [["m.a always m.b 1"]]
    },
    {
      what: "an initial step after an entry action",
      config: {
        context: { n: -1 },
        initial: "a",
        entry: count,
        states: { a: { always: { guard: isZero, target: "b" } }, b: {} }
      },
      events: [],
      taken: [["m.a always m.b 0"]]
    },
    {
      what: "an event that an entry action raises",
      config: {
        initial: "a",
        states: { a: { entry: raise(again), on: { again: "b" } }, b: {} }
      },
      events: [],
      taken: [["m.a again m.b 0"]]
    },
    {
      what: "eventless transitions in conflict",
      config: {
        initial: "off",
        states: {
          off: { on: { go: "both" } },
          both: {
            type: "parallel",
            states: { one: { always: "#m.first" }, two: { always: "#m.second" } }
          },
          first: {},
          second: {}
        }
      },
      events: [{ type: "go" }],
      taken: [["m.off go m.both 0"], ["m.both.one always m.first 0"]]
    }
  ]
  it.each(rows)("has its transitions: $what", ({ config, events, taken }) => {
    const microsteps = microstepsOf(createMachine({ id: "m", ...config }), events)
    expect(microsteps.map((it) => it.taken)).toEqual(taken)
    expect(microsteps.map((it) => it.guessed)).toEqual(taken)
  })
})
