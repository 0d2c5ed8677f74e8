import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { serviceManifest } from "../../builders.ts"
import { deploymentManifest } from "../../cluster/testCluster.ts"
import { defineStory } from "../../../src/scenario/stories/stories.ts"
import { openStory } from "../../../src/scenario/stories/playing/openStory.ts"
import { playStory } from "../../../src/scenario/stories/playing/playStory.ts"
import type { StoryCondition, Story, StoryWorld } from "../../../src/scenario/stories/story.ts"
import type { Violation } from "../../../src/scenario/ledger/violations.ts"

const probe = { readinessProbe: { httpGet: { path: "/", port: 80 }, periodSeconds: 1 } }
const web = deploymentManifest({
  replicas: 4,
  container: probe,
  spec: { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }
})
const service = serviceManifest()
const toV2 = { setImage: "deployment/web", images: { app: "registry.example/app:v2" } } as const

const firstViolation = async (story: Omit<Story, "name">): Promise<Violation | undefined> => {
  const run = await Effect.runPromise(playStory(defineStory({ name: "told", ...story })))
  const [failure] = run.failures
  return failure?.type === "violation" ? failure.violation : undefined
}

it("a snapshot is refused while faults of the story are pending", async () => {
  const story = defineStory({
    name: "told",
    start: [web],
    steps: [{ scale: "deployment/web", to: 5 }],
    faults: [{ at: "2m", fault: "kill", pods: { deployment: "web", count: 1 } }]
  })
  const snapshots = await Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const { cluster } = yield* openStory(story, { untilMillis: 60_000 })
        const early = yield* Effect.flip(cluster.snapshot)
        yield* cluster.until(() => false, 120_000)
        return { early: early.message, late: (yield* cluster.snapshot).nowMillis - cluster.nowMillis() }
      })
    )
  )
  expect(snapshots).toEqual({
    early:
      "no snapshot can be taken now: the story goes on until 2m, with faults that are still to come: " +
      "move the clock past that",
    late: 0
  })
})

describe("the actor of a violation", () => {
  it("is time when requests are lost, with the Pod that does not answer and the Service's counts", async () => {
    const broken = await firstViolation({
      start: [web, service],
      steps: [toV2, { waitFor: "deployment/web is complete" }],
      invariants: ["service/web lost = 0"]
    })
    expect(broken).toMatchObject({
      who: "time",
      what: expect.stringMatching(
        /^has passed, and Pod web-\w+-\w+ \(no longer serving: it was told to stop\) does not answer$/
      ),
      sums: expect.stringMatching(
        /^Service default\/web: endpoints 5, ready 4, terminating 1, known to clients 4, answering 3, requests \d+, lost 1$/
      ),
      subject: "default/web"
    })
  })

  it.each<{
    readonly why: string
    readonly isExact: boolean
    readonly holds: (world: StoryWorld) => boolean
  }>([
    {
      why: "that uses only the ledger, at the same instant as the condition",
      isExact: true,
      holds: ({ ledger }) => (ledger.ofService("default/web")?.now().lost ?? 0) <= 2000
    },
    {
      why: "that uses the store as well, at the next change",
      isExact: false,
      holds: ({ ledger, view }) =>
        (ledger.ofService("default/web")?.now().lost ?? 0) <= 2000 * Math.max(1, [...view.all("pods")].length)
    }
  ])("is the same for a predicate $why", async ({ isExact, holds }) => {
    const violationOf = (invariant: StoryCondition) =>
      firstViolation({
        start: [web, service],
        steps: [{ scale: "deployment/web", to: 0 }, { advance: "1m" }],
        invariants: [invariant]
      })
    const { atMillis = 0, who } = (await violationOf("service/web lost <= 2000")) ?? {}
    const ofPredicate = await violationOf(holds)
    expect(ofPredicate).toMatchObject({ who, what: expect.stringMatching(/^has passed/) })
    // No endpoint is known from the first second on.
    expect(atMillis).toBe(20_001)
    if (isExact) expect(ofPredicate?.atMillis).toBe(atMillis)
    else expect(ofPredicate?.atMillis).toBeGreaterThanOrEqual(atMillis)
  })

  it("is time when the Service has no endpoint", async () => {
    const broken = await firstViolation({
      start: [web, service],
      steps: [{ scale: "deployment/web", to: 0 }, { advance: "1m" }, { expect: "service/web lost > 0" }],
      invariants: ["service/web lost <= 2000"]
    })
    expect(broken).toMatchObject({
      who: "time",
      what: "has passed, and clients of Service default/web know no endpoint to send to"
    })
  })

  it.for<{ readonly step: Story["steps"][number]; readonly faultText: string }>([
    {
      step: { fault: "kill", pods: { deployment: "web", count: 1 } },
      faultText: "1 Pod of Deployment web is deleted"
    },
    { step: { fault: "nodeDrained", node: "node-1", for: "40s" }, faultText: "node-1 is drained for 40s" },
    { step: { fault: "nodeLost", node: "node-2" }, faultText: "node-2 is lost" }
  ])("is the fault that deletes a Pod: $faultText", async ({ step, faultText }) => {
    const broken = await firstViolation({
      start: [web],
      nodes: 2,
      steps: [step],
      invariants: ["terminating = 0"]
    })
    expect(broken).toMatchObject({
      who: "a fault",
      what: expect.stringMatching(new RegExp(`^told Pod web-\\w+-\\w+ to stop: ${faultText}$`))
    })
  })

  it("is the controller when no fault took part", async () => {
    const pods = { deployment: "web", count: 1 } as const
    const broken = await firstViolation({
      start: [web],
      steps: [
        { fault: "kill", pods },
        { after: "1m", scale: "deployment/web", to: 2 }
      ],
      invariants: ["terminating <= 1"]
    })
    expect(broken?.who).toBe("ReplicaSet controller")
  })

  const writers: ReadonlyArray<{
    readonly step: Story["steps"][number]
    readonly invariant: StoryCondition
    readonly by: string
  }> = [
    {
      step: { delete: "replicaset/web-676f57fd9b" },
      invariant: "available >= 4",
      by: "a client removed ReplicaSet"
    },
    {
      step: { patch: "replicaset/web-676f57fd9b", with: { spec: { replicas: 9 } } },
      invariant: "existing <= 5",
      by: "ReplicaSet controller created Pod"
    },
    {
      step: { patch: "replicaset/web-676f57fd9b", with: { spec: { replicas: 9 } } },
      invariant: ({ view }) => [...view.all("replicasets.apps")].every(({ spec }) => spec.replicas <= 4),
      by: "a client scaled ReplicaSet"
    },
    {
      step: { delete: "deployment/web" },
      invariant: ({ view }) => [...view.all("replicasets.apps")].length > 0,
      by: "garbage collector removed ReplicaSet"
    }
  ]
  it.for(writers)("is the writer: $by", async ({ step, invariant, by }) => {
    const broken = await firstViolation({ start: [web], steps: [step], invariants: [invariant] })
    expect(`${broken?.who} ${broken?.what}`).toContain(by)
  })
})

describe("no violation is reported when a client breaks a rule and a controller repairs it:", () => {
  const revision = (number: string) => ({
    metadata: { annotations: { "deployment.kubernetes.io/revision": number } }
  })
  const complete = { waitFor: "deployment/web is complete" } as const
  const rows: ReadonlyArray<{ readonly why: string; readonly steps: Story["steps"] }> = [
    {
      why: "a ReplicaSet of another size than its Deployment's",
      steps: [{ patch: "replicaset/web-676f57fd9b", with: { spec: { replicas: 9 } } }]
    },
    {
      why: "a changed revision annotation of the Deployment",
      steps: [{ patch: "deployment/web", with: revision("7") }]
    },
    {
      why: "a changed revision annotation of a ReplicaSet, then an undo",
      steps: [
        toV2,
        complete,
        { patch: "replicaset/web-676f57fd9b", with: revision("8") },
        { undo: "deployment/web" },
        complete
      ]
    },
    {
      why: "deleted ReplicaSets with their revisions",
      steps: [
        toV2,
        complete,
        { delete: "replicaset/web-676f57fd9b" },
        { setImage: "deployment/web", images: { app: "registry.example/app:v3" } },
        complete,
        { delete: "deployment/web" }
      ]
    }
  ]
  it.for(rows)("$why", async ({ steps }) => {
    const story = { name: "put right", start: [web], steps: [...steps, { advance: "1m" }] } as const
    const { failures } = await Effect.runPromise(playStory(defineStory(story)))
    expect(failures).toEqual([])
  })
})
