import * as Effect from "effect/Effect"
import { formatQuantity } from "../../domain/quantity.ts"
import { millis } from "../../domain/requests.ts"
import { adviceFor } from "./advice.ts"
import { lossCauses } from "../ledger/serviceTraffic.ts"
import { deploymentKeys } from "./documentKeys.ts"
import { longestOf } from "./longestTimes.ts"
import { makePlay } from "./planRun.ts"
import { mostOf, quotasFor } from "./quotaPeaks.ts"
import { usualTraffic } from "../ledger/serviceTraffic.ts"
import { warningsIn, warningsOf } from "./warnings.ts"
import type { Deployment, Key } from "../../domain/objects.ts"
import type { UnknownBehaviour } from "../../clusterOptions.ts"
import type { InvalidOptions } from "../../invalidOptions.ts"
import type { ManifestsRefused } from "../../manifests/manifestsRefused.ts"
import type { Phase } from "./phases.ts"
import type { PlanWorld, RolloutRun, SeedRun } from "./planRun.ts"
import type { QuotaPeak } from "./quotaPeaks.ts"
import type { RunsBefore } from "./standing.ts"
import type { LossCause, Traffic } from "../ledger/serviceTraffic.ts"
import type { Violation } from "../ledger/violations.ts"

/** What a rollout will do, over many seeds. */
export interface Plan {
  readonly seeds: number
  readonly rollouts: ReadonlyArray<RolloutPlan>
  /** What all nodes have together. */
  readonly room: { readonly nodes: number; readonly cpu: string; readonly memory: string }
  /** What is sent to each Service. */
  readonly traffic: Traffic
  /** Rules of Kubernetes' own that were broken, each with its seed: a strategy that does not keep its word. */
  readonly violations: ReadonlyArray<Violation & { readonly seed: number }>
  /** What must be known of it before it is believed, a sentence each. */
  readonly warnings: ReadonlyArray<string>
}

/** What is said of one Deployment. All times are in milliseconds. */
export interface RolloutPlan {
  readonly namespace: string
  readonly name: string
  readonly desired: number
  /** It was not there before. */
  readonly isNew: boolean
  /** How far what runs before had come when the rollout began; undefined for what is new. */
  readonly before: RunsBefore | undefined
  /** The seed in the middle by duration, and how it went. */
  readonly typical: { readonly seed: number; readonly phases: ReadonlyArray<Phase> }
  /** `Infinity` where a seed is never complete, which is null in JSON; undefined where none ever is. */
  readonly duration: (Spread & { readonly worstSeed: number }) | undefined
  /** How long what was never complete was looked at, with any seed; undefined where all were. */
  readonly givenUpMillis: number | undefined
  /** The worst seed's; undefined for what is new. */
  readonly available:
    | {
        readonly fewest: number
        readonly fewestMillis: number
        readonly shortMillis: number
        readonly seed: number
      }
    | undefined
  readonly pods: {
    readonly most: number
    readonly mostWithTerminating: number
    readonly cpu: string
    readonly memory: string
  }
  /** What was used of the quotas of its namespace at the most, with any seed. */
  readonly quotas: ReadonlyArray<QuotaPeak>
  /** The worst seed's; undefined for what is new, and where no Service of before finds its Pods. */
  readonly requests:
    | {
        readonly services: ReadonlyArray<string>
        /** Those that find or reach none of the new Pods: beyond `lost`, all that comes to them afterwards. */
        readonly unfound: ReadonlyArray<string>
        readonly lost: number
        readonly requests: number
        readonly because: Readonly<Record<LossCause, number>>
        readonly seed: number
        /** With half the seeds no more than so many. */
        readonly lostHalf: number
      }
    | undefined
  /** How many seeds missed the deadline and were complete after all, and how many never were. */
  readonly late: number
  readonly stuck: number
  readonly firstMissedSeed: number | undefined
  readonly reasons: ReadonlyArray<{ readonly reason: string; readonly seeds: number }>
  /**
   * How long `kubectl rollout undo` takes, tried with the first seeds; undefined where there is nothing to go back to:
   * the template is the same, or no revision has another.
   */
  readonly undo: (Partial<Spread> & { readonly seeds: number; readonly stuck: number }) | undefined
  readonly advice: ReadonlyArray<string>
}

interface Spread {
  readonly p50: number
  readonly p95: number
  readonly worst: number
}

/** Going back is as long as going on: a few seeds tell. */
const undoSeedsMax = 20

/** One seed that is to be played, and whether going back is tried with it. */
export interface Turn {
  readonly seed: number
  readonly undo: boolean
}

export const turnsOf = (seeds: ReadonlyArray<number>): ReadonlyArray<Turn> =>
  seeds.map((seed, index) => ({ seed, undo: index < undoSeedsMax }))

/**
 * Plays a rollout to its end once for each seed, each in a world of its own, and adds up what came of it. The same
 * seeds give the same plan, to the byte.
 */
export const planRollout = (
  world: PlanWorld,
  seeds: ReadonlyArray<number>
): Effect.Effect<Plan, ManifestsRefused | InvalidOptions | UnknownBehaviour> =>
  Effect.suspend(() => {
    const play = makePlay(world)
    return Effect.map(
      Effect.forEach(turnsOf(seeds), ({ seed, undo }) => play(seed, { undo })),
      (played) => sumUp(world, played)
    )
  })

/** What all seeds come to, in whatever order they were played: they are given in the order of the seeds. */
export const sumUp = (
  world: Pick<PlanWorld, "from" | "next" | "running" | "traffic" | "warnings">,
  played: ReadonlyArray<SeedRun>
): Plan => {
  const runs = new Map<Key, Array<RolloutRun>>()
  for (const { rollouts } of played) {
    for (const [key, run] of rollouts) {
      const known = runs.get(key)
      if (known === undefined) runs.set(key, [run])
      else known.push(run)
    }
  }
  const before = new Set(deploymentKeys(world.from ?? []))
  const traffic = { ...usualTraffic, ...world.traffic }
  const quotas = mostOf(played.map((run) => run.quotas))
  const { deployments = new Map<Key, Deployment>(), nodes = [] } = played[0] ?? {}
  return {
    seeds: played.length,
    rollouts: [...deployments].map(([key, deployment]) =>
      rolloutPlan(deployment, runs.get(key) ?? [], {
        isNew: !before.has(key),
        traffic,
        quotas: quotasFor(key, quotas)
      })
    ),
    traffic,
    room: {
      nodes: nodes.length,
      ...amounts({
        cpuMillis: sum(nodes.map(({ status }) => millis(status.allocatable?.["cpu"]))),
        memoryMillis: sum(nodes.map(({ status }) => millis(status.allocatable?.["memory"])))
      })
    },
    violations: played.flatMap(({ seed, violations }) => violations.map((it) => ({ ...it, seed }))),
    warnings: [...warningsOf(world), ...warningsIn(played)]
  }
}

interface Surroundings extends Pick<RolloutPlan, "isNew" | "quotas"> {
  readonly traffic: Traffic
}

const rolloutPlan = (
  deployment: Deployment,
  runs: ReadonlyArray<RolloutRun>,
  { isNew, traffic, quotas }: Surroundings
): RolloutPlan => {
  const { namespace = "default", name } = deployment.metadata
  const ended = runs
    .filter((run) => run.millis !== undefined)
    .sort((a, b) => (a.millis ?? 0) - (b.millis ?? 0) || a.seed - b.seed)
  // Where most are stuck, the typical one is.
  const typical =
    ended.length * 2 >= runs.length ? at(ended, 0.5) : runs.find(({ outcome }) => outcome === "stuck")
  const worst = runs.toSorted(byAvailability)[0]
  const never = runs.filter(({ millis }) => millis === undefined)
  const spread =
    ended.length === 0
      ? undefined
      : spreadOf([...ended.map((run) => run.millis ?? 0), ...never.map(() => Infinity)])
  const missed = runs.filter(({ outcome }) => outcome !== "complete")
  const undone = runs.filter(({ isUndone }) => isUndone)
  const undoSpread = spreadOf(undone.flatMap(({ undoMillis }) => undoMillis ?? []).sort((a, b) => a - b))
  const givenUp = never.flatMap(({ givenUpMillis }) => givenUpMillis ?? [])
  const most = (of: (run: RolloutRun) => number): number => Math.max(0, ...runs.map(of))
  const plan = {
    namespace,
    name,
    desired: deployment.spec.replicas,
    isNew,
    before: runs
      .flatMap(({ before }) => before ?? [])
      .sort((a, b) => a.available - b.available)
      .at(0),
    typical: { seed: typical?.seed ?? 0, phases: typical?.phases ?? [] },
    duration:
      spread === undefined ? undefined : { ...spread, worstSeed: (never[0] ?? ended.at(-1))?.seed ?? 0 },
    givenUpMillis: givenUp.length === 0 ? undefined : Math.max(...givenUp),
    available:
      isNew || worst === undefined
        ? undefined
        : {
            fewest: worst.extremes.availableFewest,
            fewestMillis: worst.extremes.fewestMillis,
            shortMillis: worst.extremes.shortMillis,
            seed: worst.seed
          },
    pods: {
      most: most(({ extremes }) => extremes.podsMost),
      mostWithTerminating: most(({ extremes }) => extremes.podsMostWithTerminating),
      ...amounts({
        cpuMillis: largest(runs.map(({ extremes }) => extremes.requestsMost.cpuMillis)),
        memoryMillis: largest(runs.map(({ extremes }) => extremes.requestsMost.memoryMillis))
      })
    },
    quotas,
    requests: isNew ? undefined : requestsOf(runs),
    late: runs.filter(({ outcome }) => outcome === "late").length,
    stuck: runs.filter(({ outcome }) => outcome === "stuck").length,
    firstMissedSeed: missed[0]?.seed,
    reasons: tallied(missed.flatMap(({ reasons }) => reasons)),
    undo:
      undone.length === 0
        ? undefined
        : {
            ...undoSpread,
            seeds: undone.length,
            stuck: undone.filter(({ undoMillis }) => undoMillis === undefined).length
          }
  }
  const longest = longestOf(runs.map(({ times }) => times))
  const servers = new Set(runs.flatMap((run) => [...run.servers]))
  const awaited = new Set(runs.flatMap((run) => [...run.awaited]))
  return { ...plan, advice: adviceFor(deployment, plan, { longest, traffic, servers, awaited }) }
}

/** The seed with which most were lost. */
const requestsOf = (runs: ReadonlyArray<RolloutRun>): RolloutPlan["requests"] => {
  const sent = runs
    .flatMap(({ seed, requests }) => (requests === undefined ? [] : [{ ...requests, seed }]))
    .sort((a, b) => a.lost - b.lost || b.seed - a.seed)
  const worst = sent.at(-1)
  return worst === undefined ? undefined : { ...worst, lostHalf: at(sent, 0.5)?.lost ?? 0 }
}

/** Why requests were lost, the most frequent first. */
export const lossesOf = ({
  because
}: NonNullable<RolloutPlan["requests"]>): ReadonlyArray<readonly [LossCause, number]> =>
  lossCauses
    .map((cause) => [cause, because[cause]] as const)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a)

/** The fewest available first; among those that have it longest. */
const byAvailability = (
  { extremes: a, seed }: RolloutRun,
  { extremes: b, seed: other }: RolloutRun
): number => a.availableFewest - b.availableFewest || b.fewestMillis - a.fewestMillis || seed - other

/** The value below which such a part of sorted ones lies, by the nearest rank. */
const at = <A>(sorted: ReadonlyArray<A>, part: number): A | undefined =>
  sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)]

const spreadOf = (sorted: ReadonlyArray<number>): Spread | undefined => {
  const [p50, p95, worst] = [at(sorted, 0.5), at(sorted, 0.95), sorted.at(-1)]
  return p50 === undefined || p95 === undefined || worst === undefined ? undefined : { p50, p95, worst }
}

const tallied = (reasons: ReadonlyArray<string>): RolloutPlan["reasons"] => {
  const counts = new Map<string, number>()
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  return [...counts].map(([reason, seeds]) => ({ reason, seeds })).sort((a, b) => b.seeds - a.seeds)
}

const nanosPerMilli = 1_000_000n

const amounts = (of: { readonly cpuMillis: bigint; readonly memoryMillis: bigint }) => ({
  cpu: formatQuantity({ nanos: of.cpuMillis * nanosPerMilli, format: "decimal" }),
  memory: formatQuantity({ nanos: of.memoryMillis * nanosPerMilli, format: "binary" })
})

const sum = (values: ReadonlyArray<bigint>): bigint => values.reduce((total, value) => total + value, 0n)
const largest = (values: ReadonlyArray<bigint>): bigint =>
  values.reduce((most, value) => (value > most ? value : most), 0n)
