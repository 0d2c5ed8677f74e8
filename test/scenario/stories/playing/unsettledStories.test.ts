import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { deploymentManifest } from "../../../cluster/testCluster.ts"
import { defineStory, failureText } from "../../../../src/scenario/stories/stories.ts"
import { playStory } from "../../../../src/scenario/stories/playing/playStory.ts"
import type { Story } from "../../../../src/scenario/stories/story.ts"
import type { StoryFailure } from "../../../../src/scenario/stories/storyRun.ts"

const web = (replicas: number) => deploymentManifest({ replicas })
const probe = { httpGet: { path: "/", port: 80 }, periodSeconds: 1 }

const play = (story: Omit<Story, "name">) =>
  Effect.runPromise(playStory(defineStory({ name: "told", ...story })))

const failuresOf = async (story: Omit<Story, "name">): Promise<ReadonlyArray<string>> => {
  const run = await play(story)
  return run.failures.map((failure, index) => failureText(run, failure, index + 1))
}

const messageOf = (failures: ReadonlyArray<StoryFailure>): string =>
  failures.map((failure) => (failure.type === "unsettled" ? failure.message : "")).join("")

describe("an unsettled story", () => {
  it("names an endless flap", async () => {
    const found = await failuresOf({
      start: [web(2)],
      steps: [{ fault: "flap", pods: { deployment: "web" }, ready: "20s", unready: "5s" }],
      invariants: ["available >= 2"],
      limit: { time: "59s" }
    })
    expect(found[0]).toMatch(
      /^\[1\] \+20.000s {2}default\/web: kubelet says Pod \S+ is not ready: it runs and is not ready/
    )
    expect(found.at(-1)).toContain(
      "not settled after 59s: Pods of Deployment web flap (20s ready, 5s unready) without end"
    )
  })

  it("ends after limit.steps writes, also while it settles", async () => {
    const run = await play({
      start: [web(2)],
      steps: [{ fault: "flap", pods: { deployment: "web" }, ready: "2s", unready: "2s" }],
      limit: { steps: 100 }
    })
    expect(run.outcome).toBe("unsettled")
    expect(run.endMillis).toBeLessThan(120_000)
    expect(run.failures).toMatchObject([
      { message: expect.stringMatching(/^not settled after 10\d writes, where limit.steps is 100: /) }
    ])
  })

  it("reports the number of writes when one instant exceeds limit.steps", async () => {
    const { writes, failures } = await play({
      start: [web(2)],
      nodes: { count: 2, pods: 500 },
      steps: [{ scale: "deployment/web", to: 300 }],
      limit: { steps: 10 }
    })
    const [, message] =
      /^not settled after (\d+) writes, where limit.steps is 10: /.exec(messageOf(failures)) ?? []
    expect(Number(message)).toBeGreaterThan(300)
    expect(Number(message)).toBeLessThanOrEqual(writes)
  })

  it("reports how often each object changed", async () => {
    const run = await play({
      start: [web(1)],
      steps: [{ fault: "flap", pods: { deployment: "web" }, ready: "1s", unready: "1s" }],
      limit: { time: "30m" }
    })
    const message = messageOf(run.failures)
    // A Pod changes its readiness twice in two seconds.
    expect(Number(/pod\/\S+ (\d+) times/.exec(message)?.[1])).toBeGreaterThanOrEqual(1798)
  })

  it.for<readonly [why: string, steps: Story["steps"], ...texts: ReadonlyArray<string>]>([
    [
      "a stopped controller",
      [
        { fault: "controllerStopped", controller: "deployment" },
        { setImage: "deployment/web", images: { "*": "web:2" } }
      ],
      "the deployment controller is stopped without end; Waiting for deployment spec update to be observed..."
    ],
    [
      "an exhausted quota and the refusals",
      [{ fault: "quotaExhausted" }, { scale: "deployment/web", to: 5 }],
      "the quota of namespace default is used up without end; Waiting for deployment",
      ' FailedCreate: pods "web-',
      "is forbidden: exceeded quota: charthouse-fault-1, requested: pods=1, used: pods=2, limited: pods=2"
    ],
    [
      "a fault and the waiting step",
      [{ fault: "hang", pods: {}, for: "2h" }, { waitFor: "deployment/web revision = 2" }],
      "all Pods hang for 2h; step 2 still waits: deployment/web revision is 1, not = 2"
    ]
  ])("names the cause: %s", async ([_why, steps, ...texts]) => {
    const { failures } = await play({ start: [web(2)], steps, limit: { time: "59m" } })
    const message = messageOf(failures)
    for (const text of texts) expect(message).toContain(text)
  })

  it("settles only after probes have noticed a hang", async () => {
    const run = await play({
      start: [
        deploymentManifest({ replicas: 2, container: { readinessProbe: probe, livenessProbe: probe } })
      ],
      steps: [{ fault: "hang", pods: { deployment: "web" } }],
      invariants: ["available >= 2"]
    })
    expect([run.outcome, run.deployments[0]?.rows.at(-1)?.available]).toEqual(["failed", 2])
    expect(run.faults).toMatchObject([{ endedMillis: expect.any(Number) }])
  })
})

it("an anonymous predicate is named by its path in the story", async () => {
  const found = await failuresOf({
    start: [web(1)],
    steps: [{ advance: "1s" }, { expect: () => false }],
    invariants: ["available >= 1", () => false]
  })
  expect(found.map((text) => text.split("\n").at(-1))).toEqual([
    "      broken: the predicate invariants[1] does not hold",
    "[2] +1s  step 2 (expect a predicate): the predicate steps[1].expect does not hold"
  ])
})
