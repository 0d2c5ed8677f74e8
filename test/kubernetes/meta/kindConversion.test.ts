import { describe, expect, it } from "vitest"
import { convertToServed, convertToStored } from "../../../src/kubernetes/meta/kindConversion.ts"
import { kindOfResource, servedKinds, type Kind } from "../../../src/kubernetes/meta/kinds.ts"
import type { Draft } from "../../../src/kubernetes/meta/objects.ts"

const servedKind = (apiVersion: string): Kind => {
  const kind = servedKinds.find(
    (it) => `${it.group}/${it.version}` === apiVersion && it.storedAs !== undefined
  )
  if (kind === undefined) throw new Error(`no view ${apiVersion}`)
  return kind
}
const [eventsV1, autoscalingV1] = [servedKind("events.k8s.io/v1"), servedKind("autoscaling/v1")]

describe("an Event of events.k8s.io/v1", () => {
  const stored = {
    apiVersion: "v1",
    kind: "Event",
    involvedObject: { kind: "Pod" },
    message: "a",
    count: 2,
    reason: "b"
  }
  const served = {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    eventTime: null,
    regarding: { kind: "Pod" },
    note: "a",
    deprecatedCount: 2,
    reason: "b"
  }

  it("is the stored one with other names", () => {
    expect(convertToServed(eventsV1, stored)).toEqual(served)
    expect(convertToStored(eventsV1, served as unknown as Draft)).toEqual({ ...stored, eventTime: null })
  })

  it("keeps the time of the stored one", () => {
    expect(convertToServed(eventsV1, { ...stored, eventTime: "t" })).toMatchObject({ eventTime: "t" })
  })

  it("is not converted twice", () => {
    expect(convertToServed(eventsV1, served)).toBe(served)
  })

  it("is no conversion of the stored kind", () => {
    const kind = kindOfResource("events")
    if (kind === undefined) throw new Error("no kind events")
    expect(convertToServed(kind, stored)).toBe(stored)
    expect(convertToStored(kind, stored as unknown as Draft)).toBe(stored)
  })
})

describe("an autoscaler of autoscaling/v1", () => {
  const metric = (type: string, name: string, target: object): object => ({
    type,
    resource: { name, target }
  })
  const utilization = { type: "Utilization", averageUtilization: 70 }
  const cpu = metric("Resource", "cpu", utilization)

  it.each([
    { why: "has the CPU utilization", metrics: [cpu], percentage: 70 },
    {
      why: "has it beside other metrics",
      metrics: [metric("Resource", "memory", utilization), cpu],
      percentage: 70
    },
    { why: "has no utilization of another resource", metrics: [metric("Resource", "memory", utilization)] },
    {
      why: "has no other target of the CPU",
      metrics: [metric("Resource", "cpu", { ...utilization, type: "Value" })]
    },
    { why: "has no metric of another type", metrics: [metric("Pods", "cpu", utilization)] },
    { why: "has no metric that is none", metrics: [null, 7] },
    { why: "has none without metrics", metrics: undefined }
  ])("$why", ({ metrics, percentage }) => {
    const stored = { apiVersion: "autoscaling/v2", spec: { maxReplicas: 3, metrics, behavior: {} } }
    expect(convertToServed(autoscalingV1, stored)).toStrictEqual({
      apiVersion: "autoscaling/v1",
      spec: {
        maxReplicas: 3,
        ...(percentage === undefined ? {} : { targetCPUUtilizationPercentage: percentage })
      },
      status: { currentReplicas: 0, desiredReplicas: 0 }
    })
  })

  const annotated = (name: string, value: unknown) => ({
    [`autoscaling.alpha.kubernetes.io/${name}`]: JSON.stringify(value)
  })
  const selector = { matchLabels: { queue: "mail" } }
  const object = { apiVersion: "v1", kind: "Service", name: "web" }
  const metrics = [
    metric("Resource", "memory", { type: "AverageValue", averageValue: "1Gi" }),
    {
      type: "ContainerResource",
      containerResource: {
        name: "cpu",
        container: "app",
        target: { type: "Utilization", averageUtilization: 5 }
      }
    },
    { type: "Pods", pods: { metric: { name: "rate" }, target: { type: "AverageValue", averageValue: "3" } } },
    {
      type: "Object",
      object: { describedObject: object, metric: { name: "hits" }, target: { type: "Value", value: "9" } }
    },
    {
      type: "External",
      external: { metric: { name: "mails", selector }, target: { type: "Value", value: "7" } }
    },
    cpu
  ]
  const behavior = { scaleDown: { stabilizationWindowSeconds: 60 } }
  const conditions = [{ type: "AbleToScale", status: "True" }]
  const current = { averageUtilization: 40, averageValue: "4m" }
  const full = {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web", annotations: { team: "shop" } },
    spec: { maxReplicas: 3, metrics, behavior },
    status: {
      currentReplicas: 2,
      desiredReplicas: 3,
      conditions,
      currentMetrics: [{ type: "Resource", resource: { name: "cpu", current } }]
    }
  }

  it("has in annotations what that version does not know", () => {
    expect(convertToServed(autoscalingV1, full)).toStrictEqual({
      ...full,
      apiVersion: "autoscaling/v1",
      metadata: {
        name: "web",
        annotations: {
          team: "shop",
          ...annotated("metrics", [
            { type: "Resource", resource: { name: "memory", targetAverageValue: "1Gi" } },
            {
              type: "ContainerResource",
              containerResource: { name: "cpu", container: "app", targetAverageUtilization: 5 }
            },
            { type: "Pods", pods: { metricName: "rate", targetAverageValue: "3" } },
            { type: "Object", object: { target: object, metricName: "hits", targetValue: "9" } },
            {
              type: "External",
              external: { metricName: "mails", metricSelector: selector, targetValue: "7" }
            }
          ]),
          ...annotated("behavior", behavior),
          ...annotated("current-metrics", [
            {
              type: "Resource",
              resource: { name: "cpu", currentAverageValue: "4m", currentAverageUtilization: 40 }
            }
          ]),
          ...annotated("conditions", conditions)
        }
      },
      spec: { maxReplicas: 3, targetCPUUtilizationPercentage: 70 },
      status: { currentReplicas: 2, desiredReplicas: 3, currentCPUUtilizationPercentage: 40 }
    })
  })

  it("loses nothing when it is read and written", () => {
    const served = convertToServed(autoscalingV1, full) as unknown as Draft
    expect(convertToStored(autoscalingV1, served)).toEqual(full)
  })

  it("drops annotations that cannot be read", () => {
    const draft = {
      apiVersion: "autoscaling/v1",
      metadata: { name: "web", annotations: { "autoscaling.alpha.kubernetes.io/metrics": "[{" } },
      spec: { maxReplicas: 3 }
    }
    expect(convertToStored(autoscalingV1, draft as unknown as Draft)).toStrictEqual({
      apiVersion: "autoscaling/v2",
      metadata: { name: "web" },
      spec: { maxReplicas: 3 }
    })
  })

  it.each([
    {
      why: "is stored with a metric",
      spec: { maxReplicas: 3, targetCPUUtilizationPercentage: 70 },
      more: { metrics: [cpu] }
    },
    { why: "is stored without one", spec: { maxReplicas: 3 }, more: {} }
  ])("$why", ({ spec, more }) => {
    const draft = {
      apiVersion: "autoscaling/v1",
      kind: "HorizontalPodAutoscaler",
      metadata: { name: "web" },
      spec
    }
    expect(convertToStored(autoscalingV1, draft)).toStrictEqual({
      ...draft,
      apiVersion: "autoscaling/v2",
      spec: { maxReplicas: 3, ...more }
    })
  })
})
