import { describe, expect, it } from "vitest"
import { decideScale, statusAfterLook } from "../../../src/kubernetes/autoscaling/autoscalerDecision.ts"
import { noScalingHistory } from "../../../src/kubernetes/autoscaling/scalingRates.ts"
import { observedAutoscaler } from "../../machines/autoscalerObservations.ts"
import { rescaledReport, rescaleRefusedReport } from "../../../src/kubernetes/autoscaling/rescaleReports.ts"
import { textAt } from "../../machines/workloadObservations.ts"
import { podsAt } from "./metricAnswers.ts"
import type { AutoscalerSituation } from "../../machines/autoscalerObservations.ts"
import type { AutoscalerStatus } from "../../../src/kubernetes/autoscaling/autoscalerTypes.ts"

const seen = observedAutoscaler({ pods: podsAt(2, 120) })

const conditionTexts = ({ conditions = [] }: AutoscalerStatus): ReadonlyArray<string> =>
  conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`)

const lookAt = (situation: AutoscalerSituation): AutoscalerStatus => {
  const observed = observedAutoscaler(situation)
  return statusAfterLook(observed, decideScale(observed, noScalingHistory).decision)
}

describe("the conditions after a look", () => {
  const gotScale = "AbleToScale=True SucceededGetScale"
  const rows: ReadonlyArray<{
    readonly why: string
    readonly situation: AutoscalerSituation
    readonly is: ReadonlyArray<string>
  }> = [
    {
      why: "the size is within the range",
      situation: { pods: podsAt(2, 120) },
      is: [
        "AbleToScale=True ReadyForNewScale",
        "ScalingActive=True ValidMetricFound",
        "ScalingLimited=False DesiredWithinRange"
      ]
    },
    {
      why: "maxReplicas is in the way",
      situation: { pods: podsAt(2, 120), spec: { maxReplicas: 3 } },
      is: [
        "AbleToScale=True ReadyForNewScale",
        "ScalingActive=True ValidMetricFound",
        "ScalingLimited=True TooManyReplicas"
      ]
    },
    {
      why: "a recommendation of the past holds the size, and no limit does",
      situation: { pods: podsAt(3, 10) },
      is: [
        "AbleToScale=True ScaleDownStabilized",
        "ScalingActive=True ValidMetricFound",
        "ScalingLimited=False DesiredWithinRange"
      ]
    },
    {
      why: "the scale cannot be read",
      situation: { target: { problem: "gone" } },
      is: ["AbleToScale=False FailedGetScale"]
    },
    {
      why: "the target has no replicas",
      situation: { target: { replicas: 0 } },
      is: [gotScale, "ScalingActive=False ScalingDisabled"]
    },
    { why: "the size is beyond its bounds", situation: { target: { replicas: 20 } }, is: [gotScale] },
    {
      why: "nothing could be measured",
      situation: { readings: [{ problem: "nothing there" }] },
      is: [gotScale, "ScalingActive=False FailedGetResourceMetric"]
    },
    {
      why: "the target has no selector",
      situation: { target: { selector: "" } },
      is: [gotScale, "ScalingActive=False InvalidSelector"]
    },
    {
      why: "two autoscalers want the same Pods",
      situation: { rivals: ["shop/other", "shop/web"] },
      is: [gotScale, "ScalingActive=False AmbiguousSelector"]
    }
  ]
  it.each(rows)("$why", ({ situation, is }) => {
    expect(conditionTexts(lookAt(situation))).toEqual(is)
  })
  it("name the autoscalers that want the same Pods", () => {
    const { conditions } = lookAt({ rivals: ["shop/other", "shop/web"] })
    expect(conditions?.at(-1)?.message).toBe(
      "pods by selector app=web are controlled by multiple HPAs: [shop/other shop/web]"
    )
  })
  it("tell that the new size was written, or refused", () => {
    const { decision } = decideScale(seen, noScalingHistory)
    const written = statusAfterLook(seen, decision, {
      conditionUpdates: [rescaledReport(decision).condition],
      scaled: true
    })
    const refused = statusAfterLook(seen, decision, {
      conditionUpdates: [rescaleRefusedReport(decision, "forbidden").condition]
    })
    expect(conditionTexts(written)[0]).toBe("AbleToScale=True SucceededRescale")
    expect(conditionTexts(refused)[0]).toBe("AbleToScale=False FailedUpdateScale")
  })
})

describe("the time of a condition", () => {
  const timesOf = ({ conditions = [] }: AutoscalerStatus) =>
    conditions.map(({ lastTransitionTime }) => lastTransitionTime)
  it("stays until its status changes", () => {
    const first = lookAt({ pods: podsAt(2, 120) })
    const limited = lookAt({ pods: podsAt(2, 60), spec: { maxReplicas: 2 }, status: first, now: 7300 })
    expect(timesOf(limited)).toEqual([textAt(7200), textAt(7200), textAt(7200)])
  })
  it("is that of the look that changes it", () => {
    const first = lookAt({ pods: podsAt(2, 120) })
    const limited = lookAt({ pods: podsAt(2, 120), spec: { maxReplicas: 3 }, status: first, now: 7300 })
    expect(timesOf(limited)).toEqual([textAt(7200), textAt(7200), textAt(7300)])
  })
  it("is missing where it was missing and the status stays", () => {
    const conditions = [{ type: "AbleToScale", status: "False" }]
    const status = { desiredReplicas: 0, conditions }
    expect(lookAt({ target: { problem: "gone" }, status }).conditions).toStrictEqual([
      {
        type: "AbleToScale",
        status: "False",
        reason: "FailedGetScale",
        message: "the HPA controller was unable to get the target's current scale: gone"
      }
    ])
  })
})

describe("the status after a look", () => {
  const measured = [
    {
      type: "Resource",
      resource: { name: "cpu", current: { averageUtilization: 120, averageValue: "120m" } }
    }
  ]
  const former: AutoscalerStatus = {
    currentReplicas: 4,
    desiredReplicas: 5,
    lastScaleTime: textAt(100),
    currentMetrics: measured
  }
  const statusOf = (situation: AutoscalerSituation, scaled = false) => {
    const observed = observedAutoscaler(situation)
    const { decision } = decideScale(observed, noScalingHistory)
    const options = scaled ? { scaled } : {}
    const { conditions: _conditions, ...status } = statusAfterLook(observed, decision, options)
    return status
  }
  it("tells what was measured and decided once the new size is written", () => {
    expect(statusOf({ pods: podsAt(2, 120) }, true)).toStrictEqual({
      currentReplicas: 2,
      desiredReplicas: 4,
      lastScaleTime: textAt(7200),
      currentMetrics: measured
    })
  })
  it("keeps the desired size and the time of the last scale until then", () => {
    expect(statusOf({ pods: podsAt(2, 120), status: former })).toStrictEqual({
      currentReplicas: 2,
      desiredReplicas: 5,
      lastScaleTime: textAt(100),
      currentMetrics: measured
    })
  })
  it("has the desired size where it is the present one, and no time without a scale", () => {
    const { currentMetrics: _metrics, ...status } = statusOf({ pods: podsAt(3, 60) })
    expect(status).toStrictEqual({ currentReplicas: 3, desiredReplicas: 3 })
  })
  it("keeps the desired size where nothing could be measured, and has no values", () => {
    const situation = { status: former, readings: [{ problem: "nothing there" }] }
    expect(statusOf(situation)).toStrictEqual({
      ...former,
      currentReplicas: 2,
      currentMetrics: [{ type: "" }]
    })
  })
  it("has no replicas and no values where the target has none", () => {
    expect(statusOf({ target: { replicas: 0 }, status: former })).toStrictEqual({
      desiredReplicas: 0,
      lastScaleTime: textAt(100)
    })
  })
  it("is the former one where the scale cannot be read", () => {
    expect(statusOf({ target: { problem: "gone" }, status: former })).toStrictEqual(former)
  })
  it("is the former one, too, where it had no size", () => {
    const status = { desiredReplicas: 5 }
    expect(statusOf({ target: { problem: "gone" }, status })).toStrictEqual(status)
  })
})
