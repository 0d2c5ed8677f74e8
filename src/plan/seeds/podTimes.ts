import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"

/** Of a set of Pods, in milliseconds. */
export interface LongestPodTimes {
  readonly readyMillis: number
  /** How long a Pod was ready that soon became unready again; 0 if none did. */
  readonly relapseMillis: number
  /** From being ready until the application answered. */
  readonly answeringMillis: number
  readonly stoppingMillis: number
  /** By image: from running until the container answered. */
  readonly answers: ReadonlyMap<string, number>
}

/** Records times of Pods since `begin`, by ReplicaSet: those of one Deployment say nothing about another. */
export interface PodTimesRecorder {
  readonly begin: () => void
  readonly note: (pod: Pod, times: Partial<LongestPodTimes>) => void
  readonly of: (replicaSets: ReadonlyArray<string>) => LongestPodTimes
}

export const makePodTimesRecorder = (): PodTimesRecorder => {
  let byOwner = new Map<string, LongestPodTimes>()
  return {
    begin: () => {
      byOwner = new Map()
    },
    note: (pod, times) => {
      const owner = controllerOf(pod)?.uid
      if (owner !== undefined)
        byOwner.set(owner, longestTimesOf([byOwner.get(owner) ?? zeroTimes, { ...zeroTimes, ...times }]))
    },
    of: (replicaSets) => longestTimesOf(replicaSets.flatMap((uid) => byOwner.get(uid) ?? []))
  }
}

export const longestTimesOf = (all: ReadonlyArray<LongestPodTimes>): LongestPodTimes => {
  const most = (of: (times: LongestPodTimes) => number): number => Math.max(0, ...all.map(of))
  return {
    readyMillis: most(({ readyMillis }) => readyMillis),
    relapseMillis: most(({ relapseMillis }) => relapseMillis),
    answeringMillis: most(({ answeringMillis }) => answeringMillis),
    stoppingMillis: most(({ stoppingMillis }) => stoppingMillis),
    answers: slowestAnswers(all.flatMap(({ answers }) => [...answers]))
  }
}

export const slowestAnswers = (
  answers: Iterable<readonly [image: string, millis: number]>
): LongestPodTimes["answers"] => {
  const slowest = new Map<string, number>()
  for (const [image, millis] of answers) slowest.set(image, Math.max(slowest.get(image) ?? 0, millis))
  return slowest
}

const zeroTimes: LongestPodTimes = {
  readyMillis: 0,
  relapseMillis: 0,
  answeringMillis: 0,
  stoppingMillis: 0,
  answers: new Map()
}
