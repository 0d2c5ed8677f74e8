import type * as Effect from "effect/Effect"
import { inCluster } from "../cluster/worlds.ts"
import { makeLedger } from "../../src/scenario/ledger/ledger.ts"
import type { ClusterOptions } from "../../src/clusterOptions.ts"
import type { Ledger, LedgerOptions } from "../../src/scenario/ledger/ledger.ts"
import type { Living } from "../cluster/worlds.ts"

/** Runs a story in a cluster of its own whose ledger is kept from the beginning. */
export const withLedger = <A, E>(
  options: ClusterOptions,
  story: (cluster: Living, ledger: Ledger) => Effect.Effect<A, E>,
  ledgerOptions: LedgerOptions = {}
): Promise<A> =>
  inCluster(options, (cluster) => {
    const { lifeOf, onBefall } = cluster.faults.befalls
    const ledger = makeLedger(cluster.nowMillis(), { lifeOf, ...ledgerOptions })
    onBefall((pod) => ledger.befall(pod, cluster.nowMillis()))
    ledger.seeAll(cluster.view, cluster.nowMillis())
    cluster.onChange((change, by) => ledger.see(change, cluster.nowMillis(), by))
    return story(cluster, ledger)
  })
