import { resources } from "../../kubernetes/meta/kinds.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { isPodFinished } from "../../kubernetes/pods/podState.ts"
import {
  usedElsewhereAnnotation,
  exceededQuotaMessage,
  missingAmountsMessage,
  zeroQuantity,
  podUsage,
  quotaRule,
  quotaStatus,
  quotaReleaseMillis
} from "../../kubernetes/core/quotas.ts"
import {
  amountsIncrease,
  growingResources,
  countUsage,
  objectUsage,
  quotaCountedResources
} from "../../kubernetes/core/quotaUsage.ts"
import { isSameValue } from "../../kubernetes/meta/semanticEquality.ts"
import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { Key, KubeObject, Pod } from "../../kubernetes/meta/objects.ts"
import type { AmountsByResource } from "../../kubernetes/pods/podResources.ts"
import type { QuotaRule, ResourceQuota } from "../../kubernetes/core/quotas.ts"
import type { Quantity } from "../../kubernetes/meta/amounts/quantity.ts"
import type { ObjectIndex } from "./objectIndex.ts"

export interface QuotaUsage {
  /** Undefined if there is no such quota. */
  readonly status: (key: Key) => ResourceQuota["status"] | undefined
  /** When the next Pod that is stuck terminating stops counting, in Unix milliseconds. */
  readonly nextReleaseMillis: (namespace: string) => number | undefined
  /** Calls back with the key of a quota whose limits or use have changed, or will. Returns how to unsubscribe. */
  readonly subscribe: (listener: (key: Key) => void) => () => void
}

/** The use of every quota. In a namespace without a quota a write costs one look-up. */
export interface QuotaIndex extends QuotaUsage, ObjectIndex {
  /** Why a quota forbids the creation or update of an object; undefined if none does. */
  readonly refusal: (resource: GroupResource, object: KubeObject, old?: KubeObject) => string | undefined
  /** Of one namespace, or of all. */
  readonly save: (namespace?: string) => QuotaIndexState
  /** For an empty index; the quotas themselves must be in the store. */
  readonly restore: (state: QuotaIndexState) => void
}

export type QuotaIndexState = ReadonlyArray<readonly [namespace: string, NamespaceQuotasState]>

interface NamespaceQuotasState {
  readonly ledgers: ReadonlyArray<readonly [name: string, Key, ReadonlyArray<readonly [string, Quantity]>]>
  readonly leaving: ReadonlyArray<PendingRelease>
  readonly released: ReadonlyArray<string>
}

interface QuotaUse {
  readonly key: Key
  readonly rule: QuotaRule
  readonly used: Map<string, Quantity>
}

interface NamespaceQuotas {
  /** By name, sorted. */
  readonly ledgers: Map<string, QuotaUse>
  /** Terminating Pods, sorted by when they stop counting. Entries may be outdated. */
  readonly leaving: Array<PendingRelease>
  /** Uids of terminating Pods that no longer count. */
  readonly released: Set<string>
}

interface PendingRelease {
  readonly afterMillis: number
  readonly key: Key
  readonly uid: string
}

/**
 * Source: staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go. Unlike Kubernetes, a quota
 * holds as soon as it is written.
 */
export const makeQuotaIndex = (options: {
  readonly nowMillis: () => number
  readonly get: (resource: GroupResource, key: Key) => KubeObject | undefined
  readonly all: (resource: GroupResource) => Iterable<KubeObject>
}): QuotaIndex => {
  const namespaces = new Map<string, NamespaceQuotas>()
  const listeners = new Set<(key: Key) => void>()
  const notify = (key: Key): void => {
    for (const listener of listeners) listener(key)
  }

  const objectsOf = function* (resource: GroupResource, namespace: string): Iterable<KubeObject> {
    for (const object of options.all(resource)) if (object.metadata.namespace === namespace) yield object
  }

  const addQuota = (book: NamespaceQuotas, quota: ResourceQuota): void => {
    const { name, namespace = "" } = quota.metadata
    const rule = quotaRule(quota)
    const ledger: QuotaUse = { key: objectKeyOf(quota), rule, used: new Map() }
    for (const resource of quotaCountedResources) {
      const names = rule.namesFor(resource)
      for (const counted of names) ledger.used.set(counted, rule.usedElsewhere.get(counted) ?? zeroQuantity)
      if (names.length === 0) continue
      for (const object of objectsOf(resource, namespace)) {
        charge(ledger, resource, { object, usage: usageOf(book, resource, object), by: 1n })
      }
    }
    const sortedUses = [...book.ledgers, [name, ledger] as const].sort(([a], [b]) => (a < b ? -1 : 1))
    book.ledgers.clear()
    for (const [quotaName, use] of sortedUses) book.ledgers.set(quotaName, use)
  }

  const addNamespace = (namespace: string): NamespaceQuotas => {
    const book: NamespaceQuotas = { ledgers: new Map(), leaving: [], released: new Set() }
    namespaces.set(namespace, book)
    for (const pod of objectsOf(resources.pods, namespace)) scheduleRelease(book, pod as Pod)
    return book
  }

  const updateQuota = (old: ResourceQuota | undefined, next: ResourceQuota | undefined): void => {
    const quota = next ?? old
    if (quota === undefined) return
    const { name, namespace = "" } = quota.metadata
    if (next === undefined) {
      const book = namespaces.get(namespace)
      book?.ledgers.delete(name)
      if (book?.ledgers.size === 0) namespaces.delete(namespace)
    } else {
      if (old !== undefined && isSameValue(old.spec, next.spec) && hasSameRemoteUse(old, next)) return
      const book = namespaces.get(namespace) ?? addNamespace(namespace)
      book.ledgers.delete(name)
      addQuota(book, next)
    }
    notify(objectKeyOf(quota))
  }

  const scheduleRelease = (book: NamespaceQuotas, pod: Pod): void => {
    const afterMillis = isPodFinished(pod) ? undefined : quotaReleaseMillis(pod)
    if (afterMillis === undefined) return
    const { uid } = pod.metadata
    if (options.nowMillis() > afterMillis) {
      book.released.add(uid)
      return
    }
    let index = book.leaving.length
    while (index > 0 && (book.leaving[index - 1]?.afterMillis ?? 0) > afterMillis) index -= 1
    book.leaving.splice(index, 0, { afterMillis, key: objectKeyOf(pod), uid })
  }

  const releasePods = (book: NamespaceQuotas): void => {
    const now = options.nowMillis()
    for (let first = book.leaving[0]; first !== undefined; first = book.leaving[0]) {
      const pod = options.get(resources.pods, first.key) as Pod | undefined
      const isCurrent = pod?.metadata.uid === first.uid && quotaReleaseMillis(pod) === first.afterMillis
      if (isCurrent && now <= first.afterMillis) return
      book.leaving.shift()
      if (pod === undefined || !isCurrent || isPodFinished(pod) || book.released.has(first.uid)) continue
      const before = usageOf(book, resources.pods, pod)
      book.released.add(first.uid)
      chargeQuotas(book, resources.pods, { object: pod, usage: before, by: -1n })
      chargeQuotas(book, resources.pods, { object: pod, usage: usageOf(book, resources.pods, pod), by: 1n })
    }
  }

  const chargeQuotas = (book: NamespaceQuotas, resource: GroupResource, entry: UsageChange): void => {
    for (const ledger of book.ledgers.values()) if (charge(ledger, resource, entry)) notify(ledger.key)
  }

  const updatePod = (book: NamespaceQuotas, old: Pod | undefined, next: Pod | undefined): void => {
    const before = old === undefined ? noAmounts : usageOf(book, resources.pods, old)
    if (next === undefined) book.released.delete(old?.metadata.uid ?? "")
    else if (next.metadata.deletionTimestamp !== old?.metadata.deletionTimestamp) {
      scheduleRelease(book, next)
      // Their use will change at another time.
      for (const { key } of book.ledgers.values()) notify(key)
    }
    const after = next === undefined ? noAmounts : usageOf(book, resources.pods, next)
    if (before === after && old?.spec === next?.spec) return
    if (old !== undefined) chargeQuotas(book, resources.pods, { object: old, usage: before, by: -1n })
    if (next !== undefined) chargeQuotas(book, resources.pods, { object: next, usage: after, by: 1n })
  }

  return {
    update: (resource, old, next) => {
      const object = next ?? old
      const book = namespaces.size === 0 ? undefined : namespaces.get(object?.metadata.namespace ?? "")
      if (book !== undefined && quotaCountedResources.has(resource)) {
        if (resource === resources.pods) updatePod(book, old as Pod | undefined, next as Pod | undefined)
        else if (!isSameUse(resource, old, next)) {
          if (old !== undefined)
            chargeQuotas(book, resource, { object: old, usage: objectUsage(resource, old), by: -1n })
          if (next !== undefined)
            chargeQuotas(book, resource, { object: next, usage: objectUsage(resource, next), by: 1n })
        }
      }
      if (resource === resources.resourceQuotas) {
        updateQuota(old as ResourceQuota | undefined, next as ResourceQuota | undefined)
      }
    },
    refusal: (resource, object, old) => {
      if (old !== undefined && !growingResources.has(resource)) return undefined
      const book = namespaces.size === 0 ? undefined : namespaces.get(object.metadata.namespace ?? "")
      if (book === undefined || !quotaCountedResources.has(resource)) return undefined
      releasePods(book)
      const applicable = [...book.ledgers.values()].filter(
        ({ rule }) => rule.namesFor(resource).length > 0 && rule.covers(resource, object)
      )
      // Upstream checks for missing amounts in all quotas first.
      for (const { rule } of applicable) {
        if (resource !== resources.pods) break
        const missing = missingAmountsMessage(rule.namesFor(resource), (object as Pod).spec)
        if (missing !== undefined) return `failed quota: ${rule.name}: ${missing}`
      }
      const all = usageOf(book, resource, object)
      const more = old === undefined ? all : amountsIncrease(all, usageOf(book, resource, old))
      for (const { rule, used } of applicable) {
        const requested = old === undefined || rule.covers(resource, old) ? more : all
        const exceeded = exceededQuotaMessage({ rule, resource, used, requested })
        if (exceeded !== undefined) return exceeded
      }
      return undefined
    },
    status: (key) => {
      const quota = options.get(resources.resourceQuotas, key)
      const book = namespaces.get(quota?.metadata.namespace ?? "")
      if (quota === undefined || book === undefined) return undefined
      releasePods(book)
      const ledger = book.ledgers.get(quota.metadata.name)
      return ledger === undefined ? undefined : quotaStatus(ledger.rule, ledger.used)
    },
    nextReleaseMillis: (namespace) => {
      const book = namespaces.get(namespace)
      if (book === undefined) return undefined
      releasePods(book)
      const [first] = book.leaving
      return first === undefined ? undefined : first.afterMillis + 1
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    save: (namespace) =>
      [...(namespace === undefined ? namespaces.keys() : [namespace])].flatMap((name) => {
        const book = namespaces.get(name)
        return book === undefined ? [] : [[name, stateOf(book)] as const]
      }),
    restore: (state) => {
      for (const [namespace, { ledgers, leaving, released }] of state) {
        const book: NamespaceQuotas = {
          ledgers: new Map(),
          leaving: [...leaving],
          released: new Set(released)
        }
        for (const [name, key, used] of ledgers) {
          const quota = options.get(resources.resourceQuotas, key) as ResourceQuota | undefined
          if (quota !== undefined)
            book.ledgers.set(name, { key, rule: quotaRule(quota), used: new Map(used) })
        }
        namespaces.set(namespace, book)
      }
    }
  }
}

const stateOf = ({ ledgers, leaving, released }: NamespaceQuotas): NamespaceQuotasState => ({
  ledgers: Array.from(ledgers, ([name, { key, used }]) => [name, key, [...used]]),
  leaving: [...leaving],
  released: [...released]
})

const hasSameRemoteUse = (old: ResourceQuota, next: ResourceQuota): boolean =>
  old.metadata.annotations?.[usedElsewhereAnnotation] === next.metadata.annotations?.[usedElsewhereAnnotation]

/** Whether an update leaves the use as it is. Not for Pods. */
const isSameUse = (
  resource: GroupResource,
  old: KubeObject | undefined,
  next: KubeObject | undefined
): boolean => {
  if (old === undefined || next === undefined) return false
  return !growingResources.has(resource) || isSameValue(countedOf(old), countedOf(next))
}

const countedOf = ({ metadata, ...rest }: KubeObject): object => ({
  ...rest,
  annotations: metadata.annotations
})

const noAmounts: AmountsByResource = new Map()

const usageOf = (book: NamespaceQuotas, resource: GroupResource, object: KubeObject): AmountsByResource => {
  if (resource !== resources.pods) return objectUsage(resource, object)
  const pod = object as Pod
  const isCharged = !isPodFinished(pod) && !book.released.has(pod.metadata.uid)
  return isCharged ? podUsage(pod.spec) : countUsage(resources.pods)
}

interface UsageChange {
  readonly object: KubeObject
  readonly usage: AmountsByResource
  readonly by: 1n | -1n
}

const charge = (
  { rule, used }: QuotaUse,
  resource: GroupResource,
  { object, usage, by }: UsageChange
): boolean => {
  const names = rule.namesFor(resource)
  if (names.length === 0 || !rule.covers(resource, object)) return false
  for (const name of names) {
    const amount = usage.get(name)
    if (amount === undefined) continue
    const { nanos, format } = used.get(name) ?? zeroQuantity
    used.set(name, { nanos: nanos + by * amount.nanos, format: nanos === 0n ? amount.format : format })
  }
  return true
}
