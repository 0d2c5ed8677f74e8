import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { quotaManifest } from "../../../builders.ts"
import { deploymentManifest } from "../../../cluster/testCluster.ts"
import { defineStory, failureText, runStory, StoryFailed } from "../../../../src/scenario/stories/stories.ts"
import { openStory } from "../../../../src/scenario/stories/playing/openStory.ts"
import { playStory } from "../../../../src/scenario/stories/playing/playStory.ts"
import { rolloutStatus } from "../../../../src/kubernetes/apps/rolloutStatus.ts"
import type { Story } from "../../../../src/scenario/stories/story.ts"

const web = (replicas: number, spec: object = {}) => deploymentManifest({ replicas, spec })
const probed = { readinessProbe: { httpGet: { path: "/", port: 80 }, periodSeconds: 1 } }
const image = (version: string) => ({ app: `registry.example/app:${version}` })
const toV2 = { setImage: "deployment/web", images: image("v2") } as const

const play = (story: Omit<Story, "name">, seed?: number) =>
  Effect.runPromise(playStory(defineStory({ name: "told", ...story }), seed))

const failuresOf = async (story: Omit<Story, "name">): Promise<ReadonlyArray<string>> => {
  const run = await play(story)
  return run.failures.map((failure, index) => failureText(run, failure, index + 1))
}

describe("the steps of a story", () => {
  it("are performed in order at their times", async () => {
    const run = await play({
      start: [web(3)],
      steps: [
        { at: "10s", scale: "deployment/web", to: 5 },
        { waitFor: "deployment/web available = 5" },
        { after: "7s", pause: "deployment/web" },
        { advance: "3s" },
        { resume: "deployment/web" },
        { at: "2m", delete: "deployment/web" },
        { expect: "deployment/web is gone" }
      ]
    })
    expect(run.outcome).toBe("passed")
    const times = run.steps.map(({ beganMillis, endedMillis }) => [beganMillis, endedMillis])
    const grownMillis = times[1]?.[1] ?? 0
    expect(grownMillis).toBeGreaterThan(10_000)
    expect(times).toEqual([
      [10_000, 10_000],
      [10_000, grownMillis],
      [grownMillis + 7_000, grownMillis + 7_000],
      [grownMillis + 7_000, grownMillis + 10_000],
      [grownMillis + 10_000, grownMillis + 10_000],
      [120_000, 120_000],
      [120_000, 120_000]
    ])
    expect(run.steps.map(({ text }) => text)).toEqual([
      "scale deployment/web to 5",
      "wait for deployment/web available = 5",
      "pause deployment/web",
      "advance 3s",
      "resume deployment/web",
      "delete deployment/web",
      "expect deployment/web is gone"
    ])
    expect(run.deployments[0]?.rows[0]).toMatchObject({ atMillis: 0, desired: 3, available: 3 })
  })

  it("are performed at the instant at which their when holds", async () => {
    const run = await play({
      start: [web(10, { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } })],
      steps: [
        toV2,
        { when: "updated >= 3", within: "1m", pause: "deployment/web" },
        { after: "10m", expect: "updated = 3 and deployment/web is paused" },
        { undo: "deployment/web", expectRefused: "you cannot rollback a paused deployment" },
        { resume: "deployment/web" }
      ]
    })
    expect(run.failures).toEqual([])
    expect(run.deployments[0]?.verdict).toMatch(/^✓ complete: (\d+) of \1 available\.$/)
    expect(run.deployments[0]?.message).toBe('deployment "web" successfully rolled out')
  })

  it("see the current Deployment and Pods in conditions", async () => {
    const run = await play({
      start: [web(4)],
      steps: [
        { pause: "deployment/web" },
        { expect: "deployment/web is paused and deployment/web is complete" },
        { resume: "deployment/web" },
        { setImage: "deployment/web", images: { "*": "registry.example/app:v3" } },
        { waitFor: "revision = 2 and deployment/web is complete" },
        { fault: "crash", pods: { deployment: "web", count: 3 } },
        { waitFor: "restarts = 3 and unavailable = 0 and pods = 4", within: "5m" },
        { patch: "deployment/web", with: [{ op: "replace", path: "/spec/replicas", value: 6 }] },
        { waitFor: "pods = 6 and available = desired" },
        { undo: "deployment/web", toRevision: 1 },
        { waitFor: "revision = 3 and deployment/web is complete" }
      ],
      invariants: ["revision >= 1"]
    })
    expect(run.failures).toEqual([])
  })

  it("end with the first that fails, with the message of the server or kubectl", async () => {
    const cases: ReadonlyArray<readonly [steps: Story["steps"], failure: string]> = [
      [
        [{ pause: "deployment/web" }, { pause: "deployment/web" }],
        '[1] +0s  step 2 (pause deployment/web): error: deployments.apps "web" is already paused'
      ],
      [
        [{ patch: "deployment/web", with: { spec: { paused: false } } }, { undo: "deployment/web" }],
        '[1] +0s  step 2 (undo deployment/web): error: no rollout history found for deployment "web"'
      ],
      [
        [{ patch: "deployment/web", with: { spec: { replicas: -3 } } }],
        '[1] +0s  step 1 (patch deployment/web in spec.replicas): Deployment.apps "web" is invalid: spec.replicas: Invalid value: -3: must be greater than or equal to 0'
      ],
      [[{ delete: "pod/web-0" }], '[1] +0s  step 1 (delete pod/web-0): pods "web-0" not found'],
      [
        [{ advance: "5s" }, { expect: "available > 3" }, { advance: "1s" }],
        "[1] +5s  step 2 (expect available > 3): deployment/web available is 3, not > 3"
      ],
      [
        [{ waitFor: "available = 4", within: "90s" }],
        "[1] +1m30s  step 1 (wait for available = 4): it did not come true within 1m30s: deployment/web available is 3, not = 4"
      ],
      [
        [{ waitFor: "revision = 1" }, { scale: "deployment/web", to: 3, expectRefused: "no" }],
        "[1] +0s  step 2 (scale deployment/web to 3, which is to be refused): it was to be refused, and was not"
      ],
      [
        [toV2, { waitFor: "updated = 3", within: "10m" }, { at: "1ms", pause: "deployment/web" }],
        "step 3 (pause deployment/web): 1ms lies in the past: the step before it was over at"
      ]
    ]
    for (const [steps, failure] of cases) {
      const found = await failuresOf({ start: [web(3)], steps })
      expect(found).toHaveLength(1)
      expect(found[0]).toContain(failure)
    }
  })
})

describe("an invariant of a story", () => {
  it("is reported with instant, actor and sums each time it begins to fail", async () => {
    const run = await play({
      start: [web(4, { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } })],
      steps: [toV2, { waitFor: "deployment/web is complete" }],
      invariants: ["available >= 4", ({ view }) => [...view.all("pods")].length > 0]
    })
    expect(run.outcome).toBe("failed")
    expect(run.failures).toHaveLength(4)
    expect(run.failures[0]).toMatchObject({
      type: "violation",
      violation: {
        rule: "invariant",
        atMillis: 0,
        subject: "default/web",
        who: "ReplicaSet controller",
        broken: "deployment/web available is 3, not >= 4"
      }
    })
    expect(run.steps.map(({ outcome }) => outcome)).toEqual(["done", "done"])
  })

  it("is reported with its index", async () => {
    const run = await play({
      start: [web(3)],
      steps: [{ fault: "kill", pods: { deployment: "web", count: 2 } }],
      invariants: ["desired = 3", "available >= 2", () => true, "available >= 3"]
    })
    const which = run.failures.map((it) => (it.type === "violation" ? it.violation.invariant : undefined))
    expect(which).toEqual([3, 1])
  })

  it("is reported at most twenty times", async () => {
    const steps = Array.from(
      { length: 30 },
      () => ({ after: "20s", fault: "kill", pods: { deployment: "web", count: 1 } }) as const
    )
    const run = await play({ start: [web(2)], steps, invariants: ["available = 2"] })
    expect(run.failures).toHaveLength(20)
  })
})

describe("a story settles", () => {
  it("when faults are over and the cluster has recovered", async () => {
    const run = await play({
      start: [web(3)],
      steps: [{ advance: "1s" }],
      faults: [
        { at: "2s", fault: "kill", pods: { deployment: "web", count: 2 } },
        { at: "5s", fault: "nodeCordoned", node: "node-1", for: "30s" }
      ]
    })
    expect(run.outcome).toBe("passed")
    expect(run.endMillis).toBe(35_000)
    expect(run.faults).toEqual([
      {
        text: "2 Pods of Deployment web are deleted",
        beganMillis: 2_000,
        endedMillis: 2_000,
        met: 2,
        isRandom: false
      },
      {
        text: "node-1 is cordoned for 30s",
        beganMillis: 5_000,
        endedMillis: 35_000,
        met: undefined,
        isRandom: false
      }
    ])
    expect(run.deployments[0]?.rows.at(-1)).toMatchObject({ available: 3 })
    const reached = { podsMost: 3, podsMostWithTerminating: 5, availableFewest: 1 }
    expect(run.deployments).toMatchObject([{ podsMax: 4, availableMin: 3, reached }])
  })

  it("never while Pods crash: it ends at its limit with the causes", async () => {
    const [failure = "", ...others] = await failuresOf({
      start: [deploymentManifest({ replicas: 2, spec: { progressDeadlineSeconds: 60 }, container: probed })],
      behaviours: [
        { name: "crashes", match: { image: "*:v2" }, exit: { after: "2s", code: 3 }, ready: "10s" }
      ],
      steps: [toV2, { waitFor: "deployment/web is failed" }],
      limit: { time: "20m" }
    })
    expect(others).toEqual([])
    expect(failure).toMatch(/^\[1\] \+20m {2}not settled after 20m: pod\/web-\S+ is in CrashLoopBackOff/)
    expect(failure).toContain("what moved: pod/web-")
    expect(failure).toContain('container "app" ended with exit code 3 (Error)')
  })

  it("never when a step waits beyond the limit", async () => {
    const run = await play({
      start: [web(1)],
      steps: [{ waitFor: "available = 2", within: "30h" }],
      limit: { time: "10m" }
    })
    expect(run.outcome).toBe("unsettled")
    expect(run.failures).toEqual([
      {
        type: "unsettled",
        atMillis: 600_000,
        message: expect.stringContaining(
          "not settled after 10m: step 1 still waits: deployment/web available is 1, not = 2; nothing has moved"
        )
      }
    ])
  })

  it("never when a step's time is after the limit", async () => {
    const [failure = ""] = await failuresOf({
      start: [web(1)],
      steps: [
        { fault: "kill", pods: { deployment: "web" } },
        { waitFor: "unavailable = 0" },
        { after: "59s", advance: "1s" }
      ],
      limit: { time: "1m" }
    })
    expect(failure).toMatch(/^\[1\] \+1m {2}not settled after 1m: step 3 still waits: its time comes at 1m\d/)
  })

  it("never when there are more writes than limit.steps", async () => {
    const run = await play({
      start: [web(20)],
      steps: [toV2, { waitFor: "deployment/web is complete" }],
      limit: { steps: 50 }
    })
    expect(run.outcome).toBe("unsettled")
    expect(run.failures[0]).toMatchObject({
      message: expect.stringMatching(
        /^not settled after \d\d writes, where limit.steps is 50: step 2 still waits/
      )
    })
  })

  it("never when the start cannot become complete", async () => {
    const found = await failuresOf({
      start: [web(500)],
      nodes: { count: 1, pods: 10 },
      steps: [{ advance: "1s" }],
      limit: { time: "1m" }
    })
    expect(found[0]).toContain("what is there at the start has not settled after 1m: Waiting for deployment")
  })
})

const stormy: Omit<Story, "name"> = {
  start: [web(6)],
  steps: [toV2, { waitFor: "deployment/web is complete", within: "20m" }],
  weather: {
    every: "10s",
    until: "2m",
    faults: [
      { fault: "kill", pods: { deployment: "web", count: 1 }, weight: 2 },
      { fault: "controllerSlow", controller: "replicaSet", by: "200ms", for: "5s" }
    ]
  }
}

describe("randomness of a story", () => {
  it("depends only on the seed, to the byte", async () => {
    const [first, again, other] = [await play(stormy, 4), await play(stormy, 4), await play(stormy, 5)]
    expect(first.outcome).toBe("passed")
    expect(first.faults.filter(({ isRandom }) => isRandom).length).toBeGreaterThan(3)
    expect(again).toEqual(first)
    expect(other.digest).not.toBe(first.digest)
    expect(other.faults.map(({ beganMillis }) => beganMillis)).not.toEqual(
      first.faults.map(({ beganMillis }) => beganMillis)
    )
  })

  it("uses the story's own seed by default", async () => {
    const own = await play({ ...stormy, seed: 5 })
    expect([own.seed, own.digest]).toEqual([5, (await play(stormy, 5)).digest])
  })
})

describe("an opened story", () => {
  it("stops at untilMillis, and goes on when its clock is advanced", async () => {
    const story = defineStory({
      name: "opened",
      start: [web(3)],
      steps: [
        { at: "1m", scale: "deployment/web", to: 7 },
        { at: "5m", scale: "deployment/web", to: 2 }
      ]
    })
    const found = await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const { cluster, run } = yield* openStory(story, { untilMillis: 180_000 })
          const sizes = () =>
            [...cluster.view.all("deployments.apps")].map(({ spec, ...it }) => [
              spec.replicas,
              rolloutStatus({ spec, ...it }).state
            ])
          const before = sizes()
          yield* Effect.orDie(cluster.advance(180_000))
          return {
            before,
            after: sizes(),
            outcomes: run.steps.map(({ outcome }) => outcome),
            end: run.endMillis
          }
        })
      )
    )
    expect(found).toEqual({
      before: [[7, "complete"]],
      after: [[2, "complete"]],
      outcomes: ["done", "notReached"],
      end: 180_000
    })
  })
})

describe("a failure outside the steps", () => {
  it("at the start is reported as a failure of the start", async () => {
    const quota = quotaManifest({ services: "0" }, "none")
    const service = {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "web" },
      spec: { ports: [{ port: 8 }] }
    }
    const run = await play({ start: [quota, service], steps: [] })
    expect(run.failures).toEqual([
      { type: "start", atMillis: 0, message: expect.stringContaining("web") as unknown }
    ])
    const words = run.failures.map((it, index) => failureText(run, it, index + 1))
    expect(words[0]).toMatch(/^\[1\] \+0s {2}start: /)
  })

  it("is not a fault that hits no Pod", async () => {
    const run = await play({
      start: [web(2)],
      steps: [
        { fault: "kill", pods: { labels: { app: "absent" } } },
        { fault: "nodeCordoned", node: "node-1" }
      ]
    })
    expect(run.outcome).toBe("passed")
    expect(run.faults.map(({ met }) => met)).toEqual([0, undefined])
  })
})

it("runStory rejects with all failures of a story", async () => {
  const story = defineStory({ name: "sad", start: [web(1)], steps: [{ expect: "available = 2" }] })
  const failed: unknown = await runStory(story, { seed: 9 }).catch((error: unknown) => error)
  expect(failed).toBeInstanceOf(StoryFailed)
  expect(String(failed)).toBe(
    'StoryFailed: story "sad" with seed 9:\n[1] +0s  step 1 (expect available = 2): deployment/web available is 1, not = 2'
  )
})
