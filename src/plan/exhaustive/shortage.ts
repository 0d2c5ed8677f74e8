import { countText } from "../../kubernetes/meta/text/countText.ts"
import { addQuantities, compareQuantities, formatQuantity } from "../../kubernetes/meta/amounts/quantity.ts"
import { parseAmounts, type PodSpecWithResources } from "../../kubernetes/pods/podResources.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { missingAmountsMessage, zeroQuantity, podUsage, quotaRule } from "../../kubernetes/core/quotas.ts"
import { addPodLoads, choosePodNode, noPodLoad, type NodePodLoad } from "../../kubernetes/core/placement.ts"
import { podLimits } from "../../kubernetes/core/limitRanges.ts"
import { requestedPodsMax } from "../../../machines/strategies/strategies.ts"
import { noPodRequests, podRequestsOf } from "../../kubernetes/pods/podRequests.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import type { Strategy } from "../../../machines/strategies/strategy.ts"
import type { Deployment, Node, PodSpec } from "../../kubernetes/meta/objects.ts"
import type { Quantity } from "../../kubernetes/meta/amounts/quantity.ts"
import type { PodRequests } from "../../kubernetes/pods/podRequests.ts"
import type { ClusterView } from "../../store/objectStore.ts"

type View = Pick<ClusterView["Service"], "all">

/** An object that asks for Pods: how many at once, and with which spec. */
interface PodDemand {
  readonly id: string
  readonly namespace: string
  readonly count: number
  readonly spec: PodSpec
}

export const podDemandsIn = (view: View, strategies: ReadonlyArray<Strategy>): ReadonlyArray<PodDemand> => [
  ...[...view.all(resources.deployments)].flatMap((it) =>
    toPodDemand(it, it.spec.template.spec, requestedPodsMax(it, strategies))
  ),
  ...[...view.all(resources.replicaSets)].flatMap((it) =>
    toPodDemand(it, it.spec.template.spec, it.spec.replicas)
  ),
  ...[...view.all(resources.pods)].flatMap((it) => toPodDemand(it, it.spec, 1))
]

const toPodDemand = (
  object: Parameters<typeof objectKeyOf>[0],
  spec: PodSpec | undefined,
  count: number
): ReadonlyArray<PodDemand> =>
  spec === undefined
    ? []
    : [
        {
          id: `${object.kind} ${objectKeyOf(object)}`,
          namespace: object.metadata.namespace ?? "default",
          count,
          spec
        }
      ]

/**
 * What there is too little of for the rollout to end: quota, or room on the nodes. Undefined if there is enough for all
 * Pods that may be asked for at once, however they are spread. Terminating Pods do not count, since refused creations
 * are retried.
 */
export const findShortage = (
  deployment: Deployment,
  view: View,
  demands: ReadonlyArray<PodDemand>
): string | undefined => {
  const { namespace = "default" } = deployment.metadata
  const { fillDefaults: fill, violation: refusal } = podLimits(
    [...view.all(resources.limitRanges)].filter((it) => it.metadata.namespace === namespace)
  )
  const filledDemands = demands.map((it) => {
    const { spec } = fill({ apiVersion: "v1", kind: "Pod", metadata: {}, spec: it.spec })
    return it.namespace === namespace && spec !== undefined ? { ...it, spec } : it
  })
  const ownSpecs = filledDemands
    .filter(({ id }) => id === `Deployment ${objectKeyOf(deployment)}`)
    .map(({ spec }) => spec)
  for (const spec of ownSpecs) {
    const why = refusal(spec)
    if (why !== undefined) return `its Pods are refused: ${why}`
  }
  return (
    quotaShortage(ownSpecs, { namespace, view, demands: filledDemands }) ??
    nodeShortage(ownSpecs, { view, demands: filledDemands })
  )
}

/** The demand of one object before and after the rollout: the larger count, and both specs. */
interface ConcurrentDemand {
  readonly id: string
  readonly count: number
  readonly specs: ReadonlyArray<PodSpec>
}

const concurrentDemands = (demands: ReadonlyArray<PodDemand>): ReadonlyArray<ConcurrentDemand> =>
  [...Map.groupBy(demands, ({ id }) => id)].map(([id, same]) => ({
    id,
    count: Math.max(...same.map(({ count }) => count)),
    specs: same.map(({ spec }) => spec)
  }))

const quotaShortage = (
  ownSpecs: ReadonlyArray<PodSpec>,
  world: { readonly namespace: string; readonly view: View; readonly demands: ReadonlyArray<PodDemand> }
): string | undefined => {
  const { namespace, view } = world
  const demands = world.demands.filter((it) => it.namespace === namespace)
  const concurrent = concurrentDemands(demands)
  for (const quota of view.all(resources.resourceQuotas)) {
    if (quota.metadata.namespace !== namespace) continue
    const { name, hard, usedElsewhere: elsewhere, namesFor } = quotaRule(quota)
    const quotaText = `ResourceQuota ${name}`
    const names = namesFor(resources.pods)
    for (const spec of ownSpecs) {
      const missing = missingAmountsMessage(names, spec)
      if (missing !== undefined) return `${quotaText} refuses its Pods: ${missing}`
    }
    for (const resource of names) {
      const allowed = hard.get(resource)
      if (allowed === undefined) continue
      const shares = concurrent.map(({ id, count, specs }) => {
        const each = greatest(specs.map((spec) => podUsage(spec).get(resource) ?? zeroQuantity))
        return { text: `${id} ${count} x ${formatQuantity(each)}`, all: times(each, count) }
      })
      const others = elsewhere.get(resource) ?? zeroQuantity
      shares.push({ text: `others ${formatQuantity(others)}`, all: others })
      const wanted = shares.map(({ all }) => all).reduce(addQuantities, zeroQuantity)
      if (compareQuantities(wanted, allowed) <= 0) continue
      const [all, most] = [formatQuantity(wanted), formatQuantity(allowed)]
      const parts = greatestFirst(shares)
      return `${quotaText} allows ${resource} ${most}, and the Pods asked for at once take ${all}: ${parts}`
    }
    const [bounding] = namesFor(resources.replicaSets)
    if (bounding !== undefined) return `${quotaText} allows only so many ReplicaSets (${bounding})`
  }
  return undefined
}

const sharesMax = 4

const greatestFirst = (shares: ReadonlyArray<{ readonly text: string; readonly all: Quantity }>): string => {
  const some = shares.filter(({ all }) => all.nanos > 0n).toSorted((a, b) => compareQuantities(b.all, a.all))
  const shown = some.slice(0, sharesMax).map(({ text }) => text)
  const more = some.length - shown.length
  return `${shown.join(", ")}${more === 0 ? "" : ` and ${more} more`}`
}

const times = (each: Quantity, count: number): Quantity => ({ ...each, nanos: each.nanos * BigInt(count) })

const greatest = (quantities: ReadonlyArray<Quantity>): Quantity =>
  quantities.reduce((most, it) => (compareQuantities(it, most) > 0 ? it : most), zeroQuantity)

/** Fills the nodes where these Pods may run with as many Pods as there may be, each of the largest size. */
const nodeShortage = (
  ownSpecs: ReadonlyArray<PodSpec>,
  { view, demands }: { readonly view: View; readonly demands: ReadonlyArray<PodDemand> }
): string | undefined => {
  const count = concurrentDemands(demands).reduce((sum, demand) => sum + demand.count, 0)
  const nodes = [...view.all(resources.nodes)].map(asReady)
  const requests = demands.map(({ spec }) => podRequestsOf(spec)).reduce(larger, noPodRequests)
  for (const spec of ownSpecs) {
    const loads = new Map<string, NodePodLoad>()
    for (let placed = 0; placed < count; placed += 1) {
      const placement = choosePodNode(
        { spec: withRequests(spec, requests) },
        nodes,
        (node) => loads.get(node) ?? noPodLoad
      )
      if (!placement.found) {
        const each = amountText(requests)
        return (
          `up to ${countText(count, "Pod")} asked for at once take ${each === "" ? "a place" : `up to ${each}`}` +
          ` each, and the nodes have room for ${placed}: ${placement.message}`
        )
      }
      const { name } = placement.node.metadata
      loads.set(name, addPodLoads(loads.get(name) ?? noPodLoad, { ...requests, pods: 1 }))
    }
  }
  return undefined
}

const larger = (a: PodRequests, b: PodRequests): PodRequests => ({
  cpuMillis: a.cpuMillis > b.cpuMillis ? a.cpuMillis : b.cpuMillis,
  memoryMillis: a.memoryMillis > b.memoryMillis ? a.memoryMillis : b.memoryMillis
})

const asReady = (node: Node): Node => ({
  ...node,
  status: { ...node.status, conditions: [{ type: "Ready", status: "True" }] }
})

/** A Pod that is placed like this one, with other requests. */
const withRequests = (
  { initContainers: _init, overhead: _overhead, resources: _whole, ...spec }: PodSpecWithResources,
  { cpuMillis, memoryMillis }: PodRequests
): PodSpec => {
  const amounts = { cpu: `${cpuMillis}m`, memory: `${memoryMillis}m` }
  return { ...spec, containers: [{ name: "largest", resources: { requests: amounts } }] }
}

const amountText = ({ cpuMillis, memoryMillis }: PodRequests): string => {
  const amounts = parseAmounts({ cpu: `${cpuMillis}m`, memory: `${memoryMillis}m` })
  return [...amounts]
    .filter(([, { nanos }]) => nanos > 0n)
    .map(([name, quantity]) => {
      const format = name === "memory" ? "binary" : "decimal"
      return `${name} ${formatQuantity({ ...quantity, format })}`
    })
    .join(", ")
}
