import { countText } from "../../kubernetes/meta/text/countText.ts"
import { addQuantities, compareQuantities, formatQuantity } from "../../kubernetes/meta/amounts/quantity.ts"
import { parseAmounts, type PodSpecWithResources } from "../../kubernetes/pods/podResources.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { missingAmountsMessage, zeroQuantity, podUsage, quotaRule } from "../../kubernetes/core/quotas.ts"
import { choosePodNode } from "../../kubernetes/scheduling/placement.ts"
import { makeMutableNodeInfos } from "../../kubernetes/scheduling/nodeInfos.ts"
import { podLimits } from "../../kubernetes/core/limitRanges.ts"
import { requestedPodsMax } from "../../../machines/strategies/strategies.ts"
import { longRunningContainers } from "../../kubernetes/pods/containers/containers.ts"
import { noPodRequests, podRequestsOf } from "../../kubernetes/pods/podRequests.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import type { Strategy } from "../../../machines/strategies/strategy.ts"
import type {
  Deployment,
  Labels,
  Node,
  Pod,
  PodSpec,
  PodTemplate,
  KubeObject
} from "../../kubernetes/meta/objects.ts"
import type { Quantity } from "../../kubernetes/meta/amounts/quantity.ts"
import type { PodRequests } from "../../kubernetes/pods/podRequests.ts"
import type { ClusterView } from "../../store/objectStore.ts"

type View = Pick<ClusterView["Service"], "all">

interface PodDemand {
  readonly id: string
  readonly namespace: string
  readonly count: number
  readonly spec: PodSpec
  readonly labels: Labels | undefined
}

export const podDemandsIn = (view: View, strategies: ReadonlyArray<Strategy>): ReadonlyArray<PodDemand> => [
  ...[...view.all(resources.deployments)].flatMap((deployment) =>
    toPodDemand(deployment, deployment.spec.template, requestedPodsMax(deployment, strategies))
  ),
  ...[...view.all(resources.replicaSets)].flatMap((replicaSet) =>
    toPodDemand(replicaSet, replicaSet.spec.template, replicaSet.spec.replicas)
  ),
  ...[...view.all(resources.pods)].flatMap((pod) =>
    toPodDemand(pod, { metadata: { labels: { ...pod.metadata.labels } }, spec: pod.spec }, 1)
  )
]

const toPodDemand = (
  object: KubeObject,
  { spec, metadata }: PodTemplate,
  count: number
): ReadonlyArray<PodDemand> =>
  spec === undefined
    ? []
    : [
        {
          id: `${object.kind} ${objectKeyOf(object)}`,
          namespace: object.metadata.namespace ?? "default",
          count,
          spec,
          labels: metadata?.labels
        }
      ]

/**
 * Undefined if there is enough room, however the Pods are spread. Terminating Pods need no room, since
 * refused creations are retried once they are gone.
 */
export const findShortage = (
  deployment: Deployment,
  view: View,
  demands: ReadonlyArray<PodDemand>
): string | undefined => {
  const { namespace = "default" } = deployment.metadata
  const { fillDefaults, violation } = podLimits(
    [...view.all(resources.limitRanges)].filter((limitRange) => limitRange.metadata.namespace === namespace)
  )
  const filledDemands = demands.map((demand) => {
    const { spec } = fillDefaults({ apiVersion: "v1", kind: "Pod", metadata: {}, spec: demand.spec })
    return demand.namespace === namespace && spec !== undefined ? { ...demand, spec } : demand
  })
  const ownDemands = filledDemands.filter(({ id }) => id === `Deployment ${objectKeyOf(deployment)}`)
  const ownSpecs = ownDemands.map(({ spec }) => spec)
  for (const spec of ownSpecs) {
    const why = violation(spec)
    if (why !== undefined) return `its Pods are refused: ${why}`
  }
  return (
    quotaShortage(ownSpecs, { namespace, view, demands: filledDemands }) ??
    nodeShortage(ownDemands, { view, demands: filledDemands })
  )
}

/** The Pods of a workload before and after the change: the larger of both counts, and the specs of both. */
interface ConcurrentDemand {
  readonly id: string
  readonly count: number
  readonly specs: ReadonlyArray<PodSpec>
}

const concurrentDemands = (demands: ReadonlyArray<PodDemand>): ReadonlyArray<ConcurrentDemand> =>
  [...Map.groupBy(demands, ({ id }) => id)].map(([id, demandsOfOwner]) => ({
    id,
    count: Math.max(...demandsOfOwner.map(({ count }) => count)),
    specs: demandsOfOwner.map(({ spec }) => spec)
  }))

const quotaShortage = (
  ownSpecs: ReadonlyArray<PodSpec>,
  context: { readonly namespace: string; readonly view: View; readonly demands: ReadonlyArray<PodDemand> }
): string | undefined => {
  const { namespace, view } = context
  const demands = context.demands.filter((demand) => demand.namespace === namespace)
  const ownerDemands = concurrentDemands(demands)
  for (const quota of view.all(resources.resourceQuotas)) {
    if (quota.metadata.namespace !== namespace) continue
    const { name, hard, usedElsewhere, hardNamesFor, coversPod } = quotaRule(quota)
    const quotaText = `ResourceQuota ${name}`
    const coveredSpecs = ownSpecs.filter(coversPod)
    const names = coveredSpecs.length === 0 ? [] : hardNamesFor(resources.pods)
    for (const spec of coveredSpecs) {
      const message = missingAmountsMessage(names, spec)
      if (message !== undefined) return `${quotaText} refuses its Pods: ${message}`
    }
    for (const resource of names) {
      const allowed = hard.get(resource)
      if (allowed === undefined) continue
      const shares = ownerDemands.map(({ id, count, specs }) => {
        const perPod = largestOf(
          specs.filter(coversPod).map((spec) => podUsage(spec).get(resource) ?? zeroQuantity)
        )
        return { text: `${id} ${count} x ${formatQuantity(perPod)}`, total: multiplyQuantity(perPod, count) }
      })
      // Used by objects that the copy of the live cluster lacks.
      const elsewhere = usedElsewhere.get(resource) ?? zeroQuantity
      shares.push({ text: `others ${formatQuantity(elsewhere)}`, total: elsewhere })
      const requestedTotal = shares.map(({ total }) => total).reduce(addQuantities, zeroQuantity)
      if (compareQuantities(requestedTotal, allowed) <= 0) continue
      const [requestedText, allowedText] = [formatQuantity(requestedTotal), formatQuantity(allowed)]
      const sharesText = greatestFirst(shares)
      return `${quotaText} allows ${resource} ${allowedText}, and the Pods asked for at once take ${requestedText}: ${sharesText}`
    }
    // How many ReplicaSets the rollout will leave in the namespace is unknown.
    const [replicaSetLimit] = hardNamesFor(resources.replicaSets)
    if (replicaSetLimit !== undefined)
      return `${quotaText} limits the number of ReplicaSets (${replicaSetLimit})`
  }
  return undefined
}

const sharesMax = 4

const greatestFirst = (
  shares: ReadonlyArray<{ readonly text: string; readonly total: Quantity }>
): string => {
  const largestSharesFirst = shares
    .filter(({ total }) => total.nanos > 0n)
    .toSorted((a, b) => compareQuantities(b.total, a.total))
  const texts = largestSharesFirst.slice(0, sharesMax).map(({ text }) => text)
  const more = largestSharesFirst.length - texts.length
  return `${texts.join(", ")}${more === 0 ? "" : ` and ${more} more`}`
}

const multiplyQuantity = (quantity: Quantity, count: number): Quantity => ({
  ...quantity,
  nanos: quantity.nanos * BigInt(count)
})

const largestOf = (quantities: ReadonlyArray<Quantity>): Quantity =>
  quantities.reduce(
    (most, quantity) => (compareQuantities(quantity, most) > 0 ? quantity : most),
    zeroQuantity
  )

/** Places Pods of other objects first, without their ports. Each Pod has the largest requests. */
const nodeShortage = (
  ownDemands: ReadonlyArray<PodDemand>,
  { view, demands }: { readonly view: View; readonly demands: ReadonlyArray<PodDemand> }
): string | undefined => {
  const count = concurrentDemands(demands).reduce((sum, demand) => sum + demand.count, 0)
  const ownCount = Math.max(...ownDemands.map((demand) => demand.count))
  const nodes = [...view.all(resources.nodes)].map(toReadyNode)
  const requests = demands.map(({ spec }) => podRequestsOf(spec)).reduce(largerRequests, noPodRequests)
  for (const demand of ownDemands) {
    const { nodeInfos, add } = makeMutableNodeInfos(nodes)
    const ownPod = toLargePod(demand, requests)
    const otherPod = toLargePod({ ...demand, spec: withoutPodRelations(demand.spec), labels: {} }, requests)
    for (let placed = 0; placed < count; placed += 1) {
      const pod = placed < count - ownCount ? otherPod : ownPod
      const placement = choosePodNode(pod, nodes, nodeInfos)
      if (!placement.found) {
        const perPodText = amountText(requests)
        return (
          `up to ${countText(count, "Pod")} asked for at once take ${perPodText === "" ? "a place" : `up to ${perPodText}`}` +
          ` each, and the nodes have room for ${placed}: ${placement.message}`
        )
      }
      add({ ...pod, spec: { ...pod.spec, nodeName: placement.node.metadata.name } })
    }
  }
  return undefined
}

const toLargePod = ({ namespace, spec, labels = {} }: PodDemand, requests: PodRequests): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "", namespace, labels, uid: "", resourceVersion: "", creationTimestamp: "" },
  spec: withRequests(spec, requests),
  status: { phase: "Pending" }
})

/** Drops constraints that depend on the other Pods of a node. */
const withoutPodRelations = ({
  topologySpreadConstraints: _spread,
  affinity,
  ...spec
}: PodSpec): PodSpec => ({
  ...spec,
  ...(affinity?.nodeAffinity === undefined ? {} : { affinity: { nodeAffinity: affinity.nodeAffinity } }),
  containers: spec.containers.map(({ ports: _ports, ...container }) => container)
})

const largerRequests = (a: PodRequests, b: PodRequests): PodRequests => ({
  cpuMillicores: a.cpuMillicores > b.cpuMillicores ? a.cpuMillicores : b.cpuMillicores,
  memoryMillibytes: a.memoryMillibytes > b.memoryMillibytes ? a.memoryMillibytes : b.memoryMillibytes,
  ...(a.others === undefined && b.others === undefined ? {} : { others: largerAmounts(a.others, b.others) })
})

const largerAmounts = (
  a: ReadonlyMap<string, bigint> = new Map(),
  b: ReadonlyMap<string, bigint> = new Map()
): ReadonlyMap<string, bigint> => {
  const larger = new Map(a)
  for (const [name, millis] of b) if (millis > (a.get(name) ?? 0n)) larger.set(name, millis)
  return larger
}

/** The search has no kubelets, which would report that nodes are ready. */
const toReadyNode = (node: Node): Node => ({
  ...node,
  status: { ...node.status, conditions: [{ type: "Ready", status: "True" }] }
})

const withRequests = (podSpec: PodSpecWithResources, requests: PodRequests): PodSpec => {
  const { initContainers: _init, overhead: _overhead, resources: _whole, ...spec } = podSpec
  const ports = longRunningContainers(podSpec).flatMap((container) => container.ports ?? [])
  const largest = { name: "largest", ports, resources: { requests: amountTexts(requests) } }
  return { ...spec, containers: [largest] }
}

const amountTexts = ({ cpuMillicores, memoryMillibytes, others = new Map() }: PodRequests) => ({
  cpu: `${cpuMillicores}m`,
  memory: `${memoryMillibytes}m`,
  ...Object.fromEntries(Array.from(others, ([name, millis]) => [name, `${millis}m`]))
})

const amountText = (requests: PodRequests): string => {
  const amounts = parseAmounts(amountTexts(requests))
  return [...amounts]
    .filter(([, { nanos }]) => nanos > 0n)
    .map(([name, quantity]) => {
      const format = name === "memory" ? "binary" : "decimal"
      return `${name} ${formatQuantity({ ...quantity, format })}`
    })
    .join(", ")
}
