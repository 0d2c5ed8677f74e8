import { describe, expect, it } from "vitest"
import { fencepostBounds, resolveFenceposts } from "../../../src/kubernetes/apps/rolloutBounds.ts"
import { aDeployment } from "../../builders.ts"
import type { DeploymentOptions } from "../../builders.ts"

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

describe("the bounds of a rollout (ResolveFenceposts)", () => {
  it.each([
    {
      why: "are the replicas with the surge and less those that may be missing",
      deployment: aDeployment({ replicas: 10, surge: 3, unavailable: 2 }),
      bounds: { podsMax: 13, availableMin: 8 }
    },
    {
      why: "are none without amounts",
      deployment: aDeployment({ replicas: 10, strategy: "Recreate" }),
      bounds: { podsMax: undefined, availableMin: undefined }
    }
  ])("$why", ({ deployment, bounds }) => {
    expect(fencepostBounds(deployment)).toEqual(bounds)
  })
})
