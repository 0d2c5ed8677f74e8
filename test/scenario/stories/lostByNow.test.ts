import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { aManifest } from "../../cluster/worlds.ts"
import { defineStory } from "../../../src/scenario/stories/stories.ts"
import { playStory } from "../../../src/scenario/stories/playing/playStory.ts"
import type { StoryFailure } from "../../../src/scenario/stories/storyRun.ts"
import type { StoryCondition, StoryStep } from "../../../src/scenario/stories/story.ts"

const service = (name: string, app: string) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name, namespace: "default" },
  spec: { selector: { app }, ports: [{ port: 80 }] }
})

/** Nobody answers at `none`, and nothing happens in its cluster: 100 requests a second are lost. */
const played = (steps: ReadonlyArray<StoryStep>, invariants: ReadonlyArray<StoryCondition> = []) =>
  Effect.runPromise(
    playStory(
      defineStory({
        name: "lost",
        start: [aManifest({ replicas: 4 }), service("web", "web")],
        steps: [{ apply: [service("none", "none")] }, ...steps],
        invariants
      })
    )
  )

/** When an invariant was broken, and how many requests were lost by then, of one that is said of a Service. */
const momentOf = (it: StoryFailure): unknown => {
  if (it.type !== "violation") return it
  const { atMillis, sums } = it.violation
  return [atMillis, /lost \d+$/.exec(sums)?.[0]]
}

const hang = { fault: "hang", pods: { deployment: "web", count: 1 }, for: "1h" } as const

describe("requests that are lost while nothing happens", () => {
  const expected: ReadonlyArray<{
    readonly why: string
    readonly steps: ReadonlyArray<StoryStep>
    readonly failure?: string
  }> = [
    {
      why: "are counted up to the instant at which they are asked for",
      steps: [{ advance: "5s" }, { expect: "service/none lost = 0" }],
      failure: "service/none lost is 500, not = 0"
    },
    {
      why: "as they are by a predicate",
      steps: [
        { advance: "4s" },
        { expect: ({ ledger }) => ledger.ofService("default/none")?.now().lost === 400 }
      ]
    },
    {
      why: "as they are where a Pod hangs and no probe asks",
      steps: [
        { fault: "hang", pods: { deployment: "web", count: 1 }, for: "10s" },
        { advance: "4s" },
        { expect: "service/web lost = 100" }
      ]
    }
  ]
  it.for(expected)("$why", async ({ steps, failure }) => {
    const { failures } = await played(steps)
    expect(failures.map((it) => ("message" in it ? it.message : it))).toEqual(
      failure === undefined ? [] : [failure]
    )
  })

  const awaited: ReadonlyArray<{
    readonly why: string
    readonly waitFor: StoryCondition
    readonly millis: number
  }> = [
    { why: "a line", waitFor: "service/none lost >= 200", millis: 1991 },
    { why: "a line that holds for a moment alone", waitFor: "service/none lost = 200", millis: 1991 },
    {
      why: "the first moment at which all of a line holds",
      waitFor: "service/none lost >= 7 and service/none lost != 7 and service/none lost < 9",
      millis: 71
    },
    {
      why: "the first of several from which on it holds",
      waitFor: "service/none lost != 50 and service/none lost >= 7",
      millis: 61
    },
    {
      why: "a moment that comes before another clause can no longer hold",
      waitFor: "service/web lost = 2 and service/none lost <= 8",
      millis: 41
    },
    { why: "any other number than none", waitFor: "service/none lost != 0", millis: 1 },
    { why: "as many as something else", waitFor: "service/web ready = lost", millis: 121 },
    { why: "a line of which more is true", waitFor: "service/none lost > 49 and available = 4", millis: 491 },
    {
      why: "a predicate",
      waitFor: ({ ledger }) => (ledger.ofService("default/none")?.now().lost ?? 0) > 1000,
      millis: 10_001
    },
    {
      why: "the first that one does not answer that hangs",
      waitFor: "service/web lost > 0",
      millis: 1
    }
  ]
  it.for(awaited)("end what waits for them to the millisecond: $why", async ({ waitFor, millis }) => {
    const { steps } = await played([hang, { waitFor, within: "1m" }])
    expect(steps[2]).toMatchObject({ beganMillis: 0, endedMillis: millis })
  })

  const broken: ReadonlyArray<{
    readonly why: string
    readonly invariant: StoryCondition
    readonly steps?: ReadonlyArray<StoryStep>
    /** When it is told, and how many requests are lost by then. */
    readonly told: ReadonlyArray<readonly [atMillis: number, lost: string | undefined]>
  }> = [
    { why: "as many as must be more", invariant: "service/none lost < 10", told: [[91, "lost 10"]] },
    { why: "one more than the most", invariant: "service/none lost <= 10", told: [[101, "lost 11"]] },
    { why: "the first one", invariant: "service/none lost = 0", told: [[1, "lost 1"]] },
    {
      why: "as many as they must not be, which is over in a moment",
      invariant: "service/none lost != 200",
      told: [[1991, "lost 200"]]
    },
    {
      why: "each of several numbers that they must not be",
      invariant: "service/none lost != 200 and service/none lost != 7 and service/none lost != 3",
      told: [
        [21, "lost 3"],
        [61, "lost 7"],
        [1991, "lost 200"]
      ]
    },
    {
      why: "as many as there must not be of something else",
      invariant: "service/web ready != lost",
      told: [[121, "lost 4"]]
    },
    {
      why: "as many as they must not be, told of once where another clause breaks later",
      invariant: "service/none lost != 200 and deployment/web desired = 4",
      steps: [hang, { advance: "5s" }, { scale: "deployment/web", to: 5 }],
      told: [
        [1991, "lost 200"],
        [5000, undefined]
      ]
    },
    {
      why: "nothing that must not be fewer: that is broken in the beginning",
      invariant: "service/web lost >= 5",
      told: [[0, "lost 0"]]
    },
    {
      why: "nothing that must be more: that is broken in the beginning",
      invariant: "service/web lost > 5",
      told: [[0, "lost 0"]]
    },
    {
      why: "another number, which is broken in the beginning, and not told again after it held for a moment",
      invariant: "service/web lost = 5",
      told: [[0, "lost 0"]]
    },
    {
      why: "nothing before their Service is gone",
      invariant: "service/web ready >= lost",
      steps: [{ advance: "5s" }, { delete: "service/web" }],
      told: [[5000, "lost 0"]]
    },
    {
      why: "nothing before their Deployment is paused, long after clients have heard of a Service",
      invariant: "deployment/web is not paused",
      steps: [{ advance: "5s" }, { pause: "deployment/web" }],
      told: [[5000, undefined]]
    },
    {
      why: "as many as a predicate no longer allows",
      invariant: ({ ledger }) => (ledger.ofService("default/none")?.now().lost ?? 0) < 50,
      told: [[491, undefined]]
    }
  ]
  it.for(broken)("break at its very moment what must hold: $why", async ({ invariant, steps, told }) => {
    const { failures } = await played([...(steps ?? [hang]), { advance: "10s" }], [invariant])
    expect(failures.map(momentOf)).toEqual(told)
  })

  it("break what must hold at the moment of the one too many, in the order of these moments", async () => {
    const { failures } = await played(
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
