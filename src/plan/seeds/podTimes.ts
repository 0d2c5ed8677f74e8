import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"

export interface LongestPodTimes {
  /** From creation until ready. */
  readonly readyMillis: number
  /** From ready until unready again, for Pods that failed early. */
  readonly readyBeforeFailureMillis: number
  /** From ready until the containers without a readiness probe answered. */
  readonly readyToAnswerMillis: number
  /** From SIGTERM until the last container has stopped. */
  readonly stoppingMillis: number
  /** From running until a container with the image answered. */
  readonly answerMillisByImage: ReadonlyMap<string, number>
}

/** Times are recorded by the object that controls the Pods, such as a ReplicaSet. */
export interface PodTimesRecorder {
  /** Forgets the times so far. */
  readonly begin: () => void
  readonly record: (pod: Pod, times: Partial<LongestPodTimes>) => void
  readonly longestOf: (ownerUids: ReadonlyArray<string>) => LongestPodTimes
}

export const makePodTimesRecorder = (): PodTimesRecorder => {
  let timesByOwner = new Map<string, LongestPodTimes>()
  return {
    begin: () => {
      timesByOwner = new Map()
    },
    record: (pod, times) => {
      const owner = controllerOf(pod)?.uid
      if (owner === undefined) return
      const longest = timesByOwner.get(owner) ?? zeroTimes
      if (isLonger(times, longest))
        timesByOwner.set(owner, longestTimesOf([longest, { ...zeroTimes, ...times }]))
    },
    longestOf: (ownerUids) => longestTimesOf(ownerUids.flatMap((uid) => timesByOwner.get(uid) ?? []))
  }
}

const isLonger = (times: Partial<LongestPodTimes>, longest: LongestPodTimes): boolean => {
  const { readyMillis = 0, readyBeforeFailureMillis = 0, readyToAnswerMillis = 0, stoppingMillis = 0 } = times
  return (
    readyMillis > longest.readyMillis ||
    readyBeforeFailureMillis > longest.readyBeforeFailureMillis ||
    readyToAnswerMillis > longest.readyToAnswerMillis ||
    stoppingMillis > longest.stoppingMillis ||
    isAnyImageSlower(times.answerMillisByImage, longest.answerMillisByImage)
  )
}

const isAnyImageSlower = (
  answers: LongestPodTimes["answerMillisByImage"] | undefined,
  longest: LongestPodTimes["answerMillisByImage"]
): boolean => {
  if (answers === undefined) return false
  for (const [image, millis] of answers) if (millis > (longest.get(image) ?? -1)) return true
  return false
}

export const longestTimesOf = (all: ReadonlyArray<LongestPodTimes>): LongestPodTimes => {
  const longest = (timeOf: (times: LongestPodTimes) => number): number => Math.max(0, ...all.map(timeOf))
  return {
    readyMillis: longest(({ readyMillis }) => readyMillis),
    readyBeforeFailureMillis: longest(({ readyBeforeFailureMillis }) => readyBeforeFailureMillis),
    readyToAnswerMillis: longest(({ readyToAnswerMillis }) => readyToAnswerMillis),
    stoppingMillis: longest(({ stoppingMillis }) => stoppingMillis),
    answerMillisByImage: slowestAnswers(all.flatMap(({ answerMillisByImage }) => [...answerMillisByImage]))
  }
}

export const slowestAnswers = (
  answers: Iterable<readonly [image: string, millis: number]>
): LongestPodTimes["answerMillisByImage"] => {
  const slowest = new Map<string, number>()
  for (const [image, millis] of answers) slowest.set(image, Math.max(slowest.get(image) ?? 0, millis))
  return slowest
}

const zeroTimes: LongestPodTimes = {
  readyMillis: 0,
  readyBeforeFailureMillis: 0,
  readyToAnswerMillis: 0,
  stoppingMillis: 0,
  answerMillisByImage: new Map()
}
