import { isPodReady } from "../../kubernetes/pods/podState.ts"
import { isTerminating } from "../../kubernetes/meta/ownerReferences.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { rolloutStatus } from "../../kubernetes/apps/rolloutStatus.ts"
import type { Key, Pod } from "../../kubernetes/meta/objects.ts"
import type { PodTimesRecorder } from "./podTimes.ts"
import type { Change, ClusterView } from "../../store/objectStore.ts"

type View = Pick<ClusterView["Service"], "get">

/** A paused rollout does not continue by itself. */
export const rolloutState = (view: View, key: Key): "waiting" | "complete" | "failed" | "paused" => {
  const deployment = view.get(resources.deployments, key)
  if (deployment === undefined) return "waiting"
  const { state } = rolloutStatus(deployment)
  const isObserved = (deployment.status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  return state === "waiting" && deployment.spec.paused === true && isObserved ? "paused" : state
}

/** When a rollout was first complete, and when it missed its deadline. Later changes of Pods do not count. */
interface RolloutEnd {
  completeMillis?: number
  failedMillis?: number
}

/** Watches the Deployments of an apply or undo until each is complete, failed or paused. */
export interface RolloutWatch {
  /** Watches these Deployments instead of earlier ones. */
  readonly begin: (keys: ReadonlyArray<Key>) => void
  readonly observe: (change: Change, atMillis: number) => void
  /** For a Deployment that is complete without any write. */
  readonly markComplete: (key: Key, atMillis: number) => void
  /** Stays `complete` once it was. */
  readonly stateOf: (key: Key) => ReturnType<typeof rolloutState>
  readonly endOf: (key: Key) => Readonly<RolloutEnd>
}

/** A Pod that was ready for longer has come up: its later failure is no relapse. */
const relapseMaxMillis = 60_000

export const makeRolloutWatch = (
  view: View,
  { times, onComplete }: { readonly times: PodTimesRecorder; readonly onComplete: (key: Key) => void }
): RolloutWatch => {
  let watchedKeys: ReadonlySet<Key> = new Set()
  let ends = new Map<Key, RolloutEnd>()
  let createdTimes = new Map<string, number>()
  let readyTimes = new Map<string, number>()

  const observePod = (pod: Pod, type: Change["type"], atMillis: number): void => {
    const { uid } = pod.metadata
    if (type === "ADDED") createdTimes.set(uid, atMillis)
    if (type === "DELETED" || isTerminating(pod)) {
      createdTimes.delete(uid)
      readyTimes.delete(uid)
      return
    }
    const createdMillis = createdTimes.get(uid)
    if (createdMillis === undefined) return
    const readyMillis = readyTimes.get(uid)
    if (isPodReady(pod) && readyMillis === undefined) {
      readyTimes.set(uid, atMillis)
      times.record(pod, { readyMillis: atMillis - createdMillis })
    }
    if (isPodReady(pod) || readyMillis === undefined) return
    createdTimes.delete(uid)
    const readyForMillis = atMillis - readyMillis
    if (readyForMillis <= relapseMaxMillis) times.record(pod, { relapseMillis: readyForMillis })
  }
  const markComplete = (key: Key, atMillis: number): void => {
    const end = ends.get(key) ?? {}
    if (end.completeMillis !== undefined) return
    ends.set(key, { ...end, completeMillis: atMillis })
    onComplete(key)
  }
  return {
    begin: (keys) => {
      watchedKeys = new Set(keys)
      ends = new Map()
      createdTimes = new Map()
      readyTimes = new Map()
    },
    observe: ({ resource, type, object, old }, atMillis) => {
      if (resource === resources.pods) observePod(object as Pod, type, atMillis)
      if (resource !== resources.deployments || type === "DELETED") return
      const key = objectKeyOf(object)
      if (!watchedKeys.has(key)) return
      if (old?.metadata.generation !== object.metadata.generation) ends.delete(key)
      const end: RolloutEnd = ends.get(key) ?? {}
      if (end.completeMillis !== undefined) return
      const state = rolloutState(view, key)
      if (state === "failed") end.failedMillis ??= atMillis
      // The old deadline's status stays until the controller has seen the new spec.
      else if (end.failedMillis === atMillis) delete end.failedMillis
      ends.set(key, end)
      if (state === "complete") markComplete(key, atMillis)
    },
    markComplete,
    stateOf: (key) => (ends.get(key)?.completeMillis === undefined ? rolloutState(view, key) : "complete"),
    endOf: (key) => ends.get(key) ?? {}
  }
}
