import { addQuantities, compareQuantities } from "../../domain/quantity.ts"
import { parseAmounts } from "../../domain/podResources.ts"
import { isPodFinished } from "../../domain/pods.ts"
import { zeroQuantity, podUsage, quotaRule } from "../../domain/quotas.ts"
import { requestedPodsMax } from "../../domain/promises.ts"
import { resources } from "../../domain/kinds.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { Deployment, Key } from "../../domain/objects.ts"
import type { PodSpecWithResources } from "../../domain/podResources.ts"
import type { Quantity } from "../../domain/quantity.ts"
import type { ResourceQuota } from "../../domain/quotas.ts"

type View = Pick<ClusterView["Service"], "get" | "controlled">

export interface QuotaShares {
  readonly others: Quantity
  /** The most that each Deployment may use, without terminating Pods. */
  readonly claims: ReadonlyMap<Key, Quantity>
}

export const quotaSharesOf = (
  quota: ResourceQuota,
  resource: string,
  { view, keys }: { readonly view: View; readonly keys: ReadonlyArray<Key> }
): QuotaShares => {
  const rule = quotaRule(quota)
  const used = parseAmounts(quota.status.used).get(resource) ?? zeroQuantity
  const claims = new Map<Key, Quantity>()
  let restNanos = used.nanos
  for (const key of keys) {
    const deployment = view.get(resources.deployments, key)
    if (deployment === undefined || deployment.metadata.namespace !== quota.metadata.namespace) continue
    const covered = podsOf(view, deployment).filter((pod) => rule.covers(resources.pods, pod))
    const podAmounts = covered.map(({ spec }) => amountIn(spec, resource))
    restNanos -= podAmounts.reduce((sum, { nanos }) => sum + nanos, 0n)
    const template = deployment.spec.template.spec
    const each = [...podAmounts, ...(template === undefined ? [] : [amountIn(template, resource)])].reduce(
      larger
    )
    claims.set(key, { ...each, nanos: each.nanos * BigInt(requestedPodsMax(deployment)) })
  }
  return { others: { ...used, nanos: restNanos > 0n ? restNanos : 0n }, claims }
}

const podsOf = (view: View, { metadata }: Deployment) =>
  view
    .controlled(resources.replicaSets, metadata.uid)
    .flatMap((replicaSet) => view.controlled(resources.pods, replicaSet.metadata.uid))
    .filter((pod) => !isPodFinished(pod))

const amountIn = (spec: PodSpecWithResources, resource: string): Quantity =>
  podUsage(spec).get(resource) ?? zeroQuantity

const larger = (a: Quantity, b: Quantity): Quantity => (compareQuantities(a, b) >= 0 ? a : b)

export const sumOfOthers = (key: Key, { others, claims }: QuotaShares): Quantity =>
  [...claims].reduce((sum, [it, claim]) => (it === key ? sum : addQuantities(sum, claim)), others)
