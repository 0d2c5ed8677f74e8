import { resources } from "../../kubernetes/meta/kinds.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { isPodFinished } from "../../kubernetes/pods/podState.ts"
import {
  quotaUsedElsewhereAnnotation,
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
  resourcesChargedOnUpdate,
  objectCountUsage,
  objectUsage,
  quotaCountedResources
} from "../../kubernetes/core/quotaUsage.ts"
import { isSemanticallyEqual } from "../../kubernetes/meta/semanticEquality.ts"
import { makeSubscribers } from "../watch/subscribers.ts"
import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { Key, KubeObject, Pod } from "../../kubernetes/meta/objects.ts"
import type { AmountsByResource } from "../../kubernetes/pods/podResources.ts"
import type { QuotaRule, ResourceQuota } from "../../kubernetes/core/quotas.ts"
import type { Quantity } from "../../kubernetes/meta/amounts/quantity.ts"
import type { ObjectIndex } from "./objectIndex.ts"
import type { Subscribe, SubscriberGroup } from "../watch/subscribers.ts"

export interface QuotaUsage {
  readonly status: (key: Key) => ResourceQuota["status"] | undefined
  /** When the next Pod that is stuck terminating stops counting, in Unix milliseconds. */
  readonly nextReleaseMillis: (namespace: string) => number | undefined
  /** Calls back with the key of a quota whose limits or use change. */
  readonly subscribe: Subscribe<Key>
  readonly makeSubscriberGroup: () => SubscriberGroup<Key>
}

export interface QuotaIndex extends QuotaUsage, ObjectIndex {
  readonly refusal: (resource: GroupResource, object: KubeObject, old?: KubeObject) => string | undefined
  readonly save: (namespace?: string) => QuotaIndexState
  readonly restore: (state: QuotaIndexState) => void
}

export type QuotaIndexState = ReadonlyArray<readonly [namespace: string, NamespaceQuotasState]>

interface NamespaceQuotasState {
  readonly ledgers: ReadonlyArray<
    readonly [name: string, key: Key, used: ReadonlyArray<readonly [resource: string, Quantity]>]
  >
  /** Terminating Pods, sorted by when they stop counting. */
  readonly leaving: ReadonlyArray<PendingRelease>
  readonly released: ReadonlyArray<string>
}

interface QuotaUse {
  readonly key: Key
  readonly rule: QuotaRule
  /** By the names in `spec.hard`. */
  readonly used: Map<string, Quantity>
}

interface NamespaceQuotas {
  readonly uses: Map<string, QuotaUse>
  /** Terminating Pods, sorted by when they stop counting. Entries may be outdated. */
  readonly pendingReleases: Array<PendingRelease>
  /** Uids of terminating Pods that no longer count. */
  readonly released: Set<string>
}

interface PendingRelease {
  readonly afterMillis: number
  readonly key: Key
  readonly uid: string
}

/**
 * Source: apiserver/pkg/admission/plugin/resourcequota/controller.go. Unlike Kubernetes, a quota holds as soon as it
 * is written.
 */
export const makeQuotaIndex = (options: {
  readonly nowMillis: () => number
  readonly get: (resource: GroupResource, key: Key) => KubeObject | undefined
  readonly all: (resource: GroupResource) => Iterable<KubeObject>
}): QuotaIndex => {
  const namespaces = new Map<string, NamespaceQuotas>()
  const subscribers = makeSubscribers<Key>({ topicOf: () => resources.resourceQuotas })
  const notify = subscribers.deliver

  const objectsOf = function* (resource: GroupResource, namespace: string): Iterable<KubeObject> {
    for (const object of options.all(resource)) if (object.metadata.namespace === namespace) yield object
  }

  const addQuota = (namespaceQuotas: NamespaceQuotas, quota: ResourceQuota): void => {
    const { name, namespace = "" } = quota.metadata
    const rule = quotaRule(quota)
    const quotaUse: QuotaUse = { key: objectKeyOf(quota), rule, used: new Map() }
    for (const resource of quotaCountedResources) {
      const names = rule.hardNamesFor(resource)
      for (const countedName of names)
        quotaUse.used.set(countedName, rule.usedElsewhere.get(countedName) ?? zeroQuantity)
      if (names.length === 0) continue
      for (const object of objectsOf(resource, namespace)) {
        charge(quotaUse, resource, { object, usage: usageOf(namespaceQuotas, resource, object), by: 1n })
      }
    }
    const sortedUses = [...namespaceQuotas.uses, [name, quotaUse] as const].sort(([a], [b]) =>
      a < b ? -1 : 1
    )
    namespaceQuotas.uses.clear()
    for (const [quotaName, sortedUse] of sortedUses) namespaceQuotas.uses.set(quotaName, sortedUse)
  }

  const addNamespace = (namespace: string): NamespaceQuotas => {
    const namespaceQuotas: NamespaceQuotas = { uses: new Map(), pendingReleases: [], released: new Set() }
    namespaces.set(namespace, namespaceQuotas)
    for (const pod of objectsOf(resources.pods, namespace)) scheduleRelease(namespaceQuotas, pod as Pod)
    return namespaceQuotas
  }

  const updateQuota = (old: ResourceQuota | undefined, next: ResourceQuota | undefined): void => {
    const quota = next ?? old
    if (quota === undefined) return
    const { name, namespace = "" } = quota.metadata
    if (next === undefined) {
      const namespaceQuotas = namespaces.get(namespace)
      namespaceQuotas?.uses.delete(name)
      if (namespaceQuotas?.uses.size === 0) namespaces.delete(namespace)
    } else {
      if (old !== undefined && isSemanticallyEqual(old.spec, next.spec) && hasSameUseElsewhere(old, next))
        return
      const namespaceQuotas = namespaces.get(namespace) ?? addNamespace(namespace)
      namespaceQuotas.uses.delete(name)
      addQuota(namespaceQuotas, next)
    }
    notify(objectKeyOf(quota))
  }

  const scheduleRelease = (namespaceQuotas: NamespaceQuotas, pod: Pod): void => {
    const afterMillis = isPodFinished(pod) ? undefined : quotaReleaseMillis(pod)
    if (afterMillis === undefined) return
    const { uid } = pod.metadata
    if (options.nowMillis() > afterMillis) {
      namespaceQuotas.released.add(uid)
      return
    }
    let index = namespaceQuotas.pendingReleases.length
    while (index > 0 && (namespaceQuotas.pendingReleases[index - 1]?.afterMillis ?? 0) > afterMillis)
      index -= 1
    namespaceQuotas.pendingReleases.splice(index, 0, { afterMillis, key: objectKeyOf(pod), uid })
  }

  const releasePods = (namespaceQuotas: NamespaceQuotas): void => {
    const now = options.nowMillis()
    for (
      let release = namespaceQuotas.pendingReleases[0];
      release !== undefined;
      release = namespaceQuotas.pendingReleases[0]
    ) {
      const pod = options.get(resources.pods, release.key) as Pod | undefined
      const isCurrent = pod?.metadata.uid === release.uid && quotaReleaseMillis(pod) === release.afterMillis
      if (isCurrent && now <= release.afterMillis) return
      namespaceQuotas.pendingReleases.shift()
      if (pod === undefined || !isCurrent || isPodFinished(pod) || namespaceQuotas.released.has(release.uid))
        continue
      const before = usageOf(namespaceQuotas, resources.pods, pod)
      namespaceQuotas.released.add(release.uid)
      chargeQuotas(namespaceQuotas, resources.pods, { object: pod, usage: before, by: -1n })
      chargeQuotas(namespaceQuotas, resources.pods, {
        object: pod,
        usage: usageOf(namespaceQuotas, resources.pods, pod),
        by: 1n
      })
    }
  }

  const chargeQuotas = (
    namespaceQuotas: NamespaceQuotas,
    resource: GroupResource,
    usageChange: UsageChange
  ): void => {
    for (const quotaUse of namespaceQuotas.uses.values())
      if (charge(quotaUse, resource, usageChange)) notify(quotaUse.key)
  }

  const updatePod = (namespaceQuotas: NamespaceQuotas, old: Pod | undefined, next: Pod | undefined): void => {
    const before = old === undefined ? noAmounts : usageOf(namespaceQuotas, resources.pods, old)
    if (next === undefined) namespaceQuotas.released.delete(old?.metadata.uid ?? "")
    else if (next.metadata.deletionTimestamp !== old?.metadata.deletionTimestamp) {
      scheduleRelease(namespaceQuotas, next)
      // The use of these quotas will change at another time than before.
      for (const { key } of namespaceQuotas.uses.values()) notify(key)
    }
    const after = next === undefined ? noAmounts : usageOf(namespaceQuotas, resources.pods, next)
    if (before === after && old?.spec === next?.spec) return
    if (old !== undefined)
      chargeQuotas(namespaceQuotas, resources.pods, { object: old, usage: before, by: -1n })
    if (next !== undefined)
      chargeQuotas(namespaceQuotas, resources.pods, { object: next, usage: after, by: 1n })
  }

  return {
    update: (resource, old, next) => {
      const object = next ?? old
      const namespaceQuotas =
        namespaces.size === 0 ? undefined : namespaces.get(object?.metadata.namespace ?? "")
      if (namespaceQuotas !== undefined && quotaCountedResources.has(resource)) {
        if (resource === resources.pods)
          updatePod(namespaceQuotas, old as Pod | undefined, next as Pod | undefined)
        else if (!isSameUse(resource, old, next)) {
          if (old !== undefined)
            chargeQuotas(namespaceQuotas, resource, {
              object: old,
              usage: objectUsage(resource, old),
              by: -1n
            })
          if (next !== undefined)
            chargeQuotas(namespaceQuotas, resource, {
              object: next,
              usage: objectUsage(resource, next),
              by: 1n
            })
        }
      }
      if (resource === resources.resourceQuotas) {
        updateQuota(old as ResourceQuota | undefined, next as ResourceQuota | undefined)
      }
    },
    refusal: (resource, object, old) => {
      // An update of any other kind uses no more than before.
      if (old !== undefined && !resourcesChargedOnUpdate.has(resource) && !isResize(resource, object, old))
        return undefined
      const namespaceQuotas =
        namespaces.size === 0 ? undefined : namespaces.get(object.metadata.namespace ?? "")
      if (namespaceQuotas === undefined || !quotaCountedResources.has(resource)) return undefined
      releasePods(namespaceQuotas)
      const applicable = [...namespaceQuotas.uses.values()].filter(
        ({ rule }) => rule.hardNamesFor(resource).length > 0 && rule.covers(resource, object)
      )
      // Upstream checks for missing amounts in all quotas first.
      for (const { rule } of applicable) {
        if (resource !== resources.pods) break
        const missing = missingAmountsMessage(rule.hardNamesFor(resource), (object as Pod).spec)
        if (missing !== undefined) return `failed quota: ${rule.name}: ${missing}`
      }
      const usage = usageOf(namespaceQuotas, resource, object)
      const increase =
        old === undefined ? usage : amountsIncrease(usage, usageOf(namespaceQuotas, resource, old))
      for (const { rule, used } of applicable) {
        const requested = old === undefined || rule.covers(resource, old) ? increase : usage
        const exceeded = exceededQuotaMessage({ rule, resource, used, requested })
        if (exceeded !== undefined) return exceeded
      }
      return undefined
    },
    status: (key) => {
      const quota = options.get(resources.resourceQuotas, key)
      const namespaceQuotas = namespaces.get(quota?.metadata.namespace ?? "")
      if (quota === undefined || namespaceQuotas === undefined) return undefined
      releasePods(namespaceQuotas)
      const quotaUse = namespaceQuotas.uses.get(quota.metadata.name)
      return quotaUse === undefined ? undefined : quotaStatus(quotaUse.rule, quotaUse.used)
    },
    nextReleaseMillis: (namespace) => {
      const namespaceQuotas = namespaces.get(namespace)
      if (namespaceQuotas === undefined) return undefined
      releasePods(namespaceQuotas)
      const [nextRelease] = namespaceQuotas.pendingReleases
      return nextRelease === undefined ? undefined : nextRelease.afterMillis + 1
    },
    subscribe: subscribers.subscribe,
    makeSubscriberGroup: subscribers.makeGroup,
    save: (namespace) =>
      [...(namespace === undefined ? namespaces.keys() : [namespace])].flatMap((name) => {
        const namespaceQuotas = namespaces.get(name)
        return namespaceQuotas === undefined ? [] : [[name, stateOf(namespaceQuotas)] as const]
      }),
    restore: (state) => {
      for (const [namespace, { ledgers, leaving, released }] of state) {
        const namespaceQuotas: NamespaceQuotas = {
          uses: new Map(),
          pendingReleases: [...leaving],
          released: new Set(released)
        }
        for (const [name, key, used] of ledgers) {
          const quota = options.get(resources.resourceQuotas, key) as ResourceQuota | undefined
          if (quota !== undefined)
            namespaceQuotas.uses.set(name, { key, rule: quotaRule(quota), used: new Map(used) })
        }
        namespaces.set(namespace, namespaceQuotas)
      }
    }
  }
}

const stateOf = ({ uses, pendingReleases, released }: NamespaceQuotas): NamespaceQuotasState => ({
  ledgers: Array.from(uses, ([name, { key, used }]) => [name, key, [...used]]),
  leaving: [...pendingReleases],
  released: [...released]
})

const hasSameUseElsewhere = (old: ResourceQuota, next: ResourceQuota): boolean =>
  old.metadata.annotations?.[quotaUsedElsewhereAnnotation] ===
  next.metadata.annotations?.[quotaUsedElsewhereAnnotation]

const isSameUse = (
  resource: GroupResource,
  old: KubeObject | undefined,
  next: KubeObject | undefined
): boolean => {
  if (old === undefined || next === undefined) return false
  return !resourcesChargedOnUpdate.has(resource) || isSemanticallyEqual(countedOf(old), countedOf(next))
}

const countedOf = ({ metadata, ...rest }: KubeObject): object => ({
  ...rest,
  annotations: metadata.annotations
})

const isResize = (resource: GroupResource, object: KubeObject, old: KubeObject): boolean => {
  if (resource !== resources.pods) return false
  const [{ containers }, { containers: oldContainers }] = [(object as Pod).spec, (old as Pod).spec]
  return (
    containers !== oldContainers &&
    containers.some(
      (container, index) => !isSemanticallyEqual(container.resources, oldContainers[index]?.resources)
    )
  )
}

const noAmounts: AmountsByResource = new Map()

const usageOf = (
  namespaceQuotas: NamespaceQuotas,
  resource: GroupResource,
  object: KubeObject
): AmountsByResource => {
  if (resource !== resources.pods) return objectUsage(resource, object)
  const pod = object as Pod
  // A finished or released Pod counts only as an object (`count/pods`).
  const isCharged = !isPodFinished(pod) && !namespaceQuotas.released.has(pod.metadata.uid)
  return isCharged ? podUsage(pod.spec) : objectCountUsage(resources.pods)
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
  const names = rule.hardNamesFor(resource)
  if (names.length === 0 || !rule.covers(resource, object)) return false
  for (const name of names) {
    const amount = usage.get(name)
    if (amount === undefined) continue
    const { nanos, format } = used.get(name) ?? zeroQuantity
    used.set(name, { nanos: nanos + by * amount.nanos, format: nanos === 0n ? amount.format : format })
  }
  return true
}
