import * as Effect from "effect/Effect"
import { disruptionReasons, withDisruptionTarget } from "../kubernetes/pods/disruptionTarget.ts"
import { evictingTaints, taintEvictionMillis } from "../kubernetes/core/taints.ts"
import { isTerminating } from "../kubernetes/meta/deletion.ts"
import { objectKeyOf } from "../kubernetes/meta/objects.ts"
import { earliestOf, timestampMillis } from "../kubernetes/meta/amounts/timestamps.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { snapshotPartOfMap, noSnapshotParts } from "../runtime/snapshotParts.ts"
import { ignoreGoneOrReplaced } from "./controllerServices.ts"
import type { NodeObservation } from "../../machines/guards/nodeGuards.ts"
import type { Key, KubeObject, Node, Pod } from "../kubernetes/meta/objects.ts"
import type { Taint } from "../kubernetes/core/taints.ts"
import type { StoreError } from "../store/storeErrors.ts"
import type { ControllerServices } from "./controllerServices.ts"

const component = "taint-eviction-controller"

export interface TaintEvictions {
  readonly look: (node: Node) => Pick<NodeObservation, "overduePods" | "toleratingPods" | "nextOverdueMillis">
  readonly forget: (nodeUid: string) => void
}

/**
 * Toleration times count from a node's first NoExecute taint.
 * Source: pkg/controller/tainteviction/taint_eviction.go (processPodOnNode).
 */
export const makeTaintEvictions = ({
  view,
  nowMillis,
  snapshotParts = noSnapshotParts
}: ControllerServices): TaintEvictions => {
  /** When each node, by uid, got its first NoExecute taint. Snapshots say `drivingSince`. */
  const taintedSince = new Map<string, number>()
  snapshotParts.registerPart("drivingSince", snapshotPartOfMap(taintedSince))
  return {
    look: (node) => {
      const { uid, name } = node.metadata
      const taints = evictingTaints(node)
      if (taints.length === 0) {
        taintedSince.delete(uid)
        return noEvictions
      }
      const now = nowMillis()
      const sinceMillis = taintedSince.get(uid) ?? Math.min(now, ...taints.map(addedMillisOf))
      taintedSince.set(uid, sinceMillis)
      const evictions = view.nodePods.on(name).flatMap((pod) => {
        const atMillis = isTerminating(pod) ? undefined : taintEvictionMillis(pod, taints, sinceMillis)
        return atMillis === undefined ? [] : [{ key: objectKeyOf(pod), atMillis }]
      })
      const laterEvictions = evictions.filter(({ atMillis }) => atMillis > now)
      return {
        overduePods: evictions.filter(({ atMillis }) => atMillis <= now).map(({ key }) => key),
        toleratingPods: laterEvictions.map(({ key }) => key),
        nextOverdueMillis: earliestOf(laterEvictions.map(({ atMillis }) => atMillis))
      }
    },
    forget: (nodeUid) => taintedSince.delete(nodeUid)
  }
}

const noEvictions = { overduePods: [], toleratingPods: [], nextOverdueMillis: undefined } as const

const addedMillisOf = ({ timeAdded }: Taint): number =>
  timeAdded === undefined ? Infinity : timestampMillis(timeAdded)

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
    return { ...present, status: withDisruptionTarget(present, disruptionReasons.taint, nowMillis()) }
  }
  return events
    .record({ component, about: pod, event: eventOf("Marking for deletion", key) })
    .pipe(
      Effect.andThen(store.modify(ref, markDisrupted, { uid, status: true })),
      Effect.andThen(store.delete(ref, { preconditions: { uid } })),
      ignoreGoneOrReplaced
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
