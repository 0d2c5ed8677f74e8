import { describe, expect, it } from "vitest"
import { chartTree, statesWithin } from "../../../src/inspect/charts/chartTree.ts"
import { chartsOf } from "../../../src/inspect/charts/charts.ts"
import { guardWords } from "../../../src/inspect/charts/guardWords.ts"

describe("the words of a guard", () => {
  it.each(chartsOf())("are few, and exist for every guard in the chart $name", ({ root }) => {
    const branches = statesWithin(chartTree(root)).flatMap(({ handlers }) =>
      handlers.flatMap((handler) => handler.branches)
    )
    const asking = branches.filter(({ guard }) => guard !== undefined)
    expect(
      asking.filter(({ guardDescription: asks }) => asks === undefined).map(({ guard }) => guard)
    ).toEqual([])
    for (const { guardDescription: asks = "" } of asking) {
      // A combination of two guards may be twice as long.
      expect(asks.replace(/, (and|or) .*$/, "").length).toBeLessThan(40)
      expect(asks).not.toMatch(/\b(is|has|was|are|may)[A-Z]|[.]$/)
    }
  })

  it.each([
    { term: "isPaused", chart: "deployment", expectedText: "paused", why: "a single guard" },
    { term: "maySwitch", chart: "deployment", expectedText: undefined, why: "a guard of a custom strategy" },
    { term: "toString", chart: "constructor", expectedText: undefined, why: "an unknown chart" },
    {
      term: { operator: "not", operands: ["isUnchanged"] } as const,
      chart: "pod",
      expectedText: "something new",
      why: "a negation with words of its own"
    },
    {
      term: { operator: "not", operands: ["isPaused"] } as const,
      chart: "deployment",
      expectedText: "not: paused",
      why: "a negation without words of its own"
    },
    {
      term: {
        operator: "and",
        operands: ["haveRun", { operator: "or", operands: ["areUnreadyHanging", "isLost"] }]
      } as const,
      chart: "pod",
      expectedText: "all containers have run, and those that are not ready hang, or its node is lost",
      why: "a combination"
    },
    {
      term: { operator: "and", operands: ["haveRun", "nobodyKnows"] } as const,
      chart: "pod",
      expectedText: undefined,
      why: "a combination with an unknown guard"
    }
  ])("are $expectedText for $term: $why", ({ term, chart, expectedText }) => {
    const guards = chartsOf().find(({ name }) => name === chart)?.root.machine.implementations.guards ?? {}
    expect(guardWords(guards, term)).toBe(expectedText)
  })
})
