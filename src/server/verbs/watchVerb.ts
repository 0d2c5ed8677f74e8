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
import type { GroupResource, Kind } from "../../kubernetes/meta/kinds.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { Change, ClusterView } from "../../store/objectStore.ts"
import type { ApiCall, ApiServices, StreamSink, StreamAnswer } from "../requests/apiCall.ts"
import type { ChangeFeed } from "./changeFeed.ts"
import type { WatchEncoder } from "../responses/watchEncoder.ts"
import type { RefusalOrStoreError } from "../http/statuses.ts"

/** A watch beyond these limits ends with 410. */
const unreadBytesMax = 8 * 1024 * 1024
const laterChangesMax = 20_000
const bookmarkMillis = 20_000
/** A watch without a timeout gets a random one, which spreads reconnects. */
const timeoutMinMillis = 1_800_000
const timeoutMaxMillis = 3_600_000

/**
 * Ends at its timeout, when the client disconnects or falls too far behind.
 *
 * Source: apiserver/pkg/endpoints/handlers/watch.go, pkg/storage/cacher/cacher.go.
 */
export const watchVerb = (
  call: ApiCall,
  options: { readonly feed: ChangeFeed; readonly encoder: WatchEncoder; readonly random: RandomGenerator }
): Effect.Effect<StreamAnswer, RefusalOrStoreError> =>
  Effect.sync(() => {
    const request = readWatchRequest(call, options.random)
    return {
      type: "stream",
      contentType: "application/json",
      open: (sink) => openWatch(request, { ...options, sink })
    }
  })

interface WatchRequest extends WatchStart {
  readonly services: ApiServices
  readonly kind: Kind
  readonly resource: GroupResource
  readonly matches: (object: KubeObject) => boolean
  /** Initial objects are listed from it. */
  readonly listView: ClusterView["Service"]
  readonly wantsBookmarks: boolean
  readonly timeoutMillis: number
}

const readWatchRequest = (call: ApiCall, random: RandomGenerator): WatchRequest => {
  const { services, target, query } = call
  const { matches } = readListSelection(call)
  const start = readStart(call)
  const listView = viewForVersion(call, query.text("resourceVersion"))
  if (start.version !== undefined) {
    refuseFutureVersion(start.version, start.wantsInitialObjects ? listView : services.view)
  }
  return {
    ...start,
    services,
    kind: target.kind,
    resource: target.resource,
    matches,
    listView,
    wantsBookmarks: query.flag("allowWatchBookmarks"),
    timeoutMillis: readTimeout(query.integer("timeoutSeconds"), random)
  }
}

/** Faults may delay the watch cache: watches have got only its `delivered` changes. */
const watchCacheOf = ({ services }: WatchRequest): ClusterView["Service"] =>
  services.watchCache ?? services.view

interface WatchStream {
  readonly request: WatchRequest
  readonly encoder: WatchEncoder
  readonly sink: StreamSink
  /** The client has this resource version; the watch cache may be behind it. */
  readonly startVersion: number
  /** Changes that come while the initial events are written, and are written after them. */
  readonly laterChanges: Array<Change>
  /** Undefined while the initial events are written: the client has had no time to read them. */
  unreadBytesLimit: number | undefined
}

interface InitialEvents {
  readonly objects: ReadonlyArray<{ readonly object: KubeObject }>
  /** Undefined if the watch cache has them no longer. */
  readonly earlierChanges: ReadonlyArray<Change> | undefined
  readonly endBookmark: string | undefined
}

const openWatch = (
  request: WatchRequest,
  {
    feed,
    encoder,
    sink
  }: { readonly feed: ChangeFeed; readonly encoder: WatchEncoder; readonly sink: StreamSink }
): (() => void) => {
  const { watchConnection } = request.services
  // The list and the watch cache may have different resource versions.
  const startVersion = request.wantsInitialObjects ? request.listView.version() : (request.version ?? 0)
  const stream: WatchStream = {
    request,
    encoder,
    sink,
    startVersion,
    laterChanges: [],
    unreadBytesLimit: undefined
  }
  const initialEvents = readInitialEvents(stream)
  const isExpired = initialEvents.earlierChanges === undefined
  let bookmarkTimer: NodeJS.Timeout | undefined

  const end = (): void => {
    stop()
    sink.end()
  }
  const endAsExpired = (since: number): void => {
    writeExpired(stream, since)
    end()
  }
  const sendBookmark = sink.endOnError(() => sink.write(encoder.bookmark(bookmarkOf(stream))))
  const initialWriter = makePartWriter(sink, initialLines(stream, initialEvents), () => {
    if (isExpired) return endAsExpired(startVersion)
    stream.laterChanges.length = 0
    stream.unreadBytesLimit = sink.unreadBytes() + unreadBytesMax
    if (request.wantsBookmarks) bookmarkTimer = setInterval(sendBookmark, bookmarkMillis)
  })
  const onChange = (change: Change): void => {
    const event = eventOf(stream, change)
    if (event === undefined) return
    if (isClientBehind(stream)) return endAsExpired(request.version ?? 0)
    if (stream.unreadBytesLimit === undefined) stream.laterChanges.push(event)
    else sink.write(encoder.line(event.type, event.object))
  }
  const unsubscribe = feed.subscribe(request.resource, sink.endOnError(onChange))
  const unsubscribeFromBreaks = watchConnection?.onBreak(end)
  const timeoutTimer = setTimeout(() => {
    if (bookmarkTimer !== undefined) sendBookmark()
    end()
  }, request.timeoutMillis)
  const stop = (): void => {
    initialWriter.stop()
    unsubscribe()
    unsubscribeFromBreaks?.()
    clearInterval(bookmarkTimer)
    clearTimeout(timeoutTimer)
  }
  initialWriter.begin()
  if (watchConnection?.isBroken() === true) end()
  return stop
}

const readInitialEvents = (stream: WatchStream): InitialEvents => {
  const { request, encoder, startVersion } = stream
  const { resource, listView, matches, version, wantsInitialObjects, wantsEndBookmark } = request
  return {
    objects: wantsInitialObjects
      ? sortedByKey([...listView.all(resource)]).filter(({ object }) => matches(object))
      : [],
    earlierChanges:
      wantsInitialObjects || version !== undefined ? watchCacheOf(request).delivered.since(startVersion) : [],
    endBookmark: wantsEndBookmark
      ? encoder.bookmark(bookmarkOf(stream, { annotations: { "k8s.io/initial-events-end": "true" } }))
      : undefined
  }
}

function* initialLines(
  stream: WatchStream,
  { objects, earlierChanges, endBookmark }: InitialEvents
): Generator<Buffer | string, void> {
  const { request, encoder, laterChanges } = stream
  for (const { object } of objects) yield encoder.line("ADDED", object)
  if (earlierChanges === undefined) return
  for (const change of earlierChanges) {
    const event = change.resource === request.resource ? eventOf(stream, change) : undefined
    if (event !== undefined) yield encoder.line(event.type, event.object)
  }
  if (endBookmark !== undefined) yield endBookmark
  for (const { type, object } of laterChanges) yield encoder.line(type, object)
}

/** An object that begins to match the selector is ADDED, one that stops is DELETED. */
const eventOf = ({ startVersion, request }: WatchStream, change: Change): Change | undefined =>
  change.resourceVersion <= startVersion ? undefined : changeForWatch(change, request.matches)

const isClientBehind = ({ unreadBytesLimit, laterChanges, sink }: WatchStream): boolean =>
  unreadBytesLimit === undefined
    ? laterChanges.length >= laterChangesMax
    : sink.unreadBytes() > unreadBytesLimit

const bookmarkOf = ({ request, startVersion }: WatchStream, extraMetadata: object = {}): KubeObject =>
  ({
    kind: request.kind.kind,
    apiVersion: apiVersionOf(request.kind),
    metadata: {
      resourceVersion: String(Math.max(startVersion, watchCacheOf(request).delivered.version())),
      ...extraMetadata
    }
  }) as KubeObject

const writeExpired = ({ request, sink }: WatchStream, since: number): void => {
  const text = `too old resource version: ${since} (${request.services.view.version()})`
  const status = toStatus(makeRefusal(410, "Expired", text))
  sink.write(`${JSON.stringify({ type: "ERROR", object: status })}\n`)
}

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

/** Source: apimachinery/pkg/apis/meta/internalversion (defaults.go, validation/validation.go). */
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
