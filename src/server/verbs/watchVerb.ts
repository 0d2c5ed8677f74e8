import * as Effect from "effect/Effect"
import { uniformInt } from "pure-rand/distribution/uniformInt"
import { apiVersionOf } from "../../kubernetes/meta/kinds.ts"
import { changeForWatch } from "../../store/watch/watchChanges.ts"
import {
  forbiddenOption,
  readResourceVersion,
  refuseFutureVersion,
  sortedByKey,
  unsupportedVersionMatch
} from "../requests/listPage.ts"
import { viewForVersion } from "./readVerbs.ts"
import { readListSelection } from "../requests/listSelection.ts"
import { invalidRequestOptions, makeRefusal, toStatus } from "../http/statuses.ts"
import { makePartWriter } from "../responses/responseStreams.ts"
import { timerMillisMax } from "../../runtime/time/timerMillisMax.ts"
import type { RandomGenerator } from "pure-rand/types/RandomGenerator"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { Change } from "../../store/objectStore.ts"
import type { ApiCall, StreamSink, StreamAnswer } from "../requests/apiCall.ts"
import type { ChangeFeed } from "./changeFeed.ts"
import type { WatchEncoder } from "../responses/watchEncoder.ts"
import type { RefusalOrStoreError } from "../http/statuses.ts"

/** Unread bytes at which a watch ends with 410. */
const unreadBytesMax = 8 * 1024 * 1024
/** Changes during the initial events at which a watch ends with 410. */
const laterChangesMax = 20_000
const bookmarkMillis = 20_000
/** A watch without a timeout gets a random one, which spreads reconnects. */
const timeoutMinMillis = 1_800_000
const timeoutMaxMillis = 3_600_000

/**
 * Ends at its timeout, when the client disconnects or falls too far behind.
 *
 * Source: staging/src/k8s.io/apiserver/pkg/endpoints/handlers/watch.go, pkg/storage/cacher/cacher.go.
 */
export const watchVerb = (
  call: ApiCall,
  options: { readonly feed: ChangeFeed; readonly encoder: WatchEncoder; readonly random: RandomGenerator }
): Effect.Effect<StreamAnswer, RefusalOrStoreError> =>
  Effect.sync(() => {
    const { services, target, query } = call
    // Faults may delay the watch cache behind `view`. Watches have been sent its `delivered` changes.
    const { view, watchCache = view, watchConnection } = services
    const { resource } = target
    const { matches } = readListSelection(call)
    const { version, wantsInitialObjects, wantsEndBookmark } = readStart(call)
    const listView = viewForVersion(call, query.text("resourceVersion"))
    if (version !== undefined) refuseFutureVersion(version, wantsInitialObjects ? listView : view)
    const wantsBookmarks = query.flag("allowWatchBookmarks")
    /** The client has this resource version; the watch cache may be behind it. */
    let sentVersion = version ?? 0
    const timeoutMillis = readTimeout(query.integer("timeoutSeconds"), options.random)
    const bookmark = (extraMetadata: object = {}): KubeObject =>
      ({
        kind: target.kind.kind,
        apiVersion: apiVersionOf(target.kind),
        metadata: {
          resourceVersion: String(Math.max(sentVersion, watchCache.delivered.version())),
          ...extraMetadata
        }
      }) as KubeObject

    const open = (sink: StreamSink): (() => void) => {
      const { encoder } = options
      const initialObjects = wantsInitialObjects
        ? sortedByKey([...listView.all(resource)]).filter(({ object }) => matches(object))
        : []
      // The list and the watch cache may have different resource versions.
      const startVersion = wantsInitialObjects ? listView.version() : version
      sentVersion = startVersion ?? sentVersion
      const earlierChanges = startVersion === undefined ? [] : watchCache.delivered.since(startVersion)
      const endBookmark = wantsEndBookmark
        ? encoder.bookmark(bookmark({ annotations: { "k8s.io/initial-events-end": "true" } }))
        : undefined
      /** Changes that come while the initial events are written, and are written after them. */
      const laterChanges: Array<Change> = []
      /** Undefined while the initial events are written: the client has had no time to read them. */
      let unreadBytesLimit: number | undefined
      let bookmarkTimer: NodeJS.Timeout | undefined

      const changeToSend = (change: Change): Change | undefined =>
        // An object that begins to match the selector is ADDED, one that stops is DELETED.
        change.resourceVersion <= sentVersion ? undefined : changeForWatch(change, matches)
      const initialLines = function* (): Generator<Buffer | string, void> {
        for (const { object } of initialObjects) yield encoder.line("ADDED", object)
        if (earlierChanges === undefined) return
        for (const change of earlierChanges) {
          const event = change.resource === resource ? changeToSend(change) : undefined
          if (event !== undefined) yield encoder.line(event.type, event.object)
        }
        if (endBookmark !== undefined) yield endBookmark
        for (const { type, object } of laterChanges) yield encoder.line(type, object)
      }
      const writer = makePartWriter(sink, initialLines(), () => {
        if (earlierChanges === undefined) return endAsExpired(startVersion ?? 0)
        laterChanges.length = 0
        unreadBytesLimit = sink.unreadBytes() + unreadBytesMax
        if (wantsBookmarks) bookmarkTimer = setInterval(writeBookmark, bookmarkMillis)
      })
      const sendOrPostpone = (change: Change): void => {
        const event = changeToSend(change)
        if (event === undefined) return
        const isBehind =
          unreadBytesLimit === undefined
            ? laterChanges.length >= laterChangesMax
            : sink.unreadBytes() > unreadBytesLimit
        if (isBehind) return endAsExpired(version ?? 0)
        if (unreadBytesLimit === undefined) laterChanges.push(event)
        else sink.write(encoder.line(event.type, event.object))
      }
      const writeBookmark = sink.endOnError(() => sink.write(encoder.bookmark(bookmark())))
      const endAsExpired = (since: number): void => {
        const text = `too old resource version: ${since} (${view.version()})`
        const status = toStatus(makeRefusal(410, "Expired", text))
        sink.write(`${JSON.stringify({ type: "ERROR", object: status })}\n`)
        end()
      }
      const end = (): void => {
        stopWatching()
        sink.end()
      }
      const unsubscribe = options.feed.subscribe(resource, sink.endOnError(sendOrPostpone))
      const unsubscribeFromBreaks = watchConnection?.onBreak(end)
      const timeoutTimer = setTimeout(() => {
        if (bookmarkTimer !== undefined) writeBookmark()
        end()
      }, timeoutMillis)
      const stopWatching = (): void => {
        writer.stop()
        unsubscribe()
        unsubscribeFromBreaks?.()
        clearInterval(bookmarkTimer)
        clearTimeout(timeoutTimer)
      }
      writer.begin()
      if (watchConnection?.isBroken() === true) end()
      return stopWatching
    }
    return { type: "stream", contentType: "application/json", open }
  })

const readTimeout = (seconds: number | undefined, random: RandomGenerator): number => {
  if (seconds === undefined || seconds === 0) {
    return uniformInt(random, timeoutMinMillis, timeoutMaxMillis)
  }
  return Math.min(Math.max(seconds, 0) * 1000, timerMillisMax)
}

interface WatchStart {
  readonly version: number | undefined
  readonly wantsInitialObjects: boolean
  /** Sends the bookmark `k8s.io/initial-events-end`. */
  readonly wantsEndBookmark: boolean
}

const readStart = ({ query }: ApiCall): WatchStart => {
  const version = readResourceVersion(query.text("resourceVersion"))
  const match = query.text("resourceVersionMatch")
  const isInitialEventsSet = query.text("sendInitialEvents") !== undefined
  checkVersionMatch(match, { isInitialEventsSet, hasContinue: query.text("continue") !== undefined })
  const wantsInitialObjects = isInitialEventsSet ? query.flag("sendInitialEvents") : version === undefined
  return {
    version,
    wantsInitialObjects,
    wantsEndBookmark: wantsInitialObjects && query.flag("allowWatchBookmarks")
  }
}

/** Source: staging/src/k8s.io/apimachinery/pkg/apis/meta/internalversion (defaults.go, validation/validation.go). */
const checkVersionMatch = (
  match: string | undefined,
  { isInitialEventsSet, hasContinue }: { readonly isInitialEventsSet: boolean; readonly hasContinue: boolean }
): void => {
  const forbidden = (why: string) => forbiddenOption("resourceVersionMatch", why)
  const errors = [
    ...(isInitialEventsSet && match !== "NotOlderThan"
      ? [forbidden("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")]
      : []),
    ...(match !== undefined && !isInitialEventsSet
      ? [forbidden("resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided")]
      : []),
    ...(match !== undefined && match !== "NotOlderThan"
      ? [unsupportedVersionMatch(match, ["NotOlderThan"])]
      : []),
    ...(match !== undefined && hasContinue
      ? [forbidden("resourceVersionMatch is forbidden when continue is provided")]
      : [])
  ]
  if (errors.length > 0) throw invalidRequestOptions("ListOptions", errors)
}
