import * as Effect from "effect/Effect"
import { applyDocuments } from "../../manifests/applyManifests.ts"
import { bringUpPrevious, resumePrevious } from "../previous/bringUpPrevious.ts"
import { findWorkload, toWorkloadWithKind, withAppliedTemplate, workloadsAmong } from "../workloads.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { configKeysIn } from "./containerConfig.ts"
import { assumedBehaviourName } from "../assumptions.ts"
import { makeCluster } from "../../cluster/cluster.ts"
import { makeLedger } from "../../scenario/ledger/ledger.ts"
import { podCountsOf, playChange, settlingMillis } from "./playChange.ts"
import { makePodLedger } from "./podLedger.ts"
import { countsOverTime, phasesOf } from "./phases.ts"
import { makePodTimesRecorder } from "./podTimes.ts"
import { makeRolloutWatch } from "./rolloutWatch.ts"
import { noteViolations, clusterRecording, recordingLimits } from "../../scenario/clusterRecording.ts"
import { makeSteeredSteps, takeBackAmong } from "./steeredSteps.ts"
import { makeQuotaPeaks } from "./quotaPeaks.ts"
import {
  servicesInFront,
  servicesOfReadyPods,
  rolloutRequests,
  servingPorts,
  unfoundServiceText
} from "./rolloutRequests.ts"
import { makeUnprobedLives } from "./unprobedLives.ts"
import { undoRollouts, statesBefore } from "./stateBefore.ts"
import { changesForOldPods, withChanges } from "../advice/objectChange.ts"
import type { ObjectChange } from "../advice/objectChange.ts"
import { defaultTraffic } from "../../scenario/ledger/serviceTraffic.ts"
import type { Cluster } from "../../cluster/cluster.ts"
import type { ChangeLife } from "../whatIf/slowStarts.ts"
import type { RunningPods } from "../previous/previousDocuments.ts"
import type { Scope } from "effect/Scope"
import type { IncompleteReason } from "./incompleteReasons.ts"
import type { PlayedChange, ObservedCluster } from "./playChange.ts"
import type { Behaviour } from "../../behaviours/behaviour.ts"
import type { ClusterOptions, UnknownBehaviour } from "../../cluster/clusterOptions.ts"
import type { InvalidOptions } from "../../options/invalidOptions.ts"
import type { Node } from "../../kubernetes/meta/objects.ts"
import type { WorkloadWithKind, WorkloadId, WorkloadReference } from "../workloads.ts"
import type { RolloutExtremes } from "../../scenario/ledger/podAccount.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { ManifestsRefused } from "../../manifests/manifestsRefused.ts"
import type { Phase, PlayedCounts } from "./phases.ts"
import type { QuotaUse } from "./quotaPeaks.ts"
import type { ClusterRecording } from "../../scenario/clusterRecording.ts"
import type { RolloutRequests } from "./rolloutRequests.ts"
import type { TrafficOptions } from "../../scenario/ledger/serviceTraffic.ts"
import type { AvailabilityBefore, StateBefore } from "./stateBefore.ts"
import type { LongestPodTimes } from "./podTimes.ts"
import type { Snapshot } from "../../cluster/snapshots/snapshot.ts"
import type { Violation } from "../../scenario/ledger/violations.ts"

/** Everything that a plan is made from, but for its seeds. */
export interface PlanInput {
  /** The manifests to apply. */
  readonly next: ReadonlyArray<ManifestDocument>
  /** What runs before; nothing if omitted. */
  readonly from?: ReadonlyArray<ManifestDocument>
  /** The state of the Pods of `from`; only if it was read from a cluster. */
  readonly running?: RunningPods
  readonly nodes?: ClusterOptions["nodes"]
  readonly behaviour?: Behaviour | string
  readonly behaviours?: ReadonlyArray<Behaviour>
  readonly strategies?: NonNullable<ClusterOptions["strategies"]>
  readonly steering?: NonNullable<ClusterOptions["steering"]>
  readonly featureGates?: ClusterOptions["featureGates"]
  readonly traffic?: Partial<TrafficOptions>
  /** How long one rollout is played at most, in virtual time. Default: six hours. */
  readonly limitMillis?: number
  readonly warnings?: ReadonlyArray<string>
}

/** One rollout with one seed. */
export interface RolloutRun {
  readonly seed: number
  /** `late`: complete after the deadline. `stuck`: never complete, or taken back by its steering. */
  readonly outcome: "complete" | "late" | "stuck"
  /** How long it took until it was complete; undefined if it never was. */
  readonly millis: number | undefined
  /** How long it was played until it was given up; undefined if it was complete. */
  readonly givenUpMillis: number | undefined
  /** How long it took until its steering had taken it back; undefined if it was not. */
  readonly takenBackMillis: number | undefined
  /** Available Pods before the rollout; undefined for a new workload. */
  readonly before: AvailabilityBefore | undefined
  readonly extremes: RolloutExtremes
  readonly phases: ReadonlyArray<Phase>
  /** The numbers of its Pods until it was complete or given up. */
  readonly counts: ReadonlyArray<PlayedCounts>
  /** Why it was late or stuck. */
  readonly reasons: ReadonlyArray<IncompleteReason>
  readonly times: LongestPodTimes
  readonly requests: RolloutRequests | undefined
  /** By the names of the containers to which Services send requests: the port that gets them. */
  readonly servingPorts: ReadonlyMap<string, number>
  /** The names of those containers that get no requests before their Pod is ready. */
  readonly servingOnlyWhenReady: ReadonlySet<string>
  readonly warnings: ReadonlyArray<string>
  /** How long `kubectl rollout undo` took; undefined if it was not tried, or never complete. */
  readonly undoMillis: number | undefined
  /** Whether an undo was tried. */
  readonly isUndone: boolean
}

export interface SeedRun {
  readonly seed: number
  readonly rollouts: ReadonlyMap<WorkloadId, RolloutRun>
  /** With the templates of the rollouts, whether they were taken back or not. */
  readonly workloads: ReadonlyMap<WorkloadId, WorkloadWithKind>
  readonly nodes: ReadonlyArray<Node>
  readonly quotas: ReadonlyArray<QuotaUse>
  readonly violations: ReadonlyArray<Violation>
  /** With `isRecorded`, from right before the rollout. */
  readonly recorded?: ClusterRecording
}

export interface PlayOptions {
  /** Whether to play `kubectl rollout undo` after the rollout. */
  readonly undo: boolean
  readonly isRecorded?: boolean
  /** Replaces what Pods draw from their behaviour. */
  readonly changeLife?: ChangeLife
  /** Changes to make in the manifests before they are applied. */
  readonly changes?: ReadonlyArray<ObjectChange>
}

const defaultLimitMillis = 6 * 3_600_000

/** Plays one seed in a cluster of its own, from the snapshot of what runs before. */
export type PlaySeed = (
  seed: number,
  options: PlayOptions
) => Effect.Effect<SeedRun, ManifestsRefused | InvalidOptions | UnknownBehaviour>

/** A cluster with the workloads from before the rollout, and the rules broken while they started. */
interface PreviousCluster {
  readonly snapshot: Snapshot
  readonly violations: ReadonlyArray<Violation>
}

/** The seed with which what runs before is started: all seeds of a plan begin with its snapshot. */
const previousSeed = 1

export const makeSeedPlayer = (input: PlanInput): PlaySeed => {
  const snapshots = new Map<string, PreviousCluster | "none">()
  return Effect.fnUntraced(function* (seed, options) {
    const { changes = [] } = options
    const changed = changes.length === 0 ? input : withChanges(input, changes)
    // Other changes leave what runs before as it is.
    const key = JSON.stringify(changesForOldPods(changes))
    const previous = snapshots.get(key) ?? (yield* snapshotPrevious(changed))
    snapshots.set(key, previous)
    return yield* playSeed(changed, seed, {
      ...options,
      previous: previous === "none" ? undefined : previous
    })
  })
}

/** `none` if nothing runs before, or no snapshot can be taken. */
const snapshotPrevious = (
  input: PlanInput
): Effect.Effect<PreviousCluster | "none", ManifestsRefused | InvalidOptions | UnknownBehaviour> => {
  const { from } = input
  if (from === undefined) return Effect.succeed("none")
  return Effect.scoped(
    Effect.gen(function* () {
      const observedCluster = yield* openObservedCluster(input, previousSeed)
      yield* bringUpPrevious(observedCluster, input)
      const snapshot = yield* observedCluster.cluster.snapshot
      return { snapshot, violations: observedCluster.ledger.violations() }
    })
  ).pipe(Effect.catchTag("CannotSnapshot", () => Effect.succeed("none" as const)))
}

const playSeed = (
  input: PlanInput,
  seed: number,
  options: PlayOptions & { readonly previous: PreviousCluster | undefined }
): Effect.Effect<SeedRun, ManifestsRefused | InvalidOptions | UnknownBehaviour> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { next, from } = input
      const { previous, isRecorded = false, changeLife } = options
      const observedCluster = yield* openObservedCluster(input, seed, {
        snapshot: previous?.snapshot,
        isRecorded,
        changeLife
      })
      const { cluster, ledger } = observedCluster
      const references = workloadsAmong(input.next)
      if (from !== undefined && previous === undefined) yield* bringUpPrevious(observedCluster, input)
      yield* resumePrevious(observedCluster, input)
      const states = statesBefore(observedCluster, references)
      const change = yield* playChange(observedCluster, {
        verb: "apply",
        workloads: references,
        write: applyDocuments(cluster.store, next)
      })
      const rollouts = new Map<WorkloadId, RolloutRun>()
      const workloads = new Map<WorkloadId, WorkloadWithKind>()
      for (const reference of references) {
        // A Job may be gone by now: ttlSecondsAfterFinished.
        const object = findWorkload(cluster.view, reference) ?? observedCluster.watch.lastSeen(reference.id)
        if (object === undefined) continue
        const workload = toWorkloadWithKind(reference.resource, object)
        const stateBefore = states.get(reference.id)
        const run = rolloutRunOf(observedCluster, { reference, workload }, { ...change, stateBefore })
        if (run === undefined) continue
        workloads.set(reference.id, withAppliedTemplate(workload, change.applied.get(reference.id)))
        rollouts.set(reference.id, { ...run, seed })
      }
      const undoResults = options.undo ? yield* undoRollouts(observedCluster, states) : []
      for (const { id, undoMillis } of undoResults) {
        const run = rollouts.get(id)
        if (run !== undefined) rollouts.set(id, { ...run, undoMillis, isUndone: true })
      }
      return {
        seed,
        rollouts,
        workloads,
        nodes: [...cluster.view.all(resources.nodes)],
        quotas: change.quotas,
        ...(observedCluster.readRecording === undefined ? {} : { recorded: observedCluster.readRecording() }),
        violations: [...(previous?.violations ?? []), ...ledger.violations()]
      }
    })
  )

const recordingTitle = (next: PlanInput["next"], seed: number): string => {
  const names = workloadsAmong(next).map(({ key }) => key.replace(/^default\//, ""))
  return `plan of ${names.join(", ")}, seed ${seed}`
}

const isCrashAssumed = (behaviour: PlanInput["behaviour"]): boolean =>
  typeof behaviour === "object" && behaviour.name === assumedBehaviourName && behaviour.exit !== undefined

const openObservedCluster = Effect.fnUntraced(function* (
  input: PlanInput,
  seed: number,
  options: Partial<Pick<PlayOptions, "isRecorded">> & {
    readonly snapshot?: Snapshot | undefined
    readonly changeLife?: ChangeLife | undefined
  } = {}
): Effect.fn.Return<ObservedCluster, InvalidOptions | UnknownBehaviour, Scope> {
  const { next, nodes, behaviour, behaviours, strategies, steering, featureGates, traffic } = input
  const { snapshot, isRecorded = false, changeLife } = options
  const times = makePodTimesRecorder()
  // The Pods of a snapshot get their lives while the cluster is being made: there is no view yet.
  let view: Cluster["Service"]["view"] | undefined
  const configKeys = configKeysIn([...(input.from ?? []), ...next])
  const unprobedLives = makeUnprobedLives(times, {
    isCrashAssumed: isCrashAssumed(behaviour),
    isMeasured: input.running !== undefined,
    configKeys
  })
  const livesOf: typeof unprobedLives = (pod, life) =>
    unprobedLives(pod, changeLife === undefined || view === undefined ? life : changeLife(pod, life, view))
  const record = isRecorded ? { record: { title: recordingTitle(next, seed), ...recordingLimits } } : {}
  const cluster = yield* makeCluster(
    snapshot === undefined
      ? {
          seed,
          clock: "virtual",
          // A plan does not know the load that an autoscaler would react to.
          controllers: ["*", "-horizontal-pod-autoscaler-controller"],
          livesOf,
          ...record,
          ...(nodes === undefined ? {} : { nodes }),
          ...(behaviour === undefined ? {} : { behaviour }),
          ...(behaviours === undefined ? {} : { behaviours }),
          ...(strategies === undefined ? {} : { strategies }),
          ...(steering === undefined ? {} : { steering }),
          ...(featureGates === undefined ? {} : { featureGates })
        }
      : { from: snapshot, seed, livesOf, ...record }
  )
  view = cluster.view
  const ledger = makeLedger(cluster.nowMillis(), {
    ...traffic,
    strategies: cluster.strategies,
    lifeOf: cluster.faultInjector.podEffects.lifeOf,
    onBroken: noteViolations(cluster)
  })
  ledger.seeAll(cluster.view, cluster.nowMillis())
  const podLedger = makePodLedger()
  podLedger.seeAll(cluster.view, cluster.nowMillis())
  const watch = makeRolloutWatch(cluster.view, {
    times,
    onComplete: (id) => cluster.addNote("step", `${id} is complete`)
  })
  const quotas = makeQuotaPeaks(cluster.strategies)
  const steps = makeSteeredSteps()
  cluster.onChange(
    (change, writer) => {
      const atMillis = cluster.nowMillis()
      ledger.observe(change, atMillis, writer)
      podLedger.observe(change, atMillis)
      watch.observe(change, atMillis)
      quotas.observe(change)
      steps.observe(change, atMillis)
    },
    { skipsHeartbeats: true }
  )
  const limitMillis = input.limitMillis ?? defaultLimitMillis
  const propagationMillis = traffic?.propagationMillis ?? defaultTraffic.propagationMillis
  const readRecording = isRecorded ? yield* clusterRecording(cluster) : undefined
  return {
    cluster,
    ledger,
    podLedger,
    watch,
    quotas,
    steps,
    times,
    limitMillis,
    propagationMillis,
    configKeys,
    readRecording
  }
})

const rolloutRunOf = (
  observedCluster: ObservedCluster,
  { reference, workload }: { readonly reference: WorkloadReference; readonly workload: WorkloadWithKind },
  {
    beganMillis,
    endMillis,
    changed,
    reasons,
    stateBefore
  }: PlayedChange & { readonly stateBefore: StateBefore | undefined }
): Omit<RolloutRun, "seed"> | undefined => {
  const { cluster, ledger, watch, times } = observedCluster
  const { id } = reference
  const { object } = workload
  const { completeMillis, failedMillis } = watch.endOf(id)
  const entry = podCountsOf(observedCluster, reference)
  if (entry === undefined) return undefined
  const owners =
    workload.kind === "Deployment"
      ? cluster.view.controlled(resources.replicaSets, object.metadata.uid)
      : [object]
  const extremes = entry.extremes(completeMillis ?? endMillis)
  const steps = observedCluster.steps.of(id)
  const takenBackFor = takeBackAmong(steps)?.takenBackFor
  // What is complete after a rollback is the revision from before.
  const isComplete = completeMillis !== undefined && takenBackFor === undefined
  const outcome = isComplete ? (failedMillis === undefined ? "complete" : "late") : "stuck"
  const playedMillis = (completeMillis ?? endMillis) - beganMillis
  const untilMillis = (completeMillis ?? endMillis) + settlingMillis(observedCluster, reference)
  const frontServices = servicesInFront(cluster.view, object, stateBefore?.services ?? [])
  return {
    outcome,
    before: stateBefore?.before,
    millis: isComplete ? playedMillis : undefined,
    givenUpMillis: isComplete ? undefined : playedMillis,
    takenBackMillis: takenBackFor === undefined || completeMillis === undefined ? undefined : playedMillis,
    extremes,
    phases: phasesOf({
      rows: entry.rows(),
      extremes,
      isChanged: changed.has(id),
      runsToEnd: workload.kind === "Job",
      beganMillis,
      endMillis,
      completeMillis,
      failedMillis,
      steps
    }),
    counts: countsOverTime(entry.rows(), { beganMillis, endMillis: completeMillis ?? endMillis }),
    reasons:
      takenBackFor !== undefined
        ? [{ text: `taken back: ${takenBackFor}` }]
        : outcome === "complete"
          ? []
          : (reasons.get(id) ?? []),
    times: times.of(owners.map(({ metadata }) => metadata.uid)),
    requests: rolloutRequests(ledger, frontServices, {
      existingServices: stateBefore?.existingServices ?? new Set(),
      untilMillis
    }),
    servingPorts: servingPorts(object, frontServices.services),
    servingOnlyWhenReady: new Set(servingPorts(object, servicesOfReadyPods(frontServices.services)).keys()),
    warnings: frontServices.unfound.map((service) => unfoundServiceText(service, workload)),
    undoMillis: undefined,
    isUndone: false
  }
}
