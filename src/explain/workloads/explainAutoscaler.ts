import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import { countText } from "../../kubernetes/meta/text/countText.ts"
import { formatDuration } from "../../kubernetes/meta/amounts/durations.ts"
import { isOrAre } from "../objects/rolloutCounts.ts"
import { stabilizationMillis } from "../../kubernetes/autoscaling/scalingRates.ts"
import type { Autoscaler, MetricSpec, MetricStatus } from "../../kubernetes/autoscaling/autoscalerTypes.ts"
import type { StateExplanation } from "../objects/stateExplanation.ts"

export const explainAutoscaler = (autoscaler: Autoscaler): StateExplanation => {
  const { metadata, spec, status } = autoscaler
  const { minReplicas = 1, maxReplicas, scaleTargetRef } = spec
  const { currentReplicas = 0, desiredReplicas } = status
  const target = `${scaleTargetRef.kind} ${JSON.stringify(scaleTargetRef.name)}`
  const { state, isWell, sentences } = stateOf(autoscaler, target)
  const showsDesired = !["new", "unable", "unmeasured"].includes(state) && desiredReplicas !== currentReplicas
  return {
    state,
    isWell,
    sentences: [
      `HorizontalPodAutoscaler ${JSON.stringify(metadata.name)} keeps ${target} between ${minReplicas} and ` +
        `${countText(maxReplicas, "replica")}: ${currentReplicas} ${isOrAre(currentReplicas)} there` +
        `${showsDesired ? `, ${desiredReplicas} ${isOrAre(desiredReplicas)} desired` : ""}.`,
      ...sentences,
      ...(spec.metrics ?? []).flatMap((metric, index) =>
        metricSentences(metric, status.currentMetrics?.[index])
      )
    ],
    numbers: { current: currentReplicas, desired: desiredReplicas, min: minReplicas, max: maxReplicas }
  }
}

const stateOf = (autoscaler: Autoscaler, target: string): Omit<StateExplanation, "numbers"> => {
  const { spec, status } = autoscaler
  const able = conditionOf(status.conditions, "AbleToScale")
  const active = conditionOf(status.conditions, "ScalingActive")
  const limited = conditionOf(status.conditions, "ScalingLimited")
  if (able === undefined)
    return {
      state: "new",
      isWell: false,
      sentences: ["Its controller, which looks every 15 seconds, has not seen it yet, or does not run."]
    }
  if (able.status === "False")
    return { state: "unable", isWell: false, sentences: [sentenceOf(able.message)] }
  if (active?.status === "False") {
    const isDisabled = active.reason === "ScalingDisabled"
    return {
      state: isDisabled ? "disabled" : "unmeasured",
      isWell: false,
      sentences: [
        isDisabled
          ? `It does nothing while ${target} has 0 replicas.`
          : `The size stays as it is: ${active.message ?? ""}.`
      ]
    }
  }
  const isScaleDownHeld = able.reason === "ScaleDownStabilized"
  if (isScaleDownHeld || able.reason === "ScaleUpStabilized") {
    const { currentReplicas: current = 0 } = status
    // `proposed` only gives the direction, each of which has a stabilization window.
    const millis = stabilizationMillis({ spec, current, proposed: isScaleDownHeld ? current - 1 : current })
    const [direction, comparison] = isScaleDownHeld ? ["down", "higher"] : ["up", "lower"]
    return {
      state: "held",
      isWell: true,
      sentences: [
        `It does not scale ${direction} yet: a recommendation of the last ${formatDuration(millis)} was ${comparison} ` +
          `(stabilizationWindowSeconds).`
      ]
    }
  }
  if (limited?.status === "True") {
    const { reason = "" } = limited
    // With more Pods than its metrics ask for, the load is served.
    const isWell = reason === "TooFewReplicas" || reason === "ScaleDownLimit"
    return { state: "limited", isWell, sentences: [limitText(reason, spec)] }
  }
  return { state: able.reason === "SucceededRescale" ? "scaled" : "steady", isWell: true, sentences: [] }
}

const limitText = (reason: string, { minReplicas = 1, maxReplicas }: Autoscaler["spec"]): string => {
  switch (reason) {
    case "TooManyReplicas":
      return `Its metrics ask for more than maxReplicas, ${maxReplicas}.`
    case "TooFewReplicas":
      return `Its metrics ask for less than minReplicas, ${minReplicas}.`
    case "ScaleUpLimit":
      return "Its metrics ask for more than it may add at a time (spec.behavior.scaleUp)."
    default:
      return "Its metrics ask for less than it may remove at a time (spec.behavior.scaleDown)."
  }
}

const sentenceOf = (message: string | undefined): string => {
  const text = message ?? ""
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

const metricSentences = (metric: MetricSpec, status: MetricStatus | undefined): ReadonlyArray<string> => {
  const source =
    metric.resource ?? metric.containerResource ?? metric.pods ?? metric.object ?? metric.external
  if (source === undefined) return []
  const { target } = source
  const name = "name" in source ? source.name : source.metric.name
  const { current } =
    status?.resource ?? status?.containerResource ?? status?.pods ?? status?.object ?? status?.external ?? {}
  if (target.averageUtilization !== undefined) {
    const measured = current?.averageUtilization
    const text = measured === undefined ? "was not measured" : `is at ${measured}% of the requests`
    return [`${name} ${text}, the target is ${target.averageUtilization}%.`]
  }
  const [measured, targetText] =
    target.averageValue === undefined
      ? [current?.value, target.value]
      : [current?.averageValue, `${target.averageValue} for each Pod`]
  return [
    `${name} ${measured === undefined ? "was not measured" : `is ${measured}`}, the target is ${targetText}.`
  ]
}
