import { formatQuantity } from "../kubernetes/meta/amounts/quantity.ts"
import { parseMilliValue } from "../kubernetes/pods/podRequests.ts"
import { emptyAdvice } from "./advice/rolloutAdvice.ts"
import { defaultTraffic, lossCauses } from "../scenario/ledger/services/serviceTraffic.ts"
import { desiredPods, workloadsAmong } from "./workloads.ts"
import { hasGivenNodes, lastDocumentOfEachObject } from "./documentKeys.ts"
import { isAssumedDraft } from "./previous/assumedVolumes.ts"
import { objectKeyOf } from "../kubernetes/meta/objects.ts"
import { manifestRisksIn } from "./verdicts/manifestRisks.ts"
import { probeRisks } from "./verdicts/probeRisks.ts"
import { evictionRisks } from "./verdicts/evictionRisks.ts"
import { unknownsOf } from "./verdicts/unknowns.ts"
import { noWhatIf } from "./whatIf/whatIf.ts"
import { formatFieldPath } from "../kubernetes/meta/text/fieldPath.ts"
import type { AutoscaledSize } from "./whatIf/autoscaledSizes.ts"
import type { SteeredFailure } from "./whatIf/steeredFailures.ts"
import type { StartLimit } from "./whatIf/startLimits.ts"
import type { WhatIf } from "./whatIf/whatIf.ts"
import { largestQuotaUses, quotaPeaksFor } from "./seeds/quotaPeaks.ts"
import { playedWarnings, manifestWarnings } from "./warnings/planWarnings.ts"
import type { RolloutAdvice } from "./advice/rolloutAdvice.ts"
import type { PlayedDocuments } from "./verdicts/unknowns.ts"
import type { DocumentPath } from "../kubernetes/meta/text/fieldPath.ts"
import type { IncompleteReason } from "./seeds/incompleteReasons.ts"
import type { Reason } from "./verdicts/verdict.ts"
import type { Unknown } from "./verdicts/unknownKinds.ts"
import type { Node } from "../kubernetes/meta/objects.ts"
import type { WorkloadWithKind, WorkloadId } from "./workloads.ts"
import type { PlanInput, SeedRun } from "./seeds/playSeed.ts"
import type { RolloutRun } from "./seeds/rolloutRun.ts"
import type { RolloutFigures, Spread } from "./rolloutFigures.ts"
import type { LossCause, TrafficOptions } from "../scenario/ledger/services/serviceTraffic.ts"
import type { Violation } from "../scenario/ledger/violations.ts"

export interface Plan {
  readonly seeds: number
  readonly rollouts: ReadonlyArray<RolloutPlan>
  /** The sum of what the nodes can allocate to Pods. */
  readonly room: { readonly nodes: number; readonly cpu: string; readonly memory: string }
  readonly traffic: TrafficOptions
  /** Broken rules of the ledger, such as floors. */
  readonly violations: ReadonlyArray<Violation & { readonly seed: number }>
  readonly warnings: ReadonlyArray<string>
}

export interface RolloutPlan extends RolloutFigures, RolloutAdvice {
  readonly unknowns: ReadonlyArray<Unknown>
  /** The slowest start with which the rollout completes in time; undefined if what-if runs found none. */
  readonly startLimit: StartLimit | undefined
  /** The least and the largest size that an autoscaler may choose; empty without what-if runs. */
  readonly sizes: ReadonlyArray<AutoscaledSize>
  /** Empty for a rollout without steering, or without what-if runs. */
  readonly failures: ReadonlyArray<SteeredFailure>
  readonly risks: ReadonlyArray<Reason>
}

export interface WhatIfAndAdvice {
  readonly whatIf?: WhatIf | undefined
  readonly adviceById?: ReadonlyMap<WorkloadId, RolloutAdvice> | undefined
}

/** `seedRuns` must be in the order of the seeds. */
export const summarizePlan = (
  input: Pick<PlanInput, "from" | "next" | "livePods" | "traffic" | "strategies" | "warnings" | "nodes">,
  seedRuns: ReadonlyArray<SeedRun>,
  { whatIf: { startLimits, sizes, failures } = noWhatIf, adviceById }: WhatIfAndAdvice = {}
): Plan => {
  const { workloads = new Map<WorkloadId, WorkloadWithKind>(), nodes = [] } = seedRuns[0] ?? {}
  const runsById = groupRuns(seedRuns)
  const idsBefore = new Set(workloadsAmong(input.from ?? []).map(({ id }) => id))
  const quotas = largestQuotaUses(seedRuns.map((run) => run.quotas))
  const played = playedDocuments(input, nodes)
  const risksOf = manifestRisksIn({
    documents: played.documents,
    next: input.next,
    from: input.from ?? [],
    livePods: input.livePods
  })
  return {
    seeds: seedRuns.length,
    rollouts: [...workloads].map(([id, workload]) => {
      const runs = runsById.get(id) ?? []
      const figures = rolloutFigures(workload, runs, {
        isNew: !idsBefore.has(id),
        quotas: quotaPeaksFor(objectKeyOf(workload.object), quotas)
      })
      return {
        ...figures,
        unknowns: unknownsOf(workload, played),
        startLimit: startLimits.get(id),
        sizes: sizes.get(id) ?? [],
        failures: failures.get(id) ?? [],
        risks: [
          ...probeRisks(workload, runs, { isMeasured: input.livePods !== undefined }),
          ...evictionRisks(runs),
          ...risksOf(workload)
        ],
        ...(adviceById?.get(id) ?? emptyAdvice)
      }
    }),
    traffic: { ...defaultTraffic, ...input.traffic },
    room: {
      nodes: nodes.length,
      ...formatAmounts({
        cpuMillicores: sum(nodes.map(({ status }) => parseMilliValue(status.allocatable?.["cpu"]))),
        memoryMillibytes: sum(nodes.map(({ status }) => parseMilliValue(status.allocatable?.["memory"])))
      })
    },
    violations: seedRuns.flatMap(({ seed, violations }) =>
      violations.map((violation) => ({ ...violation, seed }))
    ),
    warnings: [...manifestWarnings(input), ...playedWarnings(seedRuns)]
  }
}

const groupRuns = (seedRuns: ReadonlyArray<SeedRun>): ReadonlyMap<WorkloadId, ReadonlyArray<RolloutRun>> => {
  const runsById = new Map<WorkloadId, Array<RolloutRun>>()
  for (const { rollouts } of seedRuns) {
    for (const [id, run] of rollouts) {
      const runsOfId = runsById.get(id)
      if (runsOfId === undefined) runsById.set(id, [run])
      else runsOfId.push(run)
    }
  }
  return runsById
}

const playedDocuments = (
  input: Pick<PlanInput, "from" | "next" | "livePods" | "nodes">,
  nodes: ReadonlyArray<Node>
): PlayedDocuments => {
  const { from = [], next } = input
  const documents = lastDocumentOfEachObject([...from, ...next]).filter(({ draft }) => !isAssumedDraft(draft))
  return { documents, from, nodes, areNodesGiven: hasGivenNodes(input) }
}

const rolloutFigures = (
  workload: WorkloadWithKind,
  runs: ReadonlyArray<RolloutRun>,
  { isNew, quotas }: Pick<RolloutFigures, "isNew" | "quotas">
): RolloutFigures => {
  const { namespace = "default", name } = workload.object.metadata
  const desired = desiredPods(workload)
  const completed = runs
    .filter(({ millis }) => millis !== undefined)
    .sort((a, b) => (a.millis ?? 0) - (b.millis ?? 0) || a.seed - b.seed)
  const incomplete = runs.filter(({ millis }) => millis === undefined)
  const stuck = runs.filter(({ outcome }) => outcome === "stuck")
  const lateOrStuck = runs.filter(({ outcome }) => outcome !== "complete")
  const typical = completed.length * 2 >= runs.length ? percentile(completed, 0.5) : stuck[0]
  const givenUpTimes = incomplete.flatMap(({ givenUpMillis }) => givenUpMillis ?? [])
  return {
    kind: workload.kind,
    namespace,
    name,
    desired,
    isNew,
    before: runs
      .flatMap(({ before }) => before ?? [])
      .sort((a, b) => a.available - b.available)
      .at(0),
    typical: { seed: typical?.seed ?? 0, phases: typical?.phases ?? [], counts: typical?.counts ?? [] },
    duration: durationOf(completed, incomplete),
    givenUpMillis: givenUpTimes.length === 0 ? undefined : Math.max(...givenUpTimes),
    available: isNew || workload.kind === "Job" ? undefined : fewestAvailable(runs),
    pods: mostPods(runs),
    quotas,
    // Clients of a workload without desired Pods expect no answer.
    requests: isNew || desired === 0 ? undefined : requestsOfRuns(runs),
    late: lateOrStuck.length - stuck.length,
    stuck: stuck.length,
    firstMissedSeed: lateOrStuck[0]?.seed,
    reasons: countReasons(lateOrStuck.flatMap(({ reasons }) => reasons)),
    undo: undoOfRuns(runs)
  }
}

const durationOf = (
  completed: ReadonlyArray<RolloutRun>,
  incomplete: ReadonlyArray<RolloutRun>
): RolloutFigures["duration"] => {
  if (completed.length === 0) return undefined
  const spread = spreadOf([...completed.map(({ millis = 0 }) => millis), ...incomplete.map(() => Infinity)])
  const worst = incomplete[0] ?? completed.at(-1)
  return spread === undefined ? undefined : { ...spread, worstSeed: worst?.seed ?? 0 }
}

const fewestAvailable = (runs: ReadonlyArray<RolloutRun>): RolloutFigures["available"] => {
  const worst = runs.toSorted(byAvailability)[0]
  if (worst === undefined) return undefined
  const { availableFewest: fewest, fewestMillis, shortMillis } = worst.extremes
  return { fewest, fewestMillis, shortMillis, seed: worst.seed }
}

const byAvailability = (
  { extremes: a, seed }: RolloutRun,
  { extremes: b, seed: otherSeed }: RolloutRun
): number => a.availableFewest - b.availableFewest || b.fewestMillis - a.fewestMillis || seed - otherSeed

const mostPods = (runs: ReadonlyArray<RolloutRun>): RolloutFigures["pods"] => ({
  most: Math.max(0, ...runs.map(({ extremes }) => extremes.podsMost)),
  mostWithTerminating: Math.max(0, ...runs.map(({ extremes }) => extremes.podsMostWithTerminating)),
  ...formatAmounts({
    cpuMillicores: largest(runs.map(({ extremes }) => extremes.requestsMost.cpuMillicores)),
    memoryMillibytes: largest(runs.map(({ extremes }) => extremes.requestsMost.memoryMillibytes))
  })
})

const undoOfRuns = (runs: ReadonlyArray<RolloutRun>): RolloutFigures["undo"] => {
  const undoneRuns = runs.filter(({ isUndoPlayed }) => isUndoPlayed)
  if (undoneRuns.length === 0) return undefined
  const undoTimes = undoneRuns.flatMap(({ undoMillis }) => undoMillis ?? []).sort((a, b) => a - b)
  const stuck = undoneRuns.length - undoTimes.length
  return { ...spreadOf(undoTimes), seeds: undoneRuns.length, stuck }
}

const requestsOfRuns = (runs: ReadonlyArray<RolloutRun>): RolloutFigures["requests"] => {
  const requestsBySeed = runs
    .flatMap(({ seed, requests }) => (requests === undefined ? [] : [{ ...requests, seed }]))
    .sort((a, b) => a.lost - b.lost || b.seed - a.seed)
  const worst = requestsBySeed.at(-1)
  return worst === undefined ? undefined : { ...worst, lostHalf: percentile(requestsBySeed, 0.5)?.lost ?? 0 }
}

export const lossesByCause = ({
  because
}: NonNullable<RolloutFigures["requests"]>): ReadonlyArray<readonly [LossCause, number]> =>
  lossCauses
    .map((cause) => [cause, because[cause]] as const)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a)

const percentile = <A>(sorted: ReadonlyArray<A>, fraction: number): A | undefined =>
  sorted[Math.max(0, Math.ceil(fraction * sorted.length) - 1)]

const spreadOf = (sorted: ReadonlyArray<number>): Spread | undefined => {
  const [p50, p95, worst] = [percentile(sorted, 0.5), percentile(sorted, 0.95), sorted.at(-1)]
  return p50 === undefined || p95 === undefined || worst === undefined ? undefined : { p50, p95, worst }
}

/** A reason with several fields counts once, with the field of its first seed. */
const countReasons = (reasons: ReadonlyArray<IncompleteReason>): RolloutFigures["reasons"] => {
  const counts = new Map<string, { readonly seeds: number; readonly field: DocumentPath | undefined }>()
  for (const { text, field } of reasons) {
    const countedReason = counts.get(text)
    counts.set(text, { seeds: (countedReason?.seeds ?? 0) + 1, field: countedReason?.field ?? field })
  }
  return Array.from(counts, ([reason, { seeds, field }]) => ({
    reason,
    seeds,
    ...(field === undefined ? {} : { field: formatFieldPath(field) })
  })).sort((a, b) => b.seeds - a.seeds)
}

const nanosPerMilli = 1_000_000n

const formatAmounts = (amounts: { readonly cpuMillicores: bigint; readonly memoryMillibytes: bigint }) => ({
  cpu: formatQuantity({ nanos: amounts.cpuMillicores * nanosPerMilli, format: "decimal" }),
  memory: formatQuantity({ nanos: amounts.memoryMillibytes * nanosPerMilli, format: "binary" })
})

const sum = (values: ReadonlyArray<bigint>): bigint => values.reduce((total, value) => total + value, 0n)
const largest = (values: ReadonlyArray<bigint>): bigint =>
  values.reduce((most, value) => (value > most ? value : most), 0n)
