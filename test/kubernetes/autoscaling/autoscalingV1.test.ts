import { describe, expect, it } from "vitest"
import { fromAutoscalingV1, toAutoscalingV1 } from "../../../src/kubernetes/autoscaling/autoscalingV1.ts"

/**
 * Rules of upstream's pkg/apis/autoscaling/v1/conversion.go. The annotations hold MetricSpec and MetricStatus of
 * autoscaling/v1. What both versions have is told in `kindConversion.test.ts`.
 */
const prefix = "autoscaling.alpha.kubernetes.io/"
const selector = { matchLabels: { queue: "mail" } }
const describedObject = { apiVersion: "v1", kind: "Service", name: "web" }

const resource = (name: string, fields: object): object => ({
  type: "Resource",
  resource: { name, ...fields }
})
const utilization = { type: "Utilization", averageUtilization: 70 }
const cpuMetric = resource("cpu", { target: utilization })

const stored = (metrics: ReadonlyArray<object>, status: object = {}) => ({
  metadata: { name: "web" },
  spec: { maxReplicas: 3, metrics },
  status
})

const annotationsOf = (object: object): object =>
  Object.fromEntries(
    Object.entries((object as { metadata: { annotations?: object } }).metadata.annotations ?? {}).map(
      ([name, text]) => [name.replace(prefix, ""), JSON.parse(text as string)]
    )
  )

describe("the annotations of autoscaling/v1", () => {
  const memory = resource("memory", { target: { type: "AverageValue", averageValue: "1Gi" } })
  const flatMemory = resource("memory", { targetAverageValue: "1Gi" })
  const rows: ReadonlyArray<{
    readonly why: string
    readonly object: object
    readonly is: object
  }> = [
    { why: "are none where the CPU utilization says all", object: stored([cpuMetric]), is: {} },
    { why: "are none for empty lists", object: stored([], { currentMetrics: [], conditions: [] }), is: {} },
    {
      why: "have the one metric that is not CPU utilization",
      object: stored([memory]),
      is: { metrics: [flatMemory] }
    },
    {
      why: "have a second CPU metric of another type",
      object: stored([resource("cpu", { target: { type: "AverageValue", averageValue: "1" } }), cpuMetric]),
      is: { metrics: [resource("cpu", { targetAverageValue: "1" })] }
    },
    {
      why: "name an object's share of a Pod averageValue, in targets and in readings",
      object: stored(
        [
          {
            type: "Object",
            object: {
              describedObject,
              metric: { name: "hits", selector },
              target: { type: "AverageValue", averageValue: "9" }
            }
          }
        ],
        {
          currentMetrics: [
            {
              type: "Object",
              object: { describedObject, metric: { name: "hits" }, current: { averageValue: "8" } }
            }
          ]
        }
      ),
      is: {
        metrics: [
          {
            type: "Object",
            object: { target: describedObject, metricName: "hits", selector, averageValue: "9" }
          }
        ],
        "current-metrics": [
          { type: "Object", object: { target: describedObject, metricName: "hits", averageValue: "8" } }
        ]
      }
    },
    {
      why: "name the selector of a Pods metric selector, and that of an external one metricSelector",
      object: stored([
        {
          type: "Pods",
          pods: { metric: { name: "rate", selector }, target: { type: "AverageValue", averageValue: "3" } }
        },
        {
          type: "External",
          external: {
            metric: { name: "mails", selector },
            target: { type: "AverageValue", averageValue: "7" }
          }
        }
      ]),
      is: {
        metrics: [
          { type: "Pods", pods: { metricName: "rate", selector, targetAverageValue: "3" } },
          {
            type: "External",
            external: { metricName: "mails", metricSelector: selector, targetAverageValue: "7" }
          }
        ]
      }
    }
  ]
  it.each(rows)("$why", ({ object, is }) => {
    expect(annotationsOf(toAutoscalingV1(object as never))).toStrictEqual(is)
  })

  it.each(rows.filter(({ is }) => Object.keys(is).length > 0))("are read back: it $why", ({ object }) => {
    expect(fromAutoscalingV1(toAutoscalingV1(object as never))).toMatchObject(object)
  })
})

describe("the CPU utilization in the status of autoscaling/v1", () => {
  const reading = (name: string, current: object): object => resource(name, { current })
  const current = { averageUtilization: 40, averageValue: "4m" }
  it.each([
    { why: "is that of the CPU", readings: [reading("cpu", current)], percentage: 40 },
    {
      why: "is none of another resource",
      readings: [reading("memory", current)],
      percentage: undefined
    },
    {
      why: "is found beside another resource's",
      readings: [reading("memory", { averageUtilization: 90 }), reading("cpu", current)],
      percentage: 40
    },
    {
      why: "is found beside a reading of the CPU without one",
      readings: [reading("cpu", { averageValue: "4m" }), reading("cpu", current)],
      percentage: 40
    },
    { why: "is missing without a reading", readings: [], percentage: undefined }
  ])("$why: $percentage", ({ readings, percentage }) => {
    expect(toAutoscalingV1(stored([], { currentMetrics: readings }))["status"]).toStrictEqual({
      currentReplicas: 0,
      desiredReplicas: 0,
      ...(percentage === undefined ? {} : { currentCPUUtilizationPercentage: percentage })
    })
  })
})

describe("the stored status of an autoscaler that is written as autoscaling/v1", () => {
  const annotation = (readings: ReadonlyArray<object>) => ({
    [`${prefix}current-metrics`]: JSON.stringify(readings)
  })
  const ofCpu = resource("cpu", { current: { averageUtilization: 40 } })
  it.each([
    {
      why: "has the reading of the CPU utilization",
      status: { currentCPUUtilizationPercentage: 40 },
      is: { currentMetrics: [ofCpu] }
    },
    {
      why: "has the readings of the annotation instead, where there are some",
      status: { currentCPUUtilizationPercentage: 40 },
      annotations: annotation([resource("memory", { currentAverageValue: "1Gi" })]),
      is: { currentMetrics: [resource("memory", { current: { averageValue: "1Gi" } })] }
    },
    { why: "has no readings without either", status: { currentReplicas: 2 }, is: { currentReplicas: 2 } }
  ])("$why", ({ status, annotations, is }) => {
    const metadata = { name: "web", ...(annotations === undefined ? {} : { annotations }) }
    const draft = { metadata, spec: { maxReplicas: 3 }, status }
    expect(fromAutoscalingV1(draft)).toStrictEqual({
      metadata: { name: "web" },
      spec: { maxReplicas: 3 },
      status: is
    })
  })
})
