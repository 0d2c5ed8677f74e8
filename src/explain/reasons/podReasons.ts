import { deletionGraceMillis } from "../../kubernetes/pods/podStopping.ts"
import { formatDuration } from "../../kubernetes/meta/amounts/durations.ts"
import type { ContainerChanged } from "../../../machines/containerSetup.ts"
import type { PodContext, PodObservation } from "../../../machines/podSetup.ts"
import type { ContainerFacts } from "../../kubernetes/pods/containers/containers.ts"
import type { GuardReason, GuardReasons } from "./guardReason.ts"

const podReason =
  (text: (seen: PodObservation) => string): GuardReason =>
  ({ context }) => {
    const { seen } = context as PodContext
    return seen === undefined ? "nothing has been observed yet" : text(seen)
  }

/** Uses the event's observation; `podReason` uses the previous one. */
const newPodReason =
  (text: (seen: PodObservation) => string): GuardReason =>
  ({ event }) => {
    const { seen } = event as { readonly seen?: PodObservation }
    return seen === undefined ? "nothing is observed just now" : text(seen)
  }

const containersReason =
  (text: (facts: ContainerFacts) => string): GuardReason =>
  ({ context }) => {
    const { containers } = context as PodContext
    if (containers.length === 0) return "it has no containers here"
    return containers.map((facts) => `${facts.name} ${text(facts)}`).join(", ")
  }

const activities = containersReason(({ doing: activities, ready }) =>
  ready ? `${activities} and ready` : activities
)
const exitsText = containersReason(({ doing: activities, lastExit }) =>
  lastExit === undefined ? activities : `${activities}, last exit ${lastExit.code} (${lastExit.reason})`
)
const kubeletText = ({ kubelet: kubeletText }: PodObservation): string => `its kubelet is ${kubeletText}`
const phaseText = ({ pod }: PodObservation): string => `phase ${pod.status.phase ?? "unknown"}`
const deletionText = ({ pod }: PodObservation): string =>
  pod.metadata.deletionTimestamp === undefined
    ? "nobody has asked to delete it"
    : `to be gone by ${pod.metadata.deletionTimestamp}, ${formatDuration(deletionGraceMillis(pod))} of grace`

const changedText: GuardReason = ({ event, context }) => {
  const containerEvent = event as ContainerChanged
  if (containerEvent.type !== "container.changed") return "no container has said anything"
  const { name, doing: activity, ready, started } = containerEvent.facts
  const before = (context as PodContext).containers.find((it) => it.name === name)
  const text = (it: Pick<ContainerFacts, "doing" | "ready" | "started">): string =>
    `${it.doing}${it.started ? ", started" : ""}${it.ready ? ", ready" : ""}`
  return `${name} was ${before === undefined ? "unknown" : text(before)}, is ${text({ doing: activity, ready, started })}`
}

/** By guard name of `machines/pod.ts`. */
export const podReasons: GuardReasons = {
  isByHand: podReason(({ life }) => `moved by ${life.mover === "you" ? "you" : "its kubelet"}`),
  isLost: podReason(kubeletText),
  isNowLost: newPodReason(kubeletText),
  isBack: newPodReason(kubeletText),
  isLeftBehind: podReason((seen) => `${phaseText(seen)}, ${deletionText(seen)}, ${kubeletText(seen)}`),
  isFailed: podReason(phaseText),
  isSucceeded: podReason(phaseText),
  isTerminating: podReason((seen) => `${deletionText(seen)}, ${phaseText(seen)}`),
  isNowTerminating: newPodReason(deletionText),
  isHurried: (input) => `was: ${podReason(deletionText)(input)}; is: ${newPodReason(deletionText)(input)}`,
  isGivenUp: podReason(({ life }) =>
    life.verdict === undefined
      ? "its kubelet keeps it"
      : `its kubelet has given it up: ${life.verdict.reason}`
  ),
  isBound: podReason(({ pod }) =>
    pod.spec.nodeName === undefined ? "it has no node" : `on ${pod.spec.nodeName}`
  ),
  isInitializing: activities,
  hasInitFailed: exitsText,
  isInitialized: exitsText,
  areDone: exitsText,
  didFail: exitsText,
  hasRunHere: containersReason(({ restartCount }) => `restarted ${restartCount} times`),
  areReady: activities,
  haveRun: activities,
  isUnheard: activities,
  isMute: activities,
  isHeldUp: activities,
  saysNothingNew: changedText,
  haveStopped: activities,
  isLastToStop: changedText
}
