import { describe, expect, it } from "vitest"
import {
  sizeWithinLimits,
  noScalingHistory,
  stabilizationMillis,
  stabilizedSize,
  withRecommendation,
  withScaleEvent,
  type ScalingHistory
} from "../../../src/kubernetes/autoscaling/scalingRates.ts"
import type { Autoscaler, ScalingRules } from "../../../src/kubernetes/autoscaling/autoscalerTypes.ts"

type Spec = Autoscaler["spec"]

const nowMillis = 10_000_000
const aSpec = (more: Partial<Spec> = {}): Spec => ({
  scaleTargetRef: { kind: "Deployment", name: "web" },
  maxReplicas: 1000,
  ...more
})
const withBehavior = (scaleUp?: ScalingRules, scaleDown?: ScalingRules): Spec =>
  aSpec({
    behavior: {
      ...(scaleUp === undefined ? {} : { scaleUp }),
      ...(scaleDown === undefined ? {} : { scaleDown })
    }
  })
const window = (stabilizationWindowSeconds: number): ScalingRules => ({ stabilizationWindowSeconds })
const policies = (...all: ReadonlyArray<readonly ["Pods" | "Percent", number, number]>): ScalingRules => ({
  policies: all.map(([type, value, periodSeconds]) => ({ type, value, periodSeconds }))
})

describe("the stabilization window (--horizontal-pod-autoscaler-downscale-stabilization is 300 seconds)", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly spec: Spec
    readonly up: number
    readonly down: number
  }> = [
    { why: "is one for both directions without spec.behavior", spec: aSpec(), up: 300, down: 300 },
    { why: "delays only what scales down by default", spec: withBehavior(), up: 0, down: 300 },
    { why: "delays what scales up by its own rules", spec: withBehavior(window(60)), up: 60, down: 300 },
    { why: "can be none", spec: withBehavior({}, window(0)), up: 0, down: 0 },
    { why: "can be longer", spec: withBehavior(window(3600), window(1800)), up: 3600, down: 1800 }
  ]
  it.each(rows)("$why: $up and $down seconds", ({ spec, up, down }) => {
    const seconds = (proposed: number) => stabilizationMillis({ spec, current: 5, proposed }) / 1000
    expect([seconds(6), seconds(4)]).toEqual([up, down])
    expect(seconds(5), "the size stays: upstream compares with the window for scaling up").toBe(up)
  })
})

interface Recommended {
  readonly replicas: number
  readonly agoMillis: number
}

const recommended = (...all: ReadonlyArray<Recommended>): ScalingHistory => ({
  ...noScalingHistory,
  recommendations: all.map(({ replicas, agoMillis }) => ({ replicas, atMillis: nowMillis - agoMillis }))
})

describe("a recommendation of the past", () => {
  interface Row {
    readonly why: string
    readonly spec: Spec
    readonly proposed: number
    readonly past: Recommended
    readonly is: readonly [number, string]
  }
  const rows: ReadonlyArray<Row> = [
    {
      why: "holds the size for five minutes",
      spec: aSpec(),
      proposed: 2,
      past: { replicas: 5, agoMillis: 300_000 },
      is: [5, "ScaleDownStabilized"]
    },
    {
      why: "does not count any more after them",
      spec: aSpec(),
      proposed: 2,
      past: { replicas: 5, agoMillis: 300_001 },
      is: [2, "ReadyForNewScale"]
    },
    {
      why: "counts with spec.behavior only within its window",
      spec: withBehavior({}, window(60)),
      proposed: 2,
      past: { replicas: 5, agoMillis: 59_999 },
      is: [5, "ScaleDownStabilized"]
    },
    {
      why: "is outside when it is as old as the window",
      spec: withBehavior({}, window(60)),
      proposed: 2,
      past: { replicas: 5, agoMillis: 60_000 },
      is: [2, "ReadyForNewScale"]
    },
    {
      why: "never delays a scale-up whose window is none, however recent it is",
      spec: withBehavior({}),
      proposed: 8,
      past: { replicas: 2, agoMillis: 1 },
      is: [8, "ReadyForNewScale"]
    },
    {
      why: "lets a scale-up go as far as the lowest one of its window",
      spec: withBehavior(window(60)),
      proposed: 8,
      past: { replicas: 6, agoMillis: 30_000 },
      is: [6, "ScaleUpStabilized"]
    },
    {
      why: "lets a scale-down go as far as the highest one of its window",
      spec: withBehavior({}, window(60)),
      proposed: 1,
      past: { replicas: 3, agoMillis: 30_000 },
      is: [3, "ScaleDownStabilized"]
    }
  ]
  it.each(rows)("$why: $is", ({ spec, proposed, past, is }) => {
    const request = { spec, history: recommended(past), current: 5, proposed, nowMillis }
    const { replicas, reason } = stabilizedSize(request)
    expect([replicas, reason]).toEqual(is)
  })
})

/** What `stabilizeRecommendationWithBehaviors` overwrites: recommendations that are before both cut-offs. */
describe("recommendations are remembered for the longer window", () => {
  const ages = [900_000, 300_001, 300_000, 60_001, 60_000, 1000, 999, 0]
  const rows: ReadonlyArray<{ readonly why: string; readonly spec: Spec; readonly since: number }> = [
    { why: "without spec.behavior", spec: aSpec(), since: 300_000 },
    { why: "with the default for scaling down", spec: withBehavior(window(60)), since: 300_000 },
    { why: "for scaling down", spec: withBehavior({}, window(60)), since: 60_000 },
    { why: "for scaling up", spec: withBehavior(window(60), window(1)), since: 60_000 },
    { why: "for neither", spec: withBehavior({}, window(0)), since: 0 }
  ]
  it.each(rows)("$why: $since ms", ({ spec, since }) => {
    const history = recommended(...ages.map((agoMillis) => ({ replicas: 4, agoMillis })))
    const next = withRecommendation({ spec, history, current: 5, proposed: 7, nowMillis })
    const kept = next.recommendations.slice(0, -1).map(({ atMillis }) => nowMillis - atMillis)
    expect(kept).toEqual(ages.filter((age) => age <= since))
    expect(next.recommendations.at(-1)).toEqual({ replicas: 7, atMillis: nowMillis })
  })
})

/** As in upstream's TestStoreScaleEvents: those that are before the longest period make room. */
describe("the changes of size that an autoscaler remembers", () => {
  const ages = [600_001, 600_000, 60_001, 60_000, 15_000, 500]
  const past = ages.map((age) => ({ count: 1, atMillis: nowMillis - age }))
  const history: ScalingHistory = { ...noScalingHistory, added: past, removed: past }
  const up = policies(["Pods", 4, 15], ["Pods", 9, 60])
  const down = policies(["Pods", 4, 600], ["Pods", 9, 60])
  const all = ages.map((age) => `1 ${age}`)
  const upTo = (oldest: number) => ages.filter((age) => age <= oldest).map((age) => `1 ${age}`)
  const rows: ReadonlyArray<{
    readonly why: string
    readonly spec: Spec
    readonly from: number
    readonly to: number
    readonly added: ReadonlyArray<string>
    readonly removed: ReadonlyArray<string>
  }> = [
    {
      why: "those upwards for the longest period of the policies upwards",
      spec: withBehavior(up, down),
      from: 2,
      to: 5,
      added: [...upTo(60_000), "3 0"],
      removed: all
    },
    {
      why: "those downwards for the longest period of the policies downwards",
      spec: withBehavior(up, down),
      from: 5,
      to: 1,
      added: all,
      removed: [...upTo(600_000), "4 0"]
    },
    {
      why: "only the last without a policy",
      spec: withBehavior({}, down),
      from: 2,
      to: 3,
      added: ["1 0"],
      removed: all
    },
    {
      why: "only the last without rules",
      spec: withBehavior(up),
      from: 3,
      to: 2,
      added: all,
      removed: ["1 0"]
    },
    { why: "none without spec.behavior", spec: aSpec(), from: 2, to: 5, added: all, removed: all }
  ]
  it.each(rows)("are $why", ({ spec, from, to, added, removed }) => {
    const next = withScaleEvent({ spec, history, nowMillis }, { from, to })
    const textOf = (events: ScalingHistory["added"]) =>
      events.map(({ count, atMillis }) => `${count} ${nowMillis - atMillis}`)
    expect([textOf(next.added), textOf(next.removed)]).toEqual([added, removed])
  })
})

/** Rules of upstream's TestConvertDesiredReplicasWithRules and TestScalingWithRules. */
describe("the size that the limits leave", () => {
  interface Row {
    readonly why: string
    readonly spec: Spec
    readonly history?: ScalingHistory
    readonly current: number
    readonly proposed: number
    readonly is: readonly [number, string]
  }
  const ago = (seconds: number, count: number) => ({ count, atMillis: nowMillis - seconds * 1000 })
  const rows: ReadonlyArray<Row> = [
    {
      why: "at least one where minReplicas is not set",
      spec: aSpec(),
      current: 3,
      proposed: 0,
      is: [1, "TooFewReplicas"]
    },
    {
      why: "at least one with spec.behavior, too",
      spec: withBehavior({}, policies(["Percent", 100, 15])),
      current: 3,
      proposed: 0,
      is: [1, "TooFewReplicas"]
    },
    {
      why: "none where minReplicas is 0",
      spec: { ...withBehavior({}, policies(["Percent", 100, 15])), minReplicas: 0 },
      current: 3,
      proposed: 0,
      is: [0, "DesiredWithinRange"]
    },
    {
      why: "the present one, whatever the policies say",
      spec: withBehavior({ selectPolicy: "Disabled" }, { selectPolicy: "Disabled" }),
      current: 3,
      proposed: 3,
      is: [3, "DesiredWithinRange"]
    },
    {
      why: "twice the size by 100 percent",
      spec: withBehavior(policies(["Percent", 100, 15])),
      current: 200,
      proposed: 900,
      is: [400, "ScaleUpLimit"]
    },
    {
      why: "a part of a Pod upwards is a Pod",
      spec: withBehavior(policies(["Percent", 10, 15])),
      current: 11,
      proposed: 900,
      is: [13, "ScaleUpLimit"]
    },
    {
      why: "half the size by 50 percent",
      spec: withBehavior({}, policies(["Percent", 50, 15])),
      current: 300,
      proposed: 1,
      is: [150, "ScaleDownLimit"]
    },
    {
      why: "a part of a Pod downwards is none that stays",
      spec: withBehavior({}, policies(["Percent", 50, 15])),
      current: 5,
      proposed: 1,
      is: [2, "ScaleDownLimit"]
    },
    {
      why: "counted from the size at the beginning of the period",
      spec: withBehavior(policies(["Pods", 4, 60])),
      history: { ...noScalingHistory, added: [ago(59, 1), ago(30, 2), ago(60, 100)] },
      current: 10,
      proposed: 90,
      is: [11, "ScaleUpLimit"]
    },
    {
      why: "with what was removed in the period added to it",
      spec: withBehavior({}, policies(["Pods", 4, 60])),
      history: { ...noScalingHistory, removed: [ago(59, 1), ago(30, 2), ago(60, 100)] },
      current: 10,
      proposed: 1,
      is: [9, "ScaleDownLimit"]
    },
    {
      why: "never smaller for a scale-up: a policy that was lowered takes nothing away",
      spec: withBehavior(policies(["Pods", 1, 60])),
      history: { ...noScalingHistory, added: [ago(30, 5)] },
      current: 10,
      proposed: 90,
      is: [10, "ScaleUpLimit"]
    },
    {
      why: "never larger for a scale-down",
      spec: withBehavior({}, policies(["Pods", 1, 60])),
      history: { ...noScalingHistory, removed: [ago(30, 5)] },
      current: 10,
      proposed: 1,
      is: [10, "ScaleDownLimit"]
    },
    {
      why: "counted for each policy from its own period",
      spec: withBehavior(policies(["Pods", 2, 15], ["Pods", 5, 60])),
      history: { ...noScalingHistory, added: [ago(30, 4)] },
      current: 10,
      proposed: 90,
      is: [12, "ScaleUpLimit"]
    }
  ]
  it.each(rows)("is $is: $why", ({ spec, history = noScalingHistory, current, proposed, is }) => {
    const { replicas, reason } = sizeWithinLimits({ spec, history, current, proposed, nowMillis })
    expect([replicas, reason]).toEqual(is)
  })
})
