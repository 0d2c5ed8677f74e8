import { addQuantities, formatQuantity, parseQuantity } from "../../domain/quantity.ts"
import { amountsOf, podAmounts } from "../../domain/podResources.ts"
import { conditionOf } from "../../domain/conditions.ts"
import { isFinished } from "../../domain/pods.ts"
import { keyOf } from "../../domain/objects.ts"
import { resources } from "../../domain/kinds.ts"
import { failingAmong, isComingUp } from "./failingPods.ts"
import { isOurs, isOwnedBy } from "./liveObjects.ts"
import { bare, bareService, unnumbered } from "./asItStood.ts"
import { ownerText } from "./bringUp.ts"
import { isCountedTowards } from "../../domain/quotaUsage.ts"
import { elsewhereAnnotation, podUsage, quotaRule } from "../../domain/quotas.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Draft, Node, Pod, ReplicaSet } from "../../domain/objects.ts"
import type { Amounts } from "../../domain/podResources.ts"
import type { Quantity } from "../../domain/quantity.ts"
import type { LiveObjects } from "./liveObjects.ts"
import type { Running } from "./bringUp.ts"
import type { ResourceQuota } from "../../domain/quotas.ts"

/**
 * What a world must be given that is to be like a cluster: everything without what that cluster has made of it. Of
 * nodes there is what the Pods of others leave; quotas say what those use.
 */
export const worldOf = (live: LiveObjects): ReadonlyArray<Draft> => {
  const {
    deployments,
    replicaSets,
    nodes = [],
    pods = [],
    services = [],
    quotas = [],
    limitRanges,
    budgets,
    others
  } = live
  const present = pods.filter((pod) => !isFinished(pod))
  const strangers = present.filter((pod) => !isOurs(pod, deployments))
  const own = present.filter((pod) => isOurs(pod, deployments))
  return [
    ...others.map(bare),
    ...nodes.filter(isUsable).map((node) =>
      roomyNode(
        node,
        strangers.filter(({ spec }) => spec.nodeName === node.metadata.name)
      )
    ),
    ...limitRanges.map(bare),
    ...quotas.map((quota) =>
      sharedQuota(
        quota,
        own.filter(({ metadata }) => metadata.namespace === quota.metadata.namespace)
      )
    ),
    ...services.map(bareService),
    ...budgets.map(bare),
    ...replicaSets.map(bare),
    ...deployments.map((it) => (replicaSets.some(isOwnedBy(it)) ? bare(it) : unnumbered(bare(it))))
  ]
}

/** How much of it runs, and where. */
export const runningOf = (live: LiveObjects, failing = failingAmong(live)): Running => {
  const { deployments, replicaSets, pods } = live
  const textOf = (it: ReplicaSet): string => ownerText("ReplicaSet", keyOf(it))
  return {
    available: Object.fromEntries([
      ...deployments.map((it) => [ownerText("Deployment", keyOf(it)), it.status.availableReplicas ?? 0]),
      ...replicaSets.map((it) => [textOf(it), it.status.availableReplicas ?? 0])
    ]),
    comingUp: replicaSets.filter((it) => isComingUp(it, live, failing.get(it))).map(textOf),
    failing: replicaSets.filter((it) => failing.get(it)?.behaviour !== undefined).map(textOf),
    nodes: pods
      ?.filter((pod) => !isFinished(pod) && isOurs(pod, deployments))
      .flatMap(({ spec }) => spec.nodeName ?? [])
  }
}

/** Where nobody may be put, or nobody is heard of, there is no room. */
const isUsable = ({ status, metadata }: Node): boolean =>
  metadata.deletionTimestamp === undefined && conditionOf(status.conditions, "Ready")?.status === "True"

const roomyNode = (node: Node, strangers: ReadonlyArray<Pod>): Draft => {
  const { taints, unschedulable } = node.spec
  const kept = (taints ?? []).filter(({ key }: Core.Taint) => !key.startsWith("node.kubernetes.io/"))
  const taken = sumOf(strangers.map(({ spec }) => podAmounts(spec, "requests")))
  const room = lessened(amountsOf(node.status.allocatable), taken, { pods: strangers.length })
  const addresses = node.status.addresses ?? []
  return Object.assign({}, bare(node), {
    spec: {
      ...(kept.length === 0 ? {} : { taints: kept }),
      ...(unschedulable === true ? { unschedulable } : {})
    },
    status: { capacity: room, allocatable: room, addresses, nodeInfo: node.status.nodeInfo }
  })
}

/** What counts other things than Pods is as full as it is. */
const sharedQuota = (quota: ResourceQuota, own: ReadonlyArray<Pod>): Draft => {
  const { used } = quota.status
  const rule = quotaRule(quota)
  const ours = sumOf(own.filter((pod) => rule.covers(resources.pods, pod)).map(({ spec }) => podUsage(spec)))
  const hard = new Map(
    [...amountsOf(quota.spec.hard)].filter(([name]) => isCountedTowards(resources.pods, name))
  )
  const elsewhere = new Map<string, Quantity>()
  for (const [name, all] of amountsOf(used)) {
    const mine = ours.get(name) ?? nothing
    if (hard.has(name) && all.nanos > mine.nanos)
      elsewhere.set(name, { ...all, nanos: all.nanos - mine.nanos })
  }
  const draft = bare(quota)
  const { annotations } = draft.metadata
  const told = { ...annotations, [elsewhereAnnotation]: JSON.stringify(textsOf(elsewhere)) }
  return Object.assign({}, draft, {
    metadata: elsewhere.size === 0 ? draft.metadata : { ...draft.metadata, annotations: told },
    spec: { ...quota.spec, hard: textsOf(hard) }
  })
}

const nothing: Quantity = { nanos: 0n, format: "decimal" }

const sumOf = (all: ReadonlyArray<Amounts>): Amounts => {
  const sum = new Map<string, Quantity>()
  for (const amounts of all) {
    for (const [name, quantity] of amounts) sum.set(name, addQuantities(sum.get(name) ?? nothing, quantity))
  }
  return sum
}

const lessened = (
  amounts: Amounts,
  by: Amounts,
  { pods }: { readonly pods: number }
): Readonly<Record<string, string>> => {
  const left = new Map<string, Quantity>()
  for (const [name, quantity] of amounts) {
    const taken = name === "pods" ? parseQuantity(pods) : by.get(name)
    const nanos = quantity.nanos - (taken?.nanos ?? 0n)
    left.set(name, { ...quantity, nanos: nanos > 0n ? nanos : 0n })
  }
  return textsOf(left)
}

const textsOf = (amounts: Amounts): Readonly<Record<string, string>> =>
  Object.fromEntries([...amounts].map(([name, quantity]) => [name, formatQuantity(quantity)]))
