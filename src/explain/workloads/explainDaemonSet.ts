import { availableReplicasOf, servingPodCount } from "../../kubernetes/apps/servingPods.ts"
import { countText } from "../../kubernetes/meta/text/countText.ts"
import { isOrAre } from "../objects/rolloutCounts.ts"
import { isTerminating } from "../../kubernetes/meta/deletion.ts"
import { nodeFitness, targetNodeName } from "../../kubernetes/apps/daemonSets/daemonPods.ts"
import { nodesByName } from "../objects/podProblems.ts"
import { creationRefusal, refusalSentences } from "../objects/creationRefusal.ts"
import { podProblemSentences } from "../objects/podProblemSentences.ts"
import { resources } from "../../kubernetes/meta/resources.ts"
import { unobservedSentences } from "./unobservedSentences.ts"
import { workloadStatus } from "../../kubernetes/apps/workloadStatus.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { NormalizedEvent } from "../../kubernetes/meta/normalizeEvent.ts"
import type { DaemonSet } from "../../kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { KubeObject, Node, Pod } from "../../kubernetes/meta/objects.ts"
import type { StateExplanation } from "../objects/stateExplanation.ts"

export interface ExplainDaemonSetInput {
  readonly daemonSet: DaemonSet
  readonly pods: ReadonlyArray<Pod>
  readonly events: ReadonlyArray<NormalizedEvent>
  readonly nodes: Iterable<Node>
  readonly nowMillis: number
}

export const explainDaemonSet = (input: ExplainDaemonSetInput): StateExplanation => {
  const { daemonSet, pods, events, nowMillis } = input
  const nodes = [...input.nodes]
  const { metadata, spec, status } = daemonSet
  const fittingNodes = nodes.filter((node) => nodeFitness(daemonSet, node).fits)
  const { updatedNumberScheduled: updated = 0 } = status
  const ready = Math.min(status.numberReady, servingPodCount(daemonSet, pods))
  const available = availableReplicasOf(daemonSet, pods)
  const isUpdating = updated < fittingNodes.length
  const isWell =
    available === fittingNodes.length &&
    workloadStatus(resources.daemonSets, daemonSet).state === "complete" &&
    !isTerminating(daemonSet)
  const name = `DaemonSet ${JSON.stringify(metadata.name)}`
  const occupied = new Set(pods.map(targetNodeName))
  const covered = fittingNodes.filter((node) => occupied.has(node.metadata.name)).length
  const counts =
    `has Pods on ${covered} of ${countText(fittingNodes.length, "node")} that fit, ${ready} ${isOrAre(ready)} ready, ` +
    `${available} ${isOrAre(available)} available, ${updated} ${isOrAre(updated)} of the present template`
  const environment = {
    events,
    minReadySeconds: spec.minReadySeconds ?? 0,
    nowMillis,
    nodes: nodesByName(nodes)
  }
  const refusals = isWell ? [] : refusalSentences(creationRefusal(daemonSet, pods, events))
  const problems = podProblemSentences(pods, environment)
  return {
    state: isTerminating(daemonSet) ? "deleting" : isWell ? "complete" : "waiting",
    isWell,
    sentences: [
      isTerminating(daemonSet) ? `${name} is being deleted: it ${counts}.` : `${name} ${counts}.`,
      ...unobservedSentences(daemonSet),
      ...refusals,
      ...problems.sentences,
      ...(isUpdating && !isTerminating(daemonSet) ? updateSentences(daemonSet) : []),
      ...unfitNodeSentences(nodes.length, fittingNodes.length)
    ],
    blockingSentences: [...refusals, ...problems.blockingSentences],
    numbers: { nodes: nodes.length, fit: fittingNodes.length, pods: pods.length, ready, available, updated }
  }
}

/** Without a node that fits, a DaemonSet is complete: nothing else tells that it has no Pods. */
export const noNodeFitsSentences = (
  view: ClusterView["Service"],
  workload: KubeObject
): ReadonlyArray<string> => {
  if (workload.kind !== "DaemonSet") return []
  const nodes = [...view.all(resources.nodes)]
  return nodes.some((node) => nodeFitness(workload as DaemonSet, node).fits)
    ? []
    : [
        `no node fits: its node selector, affinity or tolerations leave out all ${countText(nodes.length, "node")}`
      ]
}

const unfitNodeSentences = (nodeCount: number, fittingCount: number): ReadonlyArray<string> => {
  const leftOutCount = nodeCount - fittingCount
  return leftOutCount === 0
    ? []
    : [
        `${countText(leftOutCount, "node")} ${leftOutCount === 1 ? "gets" : "get"} no Pod: the DaemonSet's node selector, ` +
          `affinity or tolerations leave ${leftOutCount === 1 ? "it" : "them"} out.`
      ]
}

const updateSentences = ({ spec }: DaemonSet): ReadonlyArray<string> => {
  const { type, rollingUpdate = {} } = spec.updateStrategy ?? {}
  if (type === "OnDelete")
    return ["Its update strategy is OnDelete: a node gets the new template when its Pod is deleted by hand."]
  const { maxSurge = 0, maxUnavailable = 1 } = rollingUpdate
  return maxSurge === 0 || maxSurge === "0%"
    ? [`It replaces its Pods node by node: at most ${maxUnavailable} may be unavailable (maxUnavailable).`]
    : [`It adds new Pods beside the old ones, on at most ${nodesText(maxSurge)} at once (maxSurge).`]
}

const nodesText = (amount: number | string): string =>
  typeof amount === "number" ? countText(amount, "node") : `${amount} of the nodes`
