import { deletionGraceMillis } from "../../../domain/podStopping.ts"
import { formatDuration } from "../../../domain/durations.ts"
import type { ContainerChanged } from "../../../../machines/containerSetup.ts"
import type { PodContext, PodObservation } from "../../../../machines/podSetup.ts"
import type { ContainerFacts } from "../../../domain/containers.ts"
import type { Reason, Reasons } from "./reason.ts"

const about =
  (words: (seen: PodObservation) => string): Reason =>
  ({ context }) => {
    const { seen } = context as PodContext
    return seen === undefined ? "nothing has been observed yet" : words(seen)
  }

/** Of what is observed now, where `about` is of what was observed before. */
const now =
  (words: (seen: PodObservation) => string): Reason =>
  ({ event }) => {
    const { seen } = event as { readonly seen?: PodObservation }
    return seen === undefined ? "nothing is observed just now" : words(seen)
  }

/** Each container with what matters of it. */
const each =
  (words: (facts: ContainerFacts) => string): Reason =>
  ({ context }) => {
    const { containers } = context as PodContext
    if (containers.length === 0) return "it has no containers here"
    return containers.map((facts) => `${facts.name} ${words(facts)}`).join(", ")
  }

const doing = each(({ doing, ready }) => (ready ? `${doing} and ready` : doing))
const exits = each(({ doing, lastExit }) =>
  lastExit === undefined ? doing : `${doing}, last exit ${lastExit.code} (${lastExit.reason})`
)
const kubelet = ({ kubelet }: PodObservation): string => `its kubelet is ${kubelet}`
const phase = ({ pod }: PodObservation): string => `phase ${pod.status.phase ?? "unknown"}`
const deletion = ({ pod }: PodObservation): string =>
  pod.metadata.deletionTimestamp === undefined
    ? "nobody has asked to delete it"
    : `to be gone by ${pod.metadata.deletionTimestamp}, ${formatDuration(deletionGraceMillis(pod))} of grace`

const changed: Reason = ({ event, context }) => {
  const told = event as ContainerChanged
  if (told.type !== "container.changed") return "no container has said anything"
  const { name, doing: does, ready, started } = told.facts
  const before = (context as PodContext).containers.find((it) => it.name === name)
  const words = (it: Pick<ContainerFacts, "doing" | "ready" | "started">): string =>
    `${it.doing}${it.started ? ", started" : ""}${it.ready ? ", ready" : ""}`
  return `${name} was ${before === undefined ? "unknown" : words(before)}, is ${words({ doing: does, ready, started })}`
}

/** By guard; the names are those of the chart in `machines/pod.ts`. */
export const podReasons: Reasons = {
  isByHand: about(({ life }) => `moved by ${life.mover === "you" ? "you" : "its kubelet"}`),
  isLost: about(kubelet),
  isNowLost: now(kubelet),
  isBack: now(kubelet),
  isLeftBehind: about((seen) => `${phase(seen)}, ${deletion(seen)}, ${kubelet(seen)}`),
  isFailed: about(phase),
  isSucceeded: about(phase),
  isTerminating: about((seen) => `${deletion(seen)}, ${phase(seen)}`),
  isNowTerminating: now(deletion),
  isHurried: (asked) => `was: ${about(deletion)(asked)}; is: ${now(deletion)(asked)}`,
  isGivenUp: about(({ life }) =>
    life.verdict === undefined
      ? "its kubelet keeps it"
      : `its kubelet has given it up: ${life.verdict.reason}`
  ),
  isBound: about(({ pod }) =>
    pod.spec.nodeName === undefined ? "it has no node" : `on ${pod.spec.nodeName}`
  ),
  isInitializing: doing,
  hasInitFailed: exits,
  isInitialized: exits,
  areDone: exits,
  didFail: exits,
  hasRunHere: each(({ restartCount }) => `restarted ${restartCount} times`),
  areReady: doing,
  haveRun: doing,
  isUnheard: doing,
  isMute: doing,
  isHeldUp: doing,
  saysNothingNew: changed,
  haveStopped: doing,
  isLastToStop: changed
}
