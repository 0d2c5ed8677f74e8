import { containerNames, containerState } from "./containerProblems.ts"
import { timeUntilEvictionText, nodeProblem } from "./nodeProblem.ts"
import { isPodFinished, isPodReady, restartCountOf } from "../../kubernetes/pods/podState.ts"
import { isTerminating } from "../../kubernetes/meta/deletion.ts"
import { nodesByName, podProblem } from "./podProblems.ts"
import type { Node, Pod } from "../../kubernetes/meta/objects.ts"
import type { PodProblem, StateExplanation } from "./stateExplanation.ts"
import type { NormalizedEvent } from "../../kubernetes/meta/normalizeEvent.ts"

export interface ExplainPodInput {
  readonly pod: Pod
  /** Events about other objects are ignored. */
  readonly events: ReadonlyArray<NormalizedEvent>
  /** Undefined without a node, or if the node cannot be read. */
  readonly node: Node | undefined
  readonly nowMillis: number
  readonly minReadySeconds?: number
}

export const explainPod = (input: ExplainPodInput): StateExplanation => {
  const { pod, events, node, nowMillis, minReadySeconds = 0 } = input
  const nodes = nodesByName(node === undefined ? [] : [node])
  const problem = podProblem(pod, { events, minReadySeconds, nowMillis, nodes })
  const name = `Pod ${JSON.stringify(pod.metadata.name)}`
  const nodeText = pod.spec.nodeName === undefined ? "" : ` on ${pod.spec.nodeName}`
  const firstSentence =
    problem === undefined
      ? isPodReady(pod)
        ? `${name} runs${nodeText} and is ready.`
        : `${name} is not ready${nodeText}.`
      : `${name} ${singularPredicate(problem)}${problem.detail ?? ""}.`
  const statuses = pod.status.containerStatuses ?? []
  return {
    state: stateOf(pod, problem !== undefined),
    isWell:
      problem === undefined && isPodReady(pod) && (node === undefined || nodeProblem(node) === undefined),
    sentences: [firstSentence, ...evictionSentences(input, firstSentence), ...containerSentences(input)],
    numbers: {
      containers: pod.spec.containers?.length ?? statuses.length,
      ready: statuses.filter(({ ready }) => ready).length,
      restarts: restartCountOf(pod)
    }
  }
}

const singularPredicate = ({ predicate }: PodProblem): string => predicate(false)

const stateOf = (pod: Pod, hasProblem: boolean): string => {
  if (isTerminating(pod)) return "terminating"
  if (isPodFinished(pod)) return "over"
  return hasProblem || !isPodReady(pod) ? "waiting" : "ready"
}

const evictionSentences = (
  { pod, node, nowMillis }: ExplainPodInput,
  firstSentence: string
): ReadonlyArray<string> => {
  if (node === undefined || isTerminating(pod)) return []
  const problem = nodeProblem(node)
  const eviction = timeUntilEvictionText(pod, node, nowMillis)
  if (problem !== undefined && firstSentence.includes(problem)) return []
  if (problem !== undefined) return [`Its node ${node.metadata.name} ${problem}${eviction}.`]
  return eviction === "" ? [] : [`Its node ${node.metadata.name} drives Pods away${eviction}.`]
}

const containerSentences = (input: ExplainPodInput): ReadonlyArray<string> => {
  const names = containerNames(input.pod)
  if (names.length < 2 || isTerminating(input.pod)) return []
  return names
    .map((name) => explainContainer({ ...input, name }))
    .filter(({ isWell }) => !isWell)
    .flatMap(({ sentences: [first] }) => (first === undefined ? [] : [first]))
}

export const explainContainer = ({
  pod,
  name,
  events,
  node,
  nowMillis
}: ExplainPodInput & { readonly name: string }): StateExplanation => {
  const containerEvents = events.filter(({ involvedObject }) => involvedObject.uid === pod.metadata.uid)
  const { status, problem, state, isWell } = containerState(pod, name, { events: containerEvents, nowMillis })
  const subject = `Container ${JSON.stringify(name)}`
  const predicate =
    problem === undefined
      ? state
      : `${problem.containerPredicate ?? singularPredicate(problem)}${problem.detail ?? ""}`
  const nodeText = node === undefined ? undefined : nodeProblem(node)
  return {
    state,
    isWell,
    sentences: [
      `${subject} ${predicate}.`,
      ...(isTerminating(pod) ? [`Its Pod ${pod.metadata.name} is terminating.`] : []),
      ...(nodeText === undefined || node === undefined ? [] : [`Its node ${node.metadata.name} ${nodeText}.`])
    ],
    numbers: { restarts: status?.restartCount ?? 0 }
  }
}
