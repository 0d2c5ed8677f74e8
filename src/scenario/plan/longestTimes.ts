import { controllerOf } from "../../domain/ownerReferences.ts"
import type { Pod } from "../../domain/objects.ts"

/** The longest that Pods took for what they do, in milliseconds. */
export interface Times {
  /** From its creation until it was ready. */
  readonly readyMillis: number
  /** For how long one that was ready was so, of those that soon were not any more; 0 where none was. */
  readonly relapseMillis: number
  /** From being counted as ready until it answered. */
  readonly answeringMillis: number
  /** From being asked to stop until it had. */
  readonly stoppingMillis: number
  /** By image: from running until a container answered, whoever asks it. */
  readonly answers: ReadonlyMap<string, number>
}

/** What Pods took since `begin`, by the ReplicaSet that they are of: one Deployment's say nothing of another. */
export interface LongestTimes {
  readonly begin: () => void
  readonly note: (pod: Pod, took: Partial<Times>) => void
  /** Of the Pods of all these ReplicaSets, by uid. */
  readonly of: (replicaSets: ReadonlyArray<string>) => Times
}

export const makeLongestTimes = (): LongestTimes => {
  let known = new Map<string, Times>()
  return {
    begin: () => {
      known = new Map()
    },
    note: (pod, took) => {
      const owner = controllerOf(pod)?.uid
      if (owner !== undefined)
        known.set(owner, longestOf([known.get(owner) ?? noTime, { ...noTime, ...took }]))
    },
    of: (replicaSets) => longestOf(replicaSets.flatMap((uid) => known.get(uid) ?? []))
  }
}

/** The longest of each. */
export const longestOf = (all: ReadonlyArray<Times>): Times => {
  const most = (of: (times: Times) => number): number => Math.max(0, ...all.map(of))
  return {
    readyMillis: most(({ readyMillis }) => readyMillis),
    relapseMillis: most(({ relapseMillis }) => relapseMillis),
    answeringMillis: most(({ answeringMillis }) => answeringMillis),
    stoppingMillis: most(({ stoppingMillis }) => stoppingMillis),
    answers: slowestOf(all.flatMap(({ answers }) => [...answers]))
  }
}

export const slowestOf = (answers: Iterable<readonly [image: string, millis: number]>): Times["answers"] => {
  const slowest = new Map<string, number>()
  for (const [image, millis] of answers) slowest.set(image, Math.max(slowest.get(image) ?? 0, millis))
  return slowest
}

const noTime: Times = {
  readyMillis: 0,
  relapseMillis: 0,
  answeringMillis: 0,
  stoppingMillis: 0,
  answers: new Map()
}
