import { makeLedger } from "../../src/scenario/ledger/ledger.ts"
import { makeTimelineSeries } from "../../src/page/timeline/series/timelineSeries.ts"
import { withCluster } from "../cluster/testCluster.ts"
import type * as Effect from "effect/Effect"
import type { ClusterOptions } from "../../src/cluster/clusterOptions.ts"
import type { Ledger } from "../../src/scenario/ledger/ledger.ts"
import type { ClusterService } from "../cluster/testCluster.ts"
import type { ObjectEntry } from "../../src/recording/entry.ts"
import type { TimelineSeries } from "../../src/page/timeline/series/timelineSeries.ts"

/** The entries that a page receives of a cluster in which a program runs, and the ledger of that cluster. */
export const entriesOf = async <E>(
  options: ClusterOptions,
  program: (cluster: ClusterService) => Effect.Effect<unknown, E>
): Promise<{ readonly entries: ReadonlyArray<ObjectEntry>; readonly ledger: Ledger }> => {
  const entries: Array<ObjectEntry> = []
  let ledger = makeLedger()
  await withCluster(options, (cluster) => {
    ledger = makeLedger({ startMillis: cluster.nowMillis() })
    ledger.observeExisting(cluster.view, cluster.nowMillis())
    cluster.onChange((change) => {
      const atMillis = cluster.nowMillis()
      ledger.observe(change, atMillis)
      const [resource = ""] = change.resource.split(".")
      // A page receives text: entries share no objects.
      const object = structuredClone(change.object)
      entries.push({
        type: "object",
        number: entries.length + 1,
        atMillis,
        change: change.type,
        resource,
        object
      })
    })
    return program(cluster)
  })
  return { entries, ledger }
}

/** The series of a timeline, made of entries. */
export const seriesOf = (entries: ReadonlyArray<ObjectEntry>, beginNumber?: number): TimelineSeries => {
  const series = makeTimelineSeries(beginNumber)
  for (const entry of entries) series.add(entry)
  return series
}
