import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { aManifest } from "../cluster/worlds.ts"
import { isUnreadable } from "../../src/recording/readEntry.ts"
import { makeSeedPlayer } from "../../src/plan/seeds/playSeed.ts"
import { readManifestObjects } from "../../src/manifests/readManifests.ts"
import { readRecording } from "../../src/recording/readRecording.ts"
import { planNext, planOf, service } from "./planWorlds.ts"
import type { Behaviour } from "../../src/behaviours/behaviour.ts"
import type { RolloutPlan } from "../../src/plan/planRollout.ts"

const spec = { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }
const probe = { readinessProbe: { httpGet: { path: "/", port: 80 }, periodSeconds: 1 } }
const at = (tag: string, life: Partial<Behaviour>): Behaviour => ({
  name: tag,
  match: { image: `registry.example/app:${tag}` },
  schedule: "0s",
  pull: { delay: "0s" },
  start: "1s",
  ready: "0s",
  terminate: "0s",
  ...life
})

/** The plan of `web`, which goes from v1 to v2 while `api` goes from a1 to a2. */
const besideApi = async (
  behaviours: ReadonlyArray<Behaviour>,
  container: object = probe
): Promise<Record<string, RolloutPlan>> => {
  const api = (version: string) => aManifest({ name: "api", replicas: 2, version, spec, container })
  const { rollouts } = await planOf({
    from: { replicas: 2, spec },
    next: { replicas: 2, spec, version: "v2" },
    fromBeside: [api("a1")],
    beside: [api("a2")],
    world: { behaviours: [at("v1", {}), at("a1", {}), at("v2", {}), at("a2", {}), ...behaviours].reverse() }
  })
  return Object.fromEntries(rollouts.map((rollout) => [rollout.name, rollout]))
}

describe("a rollout that was complete", () => {
  it("stays so where its Pods crash while clients still hear of it", async () => {
    const crash = at("v2", { exit: { after: "350ms", code: 1 } })
    const options = { world: { behaviours: [at("v1", {}), crash] } }
    const alone = await planNext({ replicas: 1, spec }, options)
    expect(alone).toMatchObject({ duration: { worst: 1000 }, stuck: 0, available: { fewest: 1 } })
    const heard = await planNext({ replicas: 1, spec }, { ...options, beside: [service] })
    expect(heard).toMatchObject({ duration: alone.duration, stuck: 0, available: { fewest: 1 } })
  })

  it("took as long as it did and had as many available, whatever becomes of it while another goes on", async () => {
    const { web, api } = await besideApi([
      at("v2", { exit: { after: "45s", code: 1 } }),
      at("a2", { ready: "40s" })
    ])
    expect(web).toMatchObject({
      duration: { worst: 2000 },
      available: { fewest: 2, shortMillis: 0 },
      late: 0,
      stuck: 0
    })
    expect(api?.duration?.worst).toBeGreaterThan(80_000)
  })

  it("is noted at that moment in the recording of its seed", async () => {
    const at2 = [at("v2", { exit: { after: "30s", code: 1 } }), at("a2", { ready: "40s" })]
    const both = (version: string) =>
      readManifestObjects([
        aManifest({ replicas: 2, spec, version: `v${version}` }),
        aManifest({ name: "api", replicas: 2, spec, version: `a${version}`, container: probe })
      ]).documents
    const play = makeSeedPlayer({
      from: both("1"),
      next: both("2"),
      behaviours: [...at2, at("v1", {}), at("a1", {})]
    })
    const { recorded, rollouts } = await Effect.runPromise(play(1, { undo: false, isRecorded: true }))
    const read = readRecording(recorded?.text ?? "")
    if (isUnreadable(read)) throw new Error(read.refused)
    const [began = 0, ...ends] = read.entries.flatMap((it) => (it.type === "note" ? [it.atMillis] : []))
    expect(ends.map((atMillis) => atMillis - began)).toEqual(
      [...rollouts.values()].map(({ millis }) => millis)
    )
  })

  it("begins whole where another was slower to come up before it", async () => {
    const crash = { exit: { after: "65s", code: 1 } }
    const { web } = await besideApi([at("v1", crash), at("a1", { ready: "40s", start: "26s" })])
    expect(web?.before).toMatchObject({ desired: 2, available: 2 })
  })
})

describe("what to change in one Deployment", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly v2?: Partial<Behaviour>
    readonly a2?: Partial<Behaviour>
    /** What there is of api's container beside its image. */
    readonly container?: object
    readonly web: ReadonlyArray<string>
    readonly api: ReadonlyArray<string>
  }> = [
    {
      why: "how long its own Pods take to answer, not another's",
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
      why: "how soon its own Pods are not ready any more",
      v2: { exit: { after: "30s", code: 1 } },
      a2: { ready: "50s" },
      web: ["minReadySeconds: 0 counts a Pod as available the moment it is ready"],
      api: []
    }
  ]
  it.each(rows)("is said because of $why", async ({ v2 = {}, a2 = {}, container, web, api }) => {
    const plans = await besideApi([at("v2", v2), at("a2", a2)], container)
    for (const [name, advice] of Object.entries({ web, api })) {
      const said = (plans[name]?.advice ?? []).filter((it) => !it.startsWith("maxSurge"))
      expect(said.map((it, index) => it.slice(0, advice[index]?.length))).toEqual(advice)
    }
  })
})
