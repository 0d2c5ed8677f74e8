import { objectKeyOf, resourceVersionOf } from "../kubernetes/meta/objects.ts"
import { isTransientError } from "./clientErrors.ts"
import { fieldsOrEmpty } from "../kubernetes/meta/fields.ts"
import { sleepUnlessAborted } from "./sleepUnlessAborted.ts"
import { isFailureCode, noObject, toClientError } from "./statusErrors.ts"
import type { GroupResource } from "../kubernetes/meta/kinds.ts"
import type { KubeObject } from "../kubernetes/meta/objects.ts"
import type { Change, ObjectList } from "../store/objectStore.ts"
import type { HttpResponse, StreamOptions } from "./apiConnection.ts"

interface WatchSource {
  readonly resource: GroupResource
  readonly list: () => Promise<ObjectList<KubeObject>>
  readonly streamLines: (resourceVersion: string, options: StreamOptions) => Promise<HttpResponse>
}

interface RemoteWatchSettings {
  /** Undefined to begin with the present objects. */
  readonly since: string | undefined
  readonly signal: AbortSignal
  readonly retries?: number | undefined
}

const retriesDefault = 10

/**
 * Reconnects after an ended stream or a transient error, until `signal` aborts. Throws `Expired` when the server no
 * longer has the version.
 *
 * Source: client-go/tools/watch/retrywatcher.go.
 */
export async function* watchRemoteChanges(
  { resource, list, streamLines }: WatchSource,
  { since, signal, retries = retriesDefault }: RemoteWatchSettings
): AsyncGenerator<Change> {
  const toChange = makeChangeFactory(resource)
  const stopController = new AbortController()
  const stopSignal = AbortSignal.any([stopController.signal, signal])
  let version = since ?? ""
  let failures = 0
  try {
    if (since === undefined) {
      const { items, resourceVersion } = await list()
      version = resourceVersion
      for (const object of items) yield toChange("ADDED", object)
    }
    while (!stopSignal.aborted) {
      let hasNoEvents = true
      try {
        for await (const line of streamedLines((options) => streamLines(version, options), stopSignal)) {
          const { type, object } = readEvent(line)
          hasNoEvents = false
          failures = 0
          version = object.metadata.resourceVersion ?? version
          if (type !== "BOOKMARK") yield toChange(type, object)
        }
        failures = 0
      } catch (error) {
        failures += 1
        if (!isTransientError(error) || failures > retries) throw error
      }
      // Avoids a busy loop when the server ends every stream at once.
      if (hasNoEvents || failures > 0) await sleepUnlessAborted(reconnectMillis, stopSignal)
    }
  } finally {
    stopController.abort()
  }
}

const reconnectMillis = 1000

const makeChangeFactory = (resource: GroupResource) => {
  const lastObjects = new Map<string, KubeObject>()
  return (type: Change["type"], object: KubeObject): Change => {
    const key = objectKeyOf(object)
    const old = lastObjects.get(key)
    if (type === "DELETED") lastObjects.delete(key)
    else lastObjects.set(key, object)
    return { type, resource, object, old, resourceVersion: resourceVersionOf(object) }
  }
}

interface WatchEvent {
  readonly type: Change["type"] | "BOOKMARK"
  readonly object: KubeObject
}

/** Source: apimachinery/pkg/watch/watch.go. */
const readEvent = (line: unknown): WatchEvent => {
  const { type, object } = fieldsOrEmpty(line)
  if (type !== "ERROR") return { type, object } as WatchEvent
  throw toClientError({ code: Number(fieldsOrEmpty(object)["code"]), body: object }, noObject)
}

/** Throws when the server refuses the stream or the connection fails. */
async function* streamedLines(
  streamLines: (options: StreamOptions) => Promise<HttpResponse>,
  signal: AbortSignal
): AsyncGenerator {
  const lines: Array<unknown> = []
  let isEnded = false
  let failure: unknown
  let wake = (): void => {}
  const onLine = (line: unknown): void => {
    lines.push(line)
    wake()
  }
  void streamLines({ onLine, signal })
    .then((response) => {
      if (isFailureCode(response)) throw toClientError(response, noObject)
    })
    .catch((error: unknown) => {
      if (!signal.aborted) failure = error
    })
    .finally(() => {
      isEnded = true
      wake()
    })
  for (;;) {
    while (lines.length > 0) yield lines.shift()
    if (failure !== undefined) throw failure
    if (isEnded) return
    await new Promise<void>((resolve) => {
      wake = resolve
    })
  }
}
