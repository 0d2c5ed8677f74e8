import { isOrAre } from "./rolloutCounts.ts"
import { countText } from "../../kubernetes/meta/text/countText.ts"
import { podProblemSentences } from "./podProblemSentences.ts"
import { isPodActive, isPodReady, isPodTerminating } from "../../kubernetes/pods/podState.ts"
import { isTerminating } from "../../kubernetes/meta/deletion.ts"
import { replicaSetRefusals } from "./replicaSetRefusals.ts"
import { nodesByName } from "./podProblems.ts"
import type { Node, Pod, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { StateExplanation } from "./stateExplanation.ts"
import type { NormalizedEvent } from "../../kubernetes/meta/normalizeEvent.ts"

export interface ExplainReplicaSetInput {
  readonly replicaSet: ReplicaSet
  readonly pods: ReadonlyArray<Pod>
  readonly events: ReadonlyArray<NormalizedEvent>
  readonly nodes: Iterable<Node>
  readonly nowMillis: number
}

export const explainReplicaSet = (input: ExplainReplicaSetInput): StateExplanation => {
  const { replicaSet, pods, events, nowMillis } = input
  const { metadata, spec, status } = replicaSet
  const active = pods.filter(isPodActive)
  const ready = active.filter(isPodReady).length
  const terminating = pods.filter(isPodTerminating).length
  // The status may be older than the Pods.
  const available = Math.min(status.availableReplicas ?? 0, active.length)
  const refusals = replicaSetRefusals(replicaSet)
  const isFull = active.length === spec.replicas && available === spec.replicas
  const isWell = isFull && terminating === 0 && refusals.length === 0 && !isTerminating(replicaSet)
  const name = `ReplicaSet ${JSON.stringify(metadata.name)}`
  const countsText =
    spec.replicas === 0 && pods.length === 0
      ? "wants no Pods, and has none"
      : `has ${active.length} of ${countText(spec.replicas, "Pod")}, ${ready} ${isOrAre(ready)} ready, ` +
        `${available} ${isOrAre(available)} available`
  const minReadySeconds = spec.minReadySeconds ?? 0
  const environment = { events, minReadySeconds, nowMillis, nodes: nodesByName(input.nodes) }
  const problems = podProblemSentences(pods, environment)
  return {
    state: isTerminating(replicaSet) ? "deleting" : isWell ? "complete" : "waiting",
    isWell,
    sentences: [
      isTerminating(replicaSet) ? `${name} is being deleted: it ${countsText}.` : `${name} ${countsText}.`,
      ...sizeSentences(spec.replicas - active.length),
      ...refusals,
      ...problems.sentences
    ],
    blockingSentences: [...refusals, ...problems.blockingSentences],
    numbers: { desired: spec.replicas, pods: active.length, ready, available, terminating }
  }
}

const sizeSentences = (missing: number): ReadonlyArray<string> => {
  if (missing > 0) return [`It waits for ${countText(missing, "Pod")} to be created.`]
  return missing < 0 ? [`It waits for ${countText(-missing, "Pod")} to be deleted.`] : []
}
