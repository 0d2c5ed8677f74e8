import { objectCountUsage, objectUsage, quotaCountedResources } from "../../kubernetes/core/quotaUsage.ts"
import { podUsage, quotaReleaseMillis, quotaRule, zeroQuantity } from "../../kubernetes/core/quotas.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { isPodFinished } from "../../kubernetes/pods/podState.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { Key, KubeObject, Pod } from "../../kubernetes/meta/objects.ts"
import type { AmountsByResource } from "../../kubernetes/pods/podResources.ts"
import type { QuotaRule, ResourceQuota } from "../../kubernetes/core/quotas.ts"
import type { Quantity } from "../../kubernetes/meta/amounts/quantity.ts"

/** The quotas of one namespace and what its objects use of them. */
export interface NamespaceQuotas {
  readonly cluster: QuotaCluster
  /** By the quotas' names, sorted. */
  readonly uses: Map<string, QuotaUse>
  /** Terminating Pods, sorted by when they stop counting. Entries may be outdated. */
  readonly pendingReleases: Array<PendingRelease>
  /** Uids of terminating Pods that no longer count. */
  readonly released: Set<string>
}

export interface QuotaCluster {
  readonly nowMillis: () => number
  readonly get: (resource: GroupResource, key: Key) => KubeObject | undefined
  readonly all: (resource: GroupResource) => Iterable<KubeObject>
  /** Called with the key of a quota whose limits or use change. */
  readonly notify: (quota: Key) => void
}

interface QuotaUse {
  readonly key: Key
  readonly rule: QuotaRule
  /** By the names in `spec.hard`. */
  readonly used: Map<string, Quantity>
}

export interface PendingRelease {
  readonly afterMillis: number
  readonly key: Key
  readonly uid: string
}

interface ObjectUsage {
  readonly object: KubeObject
  readonly usage: AmountsByResource
}

interface UsageChange extends ObjectUsage {
  readonly sign: 1n | -1n
}

export const makeNamespaceQuotas = (cluster: QuotaCluster, namespace: string): NamespaceQuotas => {
  const quotas: NamespaceQuotas = { cluster, uses: new Map(), pendingReleases: [], released: new Set() }
  for (const pod of objectsIn(namespace, cluster.all(resources.pods))) scheduleRelease(quotas, pod as Pod)
  return quotas
}

const objectsIn = function* (namespace: string, objects: Iterable<KubeObject>): Iterable<KubeObject> {
  for (const object of objects) if (object.metadata.namespace === namespace) yield object
}

/** Charges the new quota with all objects that exist. */
export const addQuota = (quotas: NamespaceQuotas, quota: ResourceQuota): void => {
  const { name, namespace = "" } = quota.metadata
  const rule = quotaRule(quota)
  const quotaUse: QuotaUse = { key: objectKeyOf(quota), rule, used: new Map() }
  for (const resource of quotaCountedResources) {
    const names = rule.hardNamesFor(resource)
    for (const countedName of names)
      quotaUse.used.set(countedName, rule.usedElsewhere.get(countedName) ?? zeroQuantity)
    if (names.length === 0) continue
    for (const object of objectsIn(namespace, quotas.cluster.all(resource))) {
      charge(quotaUse, resource, { object, usage: usageOf(quotas, resource, object), sign: 1n })
    }
  }
  const sortedUses = [...quotas.uses, [name, quotaUse] as const].sort(([a], [b]) => (a < b ? -1 : 1))
  quotas.uses.clear()
  for (const [quotaName, sortedUse] of sortedUses) quotas.uses.set(quotaName, sortedUse)
}

export const usageOf = (
  { released }: NamespaceQuotas,
  resource: GroupResource,
  object: KubeObject
): AmountsByResource => {
  if (resource !== resources.pods) return objectUsage(resource, object)
  const pod = object as Pod
  // A finished or released Pod counts only as an object (`count/pods`).
  const isCharged = !isPodFinished(pod) && !released.has(pod.metadata.uid)
  return isCharged ? podUsage(pod.spec) : objectCountUsage(resources.pods)
}

/** Either may be undefined: the object is new, or is gone. */
export const replaceCharge = (
  quotas: NamespaceQuotas,
  resource: GroupResource,
  before: ObjectUsage | undefined,
  after: ObjectUsage | undefined
): void => {
  if (before !== undefined) chargeQuotas(quotas, resource, { ...before, sign: -1n })
  if (after !== undefined) chargeQuotas(quotas, resource, { ...after, sign: 1n })
}

const chargeQuotas = (
  { uses, cluster }: NamespaceQuotas,
  resource: GroupResource,
  usageChange: UsageChange
): void => {
  for (const quotaUse of uses.values())
    if (charge(quotaUse, resource, usageChange)) cluster.notify(quotaUse.key)
}

/** Returns whether the quota counts the object. */
const charge = (
  { rule, used }: QuotaUse,
  resource: GroupResource,
  { object, usage, sign }: UsageChange
): boolean => {
  const names = rule.hardNamesFor(resource)
  if (names.length === 0 || !rule.covers(resource, object)) return false
  for (const name of names) {
    const amount = usage.get(name)
    if (amount === undefined) continue
    const { nanos, format } = used.get(name) ?? zeroQuantity
    used.set(name, { nanos: nanos + sign * amount.nanos, format: nanos === 0n ? amount.format : format })
  }
  return true
}

export const updatePodCharge = (
  quotas: NamespaceQuotas,
  old: Pod | undefined,
  next: Pod | undefined
): void => {
  const before = old && { object: old, usage: usageOf(quotas, resources.pods, old) }
  if (next === undefined) quotas.released.delete(old?.metadata.uid ?? "")
  else if (next.metadata.deletionTimestamp !== old?.metadata.deletionTimestamp) {
    scheduleRelease(quotas, next)
    // The deletion timestamp decides when the Pod stops counting.
    for (const { key } of quotas.uses.values()) quotas.cluster.notify(key)
  }
  const after = next && { object: next, usage: usageOf(quotas, resources.pods, next) }
  if (before?.usage === after?.usage && old?.spec === next?.spec) return
  replaceCharge(quotas, resources.pods, before, after)
}

const scheduleRelease = ({ cluster, pendingReleases, released }: NamespaceQuotas, pod: Pod): void => {
  const afterMillis = isPodFinished(pod) ? undefined : quotaReleaseMillis(pod)
  if (afterMillis === undefined) return
  const { uid } = pod.metadata
  if (cluster.nowMillis() > afterMillis) {
    released.add(uid)
    return
  }
  let index = pendingReleases.length
  while (index > 0 && (pendingReleases[index - 1]?.afterMillis ?? 0) > afterMillis) index -= 1
  pendingReleases.splice(index, 0, { afterMillis, key: objectKeyOf(pod), uid })
}

/** Stops counting the Pods that are due. */
export const releasePods = (quotas: NamespaceQuotas): void => {
  const { cluster, pendingReleases, released } = quotas
  const now = cluster.nowMillis()
  for (let release = pendingReleases[0]; release !== undefined; release = pendingReleases[0]) {
    const pod = cluster.get(resources.pods, release.key) as Pod | undefined
    const isCurrent = pod?.metadata.uid === release.uid && quotaReleaseMillis(pod) === release.afterMillis
    if (isCurrent && now <= release.afterMillis) return
    pendingReleases.shift()
    if (pod === undefined || !isCurrent || isPodFinished(pod) || released.has(release.uid)) continue
    const before = usageOf(quotas, resources.pods, pod)
    released.add(release.uid)
    const after = usageOf(quotas, resources.pods, pod)
    replaceCharge(quotas, resources.pods, { object: pod, usage: before }, { object: pod, usage: after })
  }
}
