import * as Effect from "effect/Effect"
import { applyDocuments } from "../../manifests/applyManifests.ts"
import { comeUp, goOn } from "./comeUp.ts"
import { deploymentKeys } from "./documentKeys.ts"
import { keyOf } from "../../domain/objects.ts"
import { resources } from "../../domain/kinds.ts"
import { makeCluster } from "../../cluster.ts"
import { makeLedger } from "../ledger/ledger.ts"
import { playAct } from "./acts.ts"
import { phasesOf } from "./phases.ts"
import { makeLongestTimes } from "./longestTimes.ts"
import { makePlanWatch } from "./planWatch.ts"
import { noteBroken, recordedIn, recordedMost } from "../recorded.ts"
import { quotaPeaks } from "./quotaPeaks.ts"
import { frontOf, heedingReadiness, requestsTo, serversOf, unfoundText } from "./planRequests.ts"
import { unprobedLives } from "./unprobed.ts"
import { goBack, standingOf } from "./standing.ts"
import { usualTraffic } from "../ledger/serviceTraffic.ts"
import type { Running } from "./bringUp.ts"
import type { Scope } from "effect/Scope"
import type { Act, Stage } from "./acts.ts"
import type { Behaviour } from "../../behaviours/behaviour.ts"
import type { ClusterOptions, UnknownBehaviour } from "../../clusterOptions.ts"
import type { InvalidOptions } from "../../invalidOptions.ts"
import type { Deployment, Key, Node } from "../../domain/objects.ts"
import type { Extremes } from "../ledger/account.ts"
import type { ManifestDocument } from "../../manifests/manifest.ts"
import type { ManifestsRefused } from "../../manifests/manifestsRefused.ts"
import type { Phase } from "./phases.ts"
import type { QuotaUse } from "./quotaPeaks.ts"
import type { Recorded } from "../recorded.ts"
import type { RolloutRequests } from "./planRequests.ts"
import type { Traffic } from "../ledger/serviceTraffic.ts"
import type { RunsBefore, Standing } from "./standing.ts"
import type { Times } from "./longestTimes.ts"
import type { Snapshot } from "../../snapshots/snapshot.ts"
import type { Violation } from "../ledger/violations.ts"

/** The world in which a plan is played. */
export interface PlanWorld {
  readonly next: ReadonlyArray<ManifestDocument>
  /** What runs before; nothing where it is left out. */
  readonly from?: ReadonlyArray<ManifestDocument>
  /** Where what runs before is as a cluster has it, and not as somebody would apply it: what is known of its Pods. */
  readonly running?: Running
  readonly nodes?: ClusterOptions["nodes"]
  readonly behaviour?: Behaviour | string
  readonly behaviours?: ReadonlyArray<Behaviour>
  readonly strategies?: ClusterOptions["strategies"]
  readonly featureGates?: ClusterOptions["featureGates"]
  /** What is sent to Services; as usual where it is left out. */
  readonly traffic?: Partial<Traffic>
  /** The most virtual time for one rollout: six hours where it is left out. */
  readonly limitMillis?: number
  /** What was noticed when all this was read, a sentence each. */
  readonly warnings?: ReadonlyArray<string>
}

/** How the rollout of one Deployment goes with one seed. */
export interface RolloutRun {
  readonly seed: number
  /** `late` has missed its deadline and was complete after all; `stuck` never was. */
  readonly outcome: "complete" | "late" | "stuck"
  /** Until it was complete. */
  readonly millis: number | undefined
  /** Until it was looked at no more; undefined where it was complete. */
  readonly givenUpMillis: number | undefined
  /** What there was of it when it began; undefined for what is new. */
  readonly before: RunsBefore | undefined
  readonly extremes: Extremes
  readonly phases: ReadonlyArray<Phase>
  /** Why Pods were not available when the deadline was missed, or at the limit. */
  readonly reasons: ReadonlyArray<string>
  /** The longest that its Pods took for what they do. */
  readonly times: Times
  /** What was sent to the Services in front of it that were there before; undefined where there are none. */
  readonly requests: RolloutRequests | undefined
  /** The names of the containers that those go to. */
  readonly servers: ReadonlySet<string>
  /** Those among them that get none from some Service before their Pod is ready. */
  readonly awaited: ReadonlySet<string>
  /** What must be known of where it leads, a sentence each. */
  readonly warnings: ReadonlyArray<string>
  /** How long going back took; undefined where nobody tried, or it never ended. */
  readonly undoMillis: number | undefined
  readonly isUndone: boolean
}

/** One seed's run, and what it was played in. */
export interface SeedRun {
  readonly seed: number
  readonly rollouts: ReadonlyMap<Key, RolloutRun>
  readonly deployments: ReadonlyMap<Key, Deployment>
  readonly nodes: ReadonlyArray<Node>
  /** What was used of every quota at the most, and by whom. */
  readonly quotas: ReadonlyArray<QuotaUse>
  readonly violations: ReadonlyArray<Violation>
  /** What happened, from where what runs before stood, where it was to be recorded. */
  readonly recorded?: Recorded
}

/** What else is done with a seed. */
interface PlayOptions {
  /** Whether going back is tried. */
  readonly undo: boolean
  readonly isRecorded?: boolean
}

const limitDefaultMillis = 6 * 3_600_000

/** Plays one seed after the other in worlds of their own, each of which begins where what runs before stands. */
export type Play = (
  seed: number,
  options: PlayOptions
) => Effect.Effect<SeedRun, ManifestsRefused | InvalidOptions | UnknownBehaviour>

/** What runs before, once it has been brought up. */
interface Before {
  readonly snapshot: Snapshot
  readonly violations: ReadonlyArray<Violation>
}

/** What runs before is the same whatever else is played. */
const beforeSeed = 1

/** What runs before is brought up once, when the first seed is played, and every seed goes on from there. */
export const makePlay = (world: PlanWorld): Play => {
  let before: Before | "none" | undefined
  return Effect.fnUntraced(function* (seed, options) {
    before ??= yield* bringUp(world)
    return yield* playSeed(world, seed, { ...options, before: before === "none" ? undefined : before })
  })
}

/** `none` where nothing runs before, or it is in the middle of something that nobody could go on with. */
const bringUp = (
  world: PlanWorld
): Effect.Effect<Before | "none", ManifestsRefused | InvalidOptions | UnknownBehaviour> => {
  const { from } = world
  if (from === undefined) return Effect.succeed("none")
  return Effect.scoped(
    Effect.gen(function* () {
      const stage = yield* openStage(world, beforeSeed)
      yield* comeUp(stage, world)
      const snapshot = yield* stage.cluster.snapshot
      return { snapshot, violations: stage.ledger.violations() }
    })
  ).pipe(Effect.catchTag("CannotSnapshot", () => Effect.succeed("none" as const)))
}

/** Applies what is to be and plays to the end: one seed, one world of its own. */
const playSeed = (
  world: PlanWorld,
  seed: number,
  options: PlayOptions & { readonly before: Before | undefined }
): Effect.Effect<SeedRun, ManifestsRefused | InvalidOptions | UnknownBehaviour> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { next, from } = world
      const { before, isRecorded = false } = options
      const stage = yield* openStage(world, seed, { snapshot: before?.snapshot, isRecorded })
      const { cluster, ledger } = stage
      if (from !== undefined && before === undefined) yield* comeUp(stage, world)
      yield* goOn(stage, world)
      const standing = standingOf(stage, deploymentKeys(next))
      const act = yield* playOut(stage, next)
      const rollouts = new Map<Key, RolloutRun>()
      const deployments = new Map<Key, Deployment>()
      for (const key of deploymentKeys(next)) {
        const deployment = cluster.view.get(resources.deployments, key)
        const run =
          deployment === undefined
            ? undefined
            : runOf(stage, deployment, { ...act, stood: standing.get(key) })
        if (deployment === undefined || run === undefined) continue
        deployments.set(key, deployment)
        rollouts.set(key, { ...run, seed })
      }
      const undone = options.undo ? yield* goBack(stage, standing) : []
      for (const { key, undoMillis } of undone) {
        const run = rollouts.get(key)
        if (run !== undefined) rollouts.set(key, { ...run, undoMillis, isUndone: true })
      }
      return {
        seed,
        rollouts,
        deployments,
        nodes: [...cluster.view.all(resources.nodes)],
        quotas: act.quotas,
        ...(stage.recorded === undefined ? {} : { recorded: stage.recorded() }),
        violations: [...(before?.violations ?? []), ...ledger.violations()]
      }
    })
  )

/** `plan of shop, seed 7` */
const titleOf = (next: PlanWorld["next"], seed: number): string => {
  const names = deploymentKeys(next).map((key) => key.replace(/^default\//, ""))
  return `plan of ${names.join(", ")}, seed ${seed}`
}

/** A world in which nothing is to happen yet, and everything is watched. */
const openStage = Effect.fnUntraced(function* (
  world: PlanWorld,
  seed: number,
  options: { readonly snapshot?: Snapshot | undefined; readonly isRecorded?: boolean } = {}
): Effect.fn.Return<Stage, InvalidOptions | UnknownBehaviour, Scope> {
  const { next, nodes, behaviour, behaviours, strategies, featureGates, traffic } = world
  const { snapshot, isRecorded = false } = options
  const times = makeLongestTimes()
  const livesOf = unprobedLives(times)
  const record = isRecorded ? { record: { title: titleOf(next, seed), ...recordedMost } } : {}
  const cluster = yield* makeCluster(
    snapshot === undefined
      ? {
          seed,
          clock: "virtual",
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
    lifeOf: cluster.faults.befalls.lifeOf,
    onBroken: noteBroken(cluster)
  })
  ledger.seeAll(cluster.view, cluster.nowMillis())
  const watch = makePlanWatch(cluster.view, {
    times,
    onComplete: (key) => cluster.note("step", `Deployment ${key} is complete`)
  })
  const quotas = quotaPeaks()
  cluster.onChange((change, by) => {
    const atMillis = cluster.nowMillis()
    ledger.see(change, atMillis, by)
    watch.see(change, atMillis)
    quotas.see(change)
  })
  const limitMillis = world.limitMillis ?? limitDefaultMillis
  const propagationMillis = traffic?.propagationMillis ?? usualTraffic.propagationMillis
  const recorded = isRecorded ? yield* recordedIn(cluster) : undefined
  return { cluster, ledger, watch, quotas, times, limitMillis, propagationMillis, recorded }
})

/** Applies documents and plays until all is complete; what has missed its deadline gets some time more. */
const playOut = (
  stage: Stage,
  documents: ReadonlyArray<ManifestDocument>
): Effect.Effect<Act, ManifestsRefused> =>
  playAct(stage, {
    verb: "apply",
    keys: deploymentKeys(documents),
    deed: applyDocuments(stage.cluster.store, documents)
  })

const runOf = (
  { cluster, ledger, watch, times, propagationMillis }: Stage,
  deployment: Deployment,
  { beganMillis, overMillis, changed, reasons, stood }: Act & { readonly stood: Standing | undefined }
): Omit<RolloutRun, "seed"> | undefined => {
  const key = keyOf(deployment)
  const { completeMillis, failedMillis } = watch.of(key)
  const entry = ledger.of(key)
  if (entry === undefined) return undefined
  const replicaSets = cluster.view.controlled(resources.replicaSets, deployment.metadata.uid)
  const extremes = entry.extremes(completeMillis ?? overMillis)
  const outcome = completeMillis === undefined ? "stuck" : failedMillis === undefined ? "complete" : "late"
  const untilMillis = (completeMillis ?? overMillis) + propagationMillis
  const front = frontOf(cluster.view, deployment, stood?.services ?? [])
  return {
    outcome,
    before: stood?.before,
    millis: completeMillis === undefined ? undefined : completeMillis - beganMillis,
    givenUpMillis: completeMillis === undefined ? overMillis - beganMillis : undefined,
    extremes,
    phases: phasesOf({
      rows: entry.rows(),
      extremes,
      isChanged: changed.has(key),
      beganMillis,
      overMillis,
      completeMillis,
      failedMillis
    }),
    reasons: outcome === "complete" ? [] : (reasons.get(key) ?? []),
    times: times.of(replicaSets.map(({ metadata }) => metadata.uid)),
    requests: requestsTo(ledger, front, { asked: stood?.asked ?? new Set(), untilMillis }),
    servers: serversOf(deployment, front.services),
    awaited: serversOf(deployment, heedingReadiness(front.services)),
    warnings: front.unfound.map((service) => unfoundText(service, deployment)),
    undoMillis: undefined,
    isUndone: false
  }
}
