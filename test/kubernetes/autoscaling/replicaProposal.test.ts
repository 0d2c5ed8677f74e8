import { describe, expect, it } from "vitest"
import { cpuAt } from "../../machines/autoscalerObservations.ts"
import { answerOf, proposalsOf, podsAt } from "./metricAnswers.ts"
import type { AutoscalerSituation } from "../../machines/autoscalerObservations.ts"

const of = (...cpu: ReadonlyArray<number>) => cpu.map((it) => ({ cpu: it }))

/** Rules of upstream's replica_calculator_test.go. */
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
    { why: "a tenth below it is still within it", pods: podsAt(10, 54), is: 10 },
    { why: "and just beyond", pods: podsAt(10, 53), is: 9 },
    {
      why: "a tolerance of its own, up, holds at its bound",
      spec: { behavior: { scaleUp: { tolerance: "50m" } } },
      pods: of(63, 63),
      is: 2
    },
    {
      why: "where all Pods have a value only they count: there are more of them than replicas",
      pods: of(42, 42, 42),
      target: { replicas: 1 },
      is: 3
    },
    {
      why: "and one that is not ready changes nothing on the way down",
      pods: [...of(42, 42, 42), { cpu: 1, ready: false, started: 60 }],
      target: { replicas: 1 },
      is: 3
    },
    { why: "or there are fewer", pods: of(120, 120), target: { replicas: 10 }, is: 4 },
    {
      why: "a Pod without a value counts as nothing at all on the way up",
      pods: [...of(121, 121, 121), {}],
      is: 6
    },
    {
      why: "so does one that is not ready",
      pods: [...of(121, 121, 121), { cpu: 1, ready: false, started: 60 }],
      is: 6
    },
    {
      why: "one that is not ready brings the others to the target, and nothing happens",
      pods: [...of(90, 90), { cpu: 1, ready: false, started: 60 }],
      target: { replicas: 2 },
      is: 2
    },
    {
      why: "a Pod without a value counts as all of its request on the way down, and no more",
      pods: [...of(28, 28, 27), {}],
      is: 3
    },
    { why: "and no less", pods: [...of(28, 28, 28), {}], is: 4 },
    {
      why: "one that is not ready does not count beside it",
      pods: [...of(40, 40), {}, { cpu: 1, ready: false, started: 60 }],
      is: 4
    },
    {
      why: "neither counts where the others are just at the target",
      pods: [...of(60, 60), {}, { cpu: 1, ready: false, started: 60 }],
      is: 4
    },
    {
      why: "Pods without a value turn a scale-down round, and nothing happens",
      pods: [...of(50), {}, {}, {}],
      is: 4
    },
    {
      why: "a Pending Pod does not count on the way down",
      pods: [...of(20, 20), { phase: "Pending" }],
      is: 1
    },
    {
      why: "Pods request a thousandth of a core",
      pods: [{ cpu: 2, request: "1m" }],
      is: 4
    },
    {
      why: "Pods request zero",
      pods: [{ cpu: 20, request: "0" }],
      is: "failed to get cpu utilization: no metrics returned matched known pods"
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
    expect(proposalsOf({ spec: { metrics: [metric as never] }, pods })).toStrictEqual([
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
