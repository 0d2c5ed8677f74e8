import { addQuantities, compareQuantities } from "../../kubernetes/meta/amounts/quantity.ts"
import { parseAmounts } from "../../kubernetes/pods/podResources.ts"
import { isPodFinished } from "../../kubernetes/pods/podState.ts"
import { zeroQuantity, podUsage, quotaRule } from "../../kubernetes/core/quotas.ts"
import { requestedPodsMax } from "../../../machines/strategies/strategies.ts"
import { podsOfDeployment } from "../../store/ownerLookup.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import type { Strategy } from "../../../machines/strategies/strategy.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { Key } from "../../kubernetes/meta/objects.ts"
import type { PodSpecWithResources } from "../../kubernetes/pods/podResources.ts"
import type { Quantity } from "../../kubernetes/meta/amounts/quantity.ts"
import type { ResourceQuota } from "../../kubernetes/core/quotas.ts"

type View = Pick<ClusterView["Service"], "get" | "controlled">

export interface QuotaShares {
  /** The amount that Pods outside the rolled-out Deployments use. */
  readonly others: Quantity
  /** The largest amount that each rolled-out Deployment may use, without terminating Pods. */
  readonly maxByDeployment: ReadonlyMap<Key, Quantity>
}

export const quotaSharesOf = (
  quota: ResourceQuota,
  resource: string,
  {
    view,
    deploymentKeys,
    strategies
  }: {
    readonly view: View
    readonly deploymentKeys: ReadonlyArray<Key>
    readonly strategies: ReadonlyArray<Strategy>
  }
): QuotaShares => {
  const rule = quotaRule(quota)
  const usedQuantity = parseAmounts(quota.status.used).get(resource) ?? zeroQuantity
  const maxByDeployment = new Map<Key, Quantity>()
  let othersNanos = usedQuantity.nanos
  for (const key of deploymentKeys) {
    const deployment = view.get(resources.deployments, key)
    if (deployment === undefined || deployment.metadata.namespace !== quota.metadata.namespace) continue
    const coveredPods = podsOfDeployment(view, deployment).filter(
      (pod) => !isPodFinished(pod) && rule.coversPod(pod.spec)
    )
    const podAmounts = coveredPods.map(({ spec }) => amountIn(spec, resource))
    othersNanos -= podAmounts.reduce((sum, { nanos }) => sum + nanos, 0n)
    const template = deployment.spec.template.spec
    const isTemplateCovered = template !== undefined && rule.coversPod(template)
    const amounts = isTemplateCovered ? [...podAmounts, amountIn(template, resource)] : podAmounts
    if (amounts.length === 0) continue
    const largestPod = amounts.reduce(larger)
    maxByDeployment.set(key, {
      ...largestPod,
      nanos: largestPod.nanos * BigInt(requestedPodsMax(deployment, strategies))
    })
  }
  return { others: { ...usedQuantity, nanos: othersNanos > 0n ? othersNanos : 0n }, maxByDeployment }
}

const amountIn = (spec: PodSpecWithResources, resource: string): Quantity =>
  podUsage(spec).get(resource) ?? zeroQuantity

const larger = (a: Quantity, b: Quantity): Quantity => (compareQuantities(a, b) >= 0 ? a : b)

export const sumOfOthers = (key: Key, { others, maxByDeployment }: QuotaShares): Quantity =>
  [...maxByDeployment].reduce(
    (sum, [otherKey, max]) => (otherKey === key ? sum : addQuantities(sum, max)),
    others
  )
