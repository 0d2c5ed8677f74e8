import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { deploymentManifest } from "../cluster/testCluster.ts"
import { isUnreadable } from "../../src/recording/readEntry.ts"
import { makeSeedPlayer } from "../../src/plan/seeds/playSeed.ts"
import { readManifestObjects } from "../../src/manifests/readManifests.ts"
import { readRecording } from "../../src/recording/readRecording.ts"
import { adviceTexts, planNext, planOf, readinessProbed, rolling, service } from "./planManifests.ts"
import type { Behaviour } from "../../src/behaviours/behaviour.ts"
import type { RolloutPlan } from "../../src/plan/summarizePlan.ts"

const spec = rolling(1, 0)
const behaviourOf = (tag: string, life: Partial<Behaviour>): Behaviour => ({
  name: tag,
  match: { image: `registry.example/app:${tag}` },
  schedule: "0s",
  pull: { delay: "0s" },
  start: "1s",
  ready: "0s",
  terminate: "0s",
  ...life
})

/** The plans of `web` from v1 to v2 and of `api` from a1 to a2, together. */
const plansOfWebAndApi = async (
  behaviours: ReadonlyArray<Behaviour>,
  container: object = readinessProbed
): Promise<Record<string, RolloutPlan>> => {
  const api = (version: string) => deploymentManifest({ name: "api", replicas: 2, version, spec, container })
  const { rollouts } = await planOf({
    from: { replicas: 2, spec },
    next: { replicas: 2, spec, version: "v2" },
    fromBeside: [api("a1")],
    beside: [api("a2")],
    planWorld: {
      behaviours: [
        behaviourOf("v1", {}),
        behaviourOf("a1", {}),
        behaviourOf("v2", {}),
        behaviourOf("a2", {}),
        ...behaviours
      ].reverse()
    }
  })
  return Object.fromEntries(rollouts.map((rollout) => [rollout.name, rollout]))
}

describe("a complete rollout", () => {
  it("stays complete when its Pods crash while endpoints still propagate", async () => {
    const crash = behaviourOf("v2", { exit: { after: "350ms", code: 1 } })
    const options = { planWorld: { behaviours: [behaviourOf("v1", {}), crash] } }
    const alone = await planNext({ replicas: 1, spec }, options)
    expect(alone).toMatchObject({ duration: { worst: 1000 }, stuck: 0, available: { fewest: 1 } })
    const withService = await planNext({ replicas: 1, spec }, { ...options, beside: [service] })
    expect(withService).toMatchObject({ duration: alone.duration, stuck: 0, available: { fewest: 1 } })
  })

  it("keeps its duration and availability whatever happens while another goes on", async () => {
    const { web, api } = await plansOfWebAndApi([
      behaviourOf("v2", { exit: { after: "45s", code: 1 } }),
      behaviourOf("a2", { ready: "40s" })
    ])
    expect(web).toMatchObject({
      duration: { worst: 2000 },
      available: { fewest: 2, shortMillis: 0 },
      late: 0,
      stuck: 0
    })
    expect(api?.duration?.worst).toBeGreaterThan(80_000)
  })

  it("is noted in the recording of its seed when it completes", async () => {
    const at2 = [behaviourOf("v2", { exit: { after: "30s", code: 1 } }), behaviourOf("a2", { ready: "40s" })]
    const both = (version: string) =>
      readManifestObjects([
        deploymentManifest({ replicas: 2, spec, version: `v${version}` }),
        deploymentManifest({
          name: "api",
          replicas: 2,
          spec,
          version: `a${version}`,
          container: readinessProbed
        })
      ]).documents
    const play = makeSeedPlayer({
      from: both("1"),
      next: both("2"),
      behaviours: [...at2, behaviourOf("v1", {}), behaviourOf("a1", {})]
    })
    const { recorded, rollouts } = await Effect.runPromise(play(1, { undo: false, isRecorded: true }))
    const read = readRecording(recorded?.text ?? "")
    if (isUnreadable(read)) throw new Error(read.problem)
    const [began = 0, ...ends] = read.entries.flatMap((it) => (it.type === "note" ? [it.atMillis] : []))
    expect(ends.map((atMillis) => atMillis - began)).toEqual(
      [...rollouts.values()].map(({ millis }) => millis)
    )
  })

  it("starts with all Pods when another was slower to start before it", async () => {
    const crash = { exit: { after: "65s", code: 1 } }
    const { web } = await plansOfWebAndApi([
      behaviourOf("v1", crash),
      behaviourOf("a1", { ready: "40s", start: "26s" })
    ])
    expect(web?.before).toMatchObject({ desired: 2, available: 2 })
  })
})

describe("the advice for one of two Deployments", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly v2?: Partial<Behaviour>
    readonly a2?: Partial<Behaviour>
    /** Fields of api's container beside its image. */
    readonly container?: object
    readonly web: ReadonlyArray<string>
    readonly api: ReadonlyArray<string>
  }> = [
    {
      why: "how long its own Pods take to answer",
      v2: { ready: "40s" },
      container: {},
      web: ['container "app" has no readinessProbe and takes up to 40s to answer'],
      api: []
    },
    {
      why: "how long its own Pods take to stop",
      a2: { terminate: "50s" },
      web: [],
      api: ["Pods take up to 50s to stop: terminationGracePeriodSeconds: 30 is over before that"]
    },
    {
      why: "how soon its own Pods become unready",
      v2: { exit: { after: "30s", code: 1 } },
      a2: { ready: "50s" },
      web: ["minReadySeconds: 0 counts a Pod as available the moment it is ready"],
      api: []
    }
  ]
  it.each(rows)("depends on $why", async ({ v2 = {}, a2 = {}, container, web, api }) => {
    const plans = await plansOfWebAndApi([behaviourOf("v2", v2), behaviourOf("a2", a2)], container)
    for (const [name, advice] of Object.entries({ web, api })) {
      const relevantAdvice = (plans[name] === undefined ? [] : adviceTexts(plans[name])).filter(
        (it) => !it.startsWith("maxSurge")
      )
      expect(relevantAdvice.map((it, index) => it.slice(0, advice[index]?.length))).toEqual(advice)
    }
  })
})
