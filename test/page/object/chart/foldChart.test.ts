import { describe, expect, it } from "vitest"
import { foldChart } from "../../../../src/page/object/chart/foldChart.ts"
import type { DrawnState, FoldedState } from "../../../../src/page/object/chart/foldChart.ts"
import type { StepTransition } from "../../../../src/explain/steps/step.ts"

const state = (id: string, ...states: ReadonlyArray<DrawnState>): DrawnState => ({ id, states })

const web = state(
  "web",
  state(
    "web.rollout",
    state("web.rollout.idle"),
    state("web.rollout.rolling", state("web.rollout.rolling.up"), state("web.rollout.rolling.down")),
    state("web.rollout.recreate", state("web.rollout.recreate.stop"), state("web.rollout.recreate.start")),
    state("web.rollout.paused"),
    state("web.rollout.done")
  ),
  state("web.progress", state("web.progress.on"), state("web.progress.late"))
)
const arrows = [
  { source: "web.rollout.rolling.up", target: "web.rollout.done" },
  { source: "web.rollout.rolling.down", target: "web.rollout.paused" },
  { source: "web.rollout.recreate", target: "web.rollout.rolling.up" },
  { source: "web.progress", target: "web.progress.late" }
]

/** `rollout*(idle< rolling*(up* down) done> +1)`: active, left, next, and how many leaves are folded. */
const text = ({ key, role, states, foldedCount }: FoldedState): string => {
  const inside = [...states.map(text), ...(foldedCount === 0 ? [] : [`+${foldedCount}`])]
  const sign = { active: "*", left: "<", next: ">", other: "" }[role]
  return `${key}${sign}${inside.length === 0 ? "" : `(${inside.join(" ")})`}`
}

describe("a chart around its active states", () => {
  it.each<[active: ReadonlyArray<string>, taken: ReadonlyArray<StepTransition>, expected: string]>([
    [
      ["rollout.rolling.up", "progress.on"],
      [{ source: "rollout.idle", target: "rollout.rolling.up" }],
      "web*(rollout*(idle< rolling*(up* down) recreate(+2) paused done>) progress*(on* late))"
    ],
    [["rollout.rolling.down"], [], "web*(rollout*(rolling*(up down*) paused> +4) progress(+2))"],
    [["rollout.done"], [], "web*(rollout*(done* +6) progress(+2))"],
    [
      ["rollout.done"],
      [{ source: "rollout.rolling.up", target: "rollout.done" }],
      "web*(rollout*(rolling<(+2) done* +4) progress(+2))"
    ],
    [["rollout.recreate.stop"], [], "web*(rollout*(rolling>(+2) recreate*(stop* start) +3) progress(+2))"]
  ])("shows these, where the step came from and what comes next: %j", (states, transitions, expected) => {
    expect(text(foldChart(web, arrows, { chart: "web", states, transitions }))).toBe(expected)
  })
})
