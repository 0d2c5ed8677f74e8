import { addQuantities, formatQuantity, parseQuantity } from "../../kubernetes/meta/amounts/quantity.ts"
import { parseAmounts, podResourceAmounts } from "../../kubernetes/pods/podResources.ts"
import { isNodeReady } from "../../kubernetes/core/nodeStatus.ts"
import { isPodFinished } from "../../kubernetes/pods/podState.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { failingPodsByOwner, isStartingUp } from "./failingPods.ts"
import { availableCount, ownerIdOfWorkload, unfinishedRevision } from "./unfinishedRevisions.ts"
import { isPodOfAny, isControlledBy, liveWorkloadsOf } from "./liveObjects.ts"
import { portableDraft, portableService, withoutRevision } from "../previous/portableObjects.ts"
import { ownerId } from "../previous/previousDocuments.ts"
import { isCountedTowards } from "../../kubernetes/core/quotaUsage.ts"
import { quotaUsedElsewhereAnnotation, podUsage, quotaRule } from "../../kubernetes/core/quotas.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Draft, Node, Pod, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { AmountsByResource } from "../../kubernetes/pods/podResources.ts"
import type { Quantity } from "../../kubernetes/meta/amounts/quantity.ts"
import type { LiveObjects } from "./liveObjects.ts"
import type { LivePods } from "../previous/previousDocuments.ts"
import type { ResourceQuota } from "../../kubernetes/core/quotas.ts"

export const livePlanDrafts = (live: LiveObjects): ReadonlyArray<Draft> => {
  const {
    deployments,
    replicaSets,
    workloadsWithRevisions,
    nodes = [],
    pods = [],
    services = [],
    quotas = [],
    limitRanges,
    budgets,
    otherObjects
  } = live
  const runningPods = pods.filter((pod) => !isPodFinished(pod))
  const workloads = liveWorkloadsOf(live)
  const otherPods = runningPods.filter((pod) => !isPodOfAny(pod, workloads))
  const ownPods = runningPods.filter((pod) => isPodOfAny(pod, workloads))
  return [
    ...otherObjects.map(portableDraft),
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
    ...workloadsWithRevisions.map(portableDraft),
    ...replicaSets.map(portableDraft),
    ...deployments.map((deployment) =>
      // Without its ReplicaSets, a Deployment counts revisions from 1.
      replicaSets.some(isControlledBy(deployment))
        ? portableDraft(deployment)
        : withoutRevision(portableDraft(deployment))
    )
  ]
}

export const livePodsOf = (live: LiveObjects, failingPods = failingPodsByOwner(live)): LivePods => {
  const { deployments, replicaSets, workloadsWithRevisions, pods } = live
  const idOf = (replicaSet: ReplicaSet): string => ownerId("ReplicaSet", objectKeyOf(replicaSet))
  return {
    available: Object.fromEntries([
      ...deployments.map((deployment) => [
        ownerId("Deployment", objectKeyOf(deployment)),
        deployment.status.availableReplicas ?? 0
      ]),
      ...replicaSets.map((replicaSet) => [idOf(replicaSet), replicaSet.status.availableReplicas ?? 0]),
      ...workloadsWithRevisions.map((workload) => [ownerIdOfWorkload(workload), availableCount(workload)])
    ]),
    startingReplicaSets: replicaSets
      .filter((replicaSet) => isStartingUp(replicaSet, live, failingPods.get(replicaSet)))
      .map(idOf),
    // A behaviour plays the failure of these Pods.
    failingReplicaSets: replicaSets
      .filter((replicaSet) => failingPods.get(replicaSet)?.behaviour !== undefined)
      .map(idOf),
    unfinishedRevisions: workloadsWithRevisions.flatMap(
      (workload) => unfinishedRevision(workload, live) ?? []
    ),
    nodes: pods
      ?.filter((pod) => !isPodFinished(pod) && isPodOfAny(pod, liveWorkloadsOf(live)))
      .flatMap(({ spec }) => spec.nodeName ?? [])
  }
}

const isUsable = (node: Node): boolean => node.metadata.deletionTimestamp === undefined && isNodeReady(node)

/** A node with the room that other Pods leave, without the taints that follow from its conditions. */
const toPortableNode = (node: Node, otherPods: ReadonlyArray<Pod>): Draft => {
  const { taints, unschedulable } = node.spec
  const userTaints = (taints ?? []).filter(({ key }: Core.Taint) => !key.startsWith("node.kubernetes.io/"))
  const usedAmounts = sumOf(otherPods.map(({ spec }) => podResourceAmounts(spec, "requests")))
  const room = subtractAmounts(parseAmounts(node.status.allocatable), usedAmounts, { pods: otherPods.length })
  const addresses = node.status.addresses ?? []
  return Object.assign({}, portableDraft(node), {
    spec: {
      ...(userTaints.length === 0 ? {} : { taints: userTaints }),
      ...(unschedulable === true ? { unschedulable } : {})
    },
    status: { capacity: room, allocatable: room, addresses, nodeInfo: node.status.nodeInfo }
  })
}

/** An annotation holds what Pods outside the plan use. */
const toPortableQuota = (quota: ResourceQuota, ownPods: ReadonlyArray<Pod>): Draft => {
  const { used } = quota.status
  const rule = quotaRule(quota)
  const ownUse = sumOf(
    ownPods.filter((pod) => rule.covers(resources.pods, pod)).map(({ spec }) => podUsage(spec))
  )
  const hard = new Map(
    [...parseAmounts(quota.spec.hard)].filter(([name]) => isCountedTowards(resources.pods, name))
  )
  const usedElsewhere = new Map<string, Quantity>()
  for (const [name, usedAmount] of parseAmounts(used)) {
    const ownAmount = ownUse.get(name) ?? noQuantity
    if (hard.has(name) && usedAmount.nanos > ownAmount.nanos)
      usedElsewhere.set(name, { ...usedAmount, nanos: usedAmount.nanos - ownAmount.nanos })
  }
  const draft = portableDraft(quota)
  const { annotations } = draft.metadata
  const annotationsWithElsewhere = {
    ...annotations,
    [quotaUsedElsewhereAnnotation]: JSON.stringify(textsOf(usedElsewhere))
  }
  return Object.assign({}, draft, {
    metadata:
      usedElsewhere.size === 0
        ? draft.metadata
        : { ...draft.metadata, annotations: annotationsWithElsewhere },
    spec: { ...quota.spec, hard: textsOf(hard) }
  })
}

const noQuantity: Quantity = { nanos: 0n, format: "decimal" }

const sumOf = (amountsOfPods: ReadonlyArray<AmountsByResource>): AmountsByResource => {
  const sum = new Map<string, Quantity>()
  for (const amounts of amountsOfPods) {
    for (const [name, quantity] of amounts)
      sum.set(name, addQuantities(sum.get(name) ?? noQuantity, quantity))
  }
  return sum
}

const subtractAmounts = (
  amounts: AmountsByResource,
  used: AmountsByResource,
  { pods }: { readonly pods: number }
): Readonly<Record<string, string>> => {
  const remaining = new Map<string, Quantity>()
  for (const [name, quantity] of amounts) {
    const subtrahend = name === "pods" ? parseQuantity(pods) : used.get(name)
    const nanos = quantity.nanos - (subtrahend?.nanos ?? 0n)
    remaining.set(name, { ...quantity, nanos: nanos > 0n ? nanos : 0n })
  }
  return textsOf(remaining)
}

const textsOf = (amounts: AmountsByResource): Readonly<Record<string, string>> =>
  Object.fromEntries([...amounts].map(([name, quantity]) => [name, formatQuantity(quantity)]))
