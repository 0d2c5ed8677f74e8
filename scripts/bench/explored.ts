import { explore } from "../../src/plan/plan.ts"
import { manifest } from "./worlds.ts"
import type { Measure } from "./measures.ts"

const six = (version: string) => {
  const draft = manifest(6, version)
  return {
    ...draft,
    spec: { ...draft.spec, strategy: { rollingUpdate: { maxSurge: 2, maxUnavailable: 1 } } }
  }
}

const exploring =
  (failures: number): Measure["take"] =>
  async () => {
    const begun = performance.now()
    const [rollout] = await explore({ from: six("v1"), next: six("v2"), failures })
    const millis = performance.now() - begun
    if (rollout?.isWhole !== true) throw new Error("not every state was seen")
    const { states, transitions, looks } = rollout
    const perSecond = Math.round((states / millis) * 1000)
    const memory = Math.round(process.memoryUsage().rss / 1e6)
    return {
      value: (millis * 1000) / states,
      unit: "us",
      bound: 20,
      note: `${perSecond} states a second of ${states}, ${transitions} steps, ${looks} looks of charts, ${memory} MB`
    }
  }

export const exploredMeasures: Readonly<Record<string, Measure>> = {
  "a state of 6 Pods and a failure explored": { take: exploring(1) },
  "a state of 6 Pods and 3 failures explored": { take: exploring(3) }
}
