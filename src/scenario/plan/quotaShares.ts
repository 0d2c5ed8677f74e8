import { addQuantities, compareQuantities } from "../../domain/quantity.ts"
import { amountsOf } from "../../domain/podResources.ts"
import { isFinished } from "../../domain/pods.ts"
import { nothing, podUsage, quotaRule } from "../../domain/quotas.ts"
import { podsMostOf } from "../../domain/promises.ts"
import { resources } from "../../domain/kinds.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { Deployment, Key } from "../../domain/objects.ts"
import type { PodSpecWithResources } from "../../domain/podResources.ts"
import type { Quantity } from "../../domain/quantity.ts"
import type { ResourceQuota } from "../../domain/quotas.ts"

type View = Pick<ClusterView["Service"], "get" | "controlled">

/** Whose one amount of a quota is. */
export interface Shares {
  /** What is used by all who are not rolled out. */
  readonly others: Quantity
  /** What each that is rolled out may take at the most, those aside that are told to stop. */
  readonly claims: ReadonlyMap<Key, Quantity>
}

/** Who takes what of one amount of a quota, as it is used now, while some Deployments are rolled out. */
export const sharesOf = (
  quota: ResourceQuota,
  resource: string,
  { view, keys }: { readonly view: View; readonly keys: ReadonlyArray<Key> }
): Shares => {
  const rule = quotaRule(quota)
  const used = amountsOf(quota.status.used).get(resource) ?? nothing
  const claims = new Map<Key, Quantity>()
  let left = used.nanos
  for (const key of keys) {
    const deployment = view.get(resources.deployments, key)
    if (deployment === undefined || deployment.metadata.namespace !== quota.metadata.namespace) continue
    const covered = podsOf(view, deployment).filter((pod) => rule.covers(resources.pods, pod))
    const taken = covered.map(({ spec }) => amountIn(spec, resource))
    left -= taken.reduce((sum, { nanos }) => sum + nanos, 0n)
    const template = deployment.spec.template.spec
    const each = [...taken, ...(template === undefined ? [] : [amountIn(template, resource)])].reduce(greater)
    claims.set(key, { ...each, nanos: each.nanos * BigInt(podsMostOf(deployment)) })
  }
  return { others: { ...used, nanos: left > 0n ? left : 0n }, claims }
}

const podsOf = (view: View, { metadata }: Deployment) =>
  view
    .controlled(resources.replicaSets, metadata.uid)
    .flatMap((replicaSet) => view.controlled(resources.pods, replicaSet.metadata.uid))
    .filter((pod) => !isFinished(pod))

const amountIn = (spec: PodSpecWithResources, resource: string): Quantity =>
  podUsage(spec).get(resource) ?? nothing

const greater = (a: Quantity, b: Quantity): Quantity => (compareQuantities(a, b) >= 0 ? a : b)

/** What all but one may take of an amount. */
export const sumBut = (key: Key, { others, claims }: Shares): Quantity =>
  [...claims].reduce((sum, [it, claim]) => (it === key ? sum : addQuantities(sum, claim)), others)
