import {
  containerLife,
  hasEverRun,
  isContainerDone,
  isQueued,
  endRestartsAllContainers
} from "../../src/kubernetes/pods/containers/containers.ts"
import { deletionGraceMillis } from "../../src/kubernetes/pods/podStopping.ts"
import { formatDuration } from "../../src/kubernetes/meta/amounts/durations.ts"
import { hasInitFailed, isPodInitialized, nextContainer } from "../../src/kubernetes/pods/podPhase.ts"
import { isSilencedByFault, areProbesYetToFail } from "../../src/kubernetes/pods/containers/containerRuns.ts"
import { isPodFinished } from "../../src/kubernetes/pods/podState.ts"
import { isTerminating } from "../../src/kubernetes/meta/deletion.ts"
import { explainGuard } from "./guard.ts"
import type { ContainerChanged } from "./containerGuards.ts"
import type { ContainerFacts } from "../../src/kubernetes/pods/containers/containers.ts"
import type { GuardWording, ObservedNumbers } from "./guard.ts"
import type { Pod, PodSpec } from "../../src/kubernetes/meta/objects.ts"
import type { PodLife } from "../../src/kubernetes/pods/podLife.ts"

export interface PodObservation {
  readonly pod: Pod
  readonly life: PodLife
  readonly kubelet: "reachable" | "lost"
  /** `awaited` while a claim of the Pod is not bound, or a volume not attached to its node. */
  readonly volumes?: "awaited"
  readonly nowMillis: number
}

export interface ObservedPod {
  readonly seen: PodObservation | undefined
  /** Init containers first. */
  readonly containers: ReadonlyArray<ContainerFacts>
  /** Containers that were added while the Pod ran; undefined as long as there are none. */
  readonly ephemerals?: ReadonlyArray<ContainerFacts>
}

export type PodEvent =
  | { readonly type: "observed"; readonly seen: PodObservation }
  /** The time of activeDeadlineSeconds is over. */
  | { readonly type: "deadline.passed" }
  | ContainerChanged

interface PodGuardArgs {
  readonly context: ObservedPod
  readonly event: PodEvent
}

type ToText<A> = (value: A) => string

const lastReason =
  (reason: ToText<PodObservation>) =>
  ({ context: { seen } }: PodGuardArgs): string =>
    seen === undefined ? "nothing has been observed yet" : reason(seen)

const newReason =
  (reason: ToText<PodObservation>) =>
  ({ event }: PodGuardArgs): string =>
    event.type === "observed" ? reason(event.seen) : "nothing is observed just now"

const lastObservationGuard = (
  predicate: (seen: PodObservation) => boolean,
  words: GuardWording,
  reason: ToText<PodObservation>
) =>
  explainGuard(
    ({ context }: PodGuardArgs) => context.seen !== undefined && predicate(context.seen),
    words,
    lastReason(reason)
  )

/** Reads the observation in the event; `lastObservationGuard` reads the observation before. */
const newObservationGuard = (
  predicate: (seen: PodObservation) => boolean,
  words: GuardWording,
  reason: ToText<PodObservation>
) =>
  explainGuard(
    ({ event }: PodGuardArgs) => event.type === "observed" && predicate(event.seen),
    words,
    newReason(reason)
  )

const containersReason =
  (text: ToText<ContainerFacts>) =>
  ({ context: { containers } }: PodGuardArgs): string =>
    containers.length === 0
      ? "it has no containers here"
      : containers.map((facts) => `${facts.name} ${text(facts)}`).join(", ")

const containersGuard = (
  predicate: (containers: ReadonlyArray<ContainerFacts>, context: ObservedPod) => boolean,
  words: GuardWording,
  reason: (args: PodGuardArgs) => string
) => explainGuard(({ context }: PodGuardArgs) => predicate(context.containers, context), words, reason)

const activitiesText = containersReason(({ doing, ready }) => (ready ? `${doing} and ready` : doing))
const exitsText = containersReason(({ doing, lastExit }) =>
  lastExit === undefined ? doing : `${doing}, last exit ${lastExit.code} (${lastExit.reason})`
)
const kubeletText = ({ kubelet }: PodObservation): string => `its kubelet is ${kubelet}`
const phaseText = ({ pod }: PodObservation): string => `phase ${pod.status.phase ?? "unknown"}`
const deletionText = ({ pod }: PodObservation): string =>
  pod.metadata.deletionTimestamp === undefined
    ? "its deletion was not requested"
    : `to be gone by ${pod.metadata.deletionTimestamp}, ${formatDuration(deletionGraceMillis(pod))} of grace`

const changedText = ({ event, context: { containers } }: PodGuardArgs): string => {
  if (event.type !== "container.changed") return "no container has said anything"
  const { name } = event.facts
  const before = containers.find((it) => it.name === name)
  const text = ({ doing, started, ready }: ContainerFacts): string =>
    `${doing}${started ? ", started" : ""}${ready ? ", ready" : ""}`
  return `${name} was ${before === undefined ? "unknown" : text(before)}, is ${text(event.facts)}`
}

const isBackingOff = ({ doing }: ContainerFacts): boolean =>
  doing === "pullFailed" || doing === "pullBackOff" || doing === "crashBackOff" || doing === "imageRefused"

/** A container's other facts change only together with these. */
const isSameFacts = (a: ContainerFacts, b: ContainerFacts): boolean =>
  a.doing === b.doing && a.ready === b.ready && a.started === b.started

const noSpec: PodSpec = { containers: [] }

const observedSpec = ({ seen }: ObservedPod): PodSpec => seen?.pod.spec ?? noSpec

/** A container's current run, as the functions of `containerRuns.ts` take it. */
const runOf = ({ pod, life }: PodObservation, facts: ContainerFacts) => ({
  facts,
  spec: pod.spec,
  life: containerLife(life, facts.name, facts.role)
})

const containersLike = (
  { containers, ephemerals = [] }: ObservedPod,
  { role }: ContainerFacts
): ReadonlyArray<ContainerFacts> => (role === "ephemeral" ? ephemerals : containers)

const isStopped = ({ doing }: ContainerFacts): boolean => doing === "terminated" || doing === "queued"

export const podGuards = {
  isByHand: lastObservationGuard(
    ({ life }) => life.mover === "you",
    "only a client moves it",
    ({ life }) => `moved by ${life.mover === "you" ? "you" : "its kubelet"}`
  ),
  isLost: lastObservationGuard(({ kubelet }) => kubelet === "lost", "its node is lost", kubeletText),
  isNowLost: newObservationGuard(({ kubelet }) => kubelet === "lost", "its node is lost", kubeletText),
  isBack: newObservationGuard(({ kubelet }) => kubelet === "reachable", "its node is back", kubeletText),
  isLeftBehind: lastObservationGuard(
    ({ pod, kubelet }) =>
      isTerminating(pod) && isPodFinished(pod) && pod.spec.nodeName !== undefined && kubelet === "reachable",
    "it has ended, and its object is left",
    (seen) => `${phaseText(seen)}, ${deletionText(seen)}, ${kubeletText(seen)}`
  ),
  isFailed: lastObservationGuard(({ pod }) => pod.status.phase === "Failed", "it has failed", phaseText),
  isSucceeded: lastObservationGuard(
    ({ pod }) => pod.status.phase === "Succeeded",
    "it has succeeded",
    phaseText
  ),
  isTerminating: lastObservationGuard(
    ({ pod }) => isTerminating(pod) && !isPodFinished(pod),
    "it is to be deleted",
    (seen) => `${deletionText(seen)}, ${phaseText(seen)}`
  ),
  isNowTerminating: newObservationGuard(({ pod }) => isTerminating(pod), "it is to be deleted", deletionText),
  isHurried: explainGuard(
    ({ context, event }: PodGuardArgs) =>
      event.type === "observed" &&
      context.seen !== undefined &&
      deletionGraceMillis(event.seen.pod) < deletionGraceMillis(context.seen.pod),
    "less grace than before",
    (args) => `was: ${lastReason(deletionText)(args)}; is: ${newReason(deletionText)(args)}`
  ),
  isEvicted: lastObservationGuard(
    ({ life }) => life.eviction !== undefined,
    "its kubelet has evicted it",
    ({ life }) =>
      life.eviction === undefined ? "its kubelet keeps it" : `its kubelet evicts it: ${life.eviction.reason}`
  ),
  awaitsVolumes: lastObservationGuard(
    ({ volumes }) => volumes === "awaited",
    "its volumes are not there",
    ({ volumes }) => (volumes === "awaited" ? "its volumes are not there yet" : "it waits for no volume")
  ),
  isBound: lastObservationGuard(
    ({ pod }) => pod.spec.nodeName !== undefined,
    "it has a node",
    ({ pod }) => (pod.spec.nodeName === undefined ? "it has no node" : `on ${pod.spec.nodeName}`)
  ),
  areAllToRestart: containersGuard(
    (containers, context) =>
      containers.some((facts) => endRestartsAllContainers(facts, observedSpec(context))),
    "the end of one restarts them all",
    exitsText
  ),
  mayStartNext: containersGuard(
    (containers) =>
      nextContainer(containers) !== undefined && containers.every(({ doing }) => doing !== "creating"),
    "the next container may start",
    activitiesText
  ),
  isInitializing: containersGuard(
    (containers) => containers.some(isQueued) && !isPodInitialized(containers),
    "init containers are left",
    activitiesText
  ),
  hasInitFailed: containersGuard(
    (containers, context) => hasInitFailed(containers, observedSpec(context)),
    "an init container has failed for good",
    exitsText
  ),
  areDone: containersGuard(
    (containers, context) =>
      containers.every((facts) => facts.role !== "app" || isContainerDone(facts, observedSpec(context))),
    "all containers are done",
    exitsText
  ),
  // The kubelet stops sidecars itself, so that their exit codes do not count.
  didFail: containersGuard(
    (containers) => containers.some(({ role, lastExit }) => role !== "sidecar" && lastExit?.code !== 0),
    "one has ended badly",
    exitsText
  ),
  // Containers of a Pod that ended before a restore have no actors.
  hasRunHere: containersGuard(
    (containers) => containers.length > 0,
    "it has run here",
    containersReason(({ restartCount }) => `restarted ${restartCount} times`)
  ),
  areReady: containersGuard(
    (containers) => containers.every(({ role, ready }) => ready || role === "init"),
    "all containers are ready",
    activitiesText
  ),
  haveRun: containersGuard(
    (containers) => containers.every(hasEverRun),
    "all containers have run",
    activitiesText
  ),
  areProbesYetToFail: containersGuard(
    (containers, { seen }) =>
      seen !== undefined && containers.some((facts) => areProbesYetToFail(runOf(seen, facts))),
    "one hangs, and its probes have yet to fail",
    activitiesText
  ),
  areUnreadyHanging: containersGuard(
    (containers, { seen }) =>
      seen !== undefined &&
      containers.every(
        (facts) => facts.ready || facts.role === "init" || isSilencedByFault(runOf(seen, facts))
      ),
    "those that are not ready hang",
    activitiesText
  ),
  isBackingOff: containersGuard(
    (containers) => containers.some(isBackingOff),
    "one waits out a back-off",
    activitiesText
  ),
  isUnchanged: explainGuard(
    ({ context, event }: PodGuardArgs) =>
      event.type === "container.changed" &&
      containersLike(context, event.facts).some(
        (it) => it.name === event.facts.name && isSameFacts(it, event.facts)
      ),
    ["nothing new", "something new"],
    changedText
  ),
  haveStopped: containersGuard(
    (containers) => containers.every(isStopped),
    "all containers have stopped",
    activitiesText
  ),
  isLastToStop: explainGuard(
    ({ context, event }: PodGuardArgs) =>
      event.type === "container.changed" &&
      event.facts.role !== "ephemeral" &&
      isStopped(event.facts) &&
      context.containers.every((it) => it.name === event.facts.name || isStopped(it)),
    "it is the last to stop",
    changedText
  )
}

export const podStepNumbers: ObservedNumbers = (context) => {
  const { seen, containers } = context as ObservedPod
  return [
    ["node", seen?.pod.spec.nodeName ?? "none"],
    ["containers", containers.length],
    ["ready", containers.filter(({ ready }) => ready).length],
    ["restarts", containers.reduce((sum, { restartCount }) => sum + restartCount, 0)]
  ]
}
