import * as Effect from "effect/Effect"
import { applyDocuments } from "../manifests/applyManifests.ts"
import { conditionOf } from "../domain/conditions.ts"
import { groupResourceOf, resources } from "../domain/kinds.ts"
import { isReady } from "../domain/pods.ts"
import { keyIn, keyOf } from "../domain/objects.ts"
import { makeCluster } from "../cluster.ts"
import { makeLedger } from "./ledger.ts"
import type { Ledger } from "./ledger.ts"
import { phasesOf } from "./phases.ts"
import { rolloutStatus } from "../domain/rolloutStatus.ts"
import { whyNotAvailable } from "./reasons.ts"
import type { Behaviour } from "../behaviours/behaviour.ts"
import type { Cluster } from "../cluster.ts"
import type { ClusterOptions, InvalidOptions, UnknownBehaviour } from "../clusterOptions.ts"
import type { Deployment, Key, Node, Pod } from "../domain/objects.ts"
import type { Change } from "../store/objectStore.ts"
import type { Extremes } from "./account.ts"
import type { ManifestDocument } from "../manifests/manifest.ts"
import type { ManifestsRefused } from "../manifests/manifestsRefused.ts"
import type { Phase } from "./phases.ts"
import type { Violation } from "./violations.ts"

/** The world in which a plan is played. */
export interface PlanWorld {
  readonly next: ReadonlyArray<ManifestDocument>
  /** What runs before; nothing where it is left out. */
  readonly from?: ReadonlyArray<ManifestDocument>
  readonly nodes?: ClusterOptions["nodes"]
  readonly behaviour?: Behaviour | string
  readonly behaviours?: ReadonlyArray<Behaviour>
  readonly strategies?: ClusterOptions["strategies"]
  /** The most virtual time for one rollout: six hours where it is left out. */
  readonly limitMillis?: number
}

/** How the rollout of one Deployment goes with one seed. */
export interface RolloutRun {
  readonly seed: number
  /** `late` has missed its deadline and was complete after all; `stuck` never was. */
  readonly outcome: "complete" | "late" | "stuck"
  /** Until it was complete. */
  readonly millis: number | undefined
  readonly extremes: Extremes
  readonly phases: ReadonlyArray<Phase>
  /** Why Pods were not available when the deadline was missed, or at the limit. */
  readonly reasons: ReadonlyArray<string>
  /** The longest that a new Pod took from its creation until it was ready, and from running on. */
  readonly readyMillis: number
  readonly answeringMillis: number
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
  readonly violations: ReadonlyArray<Violation>
}

const limitDefaultMillis = 6 * 3_600_000
/** How long after a missed deadline a rollout may still turn out to be only late. */
const latenessMillis = 3_600_000

/** The Deployments among documents, by `namespace/name`. */
export const deploymentKeys = (documents: ReadonlyArray<ManifestDocument>): ReadonlyArray<Key> =>
  documents
    .filter(({ kind }) => groupResourceOf(kind) === resources.deployments)
    .map(({ draft }) => keyIn(draft.metadata.namespace ?? "default", draft.metadata.name ?? ""))

/** Brings up what was, applies what is to be, and plays to the end: one seed, one world of its own. */
export const playSeed = (
  world: PlanWorld,
  seed: number,
  options: { readonly undo: boolean }
): Effect.Effect<SeedRun, ManifestsRefused | InvalidOptions | UnknownBehaviour> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { next, from, nodes, behaviour, behaviours, strategies } = world
      const cluster = yield* makeCluster({
        seed,
        clock: "virtual",
        ...(nodes === undefined ? {} : { nodes }),
        ...(behaviour === undefined ? {} : { behaviour }),
        ...(behaviours === undefined ? {} : { behaviours }),
        ...(strategies === undefined ? {} : { strategies })
      })
      const ledger = makeLedger(cluster.nowMillis())
      const watch = makeWatch(cluster)
      cluster.onChange((change) => {
        const atMillis = cluster.nowMillis()
        ledger.see(change, atMillis)
        watch.see(change, atMillis)
      })
      const stage: Stage = { cluster, ledger, watch, limitMillis: world.limitMillis ?? limitDefaultMillis }

      if (from !== undefined) yield* playOut(stage, from)
      const act = yield* playOut(stage, next)
      const rollouts = new Map<Key, RolloutRun>()
      const deployments = new Map<Key, Deployment>()
      for (const key of deploymentKeys(next)) {
        const deployment = cluster.view.get(resources.deployments, key)
        const run = runOf(stage, key, act)
        if (deployment === undefined || run === undefined) continue
        deployments.set(key, deployment)
        rollouts.set(key, { ...run, seed })
      }
      if (options.undo && from !== undefined) {
        const { beganMillis } = yield* playOut(stage, from)
        for (const key of deploymentKeys(from)) {
          const run = rollouts.get(key)
          const { completeMillis } = watch.of(key)
          const undoMillis = completeMillis === undefined ? undefined : completeMillis - beganMillis
          if (run !== undefined) rollouts.set(key, { ...run, undoMillis, isUndone: true })
        }
      }
      const violations = ledger.violations()
      return { seed, rollouts, deployments, nodes: [...cluster.view.all(resources.nodes)], violations }
    })
  )

interface Stage {
  readonly cluster: Cluster["Service"]
  readonly ledger: Ledger
  readonly watch: ReturnType<typeof makeWatch>
  readonly limitMillis: number
}

/** One thing that was applied and played out. */
interface Act {
  readonly beganMillis: number
  /** When everything was complete, had missed its deadline, or was given up. */
  readonly overMillis: number
  /** What was so then. */
  readonly reasons: ReadonlyMap<Key, ReadonlyArray<string>>
  readonly extremes: ReadonlyMap<Key, Extremes | undefined>
}

/** Applies documents and plays until all is complete; what has missed its deadline gets some time more. */
const playOut = Effect.fnUntraced(function* (
  { cluster, ledger, watch, limitMillis }: Stage,
  documents: ReadonlyArray<ManifestDocument>
): Effect.fn.Return<Act, ManifestsRefused> {
  const keys = deploymentKeys(documents)
  const beganMillis = cluster.nowMillis()
  ledger.begin(beganMillis)
  watch.begin()
  yield* cluster.run(applyDocuments(cluster.store, documents))
  const states = (): ReadonlyArray<string> => keys.map((key) => stateOf(cluster, key))
  yield* cluster.until(() => states().every((state) => state !== "waiting"), limitMillis)
  const overMillis = cluster.nowMillis()
  ledger.passTo(overMillis)
  // What changed nothing was complete before it began.
  for (const key of keys) if (stateOf(cluster, key) === "complete") watch.complete(key, beganMillis)
  const reasons = new Map(keys.map((key) => [key, reasonsOf(cluster, key)]))
  const extremes = new Map(keys.map((key) => [key, ledger.of(key)?.extremes(overMillis)]))
  const isDone = (): boolean => states().every((state) => state === "complete" || state === "paused")
  if (!isDone()) yield* cluster.until(isDone, Math.min(limitMillis, latenessMillis))
  ledger.passTo(cluster.nowMillis())
  return { beganMillis, overMillis, reasons, extremes }
})

const runOf = (
  { ledger, watch }: Stage,
  key: Key,
  { beganMillis, overMillis, reasons, extremes: before }: Act
): Omit<RolloutRun, "seed"> | undefined => {
  const { completeMillis, failedMillis } = watch.of(key)
  const entry = ledger.of(key)
  // What is stuck is measured up to its deadline: how long it is looked at after that means nothing.
  const extremes = completeMillis === undefined ? before.get(key) : entry?.extremes(completeMillis)
  if (entry === undefined || extremes === undefined) return undefined
  const outcome = completeMillis === undefined ? "stuck" : failedMillis === undefined ? "complete" : "late"
  return {
    outcome,
    millis: completeMillis === undefined ? undefined : completeMillis - beganMillis,
    extremes,
    phases: phasesOf({ rows: entry.rows(), extremes, beganMillis, overMillis, completeMillis, failedMillis }),
    reasons: outcome === "complete" ? [] : (reasons.get(key) ?? []),
    ...watch.longest(),
    undoMillis: undefined,
    isUndone: false
  }
}

/** A paused rollout goes no further by itself. */
const stateOf = ({ view }: Cluster["Service"], key: Key): "waiting" | "complete" | "failed" | "paused" => {
  const deployment = view.get(resources.deployments, key)
  if (deployment === undefined) return "waiting"
  const { state } = rolloutStatus(deployment)
  const isSeen = (deployment.status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  return state === "waiting" && deployment.spec.paused === true && isSeen ? "paused" : state
}

interface Ends {
  completeMillis?: number
  failedMillis?: number
}

/** Notes when each Deployment was over, and how long Pods took. */
const makeWatch = (cluster: Cluster["Service"]) => {
  let ends = new Map<Key, Ends>()
  let born = new Map<string, { readonly atMillis: number; runningMillis?: number }>()
  let longest = { readyMillis: 0, answeringMillis: 0 }

  const seePod = (pod: Pod, type: Change["type"], atMillis: number): void => {
    const { uid } = pod.metadata
    if (type === "ADDED") born.set(uid, { atMillis })
    const life = born.get(uid)
    if (life === undefined) return
    if (pod.status.phase === "Running") life.runningMillis ??= atMillis
    if (type === "DELETED") born.delete(uid)
    if (!isReady(pod)) return
    // The first time only: what was ready once tells nothing more about how long it takes.
    born.delete(uid)
    longest = {
      readyMillis: Math.max(longest.readyMillis, atMillis - life.atMillis),
      answeringMillis: Math.max(longest.answeringMillis, atMillis - (life.runningMillis ?? atMillis))
    }
  }
  return {
    begin: () => {
      ends = new Map()
      born = new Map()
      longest = { readyMillis: 0, answeringMillis: 0 }
    },
    see: ({ resource, type, object }: Change, atMillis: number) => {
      if (resource === resources.pods) seePod(object as Pod, type, atMillis)
      if (resource !== resources.deployments || type === "DELETED") return
      const key = keyOf(object)
      const state = stateOf(cluster, key)
      const end: Ends = ends.get(key) ?? {}
      if (state === "failed") end.failedMillis ??= atMillis
      if (state === "complete") end.completeMillis ??= atMillis
      else delete end.completeMillis
      ends.set(key, end)
    },
    /** Says when it was complete, where nothing was written that would have told. */
    complete: (key: Key, atMillis: number) => {
      const end: Ends = ends.get(key) ?? {}
      end.completeMillis ??= atMillis
      ends.set(key, end)
    },
    of: (key: Key): Readonly<Ends> => ends.get(key) ?? {},
    longest: () => longest
  }
}

/** Why the Deployment is not there: what keeps it from making Pods, and its Pods from being available. */
const reasonsOf = (cluster: Cluster["Service"], key: Key): ReadonlyArray<string> => {
  const deployment = cluster.view.get(resources.deployments, key)
  if (deployment === undefined || stateOf(cluster, key) === "complete") return []
  if (stateOf(cluster, key) === "paused") return ["spec.paused is true, and a paused rollout never ends"]
  const failure = conditionOf(deployment.status.conditions, "ReplicaFailure")?.message
  const pods = cluster.view
    .controlled(resources.replicaSets, deployment.metadata.uid)
    .flatMap(({ metadata }) => cluster.view.controlled(resources.pods, metadata.uid))
  const reasons = pods.flatMap((pod) => whyNotAvailable(pod) ?? [])
  const all = failure === undefined ? reasons : [failure, ...reasons]
  return [...new Set(all)]
}
