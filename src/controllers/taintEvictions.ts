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

/** Who must leave each node because of its taints, and when. */
export interface Evictions {
  readonly look: (node: Node) => Pick<NodeObservation, "overdue" | "tolerating" | "nextOverdueMillis">
  readonly forget: (nodeUid: string) => void
}

/**
 * The time that Pods are given begins when a node begins to drive Pods away, whatever taints come and go until it
 * stops. A taint set by hand does not say when it was set: then it counts from when it was first seen.
 *
 * Source: pkg/controller/tainteviction/taint_eviction.go (processPodOnNode).
 */
export const makeEvictions = ({ view, nowMillis, memory = noMemory }: ControllerServices): Evictions => {
  const drivingSince = new Map<string, number>()
  memory.carry<ReadonlyArray<readonly [string, number]>>("drivingSince", {
    save: () => [...drivingSince],
    restore: (state) => {
      for (const [uid, sinceMillis] of state) drivingSince.set(uid, sinceMillis)
    }
  })
  return {
    look: (node) => {
      const { uid, name } = node.metadata
      const taints = drivingTaints(node)
      if (taints.length === 0) {
        drivingSince.delete(uid)
        return nobody
      }
      const now = nowMillis()
      const since = drivingSince.get(uid) ?? Math.min(now, ...taints.map(setAtMillis))
      drivingSince.set(uid, since)
      const leaving = view.nodePods.on(name).flatMap((pod) => {
        const atMillis = isTerminating(pod) ? undefined : leavesAtMillis(pod, taints, since)
        return atMillis === undefined ? [] : [{ key: keyOf(pod), atMillis }]
      })
      const tolerating = leaving.filter(({ atMillis }) => atMillis > now)
      return {
        overdue: leaving.filter(({ atMillis }) => atMillis <= now).map(({ key }) => key),
        tolerating: tolerating.map(({ key }) => key),
        nextOverdueMillis:
          tolerating.length === 0 ? undefined : Math.min(...tolerating.map(({ atMillis }) => atMillis))
      }
    },
    forget: (nodeUid) => drivingSince.delete(nodeUid)
  }
}

const nobody = { overdue: [], tolerating: [], nextOverdueMillis: undefined } as const

const setAtMillis = ({ timeAdded }: Taint): number =>
  timeAdded === undefined ? Infinity : millisOf(timeAdded)

/** Asks Pods to go, and says on each that it is no doing of its own. */
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
  const disrupted = (object: KubeObject): Pod => {
    const present = object as Pod
    return { ...present, status: withDisruption(present, disruptions.taint, nowMillis()) }
  }
  return events
    .record({ component, about: pod, event: eventOf("Marking for deletion", key) })
    .pipe(
      Effect.andThen(store.modify(ref, disrupted, { uid, status: true })),
      Effect.andThen(store.delete(ref, { preconditions: { uid } })),
      unlessGone
    )
}

/** Says of Pods that were to go that they stay. */
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

const eventOf = (doing: string, key: Key) =>
  ({ eventType: "Normal", reason: "TaintManagerEviction", message: `${doing} Pod ${key}` }) as const
