import { describe, expect, it } from "vitest"
import { resolveIntOrPercent } from "../../../../src/kubernetes/meta/amounts/intOrPercent.ts"
import { resolveFenceposts } from "../../../../src/kubernetes/apps/deploymentObservation.ts"
import { aDeployment } from "../../../builders.ts"
import type { DeploymentOptions } from "../../../builders.ts"

describe("an IntOrString resolved against a total", () => {
  it.each([
    { why: "a number is itself", value: 7, total: 3, up: 7, down: 7 },
    { why: "an even percentage", value: "50%", total: 10, up: 5, down: 5 },
    { why: "25% of 3 is 0.75", value: "25%", total: 3, up: 1, down: 0 },
    { why: "39% of 10 is 3.9", value: "39%", total: 10, up: 4, down: 3 },
    {
      why: "7% of 100 is exactly 7, without a floating point error",
      value: "7%",
      total: 100,
      up: 7,
      down: 7
    },
    { why: "29% of 700 is exactly 203", value: "29%", total: 700, up: 203, down: 203 },
    { why: "above 100%", value: "130%", total: 7, up: 10, down: 9 },
    { why: "0%", value: "0%", total: 11, up: 0, down: 0 },
    { why: "a percentage of 0", value: "90%", total: 0, up: 0, down: 0 },
    { why: "a string that is no percentage counts as 0", value: "oops", total: 10, up: 0, down: 0 },
    { why: "a number in a string is no percentage", value: "5", total: 10, up: 0, down: 0 }
  ])("$value of $total is $up rounded up and $down rounded down: $why", ({ value, total, up, down }) => {
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

describe("maxSurge rounds up and maxUnavailable down (TestResolveFenceposts, TestMaxUnavailable)", () => {
  it.each<Fenceposts>([
    {
      why: "percentages of both",
      options: { replicas: 10, surge: "39%", unavailable: "39%" },
      surgeMax: 4,
      unavailableMax: 3
    },
    {
      why: "the defaults for one replica",
      options: { replicas: 1 },
      surgeMax: 1,
      unavailableMax: 0
    },
    {
      why: "one Pod may be unavailable when both are 0",
      options: { replicas: 10, surge: 0, unavailable: 0 },
      surgeMax: 0,
      unavailableMax: 1
    },
    {
      why: "one Pod may be unavailable when both round to 0",
      options: { replicas: 3, surge: "0%", unavailable: "33%" },
      surgeMax: 0,
      unavailableMax: 1
    },
    {
      why: "one Pod may be unavailable when both are missing",
      options: { replicas: 10, surge: undefined, unavailable: undefined },
      surgeMax: 0,
      unavailableMax: 1
    },
    {
      why: "no maxSurge",
      options: { replicas: 10, surge: undefined, unavailable: "39%" },
      surgeMax: 0,
      unavailableMax: 3
    },
    {
      why: "no maxUnavailable",
      options: { replicas: 10, surge: "39%", unavailable: undefined },
      surgeMax: 4,
      unavailableMax: 0
    },
    {
      why: "fewer than all",
      options: { replicas: 10, surge: 1, unavailable: 5 },
      surgeMax: 1,
      unavailableMax: 5
    },
    {
      why: "all",
      options: { replicas: 10, surge: 1, unavailable: "100%" },
      surgeMax: 1,
      unavailableMax: 10
    },
    {
      why: "more than all is limited to all",
      options: { replicas: 5, surge: 1, unavailable: 10 },
      surgeMax: 1,
      unavailableMax: 5
    },
    {
      why: "0 replicas limit maxUnavailable to 0, not an absolute maxSurge",
      options: { replicas: 0, surge: 3, unavailable: 10 },
      surgeMax: 3,
      unavailableMax: 0
    },
    {
      why: "0 replicas limit the 1 that replaces two zeros as well",
      options: { replicas: 0, surge: "0%", unavailable: "0%" },
      surgeMax: 0,
      unavailableMax: 0
    },
    {
      why: "Recreate has neither",
      options: { replicas: 10, strategy: "Recreate" },
      surgeMax: 0,
      unavailableMax: 0
    }
  ])(
    "$options: surge $surgeMax, unavailable $unavailableMax: $why",
    ({ options, surgeMax, unavailableMax }) => {
      expect(resolveFenceposts(aDeployment(options))).toEqual({ surgeMax, unavailableMax })
    }
  )

  it("are 0 for a strategy of another name without rollingUpdate", () => {
    const deployment = aDeployment({ replicas: 10 })
    const spec = { ...deployment.spec, strategy: { type: "BlueGreen" } }
    expect(resolveFenceposts({ ...deployment, spec })).toEqual({ surgeMax: 0, unavailableMax: 0 })
  })

  it.each([
    { replicas: 10, unavailable: 5, floor: 5 },
    { replicas: 10, unavailable: "60%", floor: 4 },
    { replicas: 5, unavailable: 10, floor: 0 },
    { replicas: 0, unavailable: 10, floor: 0 }
  ])("of $replicas with maxUnavailable $unavailable leave $floor available (TestMinAvailable)", (row) => {
    const deployment = aDeployment({ replicas: row.replicas, surge: 1, unavailable: row.unavailable })
    expect(row.replicas - resolveFenceposts(deployment).unavailableMax).toBe(row.floor)
  })
})
