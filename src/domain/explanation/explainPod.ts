import { containerNames, containerOf } from "./containerTroubles.ts"
import { evictionText, silenceOf } from "./silence.ts"
import { isReady, restartsOf } from "../pods.ts"
import { isTerminating } from "../ownerReferences.ts"
import { nodesByName, podTrouble } from "./podTroubles.ts"
import type { Node, Pod } from "../objects.ts"
import type { Explained } from "./explained.ts"
import type { WholeEvent } from "../wholeEvent.ts"

/** What any client can read of a Pod. */
export interface PodSeen {
  readonly pod: Pod
  /** Those about others are passed over. */
  readonly events: ReadonlyArray<WholeEvent>
  /** The one it is on; undefined where it has none, or that cannot be read. */
  readonly node: Node | undefined
  readonly nowMillis: number
  /** Of the one who controls it; 0 where it is left out. */
  readonly minReadySeconds?: number
}

/** Says what keeps a Pod from being ready, or from being gone, and what each container of it has to do with that. */
export const explainPod = (seen: PodSeen): Explained => {
  const { pod, events, node, nowMillis, minReadySeconds = 0 } = seen
  const nodes = nodesByName(node === undefined ? [] : [node])
  const trouble = podTrouble(pod, { events, minReadySeconds, nowMillis, nodes })
  const name = `Pod ${JSON.stringify(pod.metadata.name)}`
  const on = pod.spec.nodeName === undefined ? "" : ` on ${pod.spec.nodeName}`
  const head =
    trouble === undefined
      ? isReady(pod)
        ? `${name} runs${on} and is ready.`
        : `${name} is not ready${on}.`
      : `${name} ${trouble.say(false)}${trouble.more ?? ""}.`
  const statuses = pod.status.containerStatuses ?? []
  return {
    state: stateOf(pod, trouble !== undefined),
    isWell: trouble === undefined && isReady(pod) && (node === undefined || silenceOf(node) === undefined),
    sentences: [head, ...driven(seen, head), ...others(seen)],
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

/** What its node is about to do to it, where that has not been said. */
const driven = ({ pod, node, nowMillis }: PodSeen, head: string): ReadonlyArray<string> => {
  if (node === undefined || isTerminating(pod)) return []
  const silence = silenceOf(node)
  const eviction = evictionText(pod, node, nowMillis)
  if (silence !== undefined && head.includes(silence)) return []
  if (silence !== undefined) return [`Its node ${node.metadata.name} ${silence}${eviction}.`]
  return eviction === "" ? [] : [`Its node ${node.metadata.name} drives Pods away${eviction}.`]
}

/** Where there are several containers, what is the matter with each. */
const others = (seen: PodSeen): ReadonlyArray<string> => {
  const names = containerNames(seen.pod)
  if (names.length < 2 || isTerminating(seen.pod)) return []
  return names
    .map((name) => explainContainer({ ...seen, name }))
    .filter(({ isWell }) => !isWell)
    .flatMap(({ sentences: [first] }) => (first === undefined ? [] : [first]))
}

/** Says what keeps one container of a Pod from running or from being ready. */
export const explainContainer = ({
  pod,
  name,
  events,
  node,
  nowMillis
}: PodSeen & { readonly name: string }): Explained => {
  const about = events.filter(({ involvedObject }) => involvedObject.uid === pod.metadata.uid)
  const { status, trouble, state, isWell } = containerOf(pod, name, { events: about, nowMillis })
  const said = `Container ${JSON.stringify(name)}`
  const how = trouble === undefined ? state : `${trouble.own ?? trouble.say(false)}${trouble.more ?? ""}`
  const silence = node === undefined ? undefined : silenceOf(node)
  return {
    state,
    isWell,
    sentences: [
      `${said} ${how}.`,
      ...(isTerminating(pod) ? [`Its Pod ${pod.metadata.name} is terminating.`] : []),
      ...(silence === undefined || node === undefined ? [] : [`Its node ${node.metadata.name} ${silence}.`])
    ],
    numbers: { restarts: status?.restartCount ?? 0 }
  }
}
