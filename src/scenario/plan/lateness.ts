import * as Effect from "effect/Effect"
import type { Cluster } from "../../cluster.ts"
import type { Key } from "../../domain/objects.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { LedgerRow } from "../ledger/account.ts"
import type { PlanWatch } from "./planWatch.ts"

/** How long a rollout that has missed its deadline may go no further before it is given up. */
const latenessMillis = 3_600_000

interface Played {
  readonly cluster: Cluster["Service"]
  readonly ledger: Ledger
  readonly watch: PlanWatch
  readonly limitMillis: number
}

/** Lets what has missed its deadline go on until nothing of it has come any further for so long, or all is over. */
export const playOn = Effect.fnUntraced(function* (
  { cluster, ledger, watch, limitMillis }: Played,
  { keys, beganMillis }: { readonly keys: ReadonlyArray<Key>; readonly beganMillis: number }
) {
  const missedMillis = cluster.nowMillis()
  const undone = (): ReadonlyArray<Key> =>
    keys.filter((key) => !["complete", "paused"].includes(watch.stateOf(key)))
  for (;;) {
    const left = undone()
    if (left.length === 0) return
    ledger.passTo(cluster.nowMillis())
    const further = left.map((key) => furtherMillis(ledger.of(key)?.rows() ?? []))
    const untilMillis = Math.min(
      Math.max(missedMillis, ...further) + latenessMillis,
      beganMillis + limitMillis
    )
    const leftMillis = untilMillis - cluster.nowMillis()
    if (leftMillis <= 0) break
    yield* cluster.until(() => undone().length === 0, leftMillis)
  }
  for (const key of undone()) cluster.note("failure", `Deployment ${key} is given up`)
})

/** When a rollout last came further than ever: more new Pods were available, or fewer old ones were left. */
const furtherMillis = (rows: ReadonlyArray<LedgerRow>): number => {
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
