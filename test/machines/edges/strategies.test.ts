import { describe, expect, it } from "vitest"
import { recreate } from "../../../machines/strategies/recreate.ts"
import { rollingUpdate } from "../../../machines/strategies/rollingUpdate.ts"
import { strategyProblems } from "../../../machines/strategies/strategy.ts"
import type { Strategy } from "../../../machines/strategies/strategy.ts"

const custom = (more: Partial<Strategy> = {}): Strategy => ({
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

describe("strategies fit together", () => {
  it.each<Row>([
    { why: "the two there are", strategies: [rollingUpdate, recreate], problems: [] },
    { why: "and one more", strategies: [rollingUpdate, recreate, custom()], problems: [] },
    {
      why: "a chart of one's own",
      strategies: [custom({ chart: { initial: "deciding", states } })],
      problems: []
    },
    {
      why: "one type can be chosen once",
      strategies: [rollingUpdate, custom({ type: "RollingUpdate" })],
      problems: ['the strategy "RollingUpdate" is there twice']
    },
    {
      why: "one state is there once",
      strategies: [custom(), custom({ type: "Other" })],
      problems: ['the strategy "Other" calls its state "mine", which is taken']
    },
    {
      why: "the rollout has states of its own",
      strategies: [custom({ state: "paused" })],
      problems: ['the strategy "Mine" calls its state "paused", which is taken']
    },
    {
      why: "both at once, told of the later one",
      strategies: [custom(), custom()],
      problems: [
        'the strategy "Mine" is there twice',
        'the strategy "Mine" calls its state "mine", which is taken'
      ]
    },
    {
      why: "it begins nowhere",
      strategies: [custom({ chart: { initial: "begin", states } })],
      problems: ['the strategy "Mine" goes to "begin", which its chart does not have']
    },
    {
      why: "it leads nowhere",
      strategies: [
        custom({
          chart: { initial: "deciding", states: { ...states, waiting: { always: [{ target: "away" }] } } }
        })
      ],
      problems: ['the strategy "Mine" goes to "away", which its chart does not have']
    },
    {
      why: "it never ends",
      strategies: [custom({ chart: { initial: "waiting", states: { waiting: {} } } })],
      problems: ['the strategy "Mine" is never done']
    }
  ])("$problems: $why", ({ strategies, problems }) => {
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
  ])("%s is the rollout's own", (state) => {
    expect(strategyProblems([custom({ state })])).toHaveLength(1)
  })
})
