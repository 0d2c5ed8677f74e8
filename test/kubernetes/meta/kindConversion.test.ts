import { describe, expect, it } from "vitest"
import { convertToServed, convertToStored } from "../../../src/kubernetes/meta/kindConversion.ts"
import { kindOfResource, servedKinds, type Kind } from "../../../src/kubernetes/meta/kinds.ts"
import type { Draft } from "../../../src/kubernetes/meta/objects.ts"

const servedKind = (apiVersion: string): Kind => {
  const kind = servedKinds.find((it) => `${it.group}/${it.version}` === apiVersion && it.viewOf !== undefined)
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
