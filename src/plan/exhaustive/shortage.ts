import { countText } from "../../kubernetes/meta/text/countText.ts"
import { addQuantities, compareQuantities, formatQuantity } from "../../kubernetes/meta/amounts/quantity.ts"
import { parseAmounts, type PodSpecWithResources } from "../../kubernetes/pods/podResources.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { missingAmountsMessage, zeroQuantity, podUsage, quotaRule } from "../../kubernetes/core/quotas.ts"
import {
  addPodLoads,
  choosePodNode,
  noPodLoad,
  type NodePodLoad
} from "../../kubernetes/scheduling/placement.ts"
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
  /** `Deployment default/web`. */
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
  const { fillDefaults, violation } = podLimits(
    [...view.all(resources.limitRanges)].filter((it) => it.metadata.namespace === namespace)
  )
  const filledDemands = demands.map((it) => {
    const { spec } = fillDefaults({ apiVersion: "v1", kind: "Pod", metadata: {}, spec: it.spec })
    return it.namespace === namespace && spec !== undefined ? { ...it, spec } : it
  })
  const ownSpecs = filledDemands
    .filter(({ id }) => id === `Deployment ${objectKeyOf(deployment)}`)
    .map(({ spec }) => spec)
  for (const spec of ownSpecs) {
    const why = violation(spec)
    if (why !== undefined) return `its Pods are refused: ${why}`
  }
  return (
    quotaShortage(ownSpecs, { namespace, view, demands: filledDemands }) ??
    nodeShortage(ownSpecs, { view, demands: filledDemands })
  )
}

/** The demand of one object during its rollout: the larger count, and the specs, of before and after the change. */
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
  const ownerDemands = concurrentDemands(demands)
  for (const quota of view.all(resources.resourceQuotas)) {
    if (quota.metadata.namespace !== namespace) continue
    const { name, hard, usedElsewhere, namesFor } = quotaRule(quota)
    const quotaText = `ResourceQuota ${name}`
    const names = namesFor(resources.pods)
    for (const spec of ownSpecs) {
      const message = missingAmountsMessage(names, spec)
      if (message !== undefined) return `${quotaText} refuses its Pods: ${message}`
    }
    for (const resource of names) {
      const allowed = hard.get(resource)
      if (allowed === undefined) continue
      const shares = ownerDemands.map(({ id, count, specs }) => {
        const each = greatest(specs.map((spec) => podUsage(spec).get(resource) ?? zeroQuantity))
        return { text: `${id} ${count} x ${formatQuantity(each)}`, total: times(each, count) }
      })
      // What objects use that exist in the live cluster and not in this copy of it.
      const others = usedElsewhere.get(resource) ?? zeroQuantity
      shares.push({ text: `others ${formatQuantity(others)}`, total: others })
      const wanted = shares.map(({ total }) => total).reduce(addQuantities, zeroQuantity)
      if (compareQuantities(wanted, allowed) <= 0) continue
      const [wantedText, allowedText] = [formatQuantity(wanted), formatQuantity(allowed)]
      const sharesText = greatestFirst(shares)
      return `${quotaText} allows ${resource} ${allowedText}, and the Pods asked for at once take ${wantedText}: ${sharesText}`
    }
    // How many ReplicaSets the rollout will leave in the namespace is not known here.
    const [replicaSetLimit] = namesFor(resources.replicaSets)
    if (replicaSetLimit !== undefined)
      return `${quotaText} limits the number of ReplicaSets (${replicaSetLimit})`
  }
  return undefined
}

/** How many shares of a quota's usage a message lists. */
const sharesMax = 4

const greatestFirst = (
  shares: ReadonlyArray<{ readonly text: string; readonly total: Quantity }>
): string => {
  const sorted = shares
    .filter(({ total }) => total.nanos > 0n)
    .toSorted((a, b) => compareQuantities(b.total, a.total))
  const texts = sorted.slice(0, sharesMax).map(({ text }) => text)
  const more = sorted.length - texts.length
  return `${texts.join(", ")}${more === 0 ? "" : ` and ${more} more`}`
}

const times = (each: Quantity, count: number): Quantity => ({ ...each, nanos: each.nanos * BigInt(count) })

const greatest = (quantities: ReadonlyArray<Quantity>): Quantity =>
  quantities.reduce((most, it) => (compareQuantities(it, most) > 0 ? it : most), zeroQuantity)

/** Tries to place as many Pods as there may be at once, each of the largest size, on the nodes that accept them. */
const nodeShortage = (
  ownSpecs: ReadonlyArray<PodSpec>,
  { view, demands }: { readonly view: View; readonly demands: ReadonlyArray<PodDemand> }
): string | undefined => {
  const count = concurrentDemands(demands).reduce((sum, demand) => sum + demand.count, 0)
  const nodes = [...view.all(resources.nodes)].map(toReadyNode)
  const requests = demands.map(({ spec }) => podRequestsOf(spec)).reduce(largerRequests, noPodRequests)
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

const largerRequests = (a: PodRequests, b: PodRequests): PodRequests => ({
  cpuMillis: a.cpuMillis > b.cpuMillis ? a.cpuMillis : b.cpuMillis,
  memoryMillis: a.memoryMillis > b.memoryMillis ? a.memoryMillis : b.memoryMillis
})

/** Without controllers no kubelet reports, so nodes are taken as ready. */
const toReadyNode = (node: Node): Node => ({
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
