import * as Effect from "effect/Effect"
import { incompleteReasons } from "./incompleteReasons.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { rolloutState } from "./rolloutWatch.ts"
import type { Cluster } from "../../cluster/cluster.ts"
import type { Key } from "../../kubernetes/meta/objects.ts"
import type { PodTimesRecorder } from "./podTimes.ts"
import type { Ledger } from "../../scenario/ledger/ledger.ts"
import type { LedgerRow } from "../../scenario/ledger/podAccount.ts"
import type { RolloutWatch } from "./rolloutWatch.ts"
import type { QuotaPeaks, QuotaUse } from "./quotaPeaks.ts"
import type { ClusterRecording } from "../../scenario/clusterRecording.ts"

export interface ObservedCluster {
  readonly cluster: Cluster["Service"]
  readonly ledger: Ledger
  /** Which rollouts are complete, failed or paused. */
  readonly watch: RolloutWatch
  readonly quotas: QuotaPeaks
  readonly times: PodTimesRecorder
  readonly limitMillis: number
  /** Time until clients know a change of endpoints. */
  readonly propagationMillis: number
  readonly readRecording: (() => ClusterRecording) | undefined
}

/** The outcome of applying manifests or undoing rollouts. */
export interface PlayedChange {
  readonly beganMillis: number
  /** When every Deployment was complete or given up. */
  readonly endMillis: number
  readonly changed: ReadonlySet<Key>
  /** Why Deployments were incomplete at the deadline, or when the last of the others was complete. */
  readonly reasons: ReadonlyMap<Key, ReadonlyArray<string>>
  readonly quotas: ReadonlyArray<QuotaUse>
}

interface ManifestChange<E> {
  readonly verb: "apply" | "undo"
  readonly keys: ReadonlyArray<Key>
  readonly write: Effect.Effect<unknown, E>
}

/** Writes at one instant, then plays until all Deployments are complete or given up. */
export const playChange = Effect.fnUntraced(function* <E>(
  observedCluster: ObservedCluster,
  { verb, keys, write }: ManifestChange<E>
): Effect.fn.Return<PlayedChange, E> {
  const { cluster, ledger, watch, quotas, times, limitMillis } = observedCluster
  const { view } = cluster
  const beganMillis = cluster.nowMillis()
  const generationsBefore = generationsOf(view, keys)
  ledger.restart(beganMillis)
  watch.begin(keys)
  times.begin()
  quotas.begin(view.all(resources.resourceQuotas))
  if (keys.length > 0) cluster.addNote("step", `${verb} ${keys.map((key) => `Deployment ${key}`).join(", ")}`)
  yield* cluster.run(write)
  const changed = new Set(
    [...generationsOf(view, keys)].flatMap(([key, generation]) =>
      generation === generationsBefore.get(key) ? [] : [key]
    )
  )
  for (const key of keys)
    if (!changed.has(key) && rolloutState(view, key) === "complete") watch.markComplete(key, beganMillis)
  yield* cluster.until(() => keys.every((key) => watch.stateOf(key) !== "waiting"), limitMillis)
  ledger.passTo(cluster.nowMillis())
  const reasons = new Map(keys.map((key) => [key, incompleteReasons(cluster, key)]))
  for (const key of keys)
    if (watch.stateOf(key) !== "complete") noteIncomplete(cluster, key, reasons.get(key))
  yield* playPastDeadline(observedCluster, { keys, beganMillis })
  const endMillis = cluster.nowMillis()
  ledger.passTo(endMillis)
  // Terminating Pods get requests until clients know the change of endpoints.
  if (ledger.services().length > 0) yield* cluster.until(() => false, observedCluster.propagationMillis)
  ledger.passTo(cluster.nowMillis())
  return { beganMillis, endMillis, changed, reasons, quotas: quotas.peaks(view, keys) }
})

const generationsOf = (view: Cluster["Service"]["view"], keys: ReadonlyArray<Key>) =>
  new Map(keys.map((key) => [key, view.get(resources.deployments, key)?.metadata.generation]))

const noteIncomplete = (
  { addNote }: Cluster["Service"],
  key: Key,
  reasons: ReadonlyArray<string> = []
): void => addNote("failure", [`Deployment ${key} is not complete`, ...reasons].join(": "))

/** After this time without progress, a rollout is given up. */
const noProgressMillis = 3_600_000

/** Goes on after a missed deadline, until all rollouts are complete or without progress for `noProgressMillis`. */
const playPastDeadline = Effect.fnUntraced(function* (
  { cluster, ledger, watch, limitMillis }: ObservedCluster,
  { keys, beganMillis }: { readonly keys: ReadonlyArray<Key>; readonly beganMillis: number }
) {
  const deadlineMillis = cluster.nowMillis()
  const incompleteKeys = (): ReadonlyArray<Key> =>
    keys.filter((key) => !["complete", "paused"].includes(watch.stateOf(key)))
  for (;;) {
    const remaining = incompleteKeys()
    if (remaining.length === 0) return
    ledger.passTo(cluster.nowMillis())
    const progressTimes = remaining.map((key) => lastProgressMillis(ledger.of(key)?.rows() ?? []))
    const untilMillis = Math.min(
      Math.max(deadlineMillis, ...progressTimes) + noProgressMillis,
      beganMillis + limitMillis
    )
    const leftMillis = untilMillis - cluster.nowMillis()
    if (leftMillis <= 0) break
    yield* cluster.until(() => incompleteKeys().length === 0, leftMillis)
  }
  for (const key of incompleteKeys()) cluster.addNote("failure", `Deployment ${key} is given up`)
})

/** When a new Pod last became available, or an old one stopped. */
const lastProgressMillis = (rows: ReadonlyArray<LedgerRow>): number => {
  let atMillis = 0
  let mostNew = 0
  let fewestOld = Infinity
  for (const { atMillis: rowMillis, updatedAvailable, existing, updated } of rows) {
    const old = existing - updated
    if (updatedAvailable <= mostNew && old >= fewestOld) continue
    atMillis = rowMillis
    mostNew = Math.max(mostNew, updatedAvailable)
    fewestOld = Math.min(fewestOld, old)
  }
  return atMillis
}
