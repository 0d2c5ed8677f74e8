import { compareQuantities, formatQuantity, parseQuantity } from "../../kubernetes/meta/amounts/quantity.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { isCountedTowards } from "../../kubernetes/core/quotaUsage.ts"
import { quotaSharesOf, sumOfOthers } from "./quotaShares.ts"
import type { Change, ClusterView } from "../../store/objectStore.ts"
import type { Key } from "../../kubernetes/meta/objects.ts"
import type { ResourceQuota } from "../../kubernetes/core/quotas.ts"
import type { Strategy } from "../../../machines/strategies/strategy.ts"
import type { QuotaShares } from "./quotaShares.ts"

export interface QuotaPeak {
  readonly namespace: string
  readonly name: string
  readonly resource: string
  /** The highest use, as a quantity. */
  readonly most: string
  readonly hard: string
  /** What other workloads may use during their own rollouts, as a quantity. */
  readonly others: string
}

export interface QuotaUse extends Omit<QuotaPeak, "others"> {
  readonly shares: QuotaShares
}

export interface QuotaPeaks {
  readonly begin: (quotas: Iterable<ResourceQuota>) => void
  readonly observe: (change: Change) => void
  readonly peaks: (view: View, deploymentKeys: ReadonlyArray<Key>) => ReadonlyArray<QuotaUse>
}

type View = Pick<ClusterView["Service"], "get" | "controlled">

/** Shares are computed from the quota on demand. */
type Peak = Omit<QuotaUse, "shares"> & { readonly quota: ResourceQuota }

export const makeQuotaPeaks = (strategies: ReadonlyArray<Strategy>): QuotaPeaks => {
  let peaks = new Map<string, Peak>()
  const recordUse = (quota: ResourceQuota): void => {
    const { metadata, status } = quota
    const { namespace = "", name } = metadata
    for (const [resource, hard] of Object.entries(status.hard ?? {})) {
      if (!isCountedTowards(resources.pods, resource)) continue
      const id = `${namespace}/${name} ${resource}`
      const used = status.used?.[resource] ?? "0"
      peaks.set(id, largerUse(peaks.get(id), { namespace, name, resource, most: used, hard, quota }))
    }
  }
  return {
    begin: (quotas) => {
      peaks = new Map()
      for (const quota of quotas) recordUse(quota)
    },
    observe: ({ resource, object }) => {
      if (resource === resources.resourceQuotas) recordUse(object as ResourceQuota)
    },
    peaks: (view, deploymentKeys) =>
      Array.from(peaks.values(), ({ quota, ...peak }) => ({
        ...peak,
        shares: quotaSharesOf(quota, peak.resource, { view, deploymentKeys, strategies })
      }))
  }
}

const largerUse = <P extends Omit<QuotaPeak, "others">>(before: P | undefined, after: P): P => {
  const [amountBefore, amountAfter] = [parseQuantity(before?.most ?? "0"), parseQuantity(after.most)]
  const isMore =
    amountBefore === undefined ||
    amountAfter === undefined ||
    compareQuantities(amountBefore, amountAfter) <= 0
  return isMore || before === undefined ? after : { ...after, most: before.most }
}

export const largestQuotaUses = (runs: ReadonlyArray<ReadonlyArray<QuotaUse>>): ReadonlyArray<QuotaUse> => {
  const largestById = new Map<string, QuotaUse>()
  for (const use of runs.flat()) {
    const id = `${use.namespace}/${use.name} ${use.resource}`
    largestById.set(id, largerUse(largestById.get(id), use))
  }
  return [...largestById.values()]
}

export const quotaPeaksFor = (key: Key, uses: ReadonlyArray<QuotaUse>): ReadonlyArray<QuotaPeak> =>
  uses
    .filter(({ namespace }) => key.startsWith(`${namespace}/`))
    .map(({ shares, ...peak }) => ({ ...peak, others: formatQuantity(sumOfOthers(key, shares)) }))
