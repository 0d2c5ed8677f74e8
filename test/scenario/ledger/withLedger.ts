import type * as Effect from "effect/Effect"
import { withCluster } from "../../cluster/testCluster.ts"
import { makeLedger } from "../../../src/scenario/ledger/ledger.ts"
import type { Behaviour } from "../../../src/behaviours/behaviour.ts"
import type { ClusterOptions } from "../../../src/cluster/clusterOptions.ts"
import type { Ledger, LedgerOptions } from "../../../src/scenario/ledger/ledger.ts"
import type { ClusterService } from "../../cluster/testCluster.ts"

/** Pods take two seconds to start and five to stop. */
export const slow: Behaviour = {
  name: "slow",
  schedule: "0s",
  pull: { delay: "0s" },
  start: "2s",
  ready: "0s",
  terminate: "5s"
}

/** Runs a test in a cluster of its own with a ledger from the beginning. */
export const withLedger = <A, E>(
  options: ClusterOptions,
  story: (cluster: ClusterService, ledger: Ledger) => Effect.Effect<A, E>,
  ledgerOptions: LedgerOptions = {}
): Promise<A> =>
  withCluster(options, (cluster) => {
    const { lifeOf, onPodChange } = cluster.faultInjector.podEffects
    const ledger = makeLedger({ startMillis: cluster.nowMillis(), lifeOf, ...ledgerOptions })
    onPodChange((pod) => ledger.podFaultChanged(pod, cluster.nowMillis()))
    ledger.observeExisting(cluster.view, cluster.nowMillis())
    cluster.onChange((change, by) => ledger.observe(change, cluster.nowMillis(), by))
    return story(cluster, ledger)
  })
