import * as Effect from "effect/Effect"
import { afterEach, expect, it, vi } from "vitest"
import { deploymentManifest } from "../../../cluster/testCluster.ts"
import { playStory } from "../../../../src/scenario/stories/playing/playStory.ts"
import type * as DeploymentStatuses from "../../../../src/kubernetes/apps/deploymentStatus.ts"

const { rule } = vi.hoisted(() => ({ rule: { isBroken: false, reports: 0 } }))

// A controller that changes its status at every look never settles.
vi.mock("../../../../src/kubernetes/apps/deploymentStatus.ts", async (load) => {
  const statuses = await load<typeof DeploymentStatuses>()
  return {
    ...statuses,
    withStatusReports: (...args: Parameters<typeof statuses.withStatusReports>) => {
      const status = statuses.withStatusReports(...args)
      rule.reports += 1
      return rule.isBroken
        ? { ...status, conditions: [{ type: "Odd", status: "True", reason: `Look${rule.reports}` }] }
        : status
    }
  }
})

afterEach(() => {
  rule.isBroken = false
})

it("an endless instant ends the story as unsettled, with the writes in it", async () => {
  const run = await Effect.runPromise(
    playStory({
      name: "endless",
      start: [deploymentManifest({ replicas: 2 })],
      steps: [{ advance: "5s" }, { scale: "deployment/web", to: 3 }, { advance: "5s" }],
      invariants: [
        ({ sinceMillis }) => {
          rule.isBroken = sinceMillis >= 5_000
          return true
        }
      ]
    })
  )
  expect(run.outcome).toBe("unsettled")
  expect(run.failures).toEqual([
    {
      type: "unsettled",
      atMillis: 5_000,
      message: expect.stringMatching(
        /^not settled: 5s into the story time stood still; what moved: deployment\/web \d+ times, last 0s ago/
      )
    }
  ])
})
