import { describe, expect, it } from "vitest"
import { samplePlan, sampleRollout } from "../reports/samplePlan.ts"
import { parsePredicates, findTruePredicates } from "../../src/plan/predicates.ts"
import { seedsToShow } from "../../src/plan/seedsToShow.ts"
import type { Plan, RolloutPlan } from "../../src/plan/summarizePlan.ts"
import type { SeedRun } from "../../src/plan/seeds/playSeed.ts"
import type { RolloutRun } from "../../src/plan/seeds/rolloutRun.ts"

const planOf = (changes: Partial<RolloutPlan>, more: Partial<Plan> = {}): Plan => ({
  ...samplePlan,
  violations: [],
  ...more,
  rollouts: [{ ...sampleRollout, ...changes }]
})

/** `6 typical`, in their order. */
const seedsOf = (of: Plan, failOn = "", played: ReadonlyArray<SeedRun> = []): ReadonlyArray<string> => {
  const predicates = failOn === "" ? undefined : parsePredicates(failOn)
  const tripped = findTruePredicates(of, predicates?.ok === true ? predicates.value : [])
  return seedsToShow(of, played, tripped).map(({ seed, why }) => `${seed} ${why}`)
}

describe("the seeds that a report of a plan shows", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly changes: Partial<RolloutPlan>
    readonly more?: Partial<Plan>
    readonly failOn?: string
    readonly seeds: ReadonlyArray<string>
  }> = [
    {
      why: "the typical seed, a late one, the slowest, and the one with the fewest available",
      changes: {},
      seeds: ["6 typical", "12 late", "29 takes longest", "5 fewest available"]
    },
    {
      why: "one seed once, with all its reasons",
      changes: {
        late: 0,
        firstMissedSeed: undefined,
        duration: { p50: 1, p95: 2, worst: 3, worstSeed: 6 },
        available: { fewest: 2, fewestMillis: 1, shortMillis: 1, seed: 6 }
      },
      seeds: ["6 typical, takes longest, fewest available"]
    },
    {
      why: "one that fails a predicate, before the worst ones",
      changes: {
        late: 0,
        firstMissedSeed: undefined,
        available: { fewest: 2, fewestMillis: 1, shortMillis: 1, seed: 8 }
      },
      failOn: "available<75%,duration>1m",
      seeds: ["6 typical", "8 available<75%, fewest available", "29 duration>1m, takes longest"]
    },
    {
      why: "no slowest one when one is stuck",
      changes: {
        late: 0,
        stuck: 3,
        duration: { p50: 1, p95: Infinity, worst: Infinity, worstSeed: 12 },
        available: undefined
      },
      seeds: ["6 typical", "12 stuck"]
    },
    {
      why: "none with the fewest available when all always are",
      changes: {
        late: 2,
        stuck: 1,
        available: { fewest: 4, fewestMillis: 0, shortMillis: 0, seed: 1 },
        duration: undefined
      },
      seeds: ["6 typical", "12 late or stuck"]
    },
    {
      why: "the one that loses most requests and a stuck one when predicates name them",
      changes: { late: 0, stuck: 2, duration: undefined, available: undefined },
      failOn: "lost>0,stuck>1,duration>1m",
      seeds: ["6 typical", "12 stuck, stuck>1, duration>1m", "5 lost>0"]
    },
    {
      why: "one that violates a rule",
      changes: { late: 0, firstMissedSeed: undefined, duration: undefined, available: undefined },
      more: { violations: samplePlan.violations },
      seeds: ["6 typical", "9 a broken rule"]
    }
  ]
  it.for(rows)("are $why", ({ changes, more, failOn, seeds }) => {
    expect(seedsOf(planOf(changes, more), failOn)).toEqual(seeds)
  })

  it("include the first with the most Pods when a predicate names Pods", () => {
    const run = (seed: number, podsMost: number, name = "shop"): SeedRun => ({
      ...nothingPlayed,
      seed,
      rollouts: new Map([
        [`Deployment default/${name}`, { ...aRun, extremes: { ...aRun.extremes, podsMost } }]
      ])
    })
    const quiet = { late: 0, firstMissedSeed: undefined, duration: undefined, available: undefined }
    const played = [run(1, 4, "cart"), run(2, 3), run(3, 4), run(4, 4)]
    expect(seedsOf(planOf(quiet), "pods>3", played)).toEqual(["6 typical", "3 pods>3"])
  })

  it("name the Deployment when there are several, failures before the slowest", () => {
    const quiet = {
      late: 0,
      firstMissedSeed: undefined,
      available: undefined,
      requests: { ...lostRequests, seed: 7 }
    }
    const cart = {
      ...sampleRollout,
      name: "cart",
      typical: { seed: 3, phases: [], counts: [] },
      duration: undefined
    }
    const both = { ...samplePlan, rollouts: [{ ...sampleRollout, ...quiet }, cart] }
    expect(seedsOf(both, "lost>0", [])).toEqual([
      "6 shop typical",
      "3 cart typical",
      "7 shop lost>0",
      "12 cart late",
      "5 cart lost>0, cart fewest available",
      "9 a broken rule",
      "29 shop takes longest"
    ])
  })
})

const lostRequests: NonNullable<RolloutPlan["requests"]> = {
  services: ["shop"],
  lost: 9,
  requests: 100,
  because: { stopping: 9, starting: 0, failing: 0, noEndpoint: 0 },
  seed: 5,
  lostHalf: 0,
  unfound: []
}
const aRun: RolloutRun = {
  seed: 1,
  outcome: "complete",
  millis: 1000,
  givenUpMillis: undefined,
  takenBackMillis: undefined,
  before: undefined,
  extremes: {
    availableFewest: 4,
    shortMillis: 0,
    fewestMillis: 0,
    podsMost: 4,
    podsMostWithTerminating: 4,
    requestsMost: { cpuMillicores: 0n, memoryMillibytes: 0n }
  },
  phases: [],
  counts: [],
  reasons: [],
  times: {
    readyMillis: 0,
    readyBeforeFailureMillis: 0,
    readyToAnswerMillis: 0,
    stoppingMillis: 0,
    answerMillisByImage: new Map()
  },
  evictingTaint: undefined,
  requests: undefined,
  servingPorts: new Map(),
  servingOnlyWhenReady: new Set(),
  warnings: [],
  undoMillis: undefined,
  isUndoPlayed: false
}
const nothingPlayed = { workloads: new Map(), nodes: [], quotas: [], violations: [] }
