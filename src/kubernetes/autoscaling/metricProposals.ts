import { formatQuantity, parseQuantity } from "../meta/amounts/quantity.ts"
import {
  proposeByAverage,
  proposeByTotalPerPod,
  proposeByTotal,
  proposeByUtilization
} from "./replicaProposal.ts"
import { goTextOfSelector } from "../meta/selectors/labelSelectors.ts"
import { thousandthsOf, requestsOfPods } from "./measuredPods.ts"
import type * as Autoscaling from "kubernetes-types/autoscaling/v2.js"
import type { AutoscalerObservation, MetricReading, ScaleTarget } from "./autoscalerObservation.ts"
import type { MetricSpec, MetricStatus, ScalingRules } from "./autoscalerTypes.ts"
import type { NoProposal, ReplicaProposal, Tolerances } from "./replicaProposal.ts"

export type MetricProposal =
  | {
      readonly replicas: number
      /** The name of the metric in Events and conditions. */
      readonly name: string
      readonly status: MetricStatus
    }
  | MetricFailure

export interface MetricFailure {
  readonly failure: {
    readonly reason: string
    readonly message: string
    /** The text in the Event about all metrics. */
    readonly summary: string
  }
}

/** `--horizontal-pod-autoscaler-tolerance`. */
const defaultTolerance = 0.1

/**
 * One proposal for each of `spec.metrics`. Source: pkg/controller/podautoscaler/horizontal.go
 * (computeReplicasForMetric).
 */
export const metricProposals = (
  seen: AutoscalerObservation,
  scale: ScaleTarget
): ReadonlyArray<MetricProposal> =>
  (seen.autoscaler.spec.metrics ?? []).map((metric, index) => {
    const reading = seen.readings[index] ?? { problem: "nothing was measured" }
    return proposalOf({ seen, scale, metric, reading })
  })

interface MetricInput {
  readonly seen: AutoscalerObservation
  readonly scale: ScaleTarget
  readonly metric: MetricSpec
  readonly reading: MetricReading
}

const proposalOf = (input: MetricInput): MetricProposal => {
  const { resource, containerResource, pods, object, external } = input.metric
  if (resource !== undefined) return byResource(input, resource)
  if (containerResource !== undefined) return byResource(input, containerResource)
  if (pods !== undefined) return byPods(input, pods)
  if (object !== undefined) return byObject(input, object)
  if (external !== undefined) return byExternal(input, external)
  const message = `unknown metric source type ${JSON.stringify(input.metric.type)}`
  return metricFailure("InvalidMetricSourceType", message, message)
}

type ResourceSource = Autoscaling.ResourceMetricSource | Autoscaling.ContainerResourceMetricSource

const byResource = (input: MetricInput, source: ResourceSource): MetricProposal => {
  const { seen, metric } = input
  const { name, target } = source
  const container = "container" in source ? source.container : undefined
  const isUtilization = target.averageValue === undefined
  const proposal = proposeFrom(input.reading, (reading) => {
    if (!("values" in reading)) return reading
    const podMetric = { ...podsAndScale(input), reading, isCpu: name === "cpu" }
    const { averageUtilization, averageValue } = target
    if (averageValue !== undefined) return proposeByAverage(podMetric, thousandthsOf(averageValue))
    const requested = requestsOfPods(seen.pods, name, container)
    return proposeByUtilization(podMetric, { requested, target: averageUtilization ?? 0 })
  })
  if ("problem" in proposal) {
    const isReadingMissing = "problem" in input.reading
    const problem = isReadingMissing
      ? `unable to get metrics for resource ${name}: ${proposal.problem}`
      : proposal.problem
    const message = `failed to get ${name} ${isUtilization ? "utilization" : "usage"}: ${problem}`
    const [reason, subject] =
      container === undefined
        ? ["FailedGetResourceMetric", `${name} resource`]
        : ["FailedGetContainerResourceMetric", `${container} container`]
    return metricFailure(reason, message, `failed to get ${subject} metric value: ${message}`)
  }
  const sourceText = container === undefined ? "resource" : "container resource"
  const current = {
    ...(proposal.utilization === undefined ? {} : { averageUtilization: proposal.utilization }),
    averageValue: quantityText(proposal.average)
  }
  return {
    replicas: proposal.replicas,
    name: isUtilization ? `${name} ${sourceText} utilization (percentage of request)` : `${name} resource`,
    status:
      container === undefined
        ? { type: metric.type, resource: { name, current } }
        : { type: metric.type, containerResource: { name, container, current } }
  }
}

const byPods = (input: MetricInput, { metric, target }: Autoscaling.PodsMetricSource): MetricProposal => {
  const proposal = proposeFrom(input.reading, (reading) =>
    "values" in reading
      ? proposeByAverage(
          { ...podsAndScale(input), reading, isCpu: false },
          thousandthsOf(target.averageValue)
        )
      : reading
  )
  if ("problem" in proposal) {
    const isReadingMissing = "problem" in input.reading
    const message = isReadingMissing
      ? `unable to get metric ${metric.name}: ${proposal.problem}`
      : proposal.problem
    return metricFailure("FailedGetPodsMetric", message, `failed to get pods metric value: ${message}`)
  }
  const current = { averageValue: quantityText(proposal.average) }
  return {
    replicas: proposal.replicas,
    name: `pods metric ${metric.name}`,
    status: { type: "Pods", pods: { metric: identifierOf(metric), current } }
  }
}

const byObject = (input: MetricInput, source: Autoscaling.ObjectMetricSource): MetricProposal => {
  const { describedObject, metric, target } = source
  const isTotalTarget = target.value !== undefined
  const proposal = proposeFrom(input.reading, (reading) => proposeOfTotal(input, reading, target))
  if ("problem" in proposal) {
    const { namespace = "" } = input.seen.autoscaler.metadata
    const { kind, name } = describedObject
    const message =
      "problem" in input.reading
        ? `unable to get metric ${metric.name}: ${kind} on ${namespace} ${name}/${proposal.problem}`
        : proposal.problem
    const summary = isTotalTarget ? message : `failed to get ${metric.name} object metric: ${message}`
    return metricFailure("FailedGetObjectMetric", message, `failed to get object metric value: ${summary}`)
  }
  const identifier = identifierOf(metric)
  const text = quantityText(proposal.average)
  const current = isTotalTarget ? { value: text } : { averageValue: text }
  return {
    replicas: proposal.replicas,
    // As in Kubernetes, a target per Pod is named like an external metric.
    name: isTotalTarget ? `${describedObject.kind} metric ${metric.name}` : externalName(metric),
    status: { type: "Object", object: { metric: identifier, current, describedObject } }
  }
}

const byExternal = (
  input: MetricInput,
  { metric, target }: Autoscaling.ExternalMetricSource
): MetricProposal => {
  const isTotalTarget = target.averageValue === undefined
  const proposal = proposeFrom(input.reading, (reading) => proposeOfTotal(input, reading, target))
  if ("problem" in proposal) {
    const { namespace = "" } = input.seen.autoscaler.metadata
    const message =
      "problem" in input.reading
        ? `unable to get external metric ${namespace}/${metric.name}/${goTextOfSelector(metric.selector)}: ${proposal.problem}`
        : proposal.problem
    const inner = isTotalTarget
      ? `failed to get external metric ${metric.name}: ${message}`
      : `failed to get ${metric.name} external metric: ${message}`
    const summary = `failed to get ${metric.name} external metric value: ${inner}`
    return metricFailure("FailedGetExternalMetric", message, summary)
  }
  const text = quantityText(proposal.average)
  return {
    replicas: proposal.replicas,
    name: externalName(metric),
    status: {
      type: "External",
      external: {
        metric: identifierOf(metric),
        current: isTotalTarget ? { value: text } : { averageValue: text }
      }
    }
  }
}

const proposeOfTotal = (
  input: MetricInput,
  reading: MetricReading,
  { value, averageValue }: Autoscaling.MetricTarget
): ReplicaProposal | NoProposal => {
  if (!("total" in reading))
    return { problem: "problem" in reading ? reading.problem : "no total was measured" }
  const { pods, scale, tolerances } = podsAndScale(input)
  const metric = { pods, scale, tolerances, total: reading.total }
  return averageValue === undefined
    ? proposeByTotal(metric, thousandthsOf(value))
    : proposeByTotalPerPod(metric, thousandthsOf(averageValue))
}

/** `propose` returns a reading of the wrong form unchanged. */
const proposeFrom = (
  reading: MetricReading,
  propose: (reading: MetricReading) => ReplicaProposal | MetricReading | NoProposal
): ReplicaProposal | NoProposal => {
  const proposal = "problem" in reading ? reading : propose(reading)
  if ("problem" in proposal || "replicas" in proposal) return proposal
  return { problem: "the metric was read in another form" }
}

const podsAndScale = ({ seen, scale }: MetricInput) => ({
  pods: seen.pods,
  currentReplicas: scale.replicas,
  scale,
  tolerances: tolerancesOf(seen),
  nowMillis: seen.nowMillis
})

/** Source: pkg/controller/podautoscaler/horizontal.go (tolerancesForHpa), KEP-4951. */
const tolerancesOf = ({ autoscaler: { spec } }: AutoscalerObservation): Tolerances => ({
  up: toleranceOf(spec.behavior?.scaleUp),
  down: toleranceOf(spec.behavior?.scaleDown)
})

const toleranceOf = (rules: ScalingRules | undefined): number => {
  const quantity = rules?.tolerance === undefined ? undefined : parseQuantity(rules.tolerance)
  return quantity === undefined ? defaultTolerance : Number(quantity.nanos) / 1e9
}

const metricFailure = (reason: string, message: string, summary: string): MetricFailure => ({
  failure: { reason, message, summary }
})

const quantityText = (thousandths: number): string =>
  formatQuantity({ nanos: BigInt(thousandths) * 1_000_000n, format: "decimal" })

const identifierOf = ({ name, selector }: Autoscaling.MetricIdentifier): Autoscaling.MetricIdentifier => ({
  name,
  ...(selector === undefined ? {} : { selector })
})

const externalName = ({ name, selector }: Autoscaling.MetricIdentifier): string =>
  `external metric ${name}(${goTextOfSelector(selector)})`
