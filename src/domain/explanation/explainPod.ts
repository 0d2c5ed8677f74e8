import { containerNames, containerOf } from "./containerTroubles.ts"
import { evictionText, silenceOf } from "./silence.ts"
import { isReady, restartsOf } from "../pods.ts"
import { isTerminating } from "../ownerReferences.ts"
import { nodesByName, podTrouble } from "./podTroubles.ts"
import type { Node, Pod } from "../objects.ts"
import type { Explained } from "./explained.ts"
import type { WholeEvent } from "../wholeEvent.ts"

export interface PodSeen {
  readonly pod: Pod
  readonly events: ReadonlyArray<WholeEvent>
  /** The Pod's node; undefined if it has none or the node cannot be read. */
  readonly node: Node | undefined
  readonly nowMillis: number
  readonly minReadySeconds?: number
}

export const explainPod = (readable: PodSeen): Explained => {
  const { pod, events, node, nowMillis, minReadySeconds = 0 } = readable
  const nodes = nodesByName(node === undefined ? [] : [node])
  const trouble = podTrouble(pod, { events, minReadySeconds, nowMillis, nodes })
  const name = `Pod ${JSON.stringify(pod.metadata.name)}`
  const nodeText = pod.spec.nodeName === undefined ? "" : ` on ${pod.spec.nodeName}`
  const head =
    trouble === undefined
      ? isReady(pod)
        ? `${name} runs${nodeText} and is ready.`
        : `${name} is not ready${nodeText}.`
      : `${name} ${trouble.say(false)}${trouble.more ?? ""}.`
  const statuses = pod.status.containerStatuses ?? []
  return {
    state: stateOf(pod, trouble !== undefined),
    isWell: trouble === undefined && isReady(pod) && (node === undefined || silenceOf(node) === undefined),
    sentences: [head, ...evictionSentences(readable, head), ...containerSentences(readable)],
    numbers: {
      containers: pod.spec.containers?.length ?? statuses.length,
      ready: statuses.filter(({ ready }) => ready).length,
      restarts: restartsOf(pod)
    }
  }
}

const stateOf = (pod: Pod, isTroubled: boolean): string => {
  if (isTerminating(pod)) return "terminating"
  if (pod.status.phase === "Failed" || pod.status.phase === "Succeeded") return "over"
  return isTroubled || !isReady(pod) ? "waiting" : "ready"
}

/** The eviction that its node is about to cause, unless the head says it. */
const evictionSentences = ({ pod, node, nowMillis }: PodSeen, head: string): ReadonlyArray<string> => {
  if (node === undefined || isTerminating(pod)) return []
  const silence = silenceOf(node)
  const eviction = evictionText(pod, node, nowMillis)
  if (silence !== undefined && head.includes(silence)) return []
  if (silence !== undefined) return [`Its node ${node.metadata.name} ${silence}${eviction}.`]
  return eviction === "" ? [] : [`Its node ${node.metadata.name} drives Pods away${eviction}.`]
}

const containerSentences = (readable: PodSeen): ReadonlyArray<string> => {
  const names = containerNames(readable.pod)
  if (names.length < 2 || isTerminating(readable.pod)) return []
  return names
    .map((name) => explainContainer({ ...readable, name }))
    .filter(({ isWell }) => !isWell)
    .flatMap(({ sentences: [first] }) => (first === undefined ? [] : [first]))
}

export const explainContainer = ({
  pod,
  name,
  events,
  node,
  nowMillis
}: PodSeen & { readonly name: string }): Explained => {
  const containerEvents = events.filter(({ involvedObject }) => involvedObject.uid === pod.metadata.uid)
  const { status, trouble, state, isWell } = containerOf(pod, name, { events: containerEvents, nowMillis })
  const subject = `Container ${JSON.stringify(name)}`
  const predicate =
    trouble === undefined ? state : `${trouble.own ?? trouble.say(false)}${trouble.more ?? ""}`
  const silence = node === undefined ? undefined : silenceOf(node)
  return {
    state,
    isWell,
    sentences: [
      `${subject} ${predicate}.`,
      ...(isTerminating(pod) ? [`Its Pod ${pod.metadata.name} is terminating.`] : []),
      ...(silence === undefined || node === undefined ? [] : [`Its node ${node.metadata.name} ${silence}.`])
    ],
    numbers: { restarts: status?.restartCount ?? 0 }
  }
}
