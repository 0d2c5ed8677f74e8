import * as Effect from "effect/Effect"
import { disruptions, withDisruption } from "../domain/disruption.ts"
import { drivingTaints, leavesAtMillis } from "../domain/taints.ts"
import { isTerminating } from "../domain/ownerReferences.ts"
import { keyOf } from "../domain/objects.ts"
import { millisOf } from "../domain/timestamps.ts"
import { resources } from "../domain/kinds.ts"
import { noMemory } from "../runtime/memory.ts"
import { unlessGone } from "./services.ts"
import type { NodeObservation } from "../../machines/node.ts"
import type { Key, KubeObject, Node, Pod } from "../domain/objects.ts"
import type { Taint } from "../domain/taints.ts"
import type { StoreError } from "../store/errors.ts"
import type { ControllerServices } from "./services.ts"

const component = "taint-eviction-controller"

/** Which Pods a node's NoExecute taints evict, and when. */
export interface Evictions {
  readonly look: (node: Node) => Pick<NodeObservation, "overdue" | "tolerating" | "nextOverdueMillis">
  readonly forget: (nodeUid: string) => void
}

/**
 * Toleration times count from when a node gets its first NoExecute taint, until it has none. A taint without
 * `timeAdded` counts from when it was first seen.
 *
 * Source: pkg/controller/tainteviction/taint_eviction.go (processPodOnNode).
 */
export const makeEvictions = ({ view, nowMillis, memory = noMemory }: ControllerServices): Evictions => {
  const taintedSince = new Map<string, number>()
  memory.carry<ReadonlyArray<readonly [string, number]>>("drivingSince", {
    save: () => [...taintedSince],
    restore: (state) => {
      for (const [uid, sinceMillis] of state) taintedSince.set(uid, sinceMillis)
    }
  })
  return {
    look: (node) => {
      const { uid, name } = node.metadata
      const taints = drivingTaints(node)
      if (taints.length === 0) {
        taintedSince.delete(uid)
        return noEvictions
      }
      const now = nowMillis()
      const sinceMillis = taintedSince.get(uid) ?? Math.min(now, ...taints.map(setAtMillis))
      taintedSince.set(uid, sinceMillis)
      const evictions = view.nodePods.on(name).flatMap((pod) => {
        const atMillis = isTerminating(pod) ? undefined : leavesAtMillis(pod, taints, sinceMillis)
        return atMillis === undefined ? [] : [{ key: keyOf(pod), atMillis }]
      })
      const tolerating = evictions.filter(({ atMillis }) => atMillis > now)
      return {
        overdue: evictions.filter(({ atMillis }) => atMillis <= now).map(({ key }) => key),
        tolerating: tolerating.map(({ key }) => key),
        nextOverdueMillis:
          tolerating.length === 0 ? undefined : Math.min(...tolerating.map(({ atMillis }) => atMillis))
      }
    },
    forget: (nodeUid) => taintedSince.delete(nodeUid)
  }
}

const noEvictions = { overdue: [], tolerating: [], nextOverdueMillis: undefined } as const

const setAtMillis = ({ timeAdded }: Taint): number =>
  timeAdded === undefined ? Infinity : millisOf(timeAdded)

export const evictPods = (
  services: ControllerServices,
  keys: ReadonlyArray<Key>
): Effect.Effect<void, StoreError> => Effect.forEach(keys, (key) => evict(services, key), { discard: true })

const evict = (
  { store, view, events, nowMillis }: ControllerServices,
  key: Key
): Effect.Effect<void, StoreError> => {
  const pod = view.get(resources.pods, key)
  if (pod === undefined || isTerminating(pod)) return Effect.void
  const { uid } = pod.metadata
  const ref = { resource: resources.pods, key }
  const markDisrupted = (object: KubeObject): Pod => {
    const present = object as Pod
    return { ...present, status: withDisruption(present, disruptions.taint, nowMillis()) }
  }
  return events
    .record({ component, about: pod, event: eventOf("Marking for deletion", key) })
    .pipe(
      Effect.andThen(store.modify(ref, markDisrupted, { uid, status: true })),
      Effect.andThen(store.delete(ref, { preconditions: { uid } })),
      unlessGone
    )
}

export const cancelEvictions = (
  { view, events }: ControllerServices,
  keys: ReadonlyArray<Key>
): Effect.Effect<void> =>
  Effect.forEach(
    keys,
    (key) => {
      const pod = view.get(resources.pods, key)
      if (pod === undefined || isTerminating(pod)) return Effect.void
      return events.record({ component, about: pod, event: eventOf("Cancelling deletion of", key) })
    },
    { discard: true }
  )

const eventOf = (action: string, key: Key) =>
  ({ eventType: "Normal", reason: "TaintManagerEviction", message: `${action} Pod ${key}` }) as const
