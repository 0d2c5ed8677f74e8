import { resourceVersionOf } from "../../kubernetes/meta/objects.ts"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import { matchesSelector } from "../../kubernetes/meta/selectors/labelSelectors.ts"
import { Expired } from "../storeErrors.ts"
import { deepFreeze } from "../../kubernetes/meta/deepFreeze.ts"
import { effectStreams } from "./effectStreams.ts"
import { feedOf } from "./watchFeed.ts"
import { attachTrackedWrites, trackedWritesOf } from "../../kubernetes/apply/managedFields/trackedWrites.ts"
import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { Change, ListOptions, ObjectStore, WatchOptions } from "../objectStore.ts"
import type { ChangeHistory } from "./changeHistory.ts"
import type { WatchFeed, FillQueue } from "./watchFeed.ts"
import type { Subscribe } from "./subscribers.ts"

/** A watch with more undelivered changes expires: its client has stopped reading. */
const backlogMax = 100_000

export interface Watches {
  readonly watch: ObjectStore["Service"]["watch"]
  readonly feed: (options: WatchOptions) => WatchFeed<Change, Expired>
}

/**
 * Sends the present objects or the changes since a version, then every change.
 * Source: apiserver/pkg/storage/cacher/cache_watcher.go.
 */
export const makeWatches = (source: {
  readonly all: (resource: GroupResource | undefined) => ReadonlyArray<readonly [GroupResource, KubeObject]>
  readonly history: ChangeHistory
  readonly subscribe: Subscribe<Change>
  readonly openWatchEnds: Set<() => void>
}): Watches => {
  const initialChangesOf = (options: WatchOptions): ReadonlyArray<Change> | undefined => {
    if (options.resourceVersion !== undefined) return source.history.since(Number(options.resourceVersion))
    return source.all(options.resource).map(([resource, object]) => ({
      type: "ADDED",
      resource,
      object,
      old: undefined,
      resourceVersion: resourceVersionOf(object)
    }))
  }
  const expired = (options: WatchOptions): Expired =>
    new Expired({ requested: Number(options.resourceVersion ?? 0), oldest: source.history.oldestVersion() })

  const fill =
    (options: WatchOptions): FillQueue<Change, Expired> =>
    (queue) => {
      const initialChanges = initialChangesOf(options)
      if (initialChanges === undefined) return Queue.fail(queue, expired(options))
      const deliver = (change: Change): void => {
        if (options.resource !== undefined && options.resource !== change.resource) return
        const visibleChange = changeForWatch(change, (object) => matchesListOptions(object, options))
        if (visibleChange === undefined) return
        if (Queue.sizeUnsafe(queue) < backlogMax) Queue.offerUnsafe(queue, visibleChange)
        else Queue.failCauseUnsafe(queue, Cause.fail(expired(options)))
      }
      for (const change of initialChanges) deliver(change)
      const end = (): void => void Queue.endUnsafe(queue)
      const unsubscribe = source.subscribe(
        deliver,
        options.resource === undefined ? undefined : [options.resource]
      )
      source.openWatchEnds.add(end)
      return Effect.addFinalizer(() =>
        Effect.sync(() => {
          unsubscribe()
          source.openWatchEnds.delete(end)
        })
      )
    }
  return {
    watch: (options) => effectStreams().callback(fill(options)),
    feed: (options) => feedOf(fill(options))
  }
}

export const matchesListOptions = (
  object: KubeObject,
  { namespace, labelSelector, fields }: ListOptions
): boolean =>
  (namespace === undefined || object.metadata.namespace === namespace) &&
  (labelSelector === undefined || matchesSelector(labelSelector, object.metadata.labels)) &&
  (fields === undefined || fields(object))

/**
 * The change as a watch with a selector shows it: an object that begins to match is ADDED, one that stops is DELETED.
 */
export const changeForWatch = (
  change: Change,
  matches: (object: KubeObject) => boolean
): Change | undefined => {
  const matchesNow = change.type !== "DELETED" && matches(change.object)
  const matchedBefore =
    change.type === "DELETED" ? matches(change.object) : change.old !== undefined && matches(change.old)
  if (matchesNow) return matchedBefore ? change : { ...change, type: "ADDED" }
  if (!matchedBefore || change.type === "DELETED") return matchedBefore ? change : undefined
  return { ...change, type: "DELETED", object: lastMatching(change) }
}

/** A deletion shows the last matching object, at the version of the change. */
const lastMatching = ({ object, old = object }: Change): KubeObject => {
  const { resourceVersion } = object.metadata
  // A spread does not copy the tracked writes, from which managed fields are computed.
  return deepFreeze(
    attachTrackedWrites({ ...old, metadata: { ...old.metadata, resourceVersion } }, trackedWritesOf(old))
  )
}
