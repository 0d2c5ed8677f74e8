import { describe, expect, it } from "vitest"
import { resolveIntOrPercent } from "../../src/kubernetes/meta/amounts/intOrPercent.ts"
import { resolveFenceposts } from "../../src/kubernetes/apps/deploymentObservation.ts"
import { aDeployment } from "../builders.ts"
import type { DeploymentOptions } from "../builders.ts"

describe("a count or a share of one becomes a count", () => {
  it.each([
    { why: "a count is itself", value: 7, total: 3, up: 7, down: 7 },
    { why: "a share that comes out even needs no rounding", value: "50%", total: 10, up: 5, down: 5 },
    { why: "25% of 3 is 0.75", value: "25%", total: 3, up: 1, down: 0 },
    { why: "39% of 10 is 3.9", value: "39%", total: 10, up: 4, down: 3 },
    { why: "no floating point dust: 7% of 100 is exactly 7", value: "7%", total: 100, up: 7, down: 7 },
    { why: "29% of 700 is exactly 203", value: "29%", total: 700, up: 203, down: 203 },
    { why: "more than all is allowed", value: "130%", total: 7, up: 10, down: 9 },
    { why: "nothing of anything is nothing", value: "0%", total: 11, up: 0, down: 0 },
    { why: "anything of nothing is nothing", value: "90%", total: 0, up: 0, down: 0 },
    { why: "a text that is no percentage counts as 0", value: "oops", total: 10, up: 0, down: 0 },
    { why: "a bare number in a text is no percentage", value: "5", total: 10, up: 0, down: 0 }
  ])("$value of $total is $up rounded up, $down rounded down: $why", ({ value, total, up, down }) => {
    expect(resolveIntOrPercent({ value, total, round: "up" })).toBe(up)
    expect(resolveIntOrPercent({ value, total, round: "down" })).toBe(down)
  })
})

interface Fenceposts {
  readonly why: string
  readonly options: DeploymentOptions
  readonly surgeMax: number
  readonly unavailableMax: number
}

describe("surge rounds up and unavailability down (TestResolveFenceposts, TestMaxUnavailable)", () => {
  it.each<Fenceposts>([
    {
      why: "both percentages round towards more Pods",
      options: { replicas: 10, surge: "39%", unavailable: "39%" },
      surgeMax: 4,
      unavailableMax: 3
    },
    {
      why: "one replica by the defaults: create first, then delete",
      options: { replicas: 1 },
      surgeMax: 1,
      unavailableMax: 0
    },
    {
      why: "where both come to 0 one Pod may be missing",
      options: { replicas: 10, surge: 0, unavailable: 0 },
      surgeMax: 0,
      unavailableMax: 1
    },
    {
      why: "0% and a share that rounds to 0 are both 0 as well",
      options: { replicas: 3, surge: "0%", unavailable: "33%" },
      surgeMax: 0,
      unavailableMax: 1
    },
    {
      why: "neither said: one may be missing",
      options: { replicas: 10, surge: undefined, unavailable: undefined },
      surgeMax: 0,
      unavailableMax: 1
    },
    {
      why: "no surge said",
      options: { replicas: 10, surge: undefined, unavailable: "39%" },
      surgeMax: 0,
      unavailableMax: 3
    },
    {
      why: "no unavailability said",
      options: { replicas: 10, surge: "39%", unavailable: undefined },
      surgeMax: 4,
      unavailableMax: 0
    },
    {
      why: "less than all may be missing",
      options: { replicas: 10, surge: 1, unavailable: 5 },
      surgeMax: 1,
      unavailableMax: 5
    },
    {
      why: "all may be missing",
      options: { replicas: 10, surge: 1, unavailable: "100%" },
      surgeMax: 1,
      unavailableMax: 10
    },
    {
      why: "no more than all may be missing",
      options: { replicas: 5, surge: 1, unavailable: 10 },
      surgeMax: 1,
      unavailableMax: 5
    },
    {
      why: "of none, none may be missing, though a counted surge stays",
      options: { replicas: 0, surge: 3, unavailable: 10 },
      surgeMax: 3,
      unavailableMax: 0
    },
    {
      why: "of none, the rescue from a standstill is cut down as well",
      options: { replicas: 0, surge: "0%", unavailable: "0%" },
      surgeMax: 0,
      unavailableMax: 0
    },
    {
      why: "Recreate knows neither",
      options: { replicas: 10, strategy: "Recreate" },
      surgeMax: 0,
      unavailableMax: 0
    }
  ])("$options: $surgeMax beyond, $unavailableMax missing: $why", ({ options, surgeMax, unavailableMax }) => {
    expect(resolveFenceposts(aDeployment(options))).toEqual({ surgeMax, unavailableMax })
  })

  it("are neither for a strategy of any other name that is given no amounts", () => {
    const deployment = aDeployment({ replicas: 10 })
    const spec = { ...deployment.spec, strategy: { type: "BlueGreen" } }
    expect(resolveFenceposts({ ...deployment, spec })).toEqual({ surgeMax: 0, unavailableMax: 0 })
  })

  it.each([
    { replicas: 10, unavailable: 5, floor: 5 },
    { replicas: 10, unavailable: "60%", floor: 4 },
    { replicas: 5, unavailable: 10, floor: 0 },
    { replicas: 0, unavailable: 10, floor: 0 }
  ])("of $replicas with $unavailable missing, $floor must be available (TestMinAvailable)", (row) => {
    const deployment = aDeployment({ replicas: row.replicas, surge: 1, unavailable: row.unavailable })
    expect(row.replicas - resolveFenceposts(deployment).unavailableMax).toBe(row.floor)
  })
})
