import * as Effect from "effect/Effect"
import { applyDocuments } from "../../manifests/applyManifests.ts"
import { bringUpPrevious, resumePrevious } from "../previous/bringUpPrevious.ts"
import { deploymentKeys } from "../documentKeys.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { makeCluster } from "../../cluster/cluster.ts"
import { makeLedger } from "../../scenario/ledger/ledger.ts"
import { playChange } from "./playChange.ts"
import { phasesOf } from "./phases.ts"
import { makePodTimesRecorder } from "./podTimes.ts"
import { makeRolloutWatch } from "./rolloutWatch.ts"
import { noteViolations, clusterRecording, recordingLimits } from "../../scenario/clusterRecording.ts"
import { makeQuotaPeaks } from "./quotaPeaks.ts"
import {
  servicesInFront,
  servicesOfReadyPods,
  rolloutRequests,
  servingContainers,
  unfoundServiceText
} from "./rolloutRequests.ts"
import { makeUnprobedLives } from "./unprobedLives.ts"
import { undoRollouts, statesBefore } from "./stateBefore.ts"
import { defaultTraffic } from "../../scenario/ledger/serviceTraffic.ts"
import type { RunningPods } from "../previous/previousDocuments.ts"
import type { Scope } from "effect/Scope"
import type { PlayedChange, ObservedCluster } from "./playChange.ts"
import type { Behaviour } from "../../behaviours/behaviour.ts"
import type { ClusterOptions, UnknownBehaviour } from "../../cluster/clusterOptions.ts"
import type { InvalidOptions } from "../../options/invalidOptions.ts"
import type { Deployment, Key, Node } from "../../kubernetes/meta/objects.ts"
import type { RolloutExtremes } from "../../scenario/ledger/podAccount.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { ManifestsRefused } from "../../manifests/manifestsRefused.ts"
import type { Phase } from "./phases.ts"
import type { QuotaUse } from "./quotaPeaks.ts"
import type { ClusterRecording } from "../../scenario/clusterRecording.ts"
import type { RolloutRequests } from "./rolloutRequests.ts"
import type { TrafficOptions } from "../../scenario/ledger/serviceTraffic.ts"
import type { AvailabilityBefore, StateBefore } from "./stateBefore.ts"
import type { LongestPodTimes } from "./podTimes.ts"
import type { Snapshot } from "../../cluster/snapshots/snapshot.ts"
import type { Violation } from "../../scenario/ledger/violations.ts"

export interface PlanWorld {
  /** The manifests to apply. */
  readonly next: ReadonlyArray<ManifestDocument>
  /** What runs before; nothing if omitted. */
  readonly from?: ReadonlyArray<ManifestDocument>
  /** Set if `from` was read from a cluster. */
  readonly running?: RunningPods
  readonly nodes?: ClusterOptions["nodes"]
  readonly behaviour?: Behaviour | string
  readonly behaviours?: ReadonlyArray<Behaviour>
  readonly strategies?: ClusterOptions["strategies"]
  readonly featureGates?: ClusterOptions["featureGates"]
  readonly traffic?: Partial<TrafficOptions>
  /** Virtual time at most for one rollout. Default: six hours. */
  readonly limitMillis?: number
  readonly warnings?: ReadonlyArray<string>
}

/** One rollout with one seed. */
export interface RolloutRun {
  readonly seed: number
  /** `late`: complete after the deadline. `stuck`: never complete. */
  readonly outcome: "complete" | "late" | "stuck"
  /** Until complete, if ever. */
  readonly millis: number | undefined
  /** Until given up; undefined if complete. */
  readonly givenUpMillis: number | undefined
  /** Undefined for a new Deployment. */
  readonly before: AvailabilityBefore | undefined
  readonly extremes: RolloutExtremes
  readonly phases: ReadonlyArray<Phase>
  readonly reasons: ReadonlyArray<string>
  readonly times: LongestPodTimes
  readonly requests: RolloutRequests | undefined
  readonly servingContainers: ReadonlySet<string>
  /** Serving containers that get no requests before their Pod is ready. */
  readonly awaitingReadiness: ReadonlySet<string>
  readonly warnings: ReadonlyArray<string>
  /** How long `kubectl rollout undo` took; undefined if it was not tried, or never complete. */
  readonly undoMillis: number | undefined
  readonly isUndone: boolean
}

export interface SeedRun {
  readonly seed: number
  readonly rollouts: ReadonlyMap<Key, RolloutRun>
  readonly deployments: ReadonlyMap<Key, Deployment>
  readonly nodes: ReadonlyArray<Node>
  readonly quotas: ReadonlyArray<QuotaUse>
  readonly violations: ReadonlyArray<Violation>
  /** With `isRecorded`, from right before the rollout. */
  readonly recorded?: ClusterRecording
}

interface PlayOptions {
  readonly undo: boolean
  readonly isRecorded?: boolean
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

/** All seeds of the plan start from the same snapshot. */
const previousSeed = 1

export const makeSeedPlayer = (world: PlanWorld): PlaySeed => {
  let previous: PreviousCluster | "none" | undefined
  return Effect.fnUntraced(function* (seed, options) {
    previous ??= yield* snapshotPrevious(world)
    return yield* playSeed(world, seed, {
      ...options,
      previous: previous === "none" ? undefined : previous
    })
  })
}

/** `none` if nothing runs before, or no snapshot can be taken. */
const snapshotPrevious = (
  world: PlanWorld
): Effect.Effect<PreviousCluster | "none", ManifestsRefused | InvalidOptions | UnknownBehaviour> => {
  const { from } = world
  if (from === undefined) return Effect.succeed("none")
  return Effect.scoped(
    Effect.gen(function* () {
      const observedCluster = yield* openObservedCluster(world, previousSeed)
      yield* bringUpPrevious(observedCluster, world)
      const snapshot = yield* observedCluster.cluster.snapshot
      return { snapshot, violations: observedCluster.ledger.violations() }
    })
  ).pipe(Effect.catchTag("CannotSnapshot", () => Effect.succeed("none" as const)))
}

const playSeed = (
  world: PlanWorld,
  seed: number,
  options: PlayOptions & { readonly previous: PreviousCluster | undefined }
): Effect.Effect<SeedRun, ManifestsRefused | InvalidOptions | UnknownBehaviour> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { next, from } = world
      const { previous, isRecorded = false } = options
      const observedCluster = yield* openObservedCluster(world, seed, {
        snapshot: previous?.snapshot,
        isRecorded
      })
      const { cluster, ledger } = observedCluster
      if (from !== undefined && previous === undefined) yield* bringUpPrevious(observedCluster, world)
      yield* resumePrevious(observedCluster, world)
      const statesByKey = statesBefore(observedCluster, deploymentKeys(next))
      const change = yield* playDocuments(observedCluster, next)
      const rollouts = new Map<Key, RolloutRun>()
      const deployments = new Map<Key, Deployment>()
      for (const key of deploymentKeys(next)) {
        const deployment = cluster.view.get(resources.deployments, key)
        const run =
          deployment === undefined
            ? undefined
            : rolloutRunOf(observedCluster, deployment, { ...change, stateBefore: statesByKey.get(key) })
        if (deployment === undefined || run === undefined) continue
        deployments.set(key, deployment)
        rollouts.set(key, { ...run, seed })
      }
      const undoResults = options.undo ? yield* undoRollouts(observedCluster, statesByKey) : []
      for (const { key, undoMillis } of undoResults) {
        const run = rollouts.get(key)
        if (run !== undefined) rollouts.set(key, { ...run, undoMillis, isUndone: true })
      }
      return {
        seed,
        rollouts,
        deployments,
        nodes: [...cluster.view.all(resources.nodes)],
        quotas: change.quotas,
        ...(observedCluster.readRecording === undefined ? {} : { recorded: observedCluster.readRecording() }),
        violations: [...(previous?.violations ?? []), ...ledger.violations()]
      }
    })
  )

const recordingTitle = (next: PlanWorld["next"], seed: number): string => {
  const names = deploymentKeys(next).map((key) => key.replace(/^default\//, ""))
  return `plan of ${names.join(", ")}, seed ${seed}`
}

const openObservedCluster = Effect.fnUntraced(function* (
  world: PlanWorld,
  seed: number,
  options: { readonly snapshot?: Snapshot | undefined; readonly isRecorded?: boolean } = {}
): Effect.fn.Return<ObservedCluster, InvalidOptions | UnknownBehaviour, Scope> {
  const { next, nodes, behaviour, behaviours, strategies, featureGates, traffic } = world
  const { snapshot, isRecorded = false } = options
  const times = makePodTimesRecorder()
  const livesOf = makeUnprobedLives(times)
  const record = isRecorded ? { record: { title: recordingTitle(next, seed), ...recordingLimits } } : {}
  const cluster = yield* makeCluster(
    snapshot === undefined
      ? {
          seed,
          clock: "virtual",
          // A plan knows nothing of the load to come.
          controllers: ["*", "-horizontal-pod-autoscaler-controller"],
          livesOf,
          ...record,
          ...(nodes === undefined ? {} : { nodes }),
          ...(behaviour === undefined ? {} : { behaviour }),
          ...(behaviours === undefined ? {} : { behaviours }),
          ...(strategies === undefined ? {} : { strategies }),
          ...(featureGates === undefined ? {} : { featureGates })
        }
      : { from: snapshot, seed, livesOf, ...record }
  )
  const ledger = makeLedger(cluster.nowMillis(), {
    ...traffic,
    strategies: cluster.strategies,
    lifeOf: cluster.faultInjector.podEffects.lifeOf,
    onBroken: noteViolations(cluster)
  })
  ledger.seeAll(cluster.view, cluster.nowMillis())
  const watch = makeRolloutWatch(cluster.view, {
    times,
    onComplete: (key) => cluster.addNote("step", `Deployment ${key} is complete`)
  })
  const quotas = makeQuotaPeaks(cluster.strategies)
  cluster.onChange((change, writer) => {
    const atMillis = cluster.nowMillis()
    ledger.observe(change, atMillis, writer)
    watch.observe(change, atMillis)
    quotas.observe(change)
  })
  const limitMillis = world.limitMillis ?? defaultLimitMillis
  const propagationMillis = traffic?.propagationMillis ?? defaultTraffic.propagationMillis
  const readRecording = isRecorded ? yield* clusterRecording(cluster) : undefined
  return { cluster, ledger, watch, quotas, times, limitMillis, propagationMillis, readRecording }
})

const playDocuments = (
  observedCluster: ObservedCluster,
  documents: ReadonlyArray<ManifestDocument>
): Effect.Effect<PlayedChange, ManifestsRefused> =>
  playChange(observedCluster, {
    verb: "apply",
    keys: deploymentKeys(documents),
    write: applyDocuments(observedCluster.cluster.store, documents)
  })

const rolloutRunOf = (
  { cluster, ledger, watch, times, propagationMillis }: ObservedCluster,
  deployment: Deployment,
  {
    beganMillis,
    endMillis,
    changed,
    reasons,
    stateBefore
  }: PlayedChange & { readonly stateBefore: StateBefore | undefined }
): Omit<RolloutRun, "seed"> | undefined => {
  const key = objectKeyOf(deployment)
  const { completeMillis, failedMillis } = watch.endOf(key)
  const entry = ledger.of(key)
  if (entry === undefined) return undefined
  const replicaSets = cluster.view.controlled(resources.replicaSets, deployment.metadata.uid)
  const extremes = entry.extremes(completeMillis ?? endMillis)
  const outcome = completeMillis === undefined ? "stuck" : failedMillis === undefined ? "complete" : "late"
  const untilMillis = (completeMillis ?? endMillis) + propagationMillis
  const frontServices = servicesInFront(cluster.view, deployment, stateBefore?.services ?? [])
  return {
    outcome,
    before: stateBefore?.before,
    millis: completeMillis === undefined ? undefined : completeMillis - beganMillis,
    givenUpMillis: completeMillis === undefined ? endMillis - beganMillis : undefined,
    extremes,
    phases: phasesOf({
      rows: entry.rows(),
      extremes,
      isChanged: changed.has(key),
      beganMillis,
      endMillis,
      completeMillis,
      failedMillis
    }),
    reasons: outcome === "complete" ? [] : (reasons.get(key) ?? []),
    times: times.of(replicaSets.map(({ metadata }) => metadata.uid)),
    requests: rolloutRequests(ledger, frontServices, {
      existingServices: stateBefore?.existingServices ?? new Set(),
      untilMillis
    }),
    servingContainers: servingContainers(deployment, frontServices.services),
    awaitingReadiness: servingContainers(deployment, servicesOfReadyPods(frontServices.services)),
    warnings: frontServices.unfound.map((service) => unfoundServiceText(service, deployment)),
    undoMillis: undefined,
    isUndone: false
  }
}
