import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { aManifest } from "../../builders.ts"
import { deploymentManifest } from "../../cluster/testCluster.ts"
import { violationFailure, deploymentRun } from "../../reports/sampleRuns.ts"
import { playStory } from "../../../src/scenario/stories/playing/playStory.ts"
import { shrinkStory } from "../../../src/scenario/shrinking/shrinkStory.ts"
import { shrinkBy } from "./shrunkStory.ts"
import { rolling, service } from "../../plan/planManifests.ts"
import { slow } from "../ledger/withLedger.ts"
import type { Draft } from "../../../src/kubernetes/meta/objects.ts"
import type { EventLine, StoryFailure, StoryRun } from "../../../src/scenario/stories/storyRun.ts"
import type { StoryStep, Story } from "../../../src/scenario/stories/story.ts"

const account = aManifest("ServiceAccount", { name: "web" })
const lost = (atMillis = 900, more: object = {}): StoryFailure =>
  violationFailure({
    rule: "invariant",
    invariant: 0,
    broken: "service/web lost is 21, not <= 20",
    atMillis,
    ...more
  })
const event = (reason: string): EventLine => ({
  atMillis: 1500,
  type: "Warning",
  reason,
  object: "ReplicaSet/web-7c9d",
  message: 'pods "web-7c9d-" is forbidden'
})
const deploymentAtStart = (more: object) =>
  [deploymentRun()].map((run) => ({ ...run, rows: run.rows.slice(0, 1).map((row) => ({ ...row, ...more })) }))

describe("a part of a story is removed unless the failure changes", () => {
  const story: Story = {
    name: "lost",
    start: [account],
    invariants: ["service/web lost <= 20"],
    steps: [{ scale: "deployment/web", to: 3 }]
  }
  type Played = Partial<StoryRun> & Pick<StoryRun, "failures">
  const rows: ReadonlyArray<{
    readonly why: string
    readonly whole?: Played
    readonly without: Played
    readonly isKept: boolean
  }> = [
    {
      why: "kept: requests are lost for another cause",
      whole: { failures: [lost(900, { lostBecause: ["stopping"] })] },
      without: { failures: [lost(900, { lostBecause: ["noEndpoint"] })] },
      isKept: true
    },
    {
      why: "kept: requests are lost for one of two causes",
      whole: { failures: [lost(900, { lostBecause: ["stopping", "failing"] })] },
      without: { failures: [lost(900, { lostBecause: ["failing"] })] },
      isKept: true
    },
    {
      why: "kept: another failure comes first",
      without: { failures: [violationFailure({ rule: "ceiling", atMillis: 100 }), lost()] },
      isKept: true
    },
    {
      why: "removed: another failure comes later",
      without: { failures: [lost(), violationFailure({ rule: "ceiling" })] },
      isKept: false
    },
    {
      why: "kept: not all Pods are available at the start",
      without: { failures: [lost()], deployments: deploymentAtStart({ available: 9 }) },
      isKept: true
    },
    {
      why: "removed: not all Pods are available either way",
      whole: { failures: [lost()], deployments: deploymentAtStart({ available: 9 }) },
      without: { failures: [lost()], deployments: deploymentAtStart({ available: 0 }) },
      isKept: false
    },
    {
      why: "removed: a Deployment is created later",
      without: { failures: [lost()], deployments: deploymentAtStart({ atMillis: 1, available: 0 }) },
      isKept: false
    },
    {
      why: "removed: a Deployment is missing",
      without: { failures: [lost()], deployments: [] },
      isKept: false
    },
    {
      why: "kept: Pods are refused",
      without: { failures: [lost()], events: [event("FailedCreate")] },
      isKept: true
    },
    {
      why: "kept: Pods are unschedulable in place of refused",
      whole: { failures: [lost()], events: [event("FailedCreate")] },
      without: { failures: [lost()], events: [event("FailedScheduling")] },
      isKept: true
    },
    {
      why: "removed: Pods are refused either way",
      whole: { failures: [lost()], events: [event("FailedCreate")] },
      without: { failures: [lost()], events: [event("FailedCreate"), event("FailedCreate")] },
      isKept: false
    },
    {
      why: "removed: containers crash",
      without: { failures: [lost()], events: [event("BackOff")] },
      isKept: false
    }
  ]
  it.for(rows)("$why", ({ whole = { failures: [lost()] }, without, isKept }) => {
    const { story: least } = shrinkBy(story, ({ start = [], steps, invariants = [] }) => {
      if (steps.length === 0 || invariants.length === 0) return []
      return start.length > 0 ? whole : without
    })
    expect(least.start ?? []).toEqual(isKept ? [account] : [])
  })
})

describe("a shrunk story that loses requests", () => {
  const web = deploymentManifest({ replicas: 6, spec: rolling(1, 0), podSpec: { serviceAccountName: "web" } })
  const setImage: StoryStep = { setImage: "deployment/web", images: { app: "registry.example/app:v2" } }
  const loseNode: StoryStep = { fault: "nodeLost", node: "node-1", for: "1s" }
  const leastOf = async (more: Pick<Story, "steps" | "invariants">): Promise<Story> => {
    const story: Story = { name: "lost", behaviour: slow, start: [account, web, service as Draft], ...more }
    const playing = Effect.gen(function* () {
      const run = yield* playStory(story, 1)
      const play = (it: Story) => Effect.orElseSucceed(playStory(it, 1), () => undefined)
      return (yield* shrinkStory({ story, run, drawnFaults: [], play })).story
    })
    return Effect.runPromise(Effect.orDie(playing))
  }
  const invariants = ["service/web lost <= 20"]

  it("to terminating Pods keeps the start with Pods", async () => {
    const { start, steps } = await leastOf({ invariants, steps: [setImage] })
    expect(steps).toEqual([setImage])
    expect(start?.map(({ kind }) => kind)).toEqual(["ServiceAccount", "Deployment", "Service"])
  })

  it("to Pods of a lost node keeps the nodeLost and not the rollout", async () => {
    const { steps } = await leastOf({ invariants, steps: [setImage, loseNode] })
    expect(steps).toMatchObject([{ fault: "nodeLost" }])
  })

  it("for two causes keeps both when the last step expects them", async () => {
    const expected: StoryStep = { expect: "service/web lost <= 20" }
    const { steps } = await leastOf({
      steps: [loseNode, { waitFor: "deployment/web is complete" }, setImage, { advance: "1m" }, expected]
    })
    expect(steps).toMatchObject([loseNode, setImage, { advance: expect.any(String) }, expected])
  })
})
