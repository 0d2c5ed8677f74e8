import { singleLineMeasure, timed } from "./measure.ts"
import { webManifest } from "./fixtures.ts"
import type { Checkout } from "./checkout.ts"
import type { Measurement } from "./measure.ts"

const manifestOfSix = (version: string) => {
  const draft = webManifest(6, version)
  return {
    ...draft,
    spec: { ...draft.spec, strategy: { rollingUpdate: { maxSurge: 2, maxUnavailable: 1 } } }
  }
}

const measureExploration =
  (failures: number) =>
  async (checkout: Checkout): Promise<Measurement> => {
    const { explore } = await checkout.planner()
    const {
      result: [rollout],
      millis,
      cpuMillis
    } = await timed(() => explore({ from: manifestOfSix("v1"), next: manifestOfSix("v2"), failures }))
    if (rollout?.isWhole !== true) throw new Error("not every state was seen")
    const { states, transitions, looks } = rollout
    const perSecond = Math.round((states / millis) * 1000)
    const memory = Math.round(process.memoryUsage().rss / 1e6)
    return {
      value: (millis * 1000) / states,
      unit: "us",
      bound: 20,
      cpuMillis,
      note: `${perSecond} states a second of ${states}, ${transitions} steps, ${looks} looks of charts, ${memory} MB`
    }
  }

export const exploredMeasures = [
  singleLineMeasure("a state of 6 Pods and a failure explored", measureExploration(1)),
  singleLineMeasure("a state of 6 Pods and 3 failures explored", measureExploration(3))
]
