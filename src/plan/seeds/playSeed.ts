import * as Effect from "effect/Effect"
import { applyDocuments } from "../../manifests/applyManifests.ts"
import { applyBatches } from "../applyBatches.ts"
import { bringUpPrevious, resumePrevious } from "../previous/bringUpPrevious.ts"
import { plannedWorkloads } from "../plannedWorkloads.ts"
import { findWorkload, toWorkloadWithKind, withAppliedTemplate, workloadsAmong } from "../workloads.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { emptyClaimsIn } from "../previous/emptyClaims.ts"
import { configKeysIn } from "./containerConfig.ts"
import { assumedBehaviourName } from "../assumptions.ts"
import { makeClusterService } from "../../cluster/cluster.ts"
import { makeLedger } from "../../scenario/ledger/ledger.ts"
import { playChange } from "./playChange.ts"
import { makePodLedger } from "./podLedger.ts"
import { makePodTimesRecorder } from "./podTimes.ts"
import { makeRolloutWatch } from "./rolloutWatch.ts"
import { noteViolations, makeRecordingReader, recordingLimits } from "../../scenario/clusterRecording.ts"
import { makeSteeredSteps } from "./steeredSteps.ts"
import { makeQuotaPeaks } from "./quotaPeaks.ts"
import { hasGivenNodes } from "../documentKeys.ts"
import { isRejectedByKubelet } from "../verdicts/nodeSystems.ts"
import { makeReadyDelayTest, unprobedContainersIn } from "./unprobedAnswers.ts"
import { makeLifeAdjuster, lifeWithoutStart } from "./lifeAdjuster.ts"
import { undoRollouts, statesBefore } from "./stateBefore.ts"
import { terminationChanges, withChanges } from "../advice/objectChange.ts"
import type { ObjectChange } from "../advice/objectChange.ts"
import { defaultTraffic } from "../../scenario/ledger/services/serviceTraffic.ts"
import type { Cluster } from "../../cluster/cluster.ts"
import type { ChangeLife } from "../whatIf/slowStarts.ts"
import type { LivePods } from "../previous/previousDocuments.ts"
import type { Scope } from "effect/Scope"
import type { ObservedCluster } from "./playChange.ts"
import type { Behaviour } from "../../behaviours/behaviour.ts"
import type { ClusterOptions, UnknownBehaviour } from "../../cluster/clusterOptions.ts"
import type { InvalidOptions } from "../../options/invalidOptions.ts"
import type { Node } from "../../kubernetes/meta/objects.ts"
import type { WorkloadWithKind, WorkloadId, WorkloadReference } from "../workloads.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { RefusedObject } from "../../manifests/refusedObjects.ts"
import type { ManifestsRefused } from "../../manifests/manifestsRefused.ts"
import type { QuotaUse } from "./quotaPeaks.ts"
import type { ClusterRecording } from "../../scenario/clusterRecording.ts"
import type { TrafficOptions } from "../../scenario/ledger/services/serviceTraffic.ts"
import type { Snapshot } from "../../cluster/snapshots/snapshot.ts"
import type { Violation } from "../../scenario/ledger/violations.ts"
import { rolloutRunOf } from "./rolloutRun.ts"
import type { RolloutRun } from "./rolloutRun.ts"

export interface PlanInput {
  readonly next: ReadonlyArray<ManifestDocument>
  readonly from?: ReadonlyArray<ManifestDocument>
  /** Set only if `from` was read from a cluster. */
  readonly livePods?: LivePods
  readonly nodes?: ClusterOptions["nodes"]
  readonly behaviour?: Behaviour | string
  readonly behaviours?: ReadonlyArray<Behaviour>
  readonly strategies?: NonNullable<ClusterOptions["strategies"]>
  readonly steering?: NonNullable<ClusterOptions["steering"]>
  readonly featureGates?: ClusterOptions["featureGates"]
  readonly traffic?: Partial<TrafficOptions>
  /** The virtual time after which a rollout is given up; six hours by default. */
  readonly limitMillis?: number
  readonly warnings?: ReadonlyArray<string>
  readonly refused?: ReadonlyArray<RefusedObject>
}

export interface SeedRun {
  readonly seed: number
  readonly rollouts: ReadonlyMap<WorkloadId, RolloutRun>
  /** Workloads have the applied templates, even if a rollout was taken back. */
  readonly workloads: ReadonlyMap<WorkloadId, WorkloadWithKind>
  readonly nodes: ReadonlyArray<Node>
  readonly quotas: ReadonlyArray<QuotaUse>
  readonly violations: ReadonlyArray<Violation>
  readonly recorded?: ClusterRecording
}

export interface PlayOptions {
  readonly undo: boolean
  readonly isRecorded?: boolean
  readonly changeLife?: ChangeLife
  readonly changes?: ReadonlyArray<ObjectChange>
  /** Late Deployments count as stuck. */
  readonly endsAtDeadline?: boolean
}

const defaultLimitMillis = 6 * 3_600_000

export type PlaySeed = (
  seed: number,
  options: PlayOptions
) => Effect.Effect<SeedRun, ManifestsRefused | InvalidOptions | UnknownBehaviour>

interface PreviousCluster {
  readonly snapshot: Snapshot
  readonly violations: ReadonlyArray<Violation>
}

/** The seed of the run that starts the Pods of `from`; runs of other seeds continue from its snapshot. */
const previousSeed = 1

export const makeSeedPlayer = (input: PlanInput): PlaySeed => {
  const snapshots = new Map<string, PreviousCluster | "none">()
  const unprobedContainers = unprobedContainersIn([...(input.from ?? []), ...input.next])
  const references = plannedWorkloads(input)
  return Effect.fnUntraced(function* (seed, options) {
    const { changes = [] } = options
    const changedInput = changes.length === 0 ? input : withChanges(input, changes)
    const key = JSON.stringify(terminationChanges(changes))
    const previous = snapshots.get(key) ?? (yield* snapshotPrevious(changedInput, unprobedContainers))
    snapshots.set(key, previous)
    return yield* playSeed(changedInput, seed, {
      ...options,
      references,
      unprobedContainers,
      previous: previous === "none" ? undefined : previous
    })
  })
}

const snapshotPrevious = (
  input: PlanInput,
  unprobedContainers: ReadonlySet<string>
): Effect.Effect<PreviousCluster | "none", ManifestsRefused | InvalidOptions | UnknownBehaviour> => {
  const { from } = input
  if (from === undefined) return Effect.succeed("none")
  return Effect.scoped(
    Effect.gen(function* () {
      const observedCluster = yield* openObservedCluster(input, previousSeed, { unprobedContainers })
      yield* bringUpPrevious(observedCluster, input)
      const snapshot = yield* observedCluster.cluster.snapshot
      return { snapshot, violations: observedCluster.ledger.violations() }
    })
    // Each seed then starts the Pods of `from` itself.
  ).pipe(Effect.catchTag("CannotSnapshot", () => Effect.succeed("none" as const)))
}

const playSeed = (
  input: PlanInput,
  seed: number,
  options: PlayOptions & {
    readonly previous: PreviousCluster | undefined
    readonly references: ReadonlyArray<WorkloadReference>
    readonly unprobedContainers: ReadonlySet<string>
  }
): Effect.Effect<SeedRun, ManifestsRefused | InvalidOptions | UnknownBehaviour> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { next, from } = input
      const { previous, references, isRecorded = false, changeLife, endsAtDeadline } = options
      const { unprobedContainers } = options
      const observedCluster = yield* openObservedCluster(input, seed, {
        snapshot: previous?.snapshot,
        isRecorded,
        changeLife,
        unprobedContainers
      })
      const { cluster, ledger } = observedCluster
      if (from !== undefined && previous === undefined) yield* bringUpPrevious(observedCluster, input)
      yield* resumePrevious(observedCluster, input)
      const stateBeforeById = statesBefore(observedCluster, references)
      const change = yield* playChange(observedCluster, {
        verb: "apply",
        workloads: references,
        writes: applyBatches(next).map((batch) => applyDocuments(cluster.store, batch)),
        endsAtDeadline
      })
      const rollouts = new Map<WorkloadId, RolloutRun>()
      const workloads = new Map<WorkloadId, WorkloadWithKind>()
      for (const reference of references) {
        // A Job may be gone by now: ttlSecondsAfterFinished.
        const object =
          findWorkload(cluster.view, reference) ?? observedCluster.rolloutWatch.lastSeen(reference.id)
        if (object === undefined) continue
        const workload = toWorkloadWithKind(reference.resource, object)
        const stateBefore = stateBeforeById.get(reference.id)
        const run = rolloutRunOf(observedCluster, { reference, workload }, { ...change, stateBefore })
        if (run === undefined) continue
        workloads.set(reference.id, withAppliedTemplate(workload, change.appliedWorkloads.get(reference.id)))
        rollouts.set(reference.id, { ...run, seed })
      }
      const undoResults = options.undo ? yield* undoRollouts(observedCluster, stateBeforeById) : []
      for (const { id, undoMillis } of undoResults) {
        const run = rollouts.get(id)
        if (run !== undefined) rollouts.set(id, { ...run, undoMillis, isUndoPlayed: true })
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
    readonly unprobedContainers: ReadonlySet<string>
  }
): Effect.fn.Return<ObservedCluster, InvalidOptions | UnknownBehaviour, Scope> {
  const { next, nodes, behaviour, behaviours, strategies, steering, featureGates, traffic } = input
  const { snapshot, isRecorded = false, changeLife } = options
  const podTimes = makePodTimesRecorder()
  // The Pods of a snapshot get their lives while the cluster is being made, before its view exists.
  let view: Cluster["Service"]["view"] | undefined
  const configAndVolumes = {
    keys: configKeysIn([...(input.from ?? []), ...next]),
    emptyClaims: emptyClaimsIn(input)
  }
  const adjustLife = makeLifeAdjuster(podTimes, {
    isCrashAssumed: isCrashAssumed(behaviour),
    isMeasured: input.livePods !== undefined,
    configAndVolumes,
    unprobedContainers: options.unprobedContainers,
    isReadyDelayGiven: makeReadyDelayTest(input)
  })
  const areNodesKnown = hasGivenNodes(input)
  const livesOf: typeof adjustLife = (pod, life) => {
    const podLife = adjustLife(
      pod,
      changeLife === undefined || view === undefined ? life : changeLife(pod, life, view)
    )
    const node = areNodesKnown ? view?.get(resources.nodes, pod.spec.nodeName ?? "") : undefined
    return isRejectedByKubelet(pod, node) ? lifeWithoutStart(podLife) : podLife
  }
  const record = isRecorded ? { record: { title: recordingTitle(next, seed), ...recordingLimits } } : {}
  const routineEvents = isRecorded
  const cluster = yield* makeClusterService(
    snapshot === undefined
      ? {
          seed,
          clock: "virtual",
          // A plan does not know the load that an autoscaler would react to.
          controllers: ["*", "-horizontal-pod-autoscaler-controller"],
          livesOf,
          routineEvents,
          ...record,
          ...(nodes === undefined ? {} : { nodes }),
          ...(behaviour === undefined ? {} : { behaviour }),
          ...(behaviours === undefined ? {} : { behaviours }),
          ...(strategies === undefined ? {} : { strategies }),
          ...(steering === undefined ? {} : { steering }),
          ...(featureGates === undefined ? {} : { featureGates })
        }
      : { from: snapshot, seed, livesOf, routineEvents, ...record }
  )
  view = cluster.view
  const ledger = makeLedger({
    startMillis: cluster.nowMillis(),
    ...traffic,
    strategies: cluster.strategies,
    lifeOf: cluster.faultInjector.podEffects.lifeOf,
    onViolation: noteViolations(cluster)
  })
  ledger.observeExisting(cluster.view, cluster.nowMillis())
  const podLedger = makePodLedger()
  podLedger.observeExisting(cluster.view, cluster.nowMillis())
  const rolloutWatch = makeRolloutWatch(cluster.view, {
    podTimes,
    onComplete: (id) => cluster.addNote("step", `${id} is complete`)
  })
  const quotaPeaks = makeQuotaPeaks(cluster.strategies)
  const steeredSteps = makeSteeredSteps()
  cluster.onChange(
    (change, writer) => {
      const atMillis = cluster.nowMillis()
      ledger.observe(change, atMillis, writer)
      podLedger.observe(change, atMillis)
      rolloutWatch.observe(change, atMillis)
      quotaPeaks.observe(change)
      steeredSteps.observe(change, atMillis)
    },
    { skipsHeartbeats: true }
  )
  const limitMillis = input.limitMillis ?? defaultLimitMillis
  const propagationMillis = traffic?.propagationMillis ?? defaultTraffic.propagationMillis
  const readRecording = isRecorded ? yield* makeRecordingReader(cluster) : undefined
  return {
    cluster,
    ledger,
    podLedger,
    rolloutWatch,
    quotaPeaks,
    steeredSteps,
    podTimes,
    limitMillis,
    propagationMillis,
    configAndVolumes,
    readRecording
  }
})
