import { expect, it } from "vitest"
import { adviceOutcomeText } from "../../src/reports/adviceTexts.ts"
import { sampleRollout } from "./samplePlan.ts"

const duration = (worst: number) => ({ p50: worst, p95: worst, worst, worstSeed: 5 })
const [sampleAdvice] = sampleRollout.advice
if (sampleAdvice === undefined) throw new Error("the sample has advice")

it.each([
  {
    why: "faster",
    without: duration(73_480),
    with: duration(12_000),
    text: "complete within 1m13.5s → 12s"
  },
  {
    why: "complete at all",
    without: undefined,
    with: duration(12_000),
    text: "complete never → within 12s"
  },
  { why: "incomplete either way", without: undefined, with: undefined, text: "complete never" }
])(
  "says of a change that makes a rollout $why when it is complete",
  ({ with: after, without: before, text }) => {
    const advice = {
      ...sampleAdvice,
      with: { ...sampleAdvice.with, duration: after },
      without: { ...sampleAdvice.without, duration: before }
    }
    expect(adviceOutcomeText(advice)).toMatch(new RegExp(`, ${text}$`, "u"))
  }
)
