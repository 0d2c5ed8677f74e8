import { addQuantities, formatQuantity, parseQuantity } from "../../kubernetes/meta/amounts/quantity.ts"
import { parseAmounts, podResourceAmounts } from "../../kubernetes/pods/podResources.ts"
import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import { isPodFinished } from "../../kubernetes/pods/podState.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { failingPodsByReplicaSet, isStartingUp } from "./failingPods.ts"
import { isPodOfAny, isReplicaSetOf } from "./liveObjects.ts"
import { portableDraft, portableService, withoutRevision } from "../previous/portableObjects.ts"
import { ownerText } from "../previous/previousDocuments.ts"
import { isCountedTowards } from "../../kubernetes/core/quotaUsage.ts"
import { usedElsewhereAnnotation, podUsage, quotaRule } from "../../kubernetes/core/quotas.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Draft, Node, Pod, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { AmountsByResource } from "../../kubernetes/pods/podResources.ts"
import type { Quantity } from "../../kubernetes/meta/amounts/quantity.ts"
import type { LiveObjects } from "./liveObjects.ts"
import type { RunningPods } from "../previous/previousDocuments.ts"
import type { ResourceQuota } from "../../kubernetes/core/quotas.ts"

/**
 * The objects of a cluster for a simulated one, without server-set fields. The capacity of nodes is what other
 * workloads leave; quotas record what those use.
 */
export const liveWorldDrafts = (live: LiveObjects): ReadonlyArray<Draft> => {
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
  const present = pods.filter((pod) => !isPodFinished(pod))
  const otherPods = present.filter((pod) => !isPodOfAny(pod, deployments))
  const ownPods = present.filter((pod) => isPodOfAny(pod, deployments))
  return [
    ...others.map(portableDraft),
    ...nodes.filter(isUsable).map((node) =>
      toPortableNode(
        node,
        otherPods.filter(({ spec }) => spec.nodeName === node.metadata.name)
      )
    ),
    ...limitRanges.map(portableDraft),
    ...quotas.map((quota) =>
      toPortableQuota(
        quota,
        ownPods.filter(({ metadata }) => metadata.namespace === quota.metadata.namespace)
      )
    ),
    ...services.map(portableService),
    ...budgets.map(portableDraft),
    ...replicaSets.map(portableDraft),
    ...deployments.map((it) =>
      replicaSets.some(isReplicaSetOf(it)) ? portableDraft(it) : withoutRevision(portableDraft(it))
    )
  ]
}

export const runningPodsOf = (live: LiveObjects, failing = failingPodsByReplicaSet(live)): RunningPods => {
  const { deployments, replicaSets, pods } = live
  const textOf = (it: ReplicaSet): string => ownerText("ReplicaSet", objectKeyOf(it))
  return {
    available: Object.fromEntries([
      ...deployments.map((it) => [
        ownerText("Deployment", objectKeyOf(it)),
        it.status.availableReplicas ?? 0
      ]),
      ...replicaSets.map((it) => [textOf(it), it.status.availableReplicas ?? 0])
    ]),
    startingReplicaSets: replicaSets.filter((it) => isStartingUp(it, live, failing.get(it))).map(textOf),
    failingReplicaSets: replicaSets.filter((it) => failing.get(it)?.behaviour !== undefined).map(textOf),
    nodes: pods
      ?.filter((pod) => !isPodFinished(pod) && isPodOfAny(pod, deployments))
      .flatMap(({ spec }) => spec.nodeName ?? [])
  }
}

const isUsable = ({ status, metadata }: Node): boolean =>
  metadata.deletionTimestamp === undefined && conditionOf(status.conditions, "Ready")?.status === "True"

const toPortableNode = (node: Node, otherPods: ReadonlyArray<Pod>): Draft => {
  const { taints, unschedulable } = node.spec
  const ownTaints = (taints ?? []).filter(({ key }: Core.Taint) => !key.startsWith("node.kubernetes.io/"))
  const used = sumOf(otherPods.map(({ spec }) => podResourceAmounts(spec, "requests")))
  const room = subtractAmounts(parseAmounts(node.status.allocatable), used, { pods: otherPods.length })
  const addresses = node.status.addresses ?? []
  return Object.assign({}, portableDraft(node), {
    spec: {
      ...(ownTaints.length === 0 ? {} : { taints: ownTaints }),
      ...(unschedulable === true ? { unschedulable } : {})
    },
    status: { capacity: room, allocatable: room, addresses, nodeInfo: node.status.nodeInfo }
  })
}

/** Amounts that are not counted for Pods keep their current usage. */
const toPortableQuota = (quota: ResourceQuota, ownPods: ReadonlyArray<Pod>): Draft => {
  const { used } = quota.status
  const rule = quotaRule(quota)
  const ownUse = sumOf(
    ownPods.filter((pod) => rule.covers(resources.pods, pod)).map(({ spec }) => podUsage(spec))
  )
  const hard = new Map(
    [...parseAmounts(quota.spec.hard)].filter(([name]) => isCountedTowards(resources.pods, name))
  )
  const elsewhere = new Map<string, Quantity>()
  for (const [name, all] of parseAmounts(used)) {
    const ownAmount = ownUse.get(name) ?? nothing
    if (hard.has(name) && all.nanos > ownAmount.nanos)
      elsewhere.set(name, { ...all, nanos: all.nanos - ownAmount.nanos })
  }
  const draft = portableDraft(quota)
  const { annotations } = draft.metadata
  const annotationsWithElsewhere = {
    ...annotations,
    [usedElsewhereAnnotation]: JSON.stringify(textsOf(elsewhere))
  }
  return Object.assign({}, draft, {
    metadata:
      elsewhere.size === 0 ? draft.metadata : { ...draft.metadata, annotations: annotationsWithElsewhere },
    spec: { ...quota.spec, hard: textsOf(hard) }
  })
}

const nothing: Quantity = { nanos: 0n, format: "decimal" }

const sumOf = (all: ReadonlyArray<AmountsByResource>): AmountsByResource => {
  const sum = new Map<string, Quantity>()
  for (const amounts of all) {
    for (const [name, quantity] of amounts) sum.set(name, addQuantities(sum.get(name) ?? nothing, quantity))
  }
  return sum
}

const subtractAmounts = (
  amounts: AmountsByResource,
  by: AmountsByResource,
  { pods }: { readonly pods: number }
): Readonly<Record<string, string>> => {
  const left = new Map<string, Quantity>()
  for (const [name, quantity] of amounts) {
    const subtrahend = name === "pods" ? parseQuantity(pods) : by.get(name)
    const nanos = quantity.nanos - (subtrahend?.nanos ?? 0n)
    left.set(name, { ...quantity, nanos: nanos > 0n ? nanos : 0n })
  }
  return textsOf(left)
}

const textsOf = (amounts: AmountsByResource): Readonly<Record<string, string>> =>
  Object.fromEntries([...amounts].map(([name, quantity]) => [name, formatQuantity(quantity)]))
