import { describe, expect, it } from "vitest"
import { cpuAt, observedAutoscaler } from "../../machines/autoscalerObservations.ts"
import { metricProposals } from "../../../src/kubernetes/autoscaling/metricProposals.ts"
import type { AutoscalerSituation } from "../../machines/autoscalerObservations.ts"
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
