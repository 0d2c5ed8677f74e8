import * as Effect from "effect/Effect"
import { playOn } from "./lateness.ts"
import { reasonsOf } from "./obstacles.ts"
import { resources } from "../../domain/kinds.ts"
import { stateOf } from "./planWatch.ts"
import type { Cluster } from "../../cluster.ts"
import type { Key } from "../../domain/objects.ts"
import type { LongestTimes } from "./longestTimes.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { PlanWatch } from "./planWatch.ts"
import type { QuotaPeaks, QuotaUse } from "./quotaPeaks.ts"
import type { Recorded } from "../recorded.ts"

/** A world in which rollouts are played, and who watches it. */
export interface Stage {
  readonly cluster: Cluster["Service"]
  readonly ledger: Ledger
  readonly watch: PlanWatch
  readonly quotas: QuotaPeaks
  readonly times: LongestTimes
  readonly limitMillis: number
  readonly propagationMillis: number
  readonly recorded: (() => Recorded) | undefined
}

/** One thing that was applied and played out. */
export interface Act {
  readonly beganMillis: number
  /** When it was looked at no more: everything was complete, or was given up. */
  readonly overMillis: number
  /** Those whose spec is another one. */
  readonly changed: ReadonlySet<Key>
  /** Of each that was not complete when everything had been, had missed its deadline, or was given up. */
  readonly reasons: ReadonlyMap<Key, ReadonlyArray<string>>
  readonly quotas: ReadonlyArray<QuotaUse>
}

/** What is done to some Deployments at one instant. */
interface Doing<E> {
  readonly verb: "apply" | "undo"
  readonly keys: ReadonlyArray<Key>
  readonly deed: Effect.Effect<unknown, E>
}

/** Does it, and plays until all has been complete; what has missed its deadline gets some time more. */
export const playAct = Effect.fnUntraced(function* <E>(
  stage: Stage,
  { verb, keys, deed }: Doing<E>
): Effect.fn.Return<Act, E> {
  const { cluster, ledger, watch, quotas, times, limitMillis } = stage
  const { view } = cluster
  const beganMillis = cluster.nowMillis()
  const generations = generationsOf(view, keys)
  ledger.begin(beganMillis)
  watch.begin(keys)
  times.begin()
  quotas.begin(view.all(resources.resourceQuotas))
  if (keys.length > 0) cluster.note("step", `${verb} ${keys.map((key) => `Deployment ${key}`).join(", ")}`)
  yield* cluster.run(deed)
  const changed = new Set(
    [...generationsOf(view, keys)].flatMap(([key, it]) => (it === generations.get(key) ? [] : [key]))
  )
  // What changed nothing was complete before it began.
  for (const key of keys)
    if (!changed.has(key) && stateOf(view, key) === "complete") watch.complete(key, beganMillis)
  yield* cluster.until(() => keys.every((key) => watch.stateOf(key) !== "waiting"), limitMillis)
  ledger.passTo(cluster.nowMillis())
  const reasons = new Map(keys.map((key) => [key, reasonsOf(cluster, key)]))
  for (const key of keys) if (watch.stateOf(key) !== "complete") noteMissing(cluster, key, reasons.get(key))
  yield* playOn(stage, { keys, beganMillis })
  const overMillis = cluster.nowMillis()
  ledger.passTo(overMillis)
  // Whoever was told to stop last is sent requests for a while longer.
  if (ledger.services().length > 0) yield* cluster.until(() => false, stage.propagationMillis)
  ledger.passTo(cluster.nowMillis())
  return { beganMillis, overMillis, changed, reasons, quotas: quotas.peaks(view, keys) }
})

/** A spec that is another one has another generation. */
const generationsOf = (view: Cluster["Service"]["view"], keys: ReadonlyArray<Key>) =>
  new Map(keys.map((key) => [key, view.get(resources.deployments, key)?.metadata.generation]))

/** Says of this moment what keeps a rollout from being complete by now. */
const noteMissing = ({ note }: Cluster["Service"], key: Key, reasons: ReadonlyArray<string> = []): void =>
  note("failure", [`Deployment ${key} is not complete`, ...reasons].join(": "))
