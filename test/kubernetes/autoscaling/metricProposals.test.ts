import { describe, expect, it } from "vitest"
import { answerOf, proposalsOf } from "./metricAnswers.ts"
import type { AutoscalerSituation } from "../../machines/autoscalerObservations.ts"
import type { MetricReading } from "../../../src/kubernetes/autoscaling/autoscalerObservation.ts"

const selector = { matchLabels: { b: "2", c: "3", a: "1" } }
const selectorText =
  "&LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,c: 3,},MatchExpressions:[]LabelSelectorRequirement{},}"

const externalOf = (target: object, more: object = {}) => ({
  type: "External",
  external: { metric: { name: "queue", ...more }, target }
})
const describedObject = { kind: "Service", name: "web" }
const objectOf = (target: object, more: object = {}) => ({
  type: "Object",
  object: { metric: { name: "hits", ...more }, describedObject, target }
})
const podsOf = (averageValue: string, more: object = {}) => ({
  type: "Pods",
  pods: { metric: { name: "jobs", ...more }, target: { averageValue } }
})
const memory = { type: "Resource", resource: { name: "memory", target: { averageValue: "10" } } }

/** Readings of Pods, in thousandths; undefined: none. */
const valuesOf = (...values: ReadonlyArray<number | undefined>): MetricReading => ({
  values: Object.fromEntries(
    values.flatMap((value, index) =>
      value === undefined ? [] : [[`web-${index}`, { value, atMillis: 0, windowMillis: 0 }] as const]
    )
  )
})

describe("the size that other metrics ask for, of two Pods", () => {
  const rows = [
    { why: "a queue of 300 for 100", metric: externalOf({ value: "100" }), total: 300_000, is: 6 },
    { why: "a queue of 105 is near enough", metric: externalOf({ value: "100" }), total: 105_000, is: 2 },
    { why: "30 for each Pod", metric: externalOf({ averageValue: "30" }), total: 300_000, is: 10 },
    { why: "an object's 50 for 100", metric: objectOf({ value: "100" }), total: 50_000, is: 1 },
    {
      why: "an object's 90 of 30 for each Pod",
      metric: objectOf({ averageValue: "30" }),
      total: 90_000,
      is: 3
    }
  ]
  it.each(rows)("is $is: $why", ({ metric, total, is }) => {
    expect(answerOf({ spec: { metrics: [metric as never] }, readings: [{ total }] })).toBe(is)
  })

  it("multiplies a total by the Pods that run and are ready", () => {
    const metric = externalOf({ value: "100" })
    const situation = { spec: { metrics: [metric as never] }, readings: [{ total: 300_000 }] }
    const unready = { cpu: 1, ready: false }
    expect(answerOf({ ...situation, pods: [{ cpu: 1 }, unready, { ...unready, phase: "Pending" }] })).toBe(3)
    expect(answerOf({ ...situation, pods: [{ cpu: 1 }, { cpu: 1, phase: "Succeeded" }] })).toBe(3)
    expect(answerOf({ ...situation, pods: [], target: { replicas: 1 } })).toBe(
      "unable to calculate ready pods: no pods returned by selector while calculating replica count"
    )
  })

  it("leaves as many as there are while their shares are near enough, and tells the share", () => {
    const metric = externalOf({ averageValue: "30" })
    const situation = { spec: { metrics: [metric as never] }, readings: [{ total: 62_000 }] }
    expect(proposalsOf(situation)).toMatchObject([
      { replicas: 2, status: { external: { current: { averageValue: "31" } } } }
    ])
    expect(answerOf({ ...situation, readings: [{ total: 70_000 }] })).toBe(3)
  })

  const external = { value: "100" }
  it.each([
    { why: "a total brings back as many as its ratio", metric: externalOf(external), total: 250_000, is: 3 },
    { why: "a total within a tenth brings back two", metric: externalOf(external), total: 105_000, is: 2 },
    {
      why: "a total for each Pod brings back its shares",
      metric: externalOf({ averageValue: "100" }),
      total: 250_000,
      is: 3
    }
  ])("is $is with zero replicas (KEP-2021): $why", ({ metric, total, is }) => {
    const situation = { spec: { metrics: [metric as never] }, readings: [{ total }], pods: [] }
    expect(answerOf({ ...situation, target: { replicas: 0, statusReplicas: 0 } })).toBe(is)
  })

  it.each([
    { why: "a total", metric: externalOf({ value: "1m" }) },
    { why: "a total for each Pod", metric: externalOf({ averageValue: "1m" }) }
  ])("is at most what an int32 holds, by $why", ({ metric }) => {
    const situation = { spec: { metrics: [metric as never] }, readings: [{ total: 1e15 }] }
    expect(answerOf(situation)).toBe(2_147_483_647)
  })

  it("tells a single Pod's share", () => {
    const metrics = [externalOf({ averageValue: "30" }) as never]
    const situation = { spec: { metrics }, readings: [{ total: 62_000 }], pods: [{ cpu: 1 }] }
    expect(proposalsOf(situation)).toMatchObject([
      { status: { external: { current: { averageValue: "62" } } } }
    ])
  })
})

/** Rules of upstream's calcPlainMetricReplicas. */
describe("the size that an average of the Pods asks for, with a target of 10", () => {
  const unready = { ready: false, started: 60 }
  const rows: ReadonlyArray<{
    readonly why: string
    readonly metric?: object
    readonly values: ReadonlyArray<number | undefined>
    readonly pods?: AutoscalerSituation["pods"]
    readonly is: number
  }> = [
    { why: "a Pod without a value counts as 0 on the way up", values: [30_000, undefined], is: 3 },
    { why: "and not as a thousandth", values: [30_001, undefined], is: 3 },
    { why: "and as 0 where the others are just at the target", values: [10_000, undefined], is: 1 },
    { why: "as the target on the way down", values: [4000, 4000, undefined], is: 2 },
    {
      why: "a Pod that is not ready counts with its value",
      values: [20_000, 20_000, 20_000],
      pods: [{}, {}, unready],
      is: 6
    },
    {
      why: "for memory, too",
      metric: memory,
      values: [20_000, 20_000, 20_000],
      pods: [{}, {}, unready],
      is: 6
    },
    {
      why: "a Pending Pod counts as 0 on the way up",
      values: [15_000, 15_000, 15_000],
      pods: [{}, {}, { phase: "Pending" }],
      is: 3
    }
  ]
  it.each(rows)("is $is: $why", ({ metric = podsOf("10"), values, pods = values.map(() => ({})), is }) => {
    expect(answerOf({ spec: { metrics: [metric as never] }, pods, readings: [valuesOf(...values)] })).toBe(is)
  })
})

/** What computeReplicasForMetric and the functions that it calls report of each type. */
describe("the report of a metric", () => {
  const total: MetricReading = { total: 200_000 }
  const rows = [
    {
      metric: externalOf({ value: "100" }, { selector }),
      reading: total,
      name: `external metric queue(${selectorText})`,
      status: {
        type: "External",
        external: { metric: { name: "queue", selector }, current: { value: "200" } }
      },
      message: `unable to get external metric shop/queue/${selectorText}: nothing there`,
      summary:
        "failed to get queue external metric value: failed to get external metric queue: " +
        `unable to get external metric shop/queue/${selectorText}: nothing there`
    },
    {
      metric: externalOf({ averageValue: "100" }),
      reading: total,
      name: "external metric queue(nil)",
      status: { type: "External", external: { metric: { name: "queue" }, current: { averageValue: "100" } } },
      message: "unable to get external metric shop/queue/nil: nothing there",
      summary:
        "failed to get queue external metric value: failed to get queue external metric: " +
        "unable to get external metric shop/queue/nil: nothing there"
    },
    {
      metric: objectOf({ value: "100" }, { selector }),
      reading: total,
      name: "Service metric hits",
      status: {
        type: "Object",
        object: { metric: { name: "hits", selector }, current: { value: "200" }, describedObject }
      },
      message: "unable to get metric hits: Service on shop web/nothing there",
      summary:
        "failed to get object metric value: unable to get metric hits: Service on shop web/nothing there"
    },
    {
      metric: objectOf({ averageValue: "100" }),
      reading: total,
      name: "external metric hits(nil)",
      status: {
        type: "Object",
        object: { metric: { name: "hits" }, current: { averageValue: "100" }, describedObject }
      },
      message: "unable to get metric hits: Service on shop web/nothing there",
      summary:
        "failed to get object metric value: failed to get hits object metric: " +
        "unable to get metric hits: Service on shop web/nothing there"
    },
    {
      metric: podsOf("10", { selector }),
      reading: valuesOf(30_000, 30_000),
      name: "pods metric jobs",
      status: { type: "Pods", pods: { metric: { name: "jobs", selector }, current: { averageValue: "30" } } },
      message: "unable to get metric jobs: nothing there",
      summary: "failed to get pods metric value: unable to get metric jobs: nothing there"
    },
    {
      metric: memory,
      reading: valuesOf(30_000, 30_000),
      name: "memory resource",
      status: { type: "Resource", resource: { name: "memory", current: { averageValue: "30" } } },
      message: "failed to get memory usage: unable to get metrics for resource memory: nothing there",
      summary:
        "failed to get memory resource metric value: " +
        "failed to get memory usage: unable to get metrics for resource memory: nothing there"
    }
  ]
  it.each(rows)("$name", ({ metric, reading, name, status, message, summary }) => {
    const spec = { metrics: [metric as never] }
    const [measured] = proposalsOf({ spec, readings: [reading] })
    expect(measured).toMatchObject({ name })
    expect(measured !== undefined && "status" in measured && measured.status).toStrictEqual(status)
    const [failed] = proposalsOf({ spec, readings: [{ problem: "nothing there" }] })
    expect(failed).toMatchObject({ failure: { message, summary } })
  })

  it("of a type that there is not is a failure", () => {
    const message = 'unknown metric source type "Moon"'
    const metrics = [{ type: "Moon" } as never]
    expect(proposalsOf({ spec: { metrics }, readings: [total] })).toEqual([
      { failure: { reason: "InvalidMetricSourceType", message, summary: message } }
    ])
  })

  it.each([
    {
      why: "a total for a Pods metric",
      metric: podsOf("10"),
      reading: total,
      is: "the metric was read in another form"
    },
    {
      why: "a total for a resource",
      metric: memory,
      reading: total,
      is: "failed to get memory usage: the metric was read in another form"
    },
    {
      why: "values for a total",
      metric: externalOf({ value: "1" }),
      reading: valuesOf(1),
      is: "no total was measured"
    }
  ])("is a failure for a reading in another form: $why", ({ metric, reading, is }) => {
    expect(answerOf({ spec: { metrics: [metric as never] }, readings: [reading] })).toBe(is)
  })

  it("is a failure without a reading", () => {
    expect(answerOf({ spec: { metrics: [memory as never] }, readings: [] })).toBe(
      "failed to get memory usage: unable to get metrics for resource memory: nothing was measured"
    )
  })
})
