import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { aManifest } from "../../cluster/worlds.ts"
import { defineStory, failureText, runStory, StoryFailed } from "../../../src/scenario/stories/stories.ts"
import { openStory } from "../../../src/scenario/stories/playing/openStory.ts"
import { playStory, recordStory } from "../../../src/scenario/stories/playing/playStory.ts"
import { readRecording } from "../../../src/recording/readRecording.ts"
import { readStory } from "../../../src/scenario/stories/reading/readStory.ts"
import { storyYaml } from "../../../src/scenario/stories/reading/storyYaml.ts"
import type { Story } from "../../../src/scenario/stories/story.ts"
import { outcomeWithExpectation } from "../../../src/scenario/stories/playing/expectedFailure.ts"
import type { StoryFailure, StoryRun } from "../../../src/scenario/stories/storyRun.ts"

const told = (story: Omit<Story, "name" | "start">): Story =>
  defineStory({ name: "told", start: [aManifest({ replicas: 3 })], ...story })

/** Two of three Pods are killed, which breaks an invariant at once; a step fails later, when all three are back. */
const killed = {
  steps: [
    { fault: "kill", pods: { deployment: "web", count: 2 } },
    { after: "1m", expect: "deployment/web available = 7" }
  ],
  invariants: ["deployment/web available >= 3"]
} as const satisfies Partial<Story>
const calm = { steps: [{ advance: "5s" }] } as const satisfies Partial<Story>
const restless = {
  steps: [{ waitFor: "available = 9", within: "30h" }],
  limit: { time: "10m" }
} as const satisfies Partial<Story>

/** Every failure as it is told, with a star before those that were expected. */
const failuresOf = (run: StoryRun): ReadonlyArray<string> =>
  run.failures.map((it, index) => {
    const lines = failureText(run, it, index + 1).split("\n")
    return `${it.isExpected === true ? "*" : ""}${lines.at(-1)?.trim() ?? ""}`
  })

const broken = "broken: deployment/web available is 2, not >= 3"
const step = "[2] +1m  step 2 (expect deployment/web available = 7): deployment/web available is 3, not = 7"
const limit = /^\*?\[1\] \+10m {2}not settled after 10m: step 1 still waits/

describe("a story that is to fail", () => {
  it.each<{
    readonly why: string
    readonly story: Omit<Story, "name" | "start">
    readonly words: string
    readonly outcome: StoryRun["outcome"]
    readonly failures: ReadonlyArray<string | RegExp>
  }>([
    {
      why: "passes when it does, and lists what failed beside it",
      story: killed,
      words: "available is 2",
      outcome: "passed",
      failures: [`*${broken}`, step]
    },
    {
      why: "passes also when something else failed first",
      story: killed,
      words: "step 2: deployment/web available is 3",
      outcome: "passed",
      failures: [broken, `*${step}`]
    },
    {
      why: "may name whoever did it",
      story: killed,
      words: "default/web: a fault told Pod",
      outcome: "passed",
      failures: [`*${broken}`, step]
    },
    {
      why: "may name the sums",
      story: killed,
      words: "desired 3, Pods",
      outcome: "passed",
      failures: [`*${broken}`, step]
    },
    {
      why: "fails when all goes well, at its end",
      story: calm,
      words: "available is 2",
      outcome: "failed",
      failures: [`[1] +5s  it was to fail with "available is 2", and did not`]
    },
    {
      why: "fails when it fails in other words, and says in which",
      story: killed,
      words: "available is 1",
      outcome: "failed",
      failures: [
        broken,
        step,
        `[3] +1m  it was to fail with "available is 1", and failed otherwise: deployment/web available is 2, not >= 3`
      ]
    },
    {
      why: "takes words as they are written",
      story: killed,
      words: "Available is 2",
      outcome: "failed",
      failures: [broken, step, /^\[3\] .* failed otherwise: /]
    },
    {
      why: "may be one that never settles",
      story: restless,
      words: "not settled after 10m",
      outcome: "passed",
      failures: [limit]
    },
    {
      why: "has not settled when its limit came before what it was to fail with",
      story: restless,
      words: "lost is",
      outcome: "unsettled",
      failures: [
        limit,
        /^\[2\] \+10m {2}it was to fail with "lost is", and failed otherwise: not settled after/
      ]
    }
  ])("$why", async ({ story, words, outcome, failures }) => {
    const run = await Effect.runPromise(playStory(told({ ...story, expectFailure: words })))
    expect(failuresOf(run)).toEqual(
      failures.map((text) => (typeof text === "string" ? text : (expect.stringMatching(text) as unknown)))
    )
    expect(run.outcome).toBe(outcome)
  })

  it("fails when a rule that every rollout keeps is broken beside what was to fail", () => {
    const wished: StoryFailure = { type: "step", step: 2, atMillis: 3000, message: "available is 2, not = 7" }
    const violation = {
      rule: "ceiling",
      atMillis: 1000,
      subject: "default/web",
      who: "Deployment controller",
      what: "scaled ReplicaSet web-1 from 7 to 9",
      sums: "desired 7, surge 1, Pods 9",
      broken: "9 <= 8"
    } as const
    const { outcome, failures } = outcomeWithExpectation(
      "available is 2",
      [wished, { type: "violation", violation }],
      5000
    )
    expect(outcome).toBe("failed")
    expect(failures.at(-1)).toMatchObject({
      type: "expectation",
      message: expect.stringMatching(
        /^it was to fail with "available is 2", and failed besides: 9 <= 8$/
      ) as string
    })
  })

  describe("among more broken rules than are told of", () => {
    const often = (kills: number) => ({
      steps: [
        ...Array.from({ length: kills }, () => [
          { fault: "kill", pods: { deployment: "web", count: 1 } } as const,
          { advance: "40s" }
        ]).flat(),
        { scale: "deployment/web", to: 5 },
        { advance: "40s" }
      ],
      invariants: ["deployment/web available >= 3", "deployment/web desired < 4"]
    })
    it.each([
      { why: "is found behind the others", kills: 24, words: "desired is 5", untold: 4 },
      { why: "is found in front of them", kills: 24, words: "available is 2", untold: 4 },
      { why: "stands last of those that are told", kills: 19, words: "desired is 5", untold: 0 },
      { why: "is one more where it is the first of its kind", kills: 20, words: "desired is 5", untold: 0 }
    ])("$why", async ({ kills, words, untold }) => {
      const run = await Effect.runPromise(playStory(told({ ...often(kills), expectFailure: words })))
      expect(run.outcome).toBe("passed")
      expect(run.untold).toBe(untold)
      expect(failuresOf(run).at(-1)).toMatch(/^\*?broken: deployment\/web desired is 5, not < 4$/)
      expect(run.failures.some((it) => it.isExpected === true)).toBe(true)
    })

    it("is told with how many are left out", async () => {
      const failed = await runStory(told(often(23))).catch((error: unknown) => error)
      expect((failed as StoryFailed).message).toMatch(/\[21\] [^]*desired is 5[^]*\nand 3 more$/)
    })
  })

  it("goes the same way as without it, to the byte", async () => {
    const [plain, expected] = await Promise.all(
      [told(killed), told({ ...killed, expectFailure: "available is 2" })].map((story) =>
        Effect.runPromise(playStory(story))
      )
    )
    expect(expected?.digest).toBe(plain?.digest)
  })

  it("resolves in a program when it does, and rejects when it does not", async () => {
    const run = await runStory(told({ ...killed, expectFailure: "available is 2" }))
    expect(run.failures).toHaveLength(2)
    await expect(runStory(told({ ...calm, expectFailure: "never" }))).rejects.toThrow(StoryFailed)
  })

  it("is not judged before it is over", async () => {
    const story = told({ ...calm, expectFailure: "never" })
    const opened = openStory(story, { untilMillis: 1000 })
    const run = await Effect.runPromise(Effect.scoped(Effect.map(opened, (it) => it.run)))
    expect(run.failures).toEqual([])
  })

  it.each([
    ["what was expected", told({ ...killed, expectFailure: "available is 2" }), "available is 2, not >= 3"],
    ["that nothing failed", told({ ...calm, expectFailure: "never" }), 'to fail with "never", and did not']
  ])("has a note in its recording of %s", async (_what, story, words) => {
    const { recorded } = await Effect.runPromise(recordStory(story, 1))
    const recording = readRecording(recorded.text)
    const notes = "entries" in recording ? recording.entries.filter(({ type }) => type === "note") : []
    expect(notes).toContainEqual(
      expect.objectContaining({ level: "failure", text: expect.stringContaining(words) as unknown })
    )
  })

  it("is the same story when it is written as YAML and read again", async () => {
    const story = told({ ...killed, expectFailure: 'a "b": c' })
    const again = await Effect.runPromise(readStory(storyYaml(story), "again.yaml"))
    expect(again.expectFailure).toBe(story.expectFailure)
  })
})
