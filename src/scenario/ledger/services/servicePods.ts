import { deletionGraceMillis, planSigtermTimes } from "../../../kubernetes/pods/podStopping.ts"
import { isPodFinished, isPodReady, readySinceMillis } from "../../../kubernetes/pods/podState.ts"
import { isTerminating } from "../../../kubernetes/meta/deletion.ts"
import { timestampMillis } from "../../../kubernetes/meta/amounts/timestamps.ts"
import { containerLife, longRunningContainers } from "../../../kubernetes/pods/containers/containers.ts"
import { containersServing } from "../../../kubernetes/core/endpoints.ts"
import {
  containerStatusOf,
  containerFactsOfPod
} from "../../../kubernetes/pods/containers/storedContainers.ts"
import { updateAnswering } from "./containerAnswering.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type * as Discovery from "kubernetes-types/discovery/v1.js"
import type { ScheduleCallback } from "../ledgerTimers.ts"
import type { Pod, PodSpec } from "../../../kubernetes/meta/objects.ts"
import type { ContainerLife, PodLife } from "../../../kubernetes/pods/podLife.ts"
import type { ContainerAnswering } from "./containerAnswering.ts"

export type SilenceReason = "starting" | "stopping" | "failing"

export type EndpointPorts = ReadonlyArray<Discovery.EndpointPort>

/** Tells which Pods answer requests, whatever their statuses say. */
export interface ServicePods {
  readonly observe: (type: "ADDED" | "MODIFIED" | "DELETED", pod: Pod, atMillis: number) => void
  /** The application of a Pod that is older than the ledger answers already. */
  readonly observeExisting: (pod: Pod, atMillis: number) => void
  readonly observeNode: (node: string, isLost: boolean, atMillis: number) => void
  /** Undefined if the Pod answers at these ports. */
  readonly silenceOf: (uid: string, ports: EndpointPorts) => SilenceReason | undefined
}

interface ObservedPod {
  spec: PodSpec
  readonly containers: Map<string, ObservedContainer>
}

interface ObservedContainer {
  readonly isReady: boolean
  readonly wasReady: boolean
  /** Without a probe, the container is ready before its application answers. */
  readonly answersFromMillis: number
  /** Describes the container's present run, and how often its readiness has flapped. */
  answering: ContainerAnswering | undefined
  readonly answersUntilMillis: number
  readonly sigtermMillis: number
  /** The reason at the last update; undefined if the container answered. */
  silence: SilenceReason | undefined
}

/**
 * A container answers from its readiness until it hangs or gets SIGTERM; a Pod answers at ports while all containers
 * that serve them do.
 * Source: pkg/kubelet/kuberuntime/kuberuntime_container.go (killContainer).
 */
export const makeServicePods = (options: {
  readonly schedule: ScheduleCallback
  /** A Pod with an unknown life answers while it is ready. */
  readonly lifeOf: (pod: Pod) => PodLife | undefined
  /** `deletionReason` says why a deleted Pod does not answer. */
  readonly onChange: (uid: string, atMillis: number, deletionReason?: SilenceReason) => void
}): ServicePods => {
  const { schedule, lifeOf, onChange } = options
  const pods = new Map<string, ObservedPod>()
  const lostNodes = new Set<string>()

  const silenceOf = (
    { nodeName }: PodSpec,
    container: ObservedContainer,
    atMillis: number
  ): SilenceReason | undefined => {
    if (container.sigtermMillis <= atMillis) return "stopping"
    if (nodeName !== undefined && lostNodes.has(nodeName)) return "failing"
    if (!container.isReady) return container.wasReady ? "failing" : "starting"
    if (container.answersUntilMillis <= atMillis) return "failing"
    return container.answersFromMillis <= atMillis ? undefined : "starting"
  }
  const updateSilence = (uid: string, { spec, containers }: ObservedPod, atMillis: number): void => {
    let hasChanged = false
    for (const container of containers.values()) {
      const silence = silenceOf(spec, container, atMillis)
      hasChanged ||= silence !== container.silence
      container.silence = silence
    }
    if (hasChanged) onChange(uid, atMillis)
  }

  const observe = (
    pod: Pod,
    atMillis: number,
    { isOlderThanLedger }: { readonly isOlderThanLedger: boolean }
  ): void => {
    const { spec, metadata } = pod
    const observedPod = pods.get(metadata.uid) ?? { spec, containers: new Map<string, ObservedContainer>() }
    pods.set(metadata.uid, observedPod)
    observedPod.spec = spec
    const changeTimes = new Set<number>()
    const podLife = pod.status.phase === "Running" ? lifeOf(pod) : undefined
    // A sidecar gets SIGTERM when the other containers have exited, after `terminateMillis`.
    const sigtermOf = sigtermTimes(pod, observedPod, {
      atMillis,
      terminateMillis: podLife?.terminateMillis ?? 0
    })
    for (const container of longRunningContainers(spec)) {
      const { name } = container
      const before = observedPod.containers.get(name)
      const observedContainer = observeContainer(
        { pod, container, podLife, sigtermMillis: sigtermOf(name), isOlderThanLedger, atMillis },
        before
      )
      if (observedContainer === before) continue
      observedPod.containers.set(name, observedContainer)
      const { answersFromMillis, answersUntilMillis, sigtermMillis } = observedContainer
      for (const millis of [answersFromMillis, answersUntilMillis, sigtermMillis])
        if (millis > atMillis && millis < Infinity) changeTimes.add(millis)
    }
    updateSilence(metadata.uid, observedPod, atMillis)
    for (const changeMillis of changeTimes)
      schedule(changeMillis, () => {
        if (pods.get(metadata.uid) === observedPod) updateSilence(metadata.uid, observedPod, changeMillis)
      })
  }

  return {
    observe: (type, pod, atMillis) => {
      if (type !== "DELETED") return observe(pod, atMillis, { isOlderThanLedger: false })
      if (pods.delete(pod.metadata.uid))
        onChange(pod.metadata.uid, atMillis, isPodFinished(pod) ? "failing" : "stopping")
    },
    observeExisting: (pod, atMillis) => observe(pod, atMillis, { isOlderThanLedger: true }),
    observeNode: (node, isLost, atMillis) => {
      if (isLost === lostNodes.has(node)) return
      if (isLost) lostNodes.add(node)
      else lostNodes.delete(node)
      for (const [uid, observed] of pods)
        if (observed.spec.nodeName === node) updateSilence(uid, observed, atMillis)
    },
    silenceOf: (uid, ports) => {
      const observedPod = pods.get(uid)
      // An unknown Pod has been deleted.
      if (observedPod === undefined) return "stopping"
      const silences = containersServing(observedPod.spec, ports).map(
        ({ name }) => observedPod.containers.get(name)?.silence
      )
      return silenceOrder.find((silence) => silences.includes(silence))
    }
  }
}

const silenceOrder: ReadonlyArray<SilenceReason> = ["stopping", "failing", "starting"]

interface ContainerObservation {
  readonly pod: Pod
  readonly container: Core.Container
  readonly podLife: PodLife | undefined
  readonly sigtermMillis: number
  readonly isOlderThanLedger: boolean
  readonly atMillis: number
}

const observeContainer = (
  observation: ContainerObservation,
  before: ObservedContainer | undefined
): ObservedContainer => {
  const { pod, container, podLife, sigtermMillis, isOlderThanLedger, atMillis } = observation
  const { containerStatuses, initContainerStatuses } = pod.status
  const role = pod.spec.containers.includes(container) ? "app" : "sidecar"
  const status = containerStatusOf(role === "app" ? containerStatuses : initContainerStatuses, container.name)
  const ready = !isPodFinished(pod) && (status?.ready ?? isPodReady(pod))
  const life: ContainerLife | undefined =
    podLife === undefined ? undefined : containerLife(podLife, container.name, role)
  const answering =
    life === undefined || status === undefined
      ? undefined
      : updateAnswering(
          { life, status, readySinceMillis: readySinceMillis(pod), atMillis, isReady: ready },
          before?.answering
        )
  const answersUntilMillis = answering?.answersUntilMillis ?? Infinity
  if (
    before !== undefined &&
    before.isReady === ready &&
    before.sigtermMillis === sigtermMillis &&
    before.answersUntilMillis === answersUntilMillis
  ) {
    before.answering = answering
    return before
  }
  const isNewlyReady = ready && before?.isReady !== true
  const answersAfterMillis = isOlderThanLedger ? 0 : (life?.answersMillis ?? 0)
  return {
    isReady: ready,
    wasReady: ready || (before?.wasReady ?? false),
    answersFromMillis: isNewlyReady ? atMillis + answersAfterMillis : (before?.answersFromMillis ?? 0),
    answering,
    answersUntilMillis,
    sigtermMillis,
    silence: before === undefined ? "starting" : before.silence
  }
}

/** A repeated deletion request may shorten the grace period, never prolong it. */
const sigtermTimes = (
  pod: Pod,
  { containers }: ObservedPod,
  { atMillis, terminateMillis }: { readonly atMillis: number; readonly terminateMillis: number }
): ((name: string) => number) => {
  if (!isTerminating(pod)) return () => Infinity
  const graceMillis = deletionGraceMillis(pod)
  const isFirstRequest = [...containers.values()].every(({ sigtermMillis }) => sigtermMillis === Infinity)
  const graceEndMillis = atMillis + graceMillis
  if (!isFirstRequest)
    return (name) => {
      const { sigtermMillis = Infinity } = containers.get(name) ?? {}
      return sigtermMillis === Infinity ? sigtermMillis : Math.min(sigtermMillis, graceEndMillis)
    }
  // A Pod that is terminating when first observed was deleted earlier.
  const deletionMillis =
    containers.size === 0 ? timestampMillis(pod.metadata.deletionTimestamp ?? "") - graceMillis : atMillis
  const sigtermDelays = planSigtermTimes({
    pod,
    life: { terminateMillis },
    containers: containerFactsOfPod(pod),
    graceMillis
  })
  // Only running containers get the signal.
  return (name) => deletionMillis + (sigtermDelays.get(name) ?? Infinity)
}
