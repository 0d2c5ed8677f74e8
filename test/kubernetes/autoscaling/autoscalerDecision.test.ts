import { describe, expect, it } from "vitest"
import { cpuAt, observedAutoscaler } from "../../machines/autoscalerObservations.ts"
import { decideScale } from "../../../src/kubernetes/autoscaling/autoscalerDecision.ts"
import { noScalingHistory, withScaleEvent } from "../../../src/kubernetes/autoscaling/scalingRates.ts"
import { podsAt } from "./metricAnswers.ts"
import type { AutoscalerSituation } from "../../machines/autoscalerObservations.ts"
import type { MetricSpec } from "../../../src/kubernetes/autoscaling/autoscalerTypes.ts"
import type { ScalingHistory } from "../../../src/kubernetes/autoscaling/scalingRates.ts"

interface Look {
  readonly count: number
  readonly cpu: number
  /** Seconds. */
  readonly now: number
}

/** One look after another, each scale accepted. Returns the sizes and why each is not what was asked. */
const looksOf = (spec: AutoscalerSituation["spec"], looks: ReadonlyArray<Look>): ReadonlyArray<string> => {
  let history: ScalingHistory = noScalingHistory
  return looks.map(({ count, cpu, now }) => {
    const situation = { pods: podsAt(count, cpu), now: 7200 + now }
    const seen = observedAutoscaler(spec === undefined ? situation : { ...situation, spec })
    const decided = decideScale(seen, history)
    const { current, desired, stabilized, limited } = decided.decision
    history =
      current === desired
        ? decided.history
        : withScaleEvent(
            { spec: seen.autoscaler.spec, history: decided.history, nowMillis: seen.nowMillis },
            { from: current, to: desired }
          )
    const why = [stabilized?.reason, limited?.reason].filter(
      (reason) => reason !== "ReadyForNewScale" && reason !== "DesiredWithinRange"
    )
    return [`${current}→${desired}`, ...why].join(" ")
  })
}

describe("without spec.behavior", () => {
  it("at most doubles, from four on", () => {
    expect(
      looksOf({ maxReplicas: 100 }, [
        { count: 1, cpu: 900, now: 0 },
        { count: 4, cpu: 900, now: 15 },
        { count: 8, cpu: 900, now: 30 }
      ])
    ).toEqual(["1→4 ScaleUpLimit", "4→8 ScaleUpLimit", "8→16 ScaleUpLimit"])
  })
  it("scales down once no recommendation of five minutes is higher", () => {
    expect(
      looksOf({}, [
        { count: 6, cpu: 60, now: 0 },
        { count: 6, cpu: 30, now: 15 },
        { count: 6, cpu: 10, now: 300 },
        { count: 6, cpu: 10, now: 301 },
        { count: 3, cpu: 20, now: 316 }
      ])
    ).toEqual(["6→6", "6→6 ScaleDownStabilized", "6→6 ScaleDownStabilized", "6→3 ScaleDownStabilized", "3→1"])
  })
  it("names maxReplicas where it is no higher than twice the size", () => {
    const look = [{ count: 2, cpu: 180, now: 0 }]
    expect(looksOf({ maxReplicas: 4 }, look)).toEqual(["2→4 TooManyReplicas"])
    expect(looksOf({ maxReplicas: 5 }, look)).toEqual(["2→4 ScaleUpLimit"])
  })
  it("goes no further than minReplicas", () => {
    const spec = { minReplicas: 2 }
    expect(
      looksOf(spec, [
        { count: 3, cpu: 60, now: 0 },
        { count: 3, cpu: 1, now: 400 }
      ])
    ).toEqual(["3→3", "3→2 TooFewReplicas"])
  })
})

describe("with spec.behavior", () => {
  const policies = (type: "Pods" | "Percent", value: number, periodSeconds: number) => [
    { type, value, periodSeconds }
  ]
  it("adds as many as a policy allows in its period", () => {
    const spec = {
      maxReplicas: 50,
      behavior: {
        scaleUp: { stabilizationWindowSeconds: 0, policies: policies("Pods", 3, 60) },
        scaleDown: {}
      }
    }
    expect(
      looksOf(spec, [
        { count: 2, cpu: 900, now: 0 },
        { count: 5, cpu: 900, now: 30 },
        { count: 5, cpu: 900, now: 60 }
      ])
    ).toEqual(["2→5 ScaleUpLimit", "5→5 ScaleUpLimit", "5→8 ScaleUpLimit"])
  })
  it("takes the larger of two policies, or the smaller with Min", () => {
    const two = [...policies("Pods", 1, 15), ...policies("Percent", 100, 15)]
    const look = [{ count: 4, cpu: 900, now: 0 }]
    const behavior = (selectPolicy: string) => ({
      maxReplicas: 50,
      behavior: { scaleUp: { selectPolicy, policies: two }, scaleDown: {} }
    })
    expect(looksOf(behavior("Max"), look)).toEqual(["4→8 ScaleUpLimit"])
    expect(looksOf(behavior("Min"), look)).toEqual(["4→5 ScaleUpLimit"])
    expect(looksOf(behavior("Disabled"), look)).toEqual(["4→4 ScaleUpLimit"])
  })
  it("removes as many as a policy allows, without a window at once", () => {
    const spec = {
      behavior: {
        scaleUp: {},
        scaleDown: { stabilizationWindowSeconds: 0, policies: policies("Percent", 50, 60) }
      }
    }
    expect(
      looksOf(spec, [
        { count: 9, cpu: 1, now: 0 },
        { count: 4, cpu: 1, now: 30 },
        { count: 4, cpu: 1, now: 60 }
      ])
    ).toEqual(["9→4 ScaleDownLimit", "4→4 ScaleDownLimit", "4→2 ScaleDownLimit"])
  })
  it("removes by the larger of two policies, or the smaller with Min, or nothing with Disabled", () => {
    const two = [...policies("Pods", 1, 60), ...policies("Percent", 50, 60)]
    const spec = (selectPolicy: string) => ({
      behavior: { scaleUp: {}, scaleDown: { stabilizationWindowSeconds: 0, selectPolicy, policies: two } }
    })
    const look = [{ count: 9, cpu: 1, now: 0 }]
    expect(looksOf(spec("Max"), look)).toEqual(["9→4 ScaleDownLimit"])
    expect(looksOf(spec("Min"), look)).toEqual(["9→8 ScaleDownLimit"])
    expect(looksOf(spec("Disabled"), look)).toEqual(["9→9 ScaleDownLimit"])
  })
  it("names minReplicas where it is no lower than what the policies allow", () => {
    const spec = (minReplicas: number) => ({
      minReplicas,
      behavior: {
        scaleUp: {},
        scaleDown: { stabilizationWindowSeconds: 0, policies: policies("Pods", 2, 60) }
      }
    })
    const look = [{ count: 9, cpu: 1, now: 0 }]
    expect(looksOf(spec(6), look)).toEqual(["9→7 ScaleDownLimit"])
    expect(looksOf(spec(7), look)).toEqual(["9→7 TooFewReplicas"])
    expect(looksOf(spec(7), [{ count: 9, cpu: 46, now: 0 }])).toEqual(["9→7"])
  })
  it("counts what it has added against what it removes in the same period", () => {
    const spec = {
      behavior: {
        scaleUp: { stabilizationWindowSeconds: 0, policies: policies("Pods", 9, 60) },
        scaleDown: { stabilizationWindowSeconds: 0, policies: policies("Pods", 1, 60) }
      }
    }
    expect(
      looksOf(spec, [
        { count: 3, cpu: 120, now: 0 },
        { count: 6, cpu: 1, now: 15 }
      ])
    ).toEqual(["3→6", "6→2 ScaleDownLimit"])
  })
  it("waits for a scale-up, too, with a window", () => {
    const spec = {
      behavior: {
        scaleUp: { stabilizationWindowSeconds: 60, policies: policies("Pods", 9, 15) },
        scaleDown: {}
      }
    }
    expect(
      looksOf(spec, [
        { count: 2, cpu: 60, now: 0 },
        { count: 2, cpu: 120, now: 30 },
        { count: 2, cpu: 120, now: 61 }
      ])
    ).toEqual(["2→2", "2→2 ScaleUpStabilized", "2→4"])
  })
  it("does not shrink by the window of a scale-up: lower recommendations in it only hold the size", () => {
    const spec = {
      behavior: {
        scaleUp: { stabilizationWindowSeconds: 300, policies: policies("Pods", 9, 15) },
        scaleDown: {}
      }
    }
    expect(
      looksOf(spec, [
        { count: 5, cpu: 20, now: 0 },
        { count: 5, cpu: 120, now: 30 }
      ])
    ).toEqual(["5→5 ScaleDownStabilized", "5→5 ScaleUpStabilized"])
  })
})

describe("outcomes that need no measuring", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly situation: AutoscalerSituation
    readonly is: readonly [string, number, string]
  }> = [
    {
      why: "above maxReplicas",
      situation: { target: { replicas: 20 } },
      is: ["aboveMax", 10, "Current number of replicas above Spec.MaxReplicas"]
    },
    {
      why: "below minReplicas",
      situation: { spec: { minReplicas: 5 } },
      is: ["belowMin", 5, "Current number of replicas below Spec.MinReplicas"]
    },
    { why: "zero replicas", situation: { target: { replicas: 0 } }, is: ["disabled", 0, ""] },
    {
      why: "no target: the size stays that of the last look",
      situation: {
        target: { problem: "gone" },
        status: { currentReplicas: 4, desiredReplicas: 6 }
      },
      is: ["noTarget", 4, ""]
    },
    {
      why: "no target from the beginning",
      situation: { target: { problem: "gone" } },
      is: ["noTarget", 0, ""]
    },
    {
      why: "no selector",
      situation: { target: { selector: "" }, pods: podsAt(2, 900) },
      is: ["unmeasured", 2, ""]
    },
    {
      why: "a scale without a path to a selector",
      situation: { target: { selector: undefined }, pods: podsAt(2, 900) },
      is: ["unmeasured", 2, ""]
    }
  ]
  it.each(rows)("$why", ({ situation, is }) => {
    const { decision } = decideScale(observedAutoscaler(situation), noScalingHistory)
    expect([decision.outcome, decision.desired, decision.reason]).toEqual(is)
    expect(decision.metrics).toEqual([])
  })
  it("no selector is an Event of its own, beside the one about all metrics", () => {
    const { decision } = decideScale(observedAutoscaler({ target: { selector: "" } }), noScalingHistory)
    expect(decision.events.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([
      "SelectorRequired: selector is required",
      "FailedComputeMetricsReplicas: selector is required"
    ])
  })
})

describe("outcomes that need it", () => {
  it("one replica where minReplicas is not set: that is the least", () => {
    const seen = observedAutoscaler({ pods: podsAt(1, 60) })
    const { minReplicas: _minReplicas, ...spec } = seen.autoscaler.spec
    const { decision } = decideScale({ ...seen, autoscaler: { ...seen.autoscaler, spec } }, noScalingHistory)
    expect([decision.outcome, decision.desired]).toEqual(["measured", 1])
  })
  it("as many replicas as maxReplicas allows", () => {
    const { decision } = decideScale(observedAutoscaler({ spec: { maxReplicas: 2 } }), noScalingHistory)
    expect([decision.outcome, decision.desired]).toEqual(["measured", 2])
  })
  it("zero replicas where minReplicas is 0: a total brings them back (KEP-2021)", () => {
    const queue = {
      type: "External",
      external: { metric: { name: "queue" }, target: { type: "Value", value: "100" } }
    }
    const seen = observedAutoscaler({
      spec: { minReplicas: 0, metrics: [queue] },
      target: { replicas: 0 },
      pods: [],
      readings: [{ total: 250_000 }]
    })
    const { decision } = decideScale(seen, noScalingHistory)
    expect([decision.outcome, decision.desired, decision.reason]).toEqual([
      "measured",
      3,
      "external metric queue(nil) above target"
    ])
  })
})

describe("the recommendation that an autoscaler begins with", () => {
  const recommended = (replicas: number): ScalingHistory => ({
    ...noScalingHistory,
    recommendations: [{ replicas, atMillis: observedAutoscaler({}).nowMillis - 1000 }]
  })
  it.each([
    { why: "is the present size", cpu: 1, history: noScalingHistory, is: [3, "All metrics below target"] },
    {
      why: "is none where there is one",
      cpu: 1,
      history: recommended(1),
      is: [1, "All metrics below target"]
    },
    { why: "gives no reason for a size of the past alone", cpu: 60, history: recommended(5), is: [5, ""] }
  ])("$why", ({ cpu, history, is }) => {
    const { decision } = decideScale(observedAutoscaler({ pods: podsAt(3, cpu) }), history)
    expect([decision.desired, decision.reason]).toEqual(is)
  })
})

describe("several metrics", () => {
  const two = { metrics: [cpuAt(60), cpuAt(30)] }
  it("the one that asks for most counts", () => {
    const seen = observedAutoscaler({ spec: two })
    const readings = [...seen.readings, ...seen.readings]
    const { decision } = decideScale({ ...seen, readings }, noScalingHistory)
    expect(decision.desired).toBe(4)
  })
  it("one that is missing keeps the other from scaling down, and not from scaling up", () => {
    const missing = { problem: "no metrics returned from resource metrics API" }
    const down = observedAutoscaler({ spec: two, pods: podsAt(3, 10) })
    const decided = decideScale({ ...down, readings: [...down.readings, missing] }, noScalingHistory)
    expect(decided.decision.outcome).toBe("unmeasured")
    expect(decided.decision.events.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([
      "FailedGetResourceMetric: failed to get cpu utilization: unable to get metrics for resource cpu: no metrics returned from resource metrics API",
      "FailedComputeMetricsReplicas: invalid metrics (1 invalid out of 2), first error is: failed to get cpu resource metric value: failed to get cpu utilization: unable to get metrics for resource cpu: no metrics returned from resource metrics API"
    ])
    const up = observedAutoscaler({ spec: two, pods: podsAt(3, 90) })
    expect(
      decideScale({ ...up, readings: [...up.readings, missing] }, noScalingHistory).decision.desired
    ).toBe(5)
  })
  it("one that is missing does not matter where the other asks for the present size", () => {
    const seen = observedAutoscaler({ spec: { metrics: [cpuAt(60), cpuAt(60)] } })
    const readings = [...seen.readings, { problem: "nothing there" }]
    expect(decideScale({ ...seen, readings }, noScalingHistory).decision.outcome).toBe("measured")
  })

  const queue = (name: string): MetricSpec => ({
    type: "External",
    external: { metric: { name }, target: { type: "Value", value: "100" } }
  })
  it.each([
    { why: "the first of those that ask for most", totals: [100_000, 300_000, 300_000], is: "b" },
    { why: "the first of those that ask for one", totals: [50_000, 50_000], is: "a" },
    { why: "the last of those that ask for none, as upstream", totals: [0, 0], is: "b" }
  ])("$why has the word", ({ totals, is }) => {
    const metrics = totals.map((_, index) => queue("abc".charAt(index)))
    const readings = totals.map((total) => ({ total }))
    const seen = observedAutoscaler({ spec: { metrics }, readings, pods: podsAt(1, 1) })
    expect(decideScale(seen, noScalingHistory).decision.proposed?.metric).toBe(`external metric ${is}(nil)`)
  })
})
