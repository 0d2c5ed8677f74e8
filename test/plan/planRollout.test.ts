import { describe, expect, it } from "vitest"
import { quotaManifest } from "../builders.ts"
import { blueGreen } from "../machines/strategies/blueGreen.ts"
import { heldBlueGreen } from "../machines/strategies/heldBlueGreen.ts"
import { parsePredicates, findTruePredicates } from "../../src/plan/predicates.ts"
import {
  adviceTexts,
  planNext,
  planOf,
  preStopSleep,
  readinessProbed,
  rolling,
  service,
  slowPods
} from "./planManifests.ts"

describe("a plan", () => {
  it("has the phases of a rollout with the counts at each", async () => {
    const { typical } = await planNext({ replicas: 4, spec: rolling(2, 1) }, { assume: slowPods })
    expect(
      typical.phases.map(
        (it) => `${it.atMillis} ${it.what}: ${it.updated} ${it.available} ${it.pods} ${it.terminating}`
      )
    ).toEqual([
      "0 applied, fewest available: 3 3 6 1",
      "10000 first new Pod available, half the new available, last old Pod stopping: 4 3 4 3",
      "20000 complete: 4 4 4 0"
    ])
  })

  it("has the fewest available and for how long, the most Pods and their requests", async () => {
    const container = { resources: { requests: { cpu: "1500m", memory: "256Mi" } } }
    const plan = await planNext({ replicas: 4, container, spec: rolling(2, 1) }, { assume: slowPods })
    expect(plan).toMatchObject({
      isNew: false,
      duration: { p50: 20_000, p95: 20_000, worst: 20_000 },
      available: { fewest: 3, fewestMillis: 20_000, shortMillis: 20_000 },
      pods: { most: 6, mostWithTerminating: 7, cpu: "10500m", memory: "1792Mi" },
      undo: { p50: 20_000, seeds: 1, stuck: 0 },
      late: 0,
      stuck: 0
    })
  })

  it("has no available and no undo for a new Deployment", async () => {
    const { rollouts } = await planOf({ next: { replicas: 2 }, assume: slowPods })
    expect(rollouts[0]).toMatchObject({
      isNew: true,
      available: undefined,
      undo: undefined,
      duration: { p50: 10_000 }
    })
  })

  it("treats a rollout that never ends as endless, with one reason and its advice", async () => {
    const full = { resources: { requests: { cpu: "2" } } }
    const quota = quotaManifest({ "requests.cpu": "4" })
    const spec = { ...rolling(1, 0), progressDeadlineSeconds: 60 }
    const options = { assume: slowPods, seeds: 3, beside: [quota] }
    const plan = await planOf({
      from: { replicas: 2, container: full, spec },
      next: { replicas: 2, version: "v2", container: full, spec },
      ...options
    })
    const [rollout] = plan.rollouts
    expect(rollout).toMatchObject({ stuck: 3, duration: undefined })
    expect(rollout?.reasons).toEqual([
      {
        reason:
          "Pods are forbidden: exceeded quota: q, requested: requests.cpu=2, used: requests.cpu=4, limited: requests.cpu=4",
        seeds: 3
      }
    ])
    expect(plan.rollouts.flatMap(adviceTexts)).toEqual([
      "ResourceQuota q has requests.cpu: 4, of which 4 are used; 2 Pods and 1 more (maxSurge: 1) of 2 each take 6. " +
        "Say requests.cpu: 6 there"
    ])
    const read = parsePredicates("duration>1m,duration.p50>1h,stuck>100%")
    if (!read.ok) throw new Error("these are predicates")
    expect(
      findTruePredicates(plan, read.value).map(({ predicate, actual }) => [predicate.text, actual])
    ).toEqual([
      ["duration>1m", Infinity],
      ["duration.p50>1h", Infinity]
    ])
  })

  it("takes no time when nothing changes", async () => {
    const { rollouts } = await planOf({ from: { replicas: 2 }, next: { replicas: 2 }, assume: slowPods })
    expect(rollouts[0]).toMatchObject({ duration: { worst: 0 }, available: { fewest: 2 }, stuck: 0 })
    expect(rollouts[0]?.typical.phases.map(({ what }) => what)).toEqual(["applied: nothing to change"])
  })

  it("has phases when the change takes no time", async () => {
    const { rollouts } = await planOf({
      from: { replicas: 2 },
      next: { replicas: 2, version: "v2" },
      planWorld: { behaviour: "instant" }
    })
    expect(rollouts[0]?.typical.phases.map(({ atMillis, what }) => [atMillis, what])).toEqual([
      [0, "applied, first new Pod available, complete"]
    ])
  })

  it("is the same for the same seeds and differs for others", async () => {
    const one = () => planOf({ from: { replicas: 5 }, next: { replicas: 5, version: "v2" }, seeds: 4 })
    const [first, again] = [await one(), await one()]
    expect(JSON.stringify(again)).toBe(JSON.stringify(first))
    const { duration } = await planNext({ replicas: 5 }, { seeds: 1 })
    expect(duration?.worst).not.toBe(first.rollouts[0]?.duration?.worst)
  })

  it("is stuck when an image cannot be pulled, with the reason, and is given up an hour after its deadline", async () => {
    const behaviours = [{ name: "missing", match: { image: "*:v2" }, pull: { failures: "forever" } }] as const
    const plan = await planNext(
      { replicas: 4, spec: { progressDeadlineSeconds: 60 } },
      { seeds: 3, planWorld: { behaviours } }
    )
    expect(plan).toMatchObject({ stuck: 3, late: 0, duration: undefined, firstMissedSeed: 1 })
    expect(plan.reasons).toEqual([
      {
        reason: 'ImagePullBackOff: image "registry.example/app:v2" could not be pulled',
        seeds: 3,
        field: "spec.template.spec.containers[0].image"
      }
    ])
    expect(plan.typical.phases.map(({ what }) => what)).toEqual([
      "applied, fewest available",
      "deadline missed",
      "given up"
    ])
    const [missed, givenUp] = plan.typical.phases.slice(1).map(({ atMillis }) => atMillis)
    expect(givenUp).toBe((missed ?? 0) + 3_600_000)
    // The times cover the whole play; the seeds differ by their delays.
    expect(plan.available?.shortMillis).toBeGreaterThan(3_600_000)
    expect(plan.givenUpMillis).toBeGreaterThan(3_659_000)
    expect(plan.givenUpMillis).toBeLessThan(3_670_000)
    expect(plan.undo?.stuck).toBe(0)
  })

  it("is stuck when no node has room, and when it is paused", async () => {
    const container = { resources: { requests: { cpu: "20" } } }
    const full = await planNext({ replicas: 3, container, spec: { progressDeadlineSeconds: 60 } })
    expect(full.reasons).toEqual([
      {
        reason:
          "This rollout waits for itself: the request for cpu keeps its new Pods from the nodes of the old ones, " +
          "and with maxUnavailable: 25% (0 of 3) no old one goes before a new one is available",
        seeds: 1
      },
      {
        reason: "Unschedulable: 0/3 nodes are available: 3 Insufficient cpu.",
        seeds: 1,
        field: "spec.template.spec.containers[0].resources"
      }
    ])
    const paused = await planOf({
      from: { replicas: 2 },
      next: { replicas: 2, version: "v2", spec: { paused: true } }
    })
    expect(paused.rollouts[0]).toMatchObject({
      stuck: 1,
      reasons: [{ reason: "spec.paused is true, and a paused rollout never ends", field: "spec.paused" }]
    })
  })

  it("has the state before the rollout and the reasons why it is incomplete", async () => {
    const container = { resources: { requests: { cpu: "20" } } }
    const before = { replicas: 4, container, spec: { progressDeadlineSeconds: 60 } }
    expect((await planNext(before)).before).toEqual({
      desired: 4,
      available: 3,
      reasons: ["Unschedulable: 0/3 nodes are available: 3 Insufficient cpu."]
    })
    expect((await planNext({ replicas: 2 })).before).toEqual({ desired: 2, available: 2, reasons: [] })
    expect((await planOf({ next: { replicas: 2 } })).rollouts[0]?.before).toBeUndefined()
  })

  it("is not late when the version before missed its deadline", async () => {
    const behaviours = [{ name: "missing", match: { image: "*:v0" }, pull: { failures: "forever" } }] as const
    const spec = { progressDeadlineSeconds: 60 }
    const { rollouts } = await planOf({
      from: { replicas: 4, version: "v0", spec },
      next: { replicas: 3, spec },
      planWorld: { behaviours }
    })
    expect(rollouts[0]).toMatchObject({ late: 0, stuck: 0, before: { available: 0 }, undo: { stuck: 1 } })
  })

  it("is late and not stuck when it completes after its deadline", async () => {
    const spec = { ...rolling(1, 0), progressDeadlineSeconds: 20 }
    const plan = await planNext({ replicas: 2, spec }, { assume: "start=30s" })
    expect(plan).toMatchObject({ late: 1, stuck: 0, reasons: [{ reason: "Pods had not started yet" }] })
    expect(plan.duration?.worst).toBeGreaterThan(60_000)
  })

  const patience: ReadonlyArray<{
    readonly why: string
    readonly replicas: number
    readonly start: string
    readonly outcome: object
  }> = [
    {
      why: "goes on while a new Pod becomes available every hour",
      replicas: 5,
      start: "50m",
      outcome: { late: 1, stuck: 0, duration: { worst: 250 * 60_000 }, givenUpMillis: undefined }
    },
    {
      why: "is given up when no Pod became available in the hour after the deadline",
      replicas: 1,
      start: "80m",
      outcome: { late: 0, stuck: 1, duration: undefined, givenUpMillis: 71 * 60_000 + 1000 }
    },
    {
      why: "is given up after six hours",
      replicas: 8,
      start: "50m",
      outcome: { late: 0, stuck: 1, duration: undefined, givenUpMillis: 360 * 60_000 }
    }
  ]
  it.for(patience)("$why", async ({ replicas, start, outcome }) => {
    const spec = { ...rolling(1, 0), progressDeadlineSeconds: 660 }
    const assume = "schedule=0s,pull=0s,start=0s,ready=0s,terminate=0s"
    const behaviours = [
      { name: "tardy", match: { image: "*:v2" }, schedule: "0s", pull: { delay: "0s" }, start, ready: "0s" }
    ]
    const { rollouts } = await planOf({
      from: { replicas, spec, version: "v1" },
      next: { replicas, spec, version: "v2" },
      planWorld: { behaviours },
      assume
    })
    expect(rollouts[0]).toMatchObject(outcome)
  })
})

it("a hold of a strategy counts in the duration, and all old Pods are there until its end", async () => {
  const { typical, available } = await planNext(
    { replicas: 3, spec: { strategy: { type: "HeldBlueGreen" } } },
    { assume: slowPods, planWorld: { strategies: [heldBlueGreen] } }
  )
  expect(available?.fewest).toBe(3)
  expect(typical.phases.map(({ atMillis, what, pods }) => `${atMillis} ${what}: ${pods}`)).toEqual([
    "0 applied: 6",
    "10000 first new Pod available: 6",
    "310000 last old Pod stopping, complete: 3"
  ])
})

it("a strategy that violates its bounds is reported with the seed and the sums", async () => {
  const spec = { strategy: { type: "BlueGreen", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }
  const { violations } = await planOf({
    from: { replicas: 3, spec },
    next: { replicas: 3, spec, version: "v2" },
    seeds: 2,
    planWorld: { strategies: [blueGreen] }
  })
  expect(violations.map(({ seed, rule, broken }) => `${seed} ${rule}: ${broken}`)).toEqual(
    // In the rollout and in its undo.
    [1, 1, 2, 2].map((seed) => `${seed} ceiling: Pods <= desired + maxSurge: 6 <= 4`)
  )
})

describe("advice", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly manifest: Parameters<typeof planNext>[0]
    readonly assume?: string
    readonly beside?: ReadonlyArray<object>
    readonly advice: ReadonlyArray<RegExp>
  }> = [
    {
      why: "Recreate leaves a gap",
      manifest: { replicas: 3, spec: { strategy: { type: "Recreate" } } },
      assume: slowPods,
      advice: [
        /^strategy Recreate .* no Pod answered for 15s\. Where two versions may run at once, RollingUpdate/
      ]
    },
    {
      why: "the only Pod goes first without surge",
      manifest: { replicas: 1, spec: rolling(0, 1), container: preStopSleep(2) },
      beside: [service],
      advice: [/^maxSurge: 0 with maxUnavailable: 1 .* the only Pod goes before the new one is there/]
    },
    {
      why: "maxUnavailable rounds to 0 and counts as 1 without surge",
      manifest: { replicas: 3, spec: rolling(0, "25%") },
      advice: [/^maxSurge: 0 with maxUnavailable: 25% .* 1 of 3 go first/]
    },
    {
      why: "many Pods may be unavailable",
      manifest: { replicas: 4, spec: rolling(1, "50%") },
      advice: [/^maxUnavailable: 50% of 4 lets 2 of 4 Pods be missing at once/]
    },
    {
      why: "a small percentage of two Pods rounds up to half",
      manifest: { replicas: 2, spec: rolling("10%", 0) },
      advice: [/^maxSurge: 10% of 2 rounds up to 1: up to 3 Pods at once/]
    },
    {
      why: "none for the default of one Pod",
      manifest: { replicas: 1, spec: rolling("25%", "25%") },
      advice: []
    },
    {
      why: "the progress deadline is shorter than a Pod's start",
      manifest: { replicas: 2, spec: { ...rolling(1, 0), progressDeadlineSeconds: 20, minReadySeconds: 4 } },
      assume: "schedule=0s,pull=0s,start=30s,ready=0s",
      advice: [/^progressDeadlineSeconds: 20 is over before .* up to 30s\. Say 49:/]
    },
    {
      why: "a slow container has no readiness probe",
      manifest: { replicas: 5, spec: rolling(1, 0) },
      assume: "ready=12s",
      advice: [/^container "app" has no readinessProbe and .* 12s to answer: .* it runs, before it answers$/]
    },
    { why: "none for a good rollout", manifest: { replicas: 5, spec: rolling(1, 0) }, advice: [] },
    {
      why: "none when a readiness probe is there",
      manifest: { replicas: 5, spec: rolling(1, 0), container: readinessProbed },
      assume: "ready=12s",
      advice: []
    }
  ]
  it.for(rows)("$why", async ({ manifest, assume, beside, advice }) => {
    const plan = await planNext(manifest, {
      ...(assume === undefined ? {} : { assume }),
      ...(beside === undefined ? {} : { beside })
    })
    const texts = adviceTexts(plan)
    expect(texts).toHaveLength(advice.length)
    for (const [index, pattern] of advice.entries()) expect(texts[index]).toMatch(pattern)
  })
})
