import type * as Autoscaling from "kubernetes-types/autoscaling/v2.js"
import type * as Core from "kubernetes-types/core/v1.js"
import type * as Scheduling from "kubernetes-types/scheduling/v1.js"
import type { Draft } from "../objects.ts"
import { changeField, fill } from "./sharing.ts"

type Secret = Draft & Pick<Core.Secret, "type" | "data" | "stringData">

/** `stringData` is write-only: its values are merged into `data` and win there. */
export const defaultSecret = (secret: Secret): Secret => {
  const filled = fill(secret, { type: "Opaque" })
  const { stringData, ...rest } = filled
  if (stringData === undefined || stringData === null) return filled
  const texts = Object.entries(stringData).map(([key, text]) => [key, Buffer.from(text).toString("base64")])
  return { ...rest, data: { ...rest.data, ...Object.fromEntries(texts) } }
}

type Autoscaler = Draft & Pick<Autoscaling.HorizontalPodAutoscaler, "spec">

const cpuMetric: Autoscaling.MetricSpec = {
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } }
}

export const defaultAutoscaler = (autoscaler: Autoscaler): Autoscaler =>
  changeField(autoscaler, "spec", (spec) => {
    const filled = fill(spec, { minReplicas: 1 })
    return (filled.metrics ?? []).length === 0 ? { ...filled, metrics: [cpuMetric] } : filled
  })

type PriorityClass = Draft & Pick<Scheduling.PriorityClass, "preemptionPolicy">

export const defaultPriorityClass = (priority: PriorityClass): PriorityClass =>
  fill(priority, { preemptionPolicy: "PreemptLowerPriority" })
