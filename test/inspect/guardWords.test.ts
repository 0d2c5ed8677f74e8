import { describe, expect, it } from "vitest"
import { chartTree, statesWithin } from "../../src/inspect/charts/chartTree.ts"
import { chartsOf } from "../../src/inspect/charts/charts.ts"
import { guardWords } from "../../src/inspect/charts/guardWords.ts"

describe("what guards ask", () => {
  it.each(chartsOf())("is said of every one in the chart $name, in a few words", ({ root }) => {
    const branches = statesWithin(chartTree(root)).flatMap(({ handlers }) =>
      handlers.flatMap((handler) => handler.branches)
    )
    const asking = branches.filter(({ guard }) => guard !== undefined)
    expect(
      asking.filter(({ guardDescription: asks }) => asks === undefined).map(({ guard }) => guard)
    ).toEqual([])
    for (const { guardDescription: asks = "" } of asking) {
      // Two that are put together may be twice as long.
      expect(asks.replace(/, (and|or) .*$/, "").length).toBeLessThan(40)
      expect(asks).not.toMatch(/\b(is|has|was|are|may)[A-Z]|[.]$/)
    }
  })

  it.each([
    { term: "isPaused", chart: "deployment", says: "paused", why: "it stands alone" },
    { term: "maySwitch", chart: "deployment", says: undefined, why: "a strategy of one's own is not known" },
    { term: "toString", chart: "constructor", says: undefined, why: "no chart is called so" },
    {
      term: { word: "not", parts: ["saysNothingNew"] } as const,
      chart: "pod",
      says: "something new",
      why: "nobody says: not nothing new"
    },
    {
      term: { word: "not", parts: ["isPaused"] } as const,
      chart: "deployment",
      says: "not: paused",
      why: "it has no opposite of its own"
    },
    {
      term: { word: "and", parts: ["haveRun", { word: "or", parts: ["isMute", "isLost"] }] } as const,
      chart: "pod",
      says: "all containers have run, and those not ready hang, or its node is lost",
      why: "it is put together"
    },
    {
      term: { word: "and", parts: ["haveRun", "nobodyKnows"] } as const,
      chart: "pod",
      says: undefined,
      why: "half a condition is another one"
    }
  ])("is $says for $term: $why", ({ term, chart, says }) => {
    expect(guardWords(chart, term)).toBe(says)
  })
})
