import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import {
  exceededQuotaMessage,
  missingAmountsMessage,
  quotaRule,
  quotaStatus,
  quotaUsedElsewhereAnnotation
} from "../../kubernetes/core/quotas.ts"
import {
  amountsIncrease,
  objectUsage,
  quotaCountedResources,
  resourcesChargedOnUpdate
} from "../../kubernetes/core/quotaUsage.ts"
import { isSemanticallyEqual } from "../../kubernetes/meta/semanticEquality.ts"
import { makeSubscribers } from "../watch/subscribers.ts"
import {
  addQuota,
  makeNamespaceQuotas,
  releasePods,
  replaceCharge,
  updatePodCharge,
  usageOf
} from "./namespaceQuotas.ts"
import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { Key, KubeObject, Pod } from "../../kubernetes/meta/objects.ts"
import type { ResourceQuota } from "../../kubernetes/core/quotas.ts"
import type { Quantity } from "../../kubernetes/meta/amounts/quantity.ts"
import type { NamespaceQuotas, PendingRelease, QuotaCluster } from "./namespaceQuotas.ts"
import type { ObjectIndex } from "./objectIndex.ts"
import type { Subscribe, SubscriberGroup } from "../watch/subscribers.ts"

export interface QuotaUsage {
  readonly status: (key: Key) => ResourceQuota["status"] | undefined
  /** When the next Pod that is stuck terminating stops counting, in Unix milliseconds. */
  readonly nextReleaseMillis: (namespace: string) => number | undefined
  /** Calls back with the key of a quota whose limits or use change. */
  readonly subscribe: Subscribe<Key>
  /** Keeps one place in the order of subscribers. */
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

/**
 * Source: apiserver/pkg/admission/plugin/resourcequota/controller.go. Unlike Kubernetes, a quota holds as soon as it
 * is written.
 */
export const makeQuotaIndex = (options: Omit<QuotaCluster, "notify">): QuotaIndex => {
  const namespaces = new Map<string, NamespaceQuotas>()
  const subscribers = makeSubscribers<Key>({ topicOf: () => resources.resourceQuotas })
  const cluster: QuotaCluster = { ...options, notify: subscribers.deliver }

  /** Undefined if no quota counts objects of the resource in the object's namespace. */
  const quotasFor = (
    resource: GroupResource,
    object: KubeObject | undefined
  ): NamespaceQuotas | undefined => {
    if (namespaces.size === 0 || !quotaCountedResources.has(resource)) return undefined
    return namespaces.get(object?.metadata.namespace ?? "")
  }

  const updateQuota = (old: ResourceQuota | undefined, next: ResourceQuota | undefined): void => {
    const quota = next ?? old
    if (quota === undefined) return
    const { name, namespace = "" } = quota.metadata
    let quotas = namespaces.get(namespace)
    if (next === undefined) {
      quotas?.uses.delete(name)
      if (quotas?.uses.size === 0) namespaces.delete(namespace)
    } else {
      if (old !== undefined && isSemanticallyEqual(old.spec, next.spec) && hasSameUseElsewhere(old, next))
        return
      if (quotas === undefined) namespaces.set(namespace, (quotas = makeNamespaceQuotas(cluster, namespace)))
      quotas.uses.delete(name)
      addQuota(quotas, next)
    }
    cluster.notify(objectKeyOf(quota))
  }

  return {
    update: (resource, old, next) => {
      const quotas = quotasFor(resource, next ?? old)
      if (quotas !== undefined) {
        if (resource === resources.pods)
          updatePodCharge(quotas, old as Pod | undefined, next as Pod | undefined)
        else updateObjectCharge(quotas, resource, old, next)
      }
      if (resource === resources.resourceQuotas) {
        updateQuota(old as ResourceQuota | undefined, next as ResourceQuota | undefined)
      }
    },
    refusal: (resource, object, old) => {
      // An update of any other kind uses no more than before.
      if (old !== undefined && !resourcesChargedOnUpdate.has(resource) && !isResize(resource, object, old))
        return undefined
      const quotas = quotasFor(resource, object)
      return quotas === undefined ? undefined : refusalBy(quotas, resource, { object, old })
    },
    status: (key) => {
      const quota = options.get(resources.resourceQuotas, key)
      const quotas = namespaces.get(quota?.metadata.namespace ?? "")
      if (quota === undefined || quotas === undefined) return undefined
      releasePods(quotas)
      const quotaUse = quotas.uses.get(quota.metadata.name)
      return quotaUse === undefined ? undefined : quotaStatus(quotaUse.rule, quotaUse.used)
    },
    nextReleaseMillis: (namespace) => {
      const quotas = namespaces.get(namespace)
      if (quotas === undefined) return undefined
      releasePods(quotas)
      const [nextRelease] = quotas.pendingReleases
      return nextRelease === undefined ? undefined : nextRelease.afterMillis + 1
    },
    subscribe: subscribers.subscribe,
    makeSubscriberGroup: subscribers.makeGroup,
    save: (namespace) =>
      [...(namespace === undefined ? namespaces.keys() : [namespace])].flatMap((name) => {
        const quotas = namespaces.get(name)
        return quotas === undefined ? [] : [[name, stateOf(quotas)] as const]
      }),
    restore: (state) => {
      for (const [namespace, quotasState] of state) namespaces.set(namespace, quotasOf(cluster, quotasState))
    }
  }
}

const refusalBy = (
  quotas: NamespaceQuotas,
  resource: GroupResource,
  { object, old }: { readonly object: KubeObject; readonly old: KubeObject | undefined }
): string | undefined => {
  releasePods(quotas)
  const applicable = [...quotas.uses.values()].filter(
    ({ rule }) => rule.hardNamesFor(resource).length > 0 && rule.covers(resource, object)
  )
  // Upstream checks for missing amounts in all quotas first.
  for (const { rule } of applicable) {
    if (resource !== resources.pods) break
    const missing = missingAmountsMessage(rule.hardNamesFor(resource), (object as Pod).spec)
    if (missing !== undefined) return `failed quota: ${rule.name}: ${missing}`
  }
  const usage = usageOf(quotas, resource, object)
  const increase = old === undefined ? usage : amountsIncrease(usage, usageOf(quotas, resource, old))
  for (const { rule, used } of applicable) {
    const requested = old === undefined || rule.covers(resource, old) ? increase : usage
    const exceeded = exceededQuotaMessage({ rule, resource, used, requested })
    if (exceeded !== undefined) return exceeded
  }
  return undefined
}

const updateObjectCharge = (
  quotas: NamespaceQuotas,
  resource: GroupResource,
  old: KubeObject | undefined,
  next: KubeObject | undefined
): void => {
  if (isSameUse(resource, old, next)) return
  const [before, after] = [old, next].map(
    (object) => object && { object, usage: objectUsage(resource, object) }
  )
  replaceCharge(quotas, resource, before, after)
}

const stateOf = ({ uses, pendingReleases, released }: NamespaceQuotas): NamespaceQuotasState => ({
  ledgers: Array.from(uses, ([name, { key, used }]) => [name, key, [...used]]),
  leaving: [...pendingReleases],
  released: [...released]
})

const quotasOf = (
  cluster: QuotaCluster,
  { ledgers, leaving, released }: NamespaceQuotasState
): NamespaceQuotas => {
  const quotas: NamespaceQuotas = {
    cluster,
    uses: new Map(),
    pendingReleases: [...leaving],
    released: new Set(released)
  }
  for (const [name, key, used] of ledgers) {
    const quota = cluster.get(resources.resourceQuotas, key) as ResourceQuota | undefined
    if (quota !== undefined) quotas.uses.set(name, { key, rule: quotaRule(quota), used: new Map(used) })
  }
  return quotas
}

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
