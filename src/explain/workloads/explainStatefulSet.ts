import { availableReplicasOf, servingPodCount } from "../../kubernetes/apps/servingPods.ts"
import { countText } from "../../kubernetes/meta/text/countText.ts"
import {
  isOrdinalInRange,
  ordinalOf,
  replicaName,
  startOrdinal
} from "../../kubernetes/apps/statefulSets/replicaIdentity.ts"
import { brokenReplicaOf, isUpdateUndone } from "../../kubernetes/apps/statefulSets/brokenReplica.ts"
import { isOrAre } from "../objects/rolloutCounts.ts"
import { readySinceMillis } from "../../kubernetes/pods/podState.ts"
import { isTerminating } from "../../kubernetes/meta/deletion.ts"
import { nodesByName } from "../objects/podProblems.ts"
import { creationRefusal, refusalSentences } from "../objects/creationRefusal.ts"
import { podProblemSentences } from "../objects/podProblemSentences.ts"
import { revisionNameOf } from "../../kubernetes/apps/statefulSets/statefulSetObservation.ts"
import { resources } from "../../kubernetes/meta/resources.ts"
import { unobservedSentences } from "./unobservedSentences.ts"
import { workloadStatus } from "../../kubernetes/apps/workloadStatus.ts"
import type { NormalizedEvent } from "../../kubernetes/meta/normalizeEvent.ts"
import type { Node, Pod } from "../../kubernetes/meta/objects.ts"
import type { StateExplanation } from "../objects/stateExplanation.ts"
import type { StatefulSet } from "../../kubernetes/apps/statefulSets/statefulSetTypes.ts"

export interface ExplainStatefulSetInput {
  readonly statefulSet: StatefulSet
  readonly pods: ReadonlyArray<Pod>
  readonly events: ReadonlyArray<NormalizedEvent>
  readonly nodes: Iterable<Node>
  readonly nowMillis: number
}

export const explainStatefulSet = (input: ExplainStatefulSetInput): StateExplanation => {
  const { statefulSet, pods, events, nowMillis } = input
  const { metadata, spec, status } = statefulSet
  const ready = servingPodCount(statefulSet, pods)
  const available = availableReplicasOf(statefulSet, pods)
  const updated = pods.filter((pod) => revisionNameOf(pod) === status.updateRevision).length
  const isUpdating = status.currentRevision !== status.updateRevision
  const isFull = pods.length === spec.replicas && available === spec.replicas
  const isWell =
    isFull &&
    workloadStatus(resources.statefulSets, statefulSet).state === "complete" &&
    !isTerminating(statefulSet)
  const brokenReplicaSentences = isTerminating(statefulSet) ? [] : sentencesOfBrokenReplica(input)
  const name = `StatefulSet ${JSON.stringify(metadata.name)}`
  const updateText = isUpdating ? `, ${updated} ${isOrAre(updated)} of the update revision` : ""
  const countsText =
    `has ${pods.length} of ${countText(spec.replicas, "Pod")}, ${ready} ${isOrAre(ready)} ready, ` +
    `${available} ${isOrAre(available)} available${updateText}`
  const minReadySeconds = spec.minReadySeconds ?? 0
  const environment = { events, minReadySeconds, nowMillis, nodes: nodesByName(input.nodes) }
  const refusals = isWell ? [] : refusalSentences(creationRefusal(statefulSet, pods, events))
  const problems = podProblemSentences(pods, environment)
  return {
    state: isTerminating(statefulSet) ? "deleting" : isWell ? "complete" : "waiting",
    isWell,
    sentences: [
      isTerminating(statefulSet) ? `${name} is being deleted: it ${countsText}.` : `${name} ${countsText}.`,
      ...unobservedSentences(statefulSet),
      ...refusals,
      ...problems.sentences,
      ...(isTerminating(statefulSet) ? [] : orderSentences(input)),
      ...(brokenReplicaSentences.length > 0 || !isUpdating ? brokenReplicaSentences : updateSentences(input))
    ],
    blockingSentences: [...refusals, ...problems.blockingSentences, ...brokenReplicaSentences],
    numbers: { desired: spec.replicas, pods: pods.length, ready, available, updated }
  }
}

const orderSentences = ({ statefulSet, pods, nowMillis }: ExplainStatefulSetInput): ReadonlyArray<string> => {
  const { replicas, podManagementPolicy, minReadySeconds = 0 } = statefulSet.spec
  const isAvailable = (pod: Pod): boolean =>
    !isTerminating(pod) && (readySinceMillis(pod) ?? nowMillis + 1) + minReadySeconds * 1000 <= nowMillis
  const podsByOrdinal = new Map(pods.map((pod) => [ordinalOf(statefulSet, pod), pod]))
  const start = startOrdinal(statefulSet)
  const surplusCount = pods.filter(
    (pod) => !isOrdinalInRange(statefulSet, ordinalOf(statefulSet, pod) ?? -1)
  ).length
  const surplusSentences =
    surplusCount === 0
      ? []
      : [
          `It waits for ${countText(surplusCount, "Pod")} beyond spec.replicas to go, the highest ordinal first.`
        ]
  const ordinals = Array.from({ length: replicas }, (_, index) => start + index)
  const missingOrdinals = ordinals.filter((ordinal) => !podsByOrdinal.has(ordinal))
  const [firstMissing] = missingOrdinals
  if (firstMissing === undefined) return surplusSentences
  if (podManagementPolicy === "Parallel")
    return [`It waits for ${countText(missingOrdinals.length, "Pod")} to be created.`, ...surplusSentences]
  const blockingPod = ordinals
    .map((ordinal) => podsByOrdinal.get(ordinal))
    .find((pod) => pod !== undefined && !isAvailable(pod))
  return [
    blockingPod === undefined
      ? `It waits for ${replicaName(statefulSet, firstMissing)} to be created.`
      : `${replicaName(statefulSet, firstMissing)} is created once ${blockingPod.metadata.name} is ` +
        `${isTerminating(blockingPod) ? "gone" : "available"}: podManagementPolicy is OrderedReady.`,
    ...surplusSentences
  ]
}

const sentencesOfBrokenReplica = ({ statefulSet, pods }: ExplainStatefulSetInput): ReadonlyArray<string> => {
  const broken = brokenReplicaOf(statefulSet, pods)
  if (broken === undefined) return []
  const { name, namespace = "default" } = broken.metadata
  const { updateRevision = "" } = statefulSet.status
  const revisionsClause = isUpdateUndone(statefulSet)
    ? `Its template is back at ${updateRevision}, but ${name} is of ${revisionNameOf(broken)}`
    : `${name} is of ${revisionNameOf(broken)}, not of the update revision ${updateRevision},`
  return [
    `${revisionsClause} and is not ready: OrderedReady waits for it before it does anything else.`,
    `If it never becomes ready, delete it, and the new Pod gets the present template: ` +
      `\`kubectl delete pod ${name} -n ${namespace}\`.`
  ]
}

const updateSentences = ({ statefulSet, pods }: ExplainStatefulSetInput): ReadonlyArray<string> => {
  const { updateStrategy } = statefulSet.spec
  const { updateRevision } = statefulSet.status
  if (updateStrategy?.type === "OnDelete")
    return ["Its update strategy is OnDelete: a Pod gets the new template when it is deleted by hand."]
  const partition = updateStrategy?.rollingUpdate?.partition ?? 0
  const start = startOrdinal(statefulSet)
  const updatable = pods.filter((pod) => (ordinalOf(statefulSet, pod) ?? 0) >= start + partition)
  const outdated = updatable.filter((pod) => revisionNameOf(pod) !== updateRevision)
  const partitionSentences =
    outdated.length > 0 || partition === 0
      ? []
      : [`Its partition of ${partition} keeps the Pods below ordinal ${start + partition} as they are.`]
  return [
    ...(outdated.length === 0 ? [] : ["It replaces its Pods one by one, from the highest ordinal down."]),
    ...partitionSentences
  ]
}
