import { describe, expect, it } from "vitest"
import { groupPods, requestsOfPods } from "../../../src/kubernetes/autoscaling/measuredPods.ts"
import { observedAutoscaler, type MeasuredPod } from "../../machines/autoscalerObservations.ts"
import type { Pod } from "../../../src/kubernetes/meta/objects.ts"

/** Rules of upstream's TestGroupPods. */
describe("a Pod of a metric", () => {
  const groupOf = (traits: MeasuredPod, { isCpu = true, without = "" } = {}): string => {
    const { pods, readings, nowMillis } = observedAutoscaler({ pods: [traits] })
    const [reading] = readings
    if (reading === undefined || !("values" in reading)) throw new Error("no values")
    const withoutField = pods.map((pod) => {
      const status = Object.entries(pod.status).filter(([field]) => field !== without)
      return { ...pod, status: Object.fromEntries(status) } as Pod
    })
    const groups = groupPods(withoutField, reading, { isCpu, nowMillis })
    expect(groups.readyCount).toBe(groups.counted.size)
    const { length: found } = [...groups.counted, ...groups.unready, ...groups.missing]
    if (found === 0) return "ignored"
    return groups.unready.length > 0 ? "unready" : groups.missing.length > 0 ? "missing" : "counted"
  }
  const rows: ReadonlyArray<{
    readonly why: string
    readonly pod: MeasuredPod
    readonly options?: { readonly isCpu?: boolean; readonly without?: string }
    readonly is: string
  }> = [
    { why: "runs and is ready", pod: { cpu: 1 }, is: "counted" },
    { why: "has no value", pod: {}, is: "missing" },
    { why: "has no value and is not ready", pod: { ready: false, started: 60 }, is: "missing" },
    { why: "is Pending, and has a value", pod: { cpu: 1, phase: "Pending" }, is: "unready" },
    { why: "is Pending without a value", pod: { phase: "Pending" }, is: "unready" },
    { why: "has failed", pod: { cpu: 1, phase: "Failed" }, is: "ignored" },
    { why: "is being deleted", pod: { cpu: 1, deleting: true }, is: "ignored" },
    { why: "is not ready in its first minutes", pod: { cpu: 1, ready: false, started: 60 }, is: "unready" },
    {
      why: "is not ready in its first minutes, for a metric that is not CPU",
      pod: { cpu: 1, ready: false, started: 60 },
      options: { isCpu: false },
      is: "counted"
    },
    { why: "has no conditions", pod: { cpu: 1 }, options: { without: "conditions" }, is: "unready" },
    { why: "has not started", pod: { cpu: 1 }, options: { without: "startTime" }, is: "unready" },
    {
      why: "has not started, for a metric that is not CPU",
      pod: { cpu: 1 },
      options: { isCpu: false, without: "startTime" },
      is: "counted"
    }
  ]
  it.each(rows)("is $is: it $why", ({ pod, options, is }) => {
    expect(groupOf(pod, options)).toBe(is)
  })
})

describe("what a Pod requests", () => {
  const request = (name: string, cpu?: string, more: object = {}) => ({
    name,
    image: "i",
    ...(cpu === undefined ? {} : { resources: { requests: { cpu } } }),
    ...more
  })
  const sidecar = request("proxy", "20m", { restartPolicy: "Always" })
  const rows: ReadonlyArray<{
    readonly why: string
    readonly spec: object
    readonly container?: string
    readonly is: number | string
  }> = [
    {
      why: "is the sum of its containers",
      spec: { containers: [request("a", "100m"), request("b", "50m")] },
      is: 150
    },
    {
      why: "has its sidecars in it, and no other init container",
      spec: { containers: [request("a", "100m")], initContainers: [request("setup", "900m"), sidecar] },
      is: 120
    },
    {
      why: "is what the Pod itself requests",
      spec: { resources: { requests: { cpu: "70m" } }, containers: [request("a")] },
      is: 70
    },
    {
      why: "is that of its containers where the Pod's own is empty",
      spec: { resources: { requests: {} }, containers: [request("a", "100m")] },
      is: 100
    },
    {
      why: "is missing where the Pod requests something else",
      spec: { resources: { requests: { memory: "1Gi" } }, containers: [request("a", "100m")] },
      is: "missing pod-level request for cpu in Pod web-0"
    },
    {
      why: "is missing where one container requests nothing",
      spec: { containers: [request("a", "100m"), request("b")] },
      is: "missing request for cpu in container b of Pod web-0"
    },
    {
      why: "of one container does not ask for the others",
      spec: { resources: { requests: { cpu: "1" } }, containers: [request("a"), request("b", "50m")] },
      container: "b",
      is: 50
    },
    {
      why: "of a sidecar",
      spec: { containers: [request("a")], initContainers: [sidecar] },
      container: "proxy",
      is: 20
    }
  ]
  it.each(rows)("$why: $is", ({ spec, container, is }) => {
    const pod = { metadata: { name: "web-0" }, spec, status: {} } as unknown as Pod
    const requested = requestsOfPods([pod], "cpu", container)
    expect("problem" in requested ? requested.problem : requested.requests.get("web-0")).toBe(is)
  })
})
