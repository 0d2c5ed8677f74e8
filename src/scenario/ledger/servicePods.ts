import { isFinished, isReady } from "../../domain/pods.ts"
import { isTerminating } from "../../domain/ownerReferences.ts"
import { millisOf } from "../../domain/timestamps.ts"
import { preStopMillis } from "../../domain/containers.ts"
import { answeringOf } from "./answering.ts"
import type { DueAt } from "./dueTimes.ts"
import type { Pod } from "../../domain/objects.ts"
import type { PodLife } from "../../domain/podLife.ts"
import type { Answering } from "./answering.ts"

/**
 * Why a Pod answers nobody: it does not yet, it was told to stop, or it did and something has gone wrong with it or
 * with its node.
 */
export type Silence = "starting" | "stopping" | "failing"

/** Which Pods answer requests, whatever clients and controllers believe. */
export interface ServicePods {
  readonly see: (type: "ADDED" | "MODIFIED" | "DELETED", pod: Pod, atMillis: number) => void
  /** Sees a Pod that has been as it is for long. */
  readonly seeSettled: (pod: Pod, atMillis: number) => void
  /** The Pods of a node that is lost answer nobody until it is back. */
  readonly seeNode: (node: string, isLost: boolean, atMillis: number) => void
  /** Undefined for a Pod that answers. */
  readonly silenceOf: (uid: string) => Silence | undefined
}

interface Life {
  readonly nodeName: string | undefined
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
 * A Pod answers from the moment it is ready until it hangs, or until its SIGTERM: when its deletion is asked for and
 * its preStop hook has ended, or its grace has. What it has begun it may bring to an end; new requests find the door
 * shut.
 *
 * Source: pkg/kubelet/kuberuntime/kuberuntime_container.go (killContainer).
 */
export const makeServicePods = (options: {
  readonly dueAt: DueAt
  /** How long a Pod that is ready does not answer yet. */
  readonly answersAfterMillis: (pod: Pod) => number
  /** How a Pod lives, with what has come over it; undefined where nobody knows, and it answers while it is ready. */
  readonly lifeOf: (pod: Pod) => PodLife | undefined
  readonly onChange: (uid: string, silence: Silence | undefined, atMillis: number) => void
}): ServicePods => {
  const { dueAt, answersAfterMillis, onChange } = options
  const lives = new Map<string, Life>()
  const lostNodes = new Set<string>()

  const silenceOf = (life: Life, atMillis: number): Silence | undefined => {
    if (life.stopsMillis <= atMillis) return "stopping"
    if (life.nodeName !== undefined && lostNodes.has(life.nodeName)) return "failing"
    if (!life.isReady) return life.wasReady ? "failing" : "starting"
    if (life.silentMillis <= atMillis) return "failing"
    return life.answersMillis <= atMillis ? undefined : "starting"
  }
  const judge = (uid: string, life: Life, atMillis: number): void => {
    const silence = silenceOf(life, atMillis)
    if (silence === life.silence) return
    life.silence = silence
    onChange(uid, silence, atMillis)
  }
  const judgeAt = (uid: string, life: Life, atMillis: number): void =>
    dueAt(atMillis, () => {
      if (lives.get(uid) === life) judge(uid, life, atMillis)
    })

  const look = (pod: Pod, atMillis: number, answersAfter: (pod: Pod) => number): void => {
    const { uid } = pod.metadata
    const before = lives.get(uid)
    const ready = isReady(pod) && !isFinished(pod)
    const stopsMillis = isTerminating(pod) ? stopOf(pod, before, atMillis) : Infinity
    const { nodeName } = pod.spec
    const lived = pod.status.phase === "Running" ? options.lifeOf(pod) : undefined
    const answering =
      lived === undefined
        ? undefined
        : answeringOf({ pod, life: lived, atMillis, isReady: ready }, before?.answering)
    const silentMillis = answering === undefined ? Infinity : silentFrom(answering)
    if (
      before !== undefined &&
      before.isReady === ready &&
      before.stopsMillis === stopsMillis &&
      before.nodeName === nodeName &&
      before.silentMillis === silentMillis
    ) {
      before.answering = answering
      return
    }
    const isNewlyReady = ready && before?.isReady !== true
    const life: Life = {
      nodeName,
      isReady: ready,
      wasReady: ready || (before?.wasReady ?? false),
      answersMillis: isNewlyReady ? atMillis + answersAfter(pod) : (before?.answersMillis ?? 0),
      answering,
      silentMillis,
      stopsMillis,
      silence: before === undefined ? "starting" : before.silence
    }
    lives.set(uid, life)
    judge(uid, life, atMillis)
    if (life.answersMillis > atMillis) judgeAt(uid, life, life.answersMillis)
    if (silentMillis > atMillis && silentMillis < Infinity) judgeAt(uid, life, silentMillis)
    if (stopsMillis > atMillis && stopsMillis < Infinity) judgeAt(uid, life, stopsMillis)
  }

  return {
    see: (type, pod, atMillis) => {
      if (type !== "DELETED") return look(pod, atMillis, answersAfterMillis)
      const { uid } = pod.metadata
      const before = lives.get(uid)
      lives.delete(uid)
      const silence = isFinished(pod) ? "failing" : "stopping"
      if (before !== undefined && before.silence === undefined) onChange(uid, silence, atMillis)
    },
    seeSettled: (pod, atMillis) => look(pod, atMillis, () => 0),
    seeNode: (node, isLost, atMillis) => {
      if (isLost === lostNodes.has(node)) return
      if (isLost) lostNodes.add(node)
      else lostNodes.delete(node)
      for (const [uid, life] of lives) if (life.nodeName === node) judge(uid, life, atMillis)
    },
    // Nobody has heard of it, or not any more: it is gone.
    silenceOf: (uid) => {
      const life = lives.get(uid)
      return life === undefined ? "stopping" : life.silence
    }
  }
}

const silentFrom = ({ isHung, flapsMillis, hangsMillis }: Answering): number =>
  isHung ? -Infinity : Math.min(flapsMillis, hangsMillis)

/** Asked once more, with less grace, it stops no later than it would have. */
const stopOf = (pod: Pod, before: Life | undefined, atMillis: number): number => {
  const { deletionGracePeriodSeconds = 0, deletionTimestamp } = pod.metadata
  const graceMillis = deletionGracePeriodSeconds * 1000
  if (before !== undefined && before.stopsMillis < Infinity)
    return Math.min(before.stopsMillis, atMillis + graceMillis)
  const endMillis = before === undefined ? millisOf(deletionTimestamp ?? "") : atMillis + graceMillis
  return endMillis - graceMillis + Math.min(graceMillis, preStopMillis(pod.spec))
}
