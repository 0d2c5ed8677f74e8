import { compareQuantities, parseQuantity } from "../../domain/quantity.ts"
import { resources } from "../../domain/kinds.ts"
import type { Change } from "../../store/objectStore.ts"
import type { ResourceQuota } from "../../domain/quotas.ts"

/** How much was used of one amount that a quota allows, at the most. */
export interface QuotaPeak {
  readonly namespace: string
  readonly name: string
  /** Such as `requests.cpu`, or `pods`. */
  readonly resource: string
  readonly most: string
  readonly hard: string
}

export interface QuotaPeaks {
  /** Counts anew, from what is used now. */
  readonly begin: (quotas: Iterable<ResourceQuota>) => void
  readonly see: (change: Change) => void
  readonly peaks: () => ReadonlyArray<QuotaPeak>
}

export const quotaPeaks = (): QuotaPeaks => {
  let peaks = new Map<string, QuotaPeak>()
  const look = ({ metadata, status }: ResourceQuota): void => {
    const { namespace = "", name } = metadata
    for (const [resource, hard] of Object.entries(status.hard ?? {})) {
      if (!concernsPods.test(resource)) continue
      const id = `${namespace}/${name} ${resource}`
      const used = status.used?.[resource] ?? "0"
      peaks.set(id, greater(peaks.get(id), { namespace, name, resource, most: used, hard }))
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
    peaks: () => [...peaks.values()]
  }
}

/** Counts of other objects say nothing about a rollout's room. */
const concernsPods = /^(?:pods|count\/pods|cpu|memory|(?:requests|limits)\..+)$/

/** The one of which more was used; what is allowed is as it was last said. */
const greater = (before: QuotaPeak | undefined, after: QuotaPeak): QuotaPeak => {
  const [was, is] = [parseQuantity(before?.most ?? "0"), parseQuantity(after.most)]
  const isMore = was === undefined || is === undefined || compareQuantities(was, is) <= 0
  return isMore || before === undefined ? after : { ...after, most: before.most }
}

/** The most of many runs, in the order of the first. */
export const mostOf = (runs: ReadonlyArray<ReadonlyArray<QuotaPeak>>): ReadonlyArray<QuotaPeak> => {
  const most = new Map<string, QuotaPeak>()
  for (const peak of runs.flat()) {
    const id = `${peak.namespace}/${peak.name} ${peak.resource}`
    most.set(id, greater(most.get(id), peak))
  }
  return [...most.values()]
}
