import { isReady } from "../../domain/pods.ts"
import { isTerminating } from "../../domain/ownerReferences.ts"
import { keyOf } from "../../domain/objects.ts"
import { resources } from "../../domain/kinds.ts"
import { rolloutStatus } from "../../domain/rolloutStatus.ts"
import type { Key, Pod } from "../../domain/objects.ts"
import type { LongestTimes } from "./longestTimes.ts"
import type { Change, ClusterView } from "../../store/objectStore.ts"

type View = Pick<ClusterView["Service"], "get">

/** A paused rollout goes no further by itself. */
export const stateOf = (view: View, key: Key): "waiting" | "complete" | "failed" | "paused" => {
  const deployment = view.get(resources.deployments, key)
  if (deployment === undefined) return "waiting"
  const { state } = rolloutStatus(deployment)
  const isSeen = (deployment.status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  return state === "waiting" && deployment.spec.paused === true && isSeen ? "paused" : state
}

/** When a rollout was over; once it was complete, what becomes of its Pods is no part of it any more. */
interface Ends {
  completeMillis?: number
  failedMillis?: number
}

export interface PlanWatch {
  /** Watches these from now on. */
  readonly begin: (keys: ReadonlyArray<Key>) => void
  readonly see: (change: Change, atMillis: number) => void
  /** Says when it was complete, where nothing was written that would have told. */
  readonly complete: (key: Key, atMillis: number) => void
  /** Complete from the first time on that it was. */
  readonly stateOf: (key: Key) => ReturnType<typeof stateOf>
  readonly of: (key: Key) => Readonly<Ends>
}

/** What is ready for longer and then no more has something else wrong with it. */
const relapseMostMillis = 60_000

/** Notes when each Deployment was over, and how long new Pods took. */
export const makePlanWatch = (
  view: View,
  { times, onComplete }: { readonly times: LongestTimes; readonly onComplete: (key: Key) => void }
): PlanWatch => {
  let watched: ReadonlySet<Key> = new Set()
  let ends = new Map<Key, Ends>()
  let born = new Map<string, number>()
  let ready = new Map<string, number>()

  const seePod = (pod: Pod, type: Change["type"], atMillis: number): void => {
    const { uid } = pod.metadata
    if (type === "ADDED") born.set(uid, atMillis)
    if (type === "DELETED" || isTerminating(pod)) {
      born.delete(uid)
      ready.delete(uid)
      return
    }
    const bornMillis = born.get(uid)
    if (bornMillis === undefined) return
    const readyMillis = ready.get(uid)
    if (isReady(pod) && readyMillis === undefined) {
      ready.set(uid, atMillis)
      times.note(pod, { readyMillis: atMillis - bornMillis })
    }
    if (isReady(pod) || readyMillis === undefined) return
    // The first time only: what was ready once tells nothing more about how long it takes.
    born.delete(uid)
    const lastedMillis = atMillis - readyMillis
    if (lastedMillis <= relapseMostMillis) times.note(pod, { relapseMillis: lastedMillis })
  }
  const complete = (key: Key, atMillis: number): void => {
    const end = ends.get(key) ?? {}
    if (end.completeMillis !== undefined) return
    ends.set(key, { ...end, completeMillis: atMillis })
    onComplete(key)
  }
  return {
    begin: (keys) => {
      watched = new Set(keys)
      ends = new Map()
      born = new Map()
      ready = new Map()
    },
    see: ({ resource, type, object, old }, atMillis) => {
      if (resource === resources.pods) seePod(object as Pod, type, atMillis)
      if (resource !== resources.deployments || type === "DELETED") return
      const key = keyOf(object)
      if (!watched.has(key)) return
      // Another spec has not been complete yet.
      if (old?.metadata.generation !== object.metadata.generation) ends.delete(key)
      const end: Ends = ends.get(key) ?? {}
      if (end.completeMillis !== undefined) return
      const state = stateOf(view, key)
      if (state === "failed") end.failedMillis ??= atMillis
      // What was missed before is told until the controller has looked at what is new.
      else if (end.failedMillis === atMillis) delete end.failedMillis
      ends.set(key, end)
      if (state === "complete") complete(key, atMillis)
    },
    complete,
    stateOf: (key) => (ends.get(key)?.completeMillis === undefined ? stateOf(view, key) : "complete"),
    of: (key) => ends.get(key) ?? {}
  }
}
