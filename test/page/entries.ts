import { makeLedger } from "../../src/scenario/ledger/ledger.ts"
import { makeTimelineSeries } from "../../src/page/timeline/series/timelineSeries.ts"
import { inCluster } from "../cluster/worlds.ts"
import type * as Effect from "effect/Effect"
import type { ClusterOptions } from "../../src/cluster/clusterOptions.ts"
import type { Ledger } from "../../src/scenario/ledger/ledger.ts"
import type { Living } from "../cluster/worlds.ts"
import type { ObjectEntry } from "../../src/recording/entry.ts"
import type { TimelineSeries } from "../../src/page/timeline/series/timelineSeries.ts"

/** What a page is told of a story that is lived in a cluster of its own, and the ledger of the same story. */
export const entriesOf = async <E>(
  options: ClusterOptions,
  story: (cluster: Living) => Effect.Effect<unknown, E>
): Promise<{ readonly entries: ReadonlyArray<ObjectEntry>; readonly ledger: Ledger }> => {
  const entries: Array<ObjectEntry> = []
  let ledger = makeLedger()
  await inCluster(options, (cluster) => {
    ledger = makeLedger(cluster.nowMillis())
    ledger.seeAll(cluster.view, cluster.nowMillis())
    cluster.onChange((change) => {
      const atMillis = cluster.nowMillis()
      ledger.see(change, atMillis)
      const [resource = ""] = change.resource.split(".")
      // What a page is told was text on its way, and shares nothing with what came before it.
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
    return story(cluster)
  })
  return { entries, ledger }
}

/** What a timeline keeps of entries. */
export const seriesOf = (entries: ReadonlyArray<ObjectEntry>, beginNumber?: number): TimelineSeries => {
  const series = makeTimelineSeries(beginNumber)
  for (const entry of entries) series.add(entry)
  return series
}
