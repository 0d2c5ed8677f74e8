import { keyOf } from "../domain/objects.ts"
import { isPassing } from "./errors.ts"
import { fieldsOf } from "../domain/fields.ts"
import { pause } from "./pause.ts"
import { isFailure, refusalOf } from "./refusals.ts"
import type { GroupResource } from "../domain/kinds.ts"
import type { KubeObject } from "../domain/objects.ts"
import type { Change, ObjectList } from "../store/objectStore.ts"
import type { Connection } from "./connection.ts"

interface Watched {
  readonly resource: GroupResource
  readonly list: () => Promise<ObjectList<KubeObject>>
  readonly follow: (
    resourceVersion: string,
    options: Parameters<Connection["follow"]>[1]
  ) => ReturnType<Connection["follow"]>
}

interface Following {
  readonly since: string | undefined
  readonly signal: AbortSignal
  /** Consecutive failures after which the watch fails, one second apart. */
  readonly retries?: number | undefined
}

const retriesDefault = 10

/**
 * Yields a server's changes, after the present objects when `since` is undefined. Reconnects when a stream ends or
 * fails for the moment, until `signal` aborts. Throws `Expired` when the server no longer has the version.
 *
 * Source: staging/src/k8s.io/client-go/tools/watch/retrywatcher.go.
 */
export async function* changesOf(
  { resource, list, follow }: Watched,
  { since, signal, retries = retriesDefault }: Following
): AsyncGenerator<Change> {
  const changed = rememberingChanges(resource)
  const leaving = new AbortController()
  const ending = AbortSignal.any([leaving.signal, signal])
  let version = since ?? ""
  let failures = 0
  try {
    if (since === undefined) {
      const { items, resourceVersion } = await list()
      version = resourceVersion
      for (const object of items) yield changed("ADDED", object)
    }
    while (!ending.aborted) {
      let isEmpty = true
      try {
        for await (const line of linesOf((options) => follow(version, options), ending)) {
          const { type, object } = readEvent(line)
          isEmpty = false
          failures = 0
          version = object.metadata.resourceVersion ?? version
          if (type !== "BOOKMARK") yield changed(type, object)
        }
        failures = 0
      } catch (error) {
        failures += 1
        if (!isPassing(error) || failures > retries) throw error
      }
      // Avoids a busy loop when the server ends every stream at once.
      if (isEmpty || failures > 0) await pause(pauseMillis, ending)
    }
  } finally {
    leaving.abort()
  }
}

/** Delay before reconnecting after an empty or failed stream. */
const pauseMillis = 1000

/** Adds the previous object to each change. */
const rememberingChanges = (resource: GroupResource) => {
  const known = new Map<string, KubeObject>()
  return (type: Change["type"], object: KubeObject): Change => {
    const key = keyOf(object)
    const old = known.get(key)
    if (type === "DELETED") known.delete(key)
    else known.set(key, object)
    return { type, resource, object, old, resourceVersion: versionOf(object) }
  }
}

const versionOf = ({ metadata }: KubeObject): number => Number(metadata.resourceVersion)

interface WatchEvent {
  readonly type: Change["type"] | "BOOKMARK"
  readonly object: KubeObject
}

/** Source: staging/src/k8s.io/apimachinery/pkg/watch/watch.go. */
const readEvent = (line: unknown): WatchEvent => {
  const { type, object } = fieldsOf(line)
  if (type !== "ERROR") return { type, object } as WatchEvent
  throw refusalOf({ code: Number(fieldsOf(object)["code"]), body: object }, { resource: "", name: "" })
}

/** The lines of one stream. Throws when the server refuses it. */
async function* linesOf(
  follow: (options: Parameters<Connection["follow"]>[1]) => ReturnType<Connection["follow"]>,
  signal: AbortSignal
): AsyncGenerator {
  const waiting: Array<unknown> = []
  let isOver = false
  let failure: unknown
  let wake = (): void => {}
  const onLine = (line: unknown): void => {
    waiting.push(line)
    wake()
  }
  void follow({ onLine, signal })
    .then((answered) => {
      if (isFailure(answered)) throw refusalOf(answered, { resource: "", name: "" })
    })
    .catch((error: unknown) => {
      // Aborting the request is no failure.
      if (!signal.aborted) failure = error
    })
    .finally(() => {
      isOver = true
      wake()
    })
  for (;;) {
    while (waiting.length > 0) yield waiting.shift()
    if (failure !== undefined) throw failure
    if (isOver) return
    await new Promise<void>((resolve) => {
      wake = resolve
    })
  }
}
