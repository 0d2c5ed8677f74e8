import { describe, expect, it } from "vitest"
import { recreate } from "../../../machines/strategies/recreate.ts"
import { rollingUpdate } from "../../../machines/strategies/rollingUpdate.ts"
import { strategyProblems } from "../../../machines/strategies/strategyProblems.ts"
import type { Strategy } from "../../../machines/strategies/strategy.ts"

const customStrategy = (more: Partial<Strategy> = {}): Strategy => ({
  ...rollingUpdate,
  type: "Mine",
  state: "mine",
  ...more
})

const states = {
  deciding: { always: [{ target: "waiting" }, { guard: "isDone", target: "done" }] },
  waiting: {},
  done: { type: "final" }
} as const

interface Row {
  readonly why: string
  readonly strategies: ReadonlyArray<Strategy>
  readonly problems: ReadonlyArray<string>
}

describe("the validation of a list of strategies", () => {
  it.each<Row>([
    { why: "the built-in strategies", strategies: [rollingUpdate, recreate], problems: [] },
    {
      why: "a custom strategy beside them",
      strategies: [rollingUpdate, recreate, customStrategy()],
      problems: []
    },
    {
      why: "a custom strategy with its own chart",
      strategies: [customStrategy({ chart: { initial: "deciding", states } })],
      problems: []
    },
    {
      why: "two strategies of one type",
      strategies: [rollingUpdate, customStrategy({ type: "RollingUpdate" })],
      problems: ['the strategy "RollingUpdate" is there twice']
    },
    {
      why: "two strategies with one state",
      strategies: [customStrategy(), customStrategy({ type: "Other" })],
      problems: ['the strategy "Other" calls its state "mine", which is taken']
    },
    {
      why: "a state name of the rollout",
      strategies: [customStrategy({ state: "paused" })],
      problems: ['the strategy "Mine" calls its state "paused", which is taken']
    },
    {
      why: "one type and one state, reported for the later strategy",
      strategies: [customStrategy(), customStrategy()],
      problems: [
        'the strategy "Mine" is there twice',
        'the strategy "Mine" calls its state "mine", which is taken'
      ]
    },
    {
      why: "an unknown initial state",
      strategies: [customStrategy({ chart: { initial: "begin", states } })],
      problems: ['the strategy "Mine" goes to "begin", which its chart does not have']
    },
    {
      why: "an unknown initial state with the name of a property of every object",
      strategies: [customStrategy({ chart: { initial: "constructor", states } })],
      problems: ['the strategy "Mine" goes to "constructor", which its chart does not have']
    },
    {
      why: "an unknown target state",
      strategies: [
        customStrategy({
          chart: { initial: "deciding", states: { ...states, waiting: { always: [{ target: "away" }] } } }
        })
      ],
      problems: ['the strategy "Mine" goes to "away", which its chart does not have']
    },
    {
      why: "a state that looks again after a delay of its own, and one after a duration",
      strategies: [
        customStrategy({
          delays: { untilHeld: () => 1 },
          chart: {
            initial: "deciding",
            states: {
              ...states,
              waiting: { lookAgain: { after: "untilHeld" } },
              polling: { lookAgain: { after: "1m30s" } }
            }
          }
        })
      ],
      problems: []
    },
    {
      why: "a state that looks again after what is neither a delay nor a duration",
      strategies: [
        customStrategy({
          chart: {
            initial: "deciding",
            states: { ...states, waiting: { lookAgain: { after: "toString" } } }
          }
        })
      ],
      problems: [
        'the strategy "Mine" looks again after "toString", which is neither a delay of its own nor a duration'
      ]
    },
    {
      why: "a state that looks again after no number",
      strategies: [
        customStrategy({
          chart: {
            initial: "deciding",
            states: { ...states, waiting: { lookAgain: { after: Number.NaN } } }
          }
        })
      ],
      problems: [
        'the strategy "Mine" looks again after null, which is neither a delay of its own nor a duration'
      ]
    },
    {
      why: "a final state that looks again",
      strategies: [
        customStrategy({
          chart: {
            initial: "deciding",
            states: { ...states, done: { type: "final", lookAgain: { after: 1000 } } }
          }
        })
      ],
      problems: ['the strategy "Mine" looks again in its final state "done"']
    },
    {
      why: "no final state",
      strategies: [customStrategy({ chart: { initial: "waiting", states: { waiting: {} } } })],
      problems: ['the strategy "Mine" has no state of type "final"']
    }
  ])("reports $problems: $why", ({ strategies, problems }) => {
    expect(strategyProblems(strategies)).toEqual(problems)
  })

  it.each([
    "idle",
    "routing",
    "claiming",
    "renumbering",
    "terminating",
    "rollingBack",
    "scaling",
    "complete"
  ])("rejects the rollout's own state %s", (state) => {
    expect(strategyProblems([customStrategy({ state })])).toHaveLength(1)
  })
})
