import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { deploymentManifest } from "../../../cluster/testCluster.ts"
import { defineStory, failureText, runStory, StoryFailed } from "../../../../src/scenario/stories/stories.ts"
import { openStory } from "../../../../src/scenario/stories/playing/openStory.ts"
import { playStory, recordStory } from "../../../../src/scenario/stories/playing/playStory.ts"
import { readRecording } from "../../../../src/recording/readRecording.ts"
import { readStory } from "../../../../src/scenario/stories/reading/readStory.ts"
import { storyYaml } from "../../../../src/scenario/stories/reading/storyYaml.ts"
import type { Story } from "../../../../src/scenario/stories/story.ts"
import { outcomeWithExpectation } from "../../../../src/scenario/stories/playing/expectedFailure.ts"
import type { StoryFailure, StoryRun } from "../../../../src/scenario/stories/storyRun.ts"

const storyOfWeb = (story: Omit<Story, "name" | "start">): Story =>
  defineStory({ name: "told", start: [deploymentManifest({ replicas: 3 })], ...story })

/** Two of three Pods are killed, which violates an invariant; a later step fails as well. */
const killed = {
  steps: [
    { fault: "kill", pods: { deployment: "web", count: 2 } },
    { after: "1m", expect: "deployment/web available = 7" }
  ],
  invariants: ["deployment/web available >= 3"]
} as const satisfies Partial<Story>
const passing = { steps: [{ advance: "5s" }] } as const satisfies Partial<Story>
const unsettled = {
  steps: [{ waitFor: "available = 9", within: "30h" }],
  limit: { time: "10m" }
} as const satisfies Partial<Story>

/** The text of every failure, with a star before expected ones. */
const failuresOf = (run: StoryRun): ReadonlyArray<string> =>
  run.failures.map((it, index) => {
    const lines = failureText(run, it, index + 1).split("\n")
    return `${it.isExpected === true ? "*" : ""}${lines.at(-1)?.trim() ?? ""}`
  })

const broken = "broken: deployment/web available is 2, not >= 3"
const step = "[2] +1m  step 2 (expect deployment/web available = 7): deployment/web available is 3, not = 7"
const limit = /^\*?\[1\] \+10m {2}not settled after 10m: step 1 still waits/

describe("a story with expectFailure", () => {
  it.each<{
    readonly why: string
    readonly story: Omit<Story, "name" | "start">
    readonly words: string
    readonly outcome: StoryRun["outcome"]
    readonly failures: ReadonlyArray<string | RegExp>
  }>([
    {
      why: "passes when it fails so, and lists other failures",
      story: killed,
      words: "available is 2",
      outcome: "passed",
      failures: [`*${broken}`, step]
    },
    {
      why: "passes when another failure comes first",
      story: killed,
      words: "step 2: deployment/web available is 3",
      outcome: "passed",
      failures: [broken, `*${step}`]
    },
    {
      why: "may name the actor",
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
      why: "fails at its end when nothing fails",
      story: passing,
      words: "available is 2",
      outcome: "failed",
      failures: [`[1] +5s  it was to fail with "available is 2", and did not`]
    },
    {
      why: "fails when it fails with another message",
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
      why: "compares letters by case",
      story: killed,
      words: "Available is 2",
      outcome: "failed",
      failures: [broken, step, /^\[3\] .* failed otherwise: /]
    },
    {
      why: "may name an unsettled story",
      story: unsettled,
      words: "not settled after 10m",
      outcome: "passed",
      failures: [limit]
    },
    {
      why: "is unsettled when its limit comes before the expected failure",
      story: unsettled,
      words: "lost is",
      outcome: "unsettled",
      failures: [
        limit,
        /^\[2\] \+10m {2}it was to fail with "lost is", and failed otherwise: not settled after/
      ]
    }
  ])("$why", async ({ story, words, outcome, failures }) => {
    const run = await Effect.runPromise(playStory(storyOfWeb({ ...story, expectFailure: words })))
    expect(failuresOf(run)).toEqual(
      failures.map((text) => (typeof text === "string" ? text : (expect.stringMatching(text) as unknown)))
    )
    expect(run.outcome).toBe(outcome)
  })

  it("fails when a rule of Kubernetes is violated as well", () => {
    const expectedFailure: StoryFailure = {
      type: "step",
      step: 2,
      atMillis: 3000,
      message: "available is 2, not = 7"
    }
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
      [expectedFailure, { type: "violation", violation }],
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

  describe("with more violations than are kept", () => {
    const killsAndScale = (kills: number) => ({
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
      {
        why: "passes when the expected one comes after the kept ones",
        kills: 24,
        words: "desired is 5",
        untold: 4
      },
      { why: "passes when the expected one comes first", kills: 24, words: "available is 2", untold: 4 },
      { why: "passes when the expected one is the last kept", kills: 19, words: "desired is 5", untold: 0 },
      { why: "keeps one more when it is the first of its kind", kills: 20, words: "desired is 5", untold: 0 }
    ])("$why", async ({ kills, words, untold }) => {
      const run = await Effect.runPromise(
        playStory(storyOfWeb({ ...killsAndScale(kills), expectFailure: words }))
      )
      expect(run.outcome).toBe("passed")
      expect(run.untold).toBe(untold)
      expect(failuresOf(run).at(-1)).toMatch(/^\*?broken: deployment\/web desired is 5, not < 4$/)
      expect(run.failures.some((it) => it.isExpected === true)).toBe(true)
    })

    it("reports how many are left out", async () => {
      const failed = await runStory(storyOfWeb(killsAndScale(23))).catch((error: unknown) => error)
      expect((failed as StoryFailed).message).toMatch(/\[21\] [^]*desired is 5[^]*\nand 3 more$/)
    })
  })

  it("has the same digest as without it", async () => {
    const [plain, expected] = await Promise.all(
      [storyOfWeb(killed), storyOfWeb({ ...killed, expectFailure: "available is 2" })].map((story) =>
        Effect.runPromise(playStory(story))
      )
    )
    expect(expected?.digest).toBe(plain?.digest)
  })

  it("resolves runStory when it fails so, and rejects otherwise", async () => {
    const run = await runStory(storyOfWeb({ ...killed, expectFailure: "available is 2" }))
    expect(run.failures).toHaveLength(2)
    await expect(runStory(storyOfWeb({ ...passing, expectFailure: "never" }))).rejects.toThrow(StoryFailed)
  })

  it("is not checked before the end", async () => {
    const story = storyOfWeb({ ...passing, expectFailure: "never" })
    const opened = openStory(story, { untilMillis: 1000 })
    const run = await Effect.runPromise(Effect.scoped(Effect.map(opened, (it) => it.run)))
    expect(run.failures).toEqual([])
  })

  it.each([
    [
      "the expected failure",
      storyOfWeb({ ...killed, expectFailure: "available is 2" }),
      "available is 2, not >= 3"
    ],
    [
      "the missing failure",
      storyOfWeb({ ...passing, expectFailure: "never" }),
      'to fail with "never", and did not'
    ]
  ])("has a note in its recording about %s", async (_what, story, words) => {
    const { recorded } = await Effect.runPromise(recordStory(story, 1))
    const recording = readRecording(recorded.text)
    const notes = "entries" in recording ? recording.entries.filter(({ type }) => type === "note") : []
    expect(notes).toContainEqual(
      expect.objectContaining({ level: "failure", text: expect.stringContaining(words) as unknown })
    )
  })

  it("is kept through YAML", async () => {
    const story = storyOfWeb({ ...killed, expectFailure: 'a "b": c' })
    const again = await Effect.runPromise(readStory(storyYaml(story), "again.yaml"))
    expect(again.expectFailure).toBe(story.expectFailure)
  })
})
