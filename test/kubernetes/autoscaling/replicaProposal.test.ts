import { describe, expect, it } from "vitest"
import { cpuAt, observedAutoscaler } from "../../machines/autoscalerObservations.ts"
import { metricProposals } from "../../../src/kubernetes/autoscaling/metricProposals.ts"
import { requestsOfPods } from "../../../src/kubernetes/autoscaling/measuredPods.ts"
import type { AutoscalerSituation } from "../../machines/autoscalerObservations.ts"
import type { Pod } from "../../../src/kubernetes/meta/objects.ts"
import type { MetricProposal } from "../../../src/kubernetes/autoscaling/metricProposals.ts"

const proposalsOf = (situation: AutoscalerSituation): ReadonlyArray<MetricProposal> => {
  const seen = observedAutoscaler(situation)
  if ("problem" in seen.target) throw new Error(seen.target.problem)
  return metricProposals(seen, seen.target)
}

const answerOf = (situation: AutoscalerSituation): number | string => {
  const [proposal] = proposalsOf(situation)
  if (proposal === undefined) throw new Error("no metric")
  return "failure" in proposal ? proposal.failure.message : proposal.replicas
}

const of = (...cpu: ReadonlyArray<number>) => cpu.map((it) => ({ cpu: it }))

describe("the size that CPU asks for, of Pods that request 100m with a target of 60 %", () => {
  const rows: ReadonlyArray<{ readonly why: string; readonly is: number | string } & AutoscalerSituation> = [
    { why: "at its target", pods: of(60, 60), is: 2 },
    { why: "within a tenth above it", pods: of(66, 66), is: 2 },
    { why: "within a tenth below it", pods: of(54, 54), is: 2 },
    { why: "just beyond the tenth", pods: of(67, 67), is: 3 },
    { why: "twice as much", pods: of(120, 120), is: 4 },
    { why: "a third", pods: of(20, 20, 20), is: 1 },
    { why: "only the average counts", pods: of(10, 110), is: 2 },
    {
      why: "a tolerance of its own, up",
      spec: { behavior: { scaleUp: { tolerance: "50m" } } },
      pods: of(64, 64),
      is: 3
    },
    {
      why: "a tolerance of its own, down, leaves up as it is",
      spec: { behavior: { scaleDown: { tolerance: "0" } } },
      pods: of(64, 64),
      is: 2
    },
    {
      why: "a Pod without a value counts as 0 on the way up",
      pods: [...of(90, 90, 90), {}],
      is: 5
    },
    {
      why: "enough of them turn the direction round, and nothing happens",
      pods: [...of(90, 90), {}, {}, {}],
      is: 5
    },
    {
      why: "a Pod without a value counts as its request on the way down",
      pods: [...of(20, 20, 20), {}],
      is: 3
    },
    { why: "and does not count where the others are just at the target", pods: [...of(60, 60), {}], is: 3 },
    {
      why: "Pods that are not ready yet count as 0 on the way up",
      pods: [...of(120, 120), { cpu: 100, ready: false, started: 60 }],
      is: 4
    },
    {
      why: "and not at all on the way down",
      pods: [...of(20, 20), { cpu: 100, ready: false, started: 60 }],
      is: 1
    },
    {
      why: "a value from before it was ready does not count",
      pods: [...of(120, 120), { cpu: 500, started: 60, changed: 5 }],
      is: 4
    },
    {
      why: "after five minutes every value of a ready Pod counts",
      pods: [...of(120, 120), { cpu: 120, started: 400, changed: 5 }],
      is: 6
    },
    {
      why: "a Pod that was ready once counts, even if it is not now",
      pods: [...of(120, 120), { cpu: 120, ready: false, started: 400, changed: 5 }],
      is: 6
    },
    {
      why: "a Pod that has never been ready does not",
      pods: [...of(120, 120), { cpu: 120, ready: false, started: 400, changed: 399 }],
      is: 4
    },
    {
      why: "two of them turn the direction round, and nothing happens",
      pods: [...of(90, 90), { cpu: 1, ready: false, started: 60 }, { cpu: 1, ready: false, started: 60 }],
      is: 4
    },
    {
      why: "a Pod that was ready within its first 30 seconds counts as unready until it is",
      pods: [...of(120, 120), { cpu: 120, ready: false, started: 400, changed: 371 }],
      is: 4
    },
    {
      why: "from the 30th second on it counts",
      pods: [...of(120, 120), { cpu: 120, ready: false, started: 400, changed: 370 }],
      is: 6
    },
    {
      why: "a value whose window began when the Pod was ready counts",
      pods: [...of(120, 120), { cpu: 120, started: 60, changed: 15 }],
      is: 6
    },
    {
      why: "one whose window began a second before does not",
      pods: [...of(120, 120), { cpu: 120, started: 60, changed: 14 }],
      is: 4
    },
    {
      why: "a Pod is five minutes old: every value counts",
      pods: [...of(120, 120), { cpu: 120, started: 300, changed: 5 }],
      is: 6
    },
    {
      why: "a second before, its own time decides",
      pods: [...of(120, 120), { cpu: 120, started: 299, changed: 5 }],
      is: 4
    },
    {
      why: "more is asked for, yet fewer than there are: nothing happens",
      pods: [...of(150, 150, 150), {}],
      target: { replicas: 10 },
      is: 10
    },
    {
      why: "less is asked for, yet more than there are: nothing happens",
      pods: [...of(20, 20, 20), {}],
      target: { replicas: 2 },
      is: 2
    },
    {
      why: "with a target above the request, a Pod without a value counts as the target",
      spec: { metrics: [cpuAt(200)] },
      pods: [...of(50, 50), {}],
      is: 2
    },
    { why: "Pending Pods are not ready", pods: [...of(120, 120), { phase: "Pending" }], is: 4 },
    {
      why: "deleted and failed Pods do not count",
      pods: [...of(60, 60), { cpu: 500, deleting: true }, { cpu: 500, phase: "Failed" }],
      target: { replicas: 2 },
      is: 2
    },
    {
      why: "a container requests nothing",
      pods: [{ cpu: 20, request: null }],
      is: "failed to get cpu utilization: missing request for cpu in container web of Pod web-0"
    },
    {
      why: "no Pod has a value",
      pods: [{}],
      is: "failed to get cpu utilization: did not receive metrics for targeted pods (pods might be unready)"
    },
    {
      why: "there are no Pods",
      pods: [],
      target: { replicas: 1 },
      is: "failed to get cpu utilization: no pods returned by selector while calculating replica count"
    },
    {
      why: "the metrics server knows none of them",
      readings: [{ problem: "no metrics returned from resource metrics API" }],
      is: "failed to get cpu utilization: unable to get metrics for resource cpu: no metrics returned from resource metrics API"
    }
  ]
  it.each(rows)("is $is: $why", ({ why: _why, is, ...situation }) => {
    expect(answerOf(situation)).toBe(is)
  })

  it("is told with what was measured", () => {
    const pods = of(120, 121)
    expect(proposalsOf({ pods })).toEqual([
      {
        replicas: 4,
        name: "cpu resource utilization (percentage of request)",
        status: {
          type: "Resource",
          resource: { name: "cpu", current: { averageUtilization: 120, averageValue: "120m" } }
        }
      }
    ])
  })
})

describe("the size that other metrics ask for, of two Pods", () => {
  const external = (target: object, selector?: object) => ({
    type: "External",
    external: { metric: { name: "queue", ...(selector === undefined ? {} : { selector }) }, target }
  })
  const object = (target: object) => ({
    type: "Object",
    object: { metric: { name: "hits" }, describedObject: { kind: "Service", name: "web" }, target }
  })
  const pods = { type: "Pods", pods: { metric: { name: "jobs" }, target: { averageValue: "10" } } }
  const podReading = {
    values: { "web-0": { value: 30_000, atMillis: 0, windowMillis: 0 } }
  }
  const rows = [
    { why: "a queue of 300 for 100", metric: external({ value: "100" }), total: 300_000, is: 6 },
    { why: "a queue of 105 is near enough", metric: external({ value: "100" }), total: 105_000, is: 2 },
    { why: "30 for each Pod", metric: external({ averageValue: "30" }), total: 300_000, is: 10 },
    { why: "an object's 50 for 100", metric: object({ value: "100" }), total: 50_000, is: 1 },
    { why: "an object's 90 of 30 for each Pod", metric: object({ averageValue: "30" }), total: 90_000, is: 3 }
  ]
  it.each(rows)("is $is: $why", ({ metric, total, is }) => {
    expect(answerOf({ spec: { metrics: [metric as never] }, readings: [{ total }] })).toBe(is)
  })

  it("multiplies a total by the Pods that run and are ready", () => {
    const metric = external({ value: "100" })
    const situation = { spec: { metrics: [metric as never] }, readings: [{ total: 300_000 }] }
    const unready = { cpu: 1, ready: false }
    expect(answerOf({ ...situation, pods: [{ cpu: 1 }, unready, { ...unready, phase: "Pending" }] })).toBe(3)
    expect(answerOf({ ...situation, pods: [{ cpu: 1 }, { cpu: 1, phase: "Succeeded" }] })).toBe(3)
    expect(answerOf({ ...situation, pods: [], target: { replicas: 1 } })).toBe(
      "unable to calculate ready pods: no pods returned by selector while calculating replica count"
    )
  })

  it("leaves as many as there are while their shares are near enough, and tells the share", () => {
    const metric = external({ averageValue: "30" })
    const situation = { spec: { metrics: [metric as never] }, readings: [{ total: 62_000 }] }
    expect(proposalsOf(situation)).toMatchObject([
      { replicas: 2, status: { external: { current: { averageValue: "31" } } } }
    ])
    expect(answerOf({ ...situation, readings: [{ total: 70_000 }] })).toBe(3)
  })

  it("counts a Pod without a value of a Pods metric as 0 on the way up", () => {
    const situation = { spec: { metrics: [pods as never] }, readings: [podReading] }
    expect(answerOf(situation)).toBe(3)
    expect(proposalsOf(situation)[0]).toMatchObject({
      name: "pods metric jobs",
      status: { type: "Pods", pods: { metric: { name: "jobs" }, current: { averageValue: "30" } } }
    })
  })

  it("counts a Pod without a value of a Pods metric as 0 where the others are just at the target", () => {
    const values = { "web-0": { value: 10_000, atMillis: 0, windowMillis: 0 } }
    expect(answerOf({ spec: { metrics: [pods as never] }, readings: [{ values }] })).toBe(1)
  })

  const problems = [
    {
      metric: external({ value: "1" }, { matchLabels: { b: "2", a: "1" } }),
      message:
        "unable to get external metric shop/queue/&LabelSelector{MatchLabels:map[string]string{a: 1, b: 2,}," +
        "MatchExpressions:[]LabelSelectorRequirement{},}: nothing there"
    },
    {
      metric: object({ value: "1" }),
      message: "unable to get metric hits: Service on shop web/nothing there"
    },
    { metric: pods, message: "unable to get metric jobs: nothing there" }
  ]
  it.each(problems)("says in upstream's words: $message", ({ metric, message }) => {
    const readings = [{ problem: "nothing there" }]
    expect(answerOf({ spec: { metrics: [metric as never] }, readings })).toBe(message)
  })
})

describe("a container's own metric", () => {
  const metric = {
    type: "ContainerResource",
    containerResource: { name: "cpu", container: "web", target: { averageUtilization: 60 } }
  }
  it("compares with the container's request", () => {
    const [proposal] = proposalsOf({ spec: { metrics: [metric as never] }, pods: of(120, 120) })
    expect(proposal).toMatchObject({
      replicas: 4,
      name: "cpu container resource utilization (percentage of request)",
      status: { containerResource: { container: "web", current: { averageUtilization: 120 } } }
    })
  })
  it("fails for a container that the Pods do not have", () => {
    const other = { ...metric, containerResource: { ...metric.containerResource, container: "log" } }
    const [proposal] = proposalsOf({ spec: { metrics: [other as never] }, pods: of(120) })
    expect(proposal).toEqual({
      failure: {
        reason: "FailedGetContainerResourceMetric",
        message: "failed to get cpu utilization: container log not found in Pod web-0",
        summary:
          "failed to get log container metric value: failed to get cpu utilization: container log not found in Pod web-0"
      }
    })
  })
})

describe("a target in cores", () => {
  it("compares the average of the Pods, whatever they request", () => {
    const metric = { type: "Resource", resource: { name: "cpu", target: { averageValue: "50m" } } }
    const pods = [{ cpu: 100, request: null }, { cpu: 100 }]
    expect(proposalsOf({ spec: { metrics: [metric as never] }, pods })).toEqual([
      {
        replicas: 4,
        name: "cpu resource",
        status: { type: "Resource", resource: { name: "cpu", current: { averageValue: "100m" } } }
      }
    ])
  })
  it("is at its target at 60 %", () => {
    expect(answerOf({ spec: { metrics: [cpuAt(60)] } })).toBe(2)
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
