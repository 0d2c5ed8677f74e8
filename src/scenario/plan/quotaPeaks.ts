import { compareQuantities, formatQuantity, parseQuantity } from "../../domain/quantity.ts"
import { resources } from "../../domain/kinds.ts"
import { isCountedTowards } from "../../domain/quotaUsage.ts"
import { sharesOf, sumBut } from "./quotaShares.ts"
import type { Change } from "../../store/objectStore.ts"
import type { Key } from "../../domain/objects.ts"
import type { ResourceQuota } from "../../domain/quotas.ts"
import type { Shares } from "./quotaShares.ts"

/** How much was used of one amount that a quota allows, at the most. */
export interface QuotaPeak {
  readonly namespace: string
  readonly name: string
  /** Such as `requests.cpu`, or `pods`. */
  readonly resource: string
  readonly most: string
  readonly hard: string
  /** What of it others use, or may while they are rolled out as well. */
  readonly others: string
}

/** What was seen of one amount. */
export interface QuotaUse extends Omit<QuotaPeak, "others"> {
  readonly shares: Shares
}

export interface QuotaPeaks {
  /** Counts anew, from what is used now. */
  readonly begin: (quotas: Iterable<ResourceQuota>) => void
  readonly see: (change: Change) => void
  /** What was used, and by whom, where these Deployments are rolled out. */
  readonly peaks: (view: View, keys: ReadonlyArray<Key>) => ReadonlyArray<QuotaUse>
}

type View = Parameters<typeof sharesOf>[2]["view"]

type Peak = Omit<QuotaUse, "shares"> & { readonly quota: ResourceQuota }

export const quotaPeaks = (): QuotaPeaks => {
  let peaks = new Map<string, Peak>()
  const look = (quota: ResourceQuota): void => {
    const { metadata, status } = quota
    const { namespace = "", name } = metadata
    for (const [resource, hard] of Object.entries(status.hard ?? {})) {
      // Counts of other objects say nothing about a rollout's room.
      if (!isCountedTowards(resources.pods, resource)) continue
      const id = `${namespace}/${name} ${resource}`
      const used = status.used?.[resource] ?? "0"
      peaks.set(id, greater(peaks.get(id), { namespace, name, resource, most: used, hard, quota }))
    }
  }
  return {
    begin: (quotas) => {
      peaks = new Map()
      for (const quota of quotas) look(quota)
    },
    see: ({ resource, object }) => {
      if (resource === resources.resourceQuotas) look(object as ResourceQuota)
    },
    peaks: (view, keys) =>
      Array.from(peaks.values(), ({ quota, ...peak }) => ({
        ...peak,
        shares: sharesOf(quota, peak.resource, { view, keys })
      }))
  }
}

/** The one of which more was used; all else is as it was last said. */
const greater = <P extends Omit<QuotaPeak, "others">>(before: P | undefined, after: P): P => {
  const [was, is] = [parseQuantity(before?.most ?? "0"), parseQuantity(after.most)]
  const isMore = was === undefined || is === undefined || compareQuantities(was, is) <= 0
  return isMore || before === undefined ? after : { ...after, most: before.most }
}

/** The most of many runs, in the order of the first. */
export const mostOf = (runs: ReadonlyArray<ReadonlyArray<QuotaUse>>): ReadonlyArray<QuotaUse> => {
  const most = new Map<string, QuotaUse>()
  for (const use of runs.flat()) {
    const id = `${use.namespace}/${use.name} ${use.resource}`
    most.set(id, greater(most.get(id), use))
  }
  return [...most.values()]
}

/** What of the quotas of its namespace concerns one Deployment. */
export const quotasFor = (key: Key, uses: ReadonlyArray<QuotaUse>): ReadonlyArray<QuotaPeak> =>
  uses
    .filter(({ namespace }) => key.startsWith(`${namespace}/`))
    .map(({ shares, ...peak }) => ({ ...peak, others: formatQuantity(sumBut(key, shares)) }))
