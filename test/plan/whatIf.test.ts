import { describe, expect, it } from "vitest"
import { plan } from "../../src/plan/plan.ts"
import { deploymentManifest } from "../cluster/testCluster.ts"

const web = (version: string, spec: object = {}) => {
  const manifest = deploymentManifest({ name: "web", version, replicas: 2 })
  return { ...manifest, spec: { ...manifest.spec, ...spec } }
}

const startLimitOf = async (
  spec: object,
  {
    assume = "schedule=0s,pull=0s,start=10s..20s,ready=0s",
    slowStart
  }: {
    readonly assume?: string
    readonly slowStart?: number
  } = {}
) => {
  const { rollouts } = await plan({
    from: web("v1", spec),
    next: web("v2", spec),
    seeds: 1,
    assume,
    ...(slowStart === undefined ? {} : { slowStart })
  })
  return rollouts[0]?.startLimit
}

describe("the slowest starts of a rollout", () => {
  it.each([
    { deadline: 60, outcome: "late" },
    { deadline: 300, outcome: "complete" }
  ])(
    "are as long as a deadline of $deadline s, and five times as slow is $outcome",
    async ({ deadline, outcome }) => {
      const limit = await startLimitOf({ progressDeadlineSeconds: deadline })
      expect(limit?.asked).toEqual({ factor: 5, outcome })
      const { factor = 0, readyMillis = 0 } = limit?.safe ?? {}
      const { failing = 0 } = limit ?? {}
      const failingMillis = (readyMillis / factor) * failing
      const slack = 1.07
      expect(readyMillis).toBeGreaterThan((deadline * 1000) / slack)
      expect(readyMillis).toBeLessThan(deadline * 1000 * slack)
      expect(failingMillis).toBeGreaterThanOrEqual(deadline * 1000)
    }
  )

  const behaviour = {
    name: "quick-second",
    match: { name: "*" },
    schedule: "0s",
    pull: { delay: "0s" },
    start: "10s",
    ready: "0s",
    containers: { quick: { start: "0s" } }
  } as const
  it.each([
    { names: ["app"], least: 55, most: 60, why: "600 s of deadline for 10 s" },
    { names: ["app", "quick"], least: 55, most: 60, why: "a container that starts in no time does so still" },
    { names: ["app", "slow"], least: 27, most: 30, why: "the second container starts after the first" }
  ])("are $least to $most times as long for $names: $why", async ({ names, least, most }) => {
    const next = web("v1")
    const containers = names.map((name) => ({ name, image: `${name}:v1` }))
    const template = { metadata: { labels: { app: "web" } }, spec: { containers } }
    const { rollouts } = await plan({
      next: { ...next, spec: { ...next.spec, template } },
      seeds: 1,
      behaviour
    })
    const factor = rollouts[0]?.startLimit?.safe.factor
    expect(factor).toBeGreaterThan(least)
    expect(factor).toBeLessThan(most)
  })

  const without = [
    { why: "it is not asked for", spec: {}, options: { slowStart: 0 } },
    { why: "it misses its deadline as it is", spec: { progressDeadlineSeconds: 2 }, options: {} },
    { why: "it has no deadline", spec: { progressDeadlineSeconds: 2_147_483_647 }, options: {} },
    {
      why: "its Pods are ready at once",
      spec: {},
      options: { assume: "schedule=0s,pull=0s,start=0s,ready=0s" }
    }
  ]
  it.each(without)("are not told when $why", async ({ spec, options }) => {
    expect(await startLimitOf(spec, options)).toBeUndefined()
  })

  it.each([-1, 0.5, 1001, "5x"])("are refused for a factor of %j", async (slowStart) => {
    await expect(plan({ next: web("v1"), slowStart: slowStart as number })).rejects.toThrow(
      "slowStart must be 0, or a number from 1 to 1000"
    )
  })
})
