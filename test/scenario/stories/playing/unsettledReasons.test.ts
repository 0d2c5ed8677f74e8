import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { deploymentManifest } from "../../../cluster/testCluster.ts"
import { failureCauseText } from "../../../../src/scenario/shrinking/failureCause.ts"
import { failureTexts } from "../../../../src/reports/failureText.ts"
import { defineStory, failureText } from "../../../../src/scenario/stories/stories.ts"
import { playStory } from "../../../../src/scenario/stories/playing/playStory.ts"
import type { StoryStep, Story } from "../../../../src/scenario/stories/story.ts"

const storyOfWeb = (steps: Story["steps"]): Story =>
  defineStory({ name: "told", start: [deploymentManifest({ replicas: 2 })], steps })

const play = (story: Story) => Effect.runPromise(playStory(story))

const toV2: StoryStep = { setImage: "deployment/web", images: { "*": "web:2" } }
const isComplete: StoryStep = { waitFor: "deployment/web is complete", within: "3m" }

describe("a condition that does not hold is reported with the likely causes", () => {
  it.for<readonly [why: string, steps: Story["steps"], patterns: ReadonlyArray<RegExp>]>([
    [
      "an endless fault, retried Pods and what moved",
      [{ fault: "pullFails", image: "*:2" }, toV2, isComplete],
      [
        /^images \*:2 cannot be pulled without end$/,
        /^pod\/web-\S+ is in (ImagePullBackOff|ErrImagePull)$/,
        /^what moved: pod\/web-\S+ \d+ times, last /
      ]
    ],
    [
      "refused creations",
      [{ fault: "quotaExhausted", for: "1h" }, { scale: "deployment/web", to: 3 }, isComplete],
      [
        /^the quota of namespace default is used up for 1h$/,
        /^replicaset\/web-\S+ FailedCreate: pods "web-/,
        /^what moved: /
      ]
    ],
    [
      "nothing when nothing moves",
      [{ waitFor: "available = 7", within: "90s" }],
      [/^nothing has moved since it began$/]
    ],
    [
      "nothing in the last 15 minutes",
      [{ waitFor: "available = 7", within: "20m" }],
      [/^nothing has moved in the last 15m$/]
    ],
    [
      "not a fault that is over",
      [
        { fault: "nodeCordoned", node: "node-1", for: "10s" },
        { waitFor: "available = 7", within: "90s" }
      ],
      [/^nothing has moved since it began$/]
    ],
    [
      "an active fault, for when",
      [
        { fault: "nodeCordoned", node: "node-1" },
        { when: "available = 7", within: "90s", advance: "1s" }
      ],
      [/^node-1 is cordoned without end$/, /^nothing has moved since it began$/]
    ],
    [
      "an active fault, for expect",
      [{ fault: "nodeCordoned", node: "node-1" }, { expect: "available = 7" }],
      [/^node-1 is cordoned without end$/]
    ]
  ])("%s", async ([_why, steps, patterns]) => {
    const { failures } = await play(storyOfWeb(steps))
    expect(failures).toEqual([
      expect.objectContaining({
        type: "step",
        meanwhile: patterns.map((it): unknown => expect.stringMatching(it))
      })
    ])
  })

  it("in a line below the failure, in reports and programs", async () => {
    const run = await play(
      storyOfWeb([{ fault: "nodeCordoned", node: "node-1" }, { expect: "available = 7" }])
    )
    const below = "\n      meanwhile: node-1 is cordoned without end"
    expect(failureTexts(run)).toEqual([`[1] +0.000s  step 2: deployment/web available is 2, not = 7${below}`])
    expect(run.failures.map((failure) => failureText(run, failure, 1))).toEqual([
      `[1] +0s  step 2 (expect available = 7): deployment/web available is 2, not = 7${below}`
    ])
  })

  it("without a cause when there is none", async () => {
    const { failures } = await play(storyOfWeb([{ expect: "available = 7" }]))
    expect(failures).toEqual([
      { type: "step", step: 1, atMillis: 0, message: "deployment/web available is 2, not = 7" }
    ])
  })

  it("the causes are no part of the failure's mark", async () => {
    const alone = storyOfWeb([{ expect: "available = 7" }])
    const beside = storyOfWeb([{ fault: "nodeCordoned", node: "node-1" }, { expect: "available = 7" }])
    const marks = await Promise.all(
      [alone, beside].map(async (story) =>
        (await play(story)).failures.map((failure) => failureCauseText(story, failure))
      )
    )
    expect(marks[1]).toEqual(marks[0])
  })

  it("expectFailure may name a cause", async () => {
    const steps: Story["steps"] = [{ fault: "pullFails", image: "*:2" }, toV2, isComplete]
    const { outcome } = await play({ ...storyOfWeb(steps), expectFailure: "images *:2 cannot be pulled" })
    expect(outcome).toBe("passed")
  })
})
