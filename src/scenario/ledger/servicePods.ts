import { deletionGraceMillis, planSignals } from "../../domain/podStopping.ts"
import { isFinished, isReady, readySinceMillis } from "../../domain/pods.ts"
import { isTerminating } from "../../domain/ownerReferences.ts"
import { millisOf } from "../../domain/timestamps.ts"
import { containerLife, lastingContainers } from "../../domain/containers.ts"
import { serversAt } from "../../domain/endpoints.ts"
import { statusOf, storedContainers } from "../../domain/storedContainers.ts"
import { answeringOf } from "./answering.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type * as Discovery from "kubernetes-types/discovery/v1.js"
import type { DueAt } from "./dueTimes.ts"
import type { Pod, PodSpec } from "../../domain/objects.ts"
import type { ContainerLife, PodLife } from "../../domain/podLife.ts"
import type { Answering } from "./answering.ts"

/**
 * Why a Pod answers nobody: it does not yet, it was told to stop, or it did and something has gone wrong with it or
 * with its node.
 */
export type Silence = "starting" | "stopping" | "failing"

/** Where requests arrive in a Pod. */
export type Ports = ReadonlyArray<Discovery.EndpointPort>

/** Which Pods answer requests, whatever clients and controllers believe. */
export interface ServicePods {
  readonly see: (type: "ADDED" | "MODIFIED" | "DELETED", pod: Pod, atMillis: number) => void
  /** Sees a Pod that has been as it is for long. */
  readonly seeSettled: (pod: Pod, atMillis: number) => void
  /** The Pods of a node that is lost answer nobody until it is back. */
  readonly seeNode: (node: string, isLost: boolean, atMillis: number) => void
  /** Undefined for a Pod that answers at these ports. */
  readonly silenceOf: (uid: string, ports: Ports) => Silence | undefined
}

interface Seen {
  spec: PodSpec
  /** By name, of those that may be sent requests. */
  readonly containers: Map<string, Life>
}

/** One container of a Pod. */
interface Life {
  readonly isReady: boolean
  readonly wasReady: boolean
  /** When the application answers: it is ready before that where no probe asks. */
  readonly answersMillis: number
  /** How it answers for as long as it is ready; undefined where nobody knows how it lives. */
  answering: Answering | undefined
  /** When it falls silent, whatever its probes have noticed. */
  readonly silentMillis: number
  /** When its SIGTERM comes. */
  readonly stopsMillis: number
  silence: Silence | undefined
}

/**
 * A container answers from the moment it is ready until it hangs, or until its SIGTERM: when the deletion of its Pod
 * is asked for and its own preStop hook has ended, or the grace has; a sidecar's comes once the others have stopped.
 * What it has begun it may bring to an end; new requests find the door shut. A Pod answers as long as all those do
 * that requests go to.
 *
 * Source: pkg/kubelet/kuberuntime/kuberuntime_container.go (killContainer).
 */
export const makeServicePods = (options: {
  readonly dueAt: DueAt
  /** How a Pod lives, with what has come over it; undefined where nobody knows, and it answers while it is ready. */
  readonly lifeOf: (pod: Pod) => PodLife | undefined
  /** A Pod answers otherwise than before; of one that is gone, why it no longer does. */
  readonly onChange: (uid: string, atMillis: number, gone?: Silence) => void
}): ServicePods => {
  const { dueAt, lifeOf, onChange } = options
  const pods = new Map<string, Seen>()
  const lostNodes = new Set<string>()

  const silenceOf = ({ nodeName }: PodSpec, life: Life, atMillis: number): Silence | undefined => {
    if (life.stopsMillis <= atMillis) return "stopping"
    if (nodeName !== undefined && lostNodes.has(nodeName)) return "failing"
    if (!life.isReady) return life.wasReady ? "failing" : "starting"
    if (life.silentMillis <= atMillis) return "failing"
    return life.answersMillis <= atMillis ? undefined : "starting"
  }
  const judge = (uid: string, { spec, containers }: Seen, atMillis: number): void => {
    let hasChanged = false
    for (const life of containers.values()) {
      const silence = silenceOf(spec, life, atMillis)
      hasChanged ||= silence !== life.silence
      life.silence = silence
    }
    if (hasChanged) onChange(uid, atMillis)
  }

  const look = (pod: Pod, atMillis: number, isSettled: boolean): void => {
    const { spec, metadata } = pod
    const seen = pods.get(metadata.uid) ?? { spec, containers: new Map<string, Life>() }
    pods.set(metadata.uid, seen)
    seen.spec = spec
    const turns = new Set<number>()
    const lived = pod.status.phase === "Running" ? lifeOf(pod) : undefined
    const stops = stopsOf(pod, seen, { atMillis, terminateMillis: lived?.terminateMillis ?? 0 })
    for (const container of lastingContainers(spec)) {
      const { name } = container
      const before = seen.containers.get(name)
      const life = lifeIn({ pod, container, lived, stopsMillis: stops(name), isSettled, atMillis }, before)
      if (life === before) continue
      seen.containers.set(name, life)
      for (const turn of [life.answersMillis, life.silentMillis, life.stopsMillis])
        if (turn > atMillis && turn < Infinity) turns.add(turn)
    }
    judge(metadata.uid, seen, atMillis)
    for (const turn of turns)
      dueAt(turn, () => {
        if (pods.get(metadata.uid) === seen) judge(metadata.uid, seen, turn)
      })
  }

  return {
    see: (type, pod, atMillis) => {
      if (type !== "DELETED") return look(pod, atMillis, false)
      if (pods.delete(pod.metadata.uid))
        onChange(pod.metadata.uid, atMillis, isFinished(pod) ? "failing" : "stopping")
    },
    seeSettled: (pod, atMillis) => look(pod, atMillis, true),
    seeNode: (node, isLost, atMillis) => {
      if (isLost === lostNodes.has(node)) return
      if (isLost) lostNodes.add(node)
      else lostNodes.delete(node)
      for (const [uid, seen] of pods) if (seen.spec.nodeName === node) judge(uid, seen, atMillis)
    },
    silenceOf: (uid, ports) => {
      const seen = pods.get(uid)
      // Nobody has heard of it, or not any more: it is gone.
      if (seen === undefined) return "stopping"
      const silences = serversAt(seen.spec, ports).map(({ name }) => seen.containers.get(name)?.silence)
      return gravest.find((silence) => silences.includes(silence))
    }
  }
}

/** Of several containers one says why a Pod does not answer. */
const gravest: ReadonlyArray<Silence> = ["stopping", "failing", "starting"]

/** What is to be known of a container to say until when it answers. */
interface Moment {
  readonly pod: Pod
  readonly container: Core.Container
  readonly lived: PodLife | undefined
  readonly stopsMillis: number
  readonly isSettled: boolean
  readonly atMillis: number
}

/** The same life as before where it goes on as it did. */
const lifeIn = (moment: Moment, before: Life | undefined): Life => {
  const { pod, container, lived, stopsMillis, isSettled, atMillis } = moment
  const { containerStatuses, initContainerStatuses } = pod.status
  const role = pod.spec.containers.includes(container) ? "app" : "sidecar"
  const status = statusOf(role === "app" ? containerStatuses : initContainerStatuses, container.name)
  const ready = !isFinished(pod) && (status?.ready ?? isReady(pod))
  const life: ContainerLife | undefined =
    lived === undefined ? undefined : containerLife(lived, container.name, role)
  const answering =
    life === undefined || status === undefined
      ? undefined
      : answeringOf(
          { life, status, readySinceMillis: readySinceMillis(pod), atMillis, isReady: ready },
          before?.answering
        )
  const silentMillis = answering?.silentMillis ?? Infinity
  if (
    before !== undefined &&
    before.isReady === ready &&
    before.stopsMillis === stopsMillis &&
    before.silentMillis === silentMillis
  ) {
    before.answering = answering
    return before
  }
  const isNewlyReady = ready && before?.isReady !== true
  const answersAfterMillis = isSettled ? 0 : (life?.answersMillis ?? 0)
  return {
    isReady: ready,
    wasReady: ready || (before?.wasReady ?? false),
    answersMillis: isNewlyReady ? atMillis + answersAfterMillis : (before?.answersMillis ?? 0),
    answering,
    silentMillis,
    stopsMillis,
    silence: before === undefined ? "starting" : before.silence
  }
}

/**
 * When the containers of a Pod get their SIGTERM. Asked once more, with less grace, they stop no later than they
 * would have.
 */
const stopsOf = (
  pod: Pod,
  { containers }: Seen,
  { atMillis, terminateMillis }: { readonly atMillis: number; readonly terminateMillis: number }
): ((name: string) => number) => {
  if (!isTerminating(pod)) return () => Infinity
  const graceMillis = deletionGraceMillis(pod)
  const isFirst = [...containers.values()].every(({ stopsMillis }) => stopsMillis === Infinity)
  const againMillis = atMillis + graceMillis
  if (!isFirst)
    return (name) => {
      const { stopsMillis = Infinity } = containers.get(name) ?? {}
      return stopsMillis === Infinity ? stopsMillis : Math.min(stopsMillis, againMillis)
    }
  const askedMillis =
    containers.size === 0 ? millisOf(pod.metadata.deletionTimestamp ?? "") - graceMillis : atMillis
  const signals = planSignals({
    pod,
    life: { terminateMillis },
    containers: storedContainers(pod),
    graceMillis
  })
  // Nobody tells one to stop that does not run.
  return (name) => askedMillis + (signals.get(name) ?? Infinity)
}
