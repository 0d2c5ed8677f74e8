import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { serviceManifest } from "../../../builders.ts"
import { deploymentManifest } from "../../../cluster/testCluster.ts"
import { defineStory } from "../../../../src/scenario/stories/stories.ts"
import { playStory } from "../../../../src/scenario/stories/playing/playStory.ts"
import type { StoryFailure } from "../../../../src/scenario/stories/storyRun.ts"
import type { StoryCondition, StoryStep } from "../../../../src/scenario/stories/story.ts"

/** The Service `none` has no endpoints and loses 100 requests a second. */
const runWithServices = (steps: ReadonlyArray<StoryStep>, invariants: ReadonlyArray<StoryCondition> = []) =>
  Effect.runPromise(
    playStory(
      defineStory({
        name: "lost",
        start: [deploymentManifest({ replicas: 4 }), serviceManifest()],
        steps: [{ apply: [serviceManifest({ selector: { app: "none" } }, "none")] }, ...steps],
        invariants
      })
    )
  )

/** When an invariant was violated, and how many requests its Service had lost by then. */
const momentOf = (it: StoryFailure): unknown => {
  if (it.type !== "violation") return it
  const { atMillis, sums } = it.violation
  return [atMillis, /lost \d+$/.exec(sums)?.[0]]
}

const hang = { fault: "hang", pods: { deployment: "web", count: 1 }, for: "1h" } as const

describe("lost requests between changes", () => {
  const expected: ReadonlyArray<{
    readonly why: string
    readonly steps: ReadonlyArray<StoryStep>
    readonly failure?: string
  }> = [
    {
      why: "are counted up to the instant of an expect",
      steps: [{ advance: "5s" }, { expect: "service/none lost = 0" }],
      failure: "service/none lost is 500, not = 0"
    },
    {
      why: "are counted for a predicate",
      steps: [
        { advance: "4s" },
        { expect: ({ ledger }) => ledger.ofService("default/none")?.now().lost === 400 }
      ]
    },
    {
      why: "are counted when a Pod hangs without a probe",
      steps: [
        { fault: "hang", pods: { deployment: "web", count: 1 }, for: "10s" },
        { advance: "4s" },
        { expect: "service/web lost = 100" }
      ]
    }
  ]
  it.for(expected)("$why", async ({ steps, failure }) => {
    const { failures } = await runWithServices(steps)
    expect(failures.map((it) => ("message" in it ? it.message : it))).toEqual(
      failure === undefined ? [] : [failure]
    )
  })

  const waits: ReadonlyArray<{
    readonly why: string
    readonly waitFor: StoryCondition
    readonly millis: number
  }> = [
    { why: "a condition", waitFor: "service/none lost >= 200", millis: 1991 },
    { why: "a condition that holds for one millisecond", waitFor: "service/none lost = 200", millis: 1991 },
    {
      why: "the first moment at which all clauses hold",
      waitFor: "service/none lost >= 7 and service/none lost != 7 and service/none lost < 9",
      millis: 71
    },
    {
      why: "the first of several moments",
      waitFor: "service/none lost != 50 and service/none lost >= 7",
      millis: 61
    },
    {
      why: "a moment before another clause can no longer hold",
      waitFor: "service/web lost = 2 and service/none lost <= 8",
      millis: 41
    },
    { why: "any number but 0", waitFor: "service/none lost != 0", millis: 1 },
    { why: "as many as another measure", waitFor: "service/web ready = lost", millis: 121 },
    {
      why: "a condition with another true clause",
      waitFor: "service/none lost > 49 and available = 4",
      millis: 491
    },
    {
      why: "a predicate",
      waitFor: ({ ledger }) => (ledger.ofService("default/none")?.now().lost ?? 0) > 1000,
      millis: 10_001
    },
    {
      why: "the first request to a hanging Pod",
      waitFor: "service/web lost > 0",
      millis: 1
    }
  ]
  it.for(waits)("end a waitFor to the millisecond: $why", async ({ waitFor, millis }) => {
    const { steps } = await runWithServices([hang, { waitFor, within: "1m" }])
    expect(steps[2]).toMatchObject({ beganMillis: 0, endedMillis: millis })
  })

  const violated: ReadonlyArray<{
    readonly why: string
    readonly invariant: StoryCondition
    readonly steps?: ReadonlyArray<StoryStep>
    /** Time of each violation and the requests lost by then. */
    readonly violations: ReadonlyArray<readonly [atMillis: number, lost: string | undefined]>
  }> = [
    { why: "the first that is not less", invariant: "service/none lost < 10", violations: [[91, "lost 10"]] },
    { why: "one more than allowed", invariant: "service/none lost <= 10", violations: [[101, "lost 11"]] },
    { why: "the first request", invariant: "service/none lost = 0", violations: [[1, "lost 1"]] },
    {
      why: "a forbidden number, for one millisecond",
      invariant: "service/none lost != 200",
      violations: [[1991, "lost 200"]]
    },
    {
      why: "each of several forbidden numbers",
      invariant: "service/none lost != 200 and service/none lost != 7 and service/none lost != 3",
      violations: [
        [21, "lost 3"],
        [61, "lost 7"],
        [1991, "lost 200"]
      ]
    },
    {
      why: "the same number as another measure",
      invariant: "service/web ready != lost",
      violations: [[121, "lost 4"]]
    },
    {
      why: "a forbidden number once, and another clause later",
      invariant: "service/none lost != 200 and deployment/web desired = 4",
      steps: [hang, { advance: "5s" }, { scale: "deployment/web", to: 5 }],
      violations: [
        [1991, "lost 200"],
        [5000, undefined]
      ]
    },
    {
      why: "a lower bound, at the start",
      invariant: "service/web lost >= 5",
      violations: [[0, "lost 0"]]
    },
    {
      why: "an exclusive lower bound, at the start",
      invariant: "service/web lost > 5",
      violations: [[0, "lost 0"]]
    },
    {
      why: "an exact number, at the start only",
      invariant: "service/web lost = 5",
      violations: [[0, "lost 0"]]
    },
    {
      why: "another measure, when the Service is deleted",
      invariant: "service/web ready >= lost",
      steps: [{ advance: "5s" }, { delete: "service/web" }],
      violations: [[5000, "lost 0"]]
    },
    {
      why: "a pause, when the Deployment is paused",
      invariant: "deployment/web is not paused",
      steps: [{ advance: "5s" }, { pause: "deployment/web" }],
      violations: [[5000, undefined]]
    },
    {
      why: "a number that a predicate refuses",
      invariant: ({ ledger }) => (ledger.ofService("default/none")?.now().lost ?? 0) < 50,
      violations: [[491, undefined]]
    }
  ]
  it.for(violated)(
    "violate an invariant to the millisecond: $why",
    async ({ invariant, steps, violations }) => {
      const { failures } = await runWithServices([...(steps ?? [hang]), { advance: "10s" }], [invariant])
      expect(failures.map(momentOf)).toEqual(violations)
    }
  )

  it("violate several invariants each at its own moment, in order", async () => {
    const { failures } = await runWithServices(
      [{ advance: "1m" }],
      [
        "service/none lost <= 2000",
        ({ ledger }) => (ledger.ofService("default/none")?.now().lost ?? 0) < 50,
        "service/none lost <= 10",
        "service/web lost = 0"
      ]
    )
    expect(failures.map(momentOf)).toEqual([
      [101, "lost 11"],
      [491, undefined],
      [20_001, "lost 2001"]
    ])
  })
})
