import * as Effect from "effect/Effect"
import { keyOf } from "../domain/objects.ts"
import { Expired } from "../store/errors.ts"
import { fieldsOf } from "./kubeconfig.ts"
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

/**
 * The changes that a server tells of, with the present objects first where no version is given. A stream that ends is
 * taken up where it ended, until `signal` says otherwise; a version that the server no longer knows fails with `Expired`.
 */
export async function* changesOf(
  { resource, list, follow }: Watched,
  { since, signal }: { readonly since: string | undefined; readonly signal: AbortSignal }
): AsyncGenerator<Change> {
  const known = new Map<string, KubeObject>()
  const leaving = new AbortController()
  const ending = AbortSignal.any([leaving.signal, signal])
  let version = since ?? ""
  try {
    if (since === undefined) {
      const { items, resourceVersion } = await list()
      version = resourceVersion
      for (const object of items) {
        known.set(keyOf(object), object)
        yield { type: "ADDED", resource, object, old: undefined, resourceVersion: versionOf(object) }
      }
    }
    while (!ending.aborted) {
      let isEmpty = true
      for await (const line of linesOf((options) => follow(version, options), ending)) {
        isEmpty = false
        const { type, object } = readEvent(line)
        version = object.metadata.resourceVersion ?? version
        if (type === "BOOKMARK") continue
        const old = known.get(keyOf(object))
        if (type === "DELETED") known.delete(keyOf(object))
        else known.set(keyOf(object), object)
        yield { type, resource, object, old, resourceVersion: versionOf(object) }
      }
      // A server that ends every stream at once is not to be asked a thousand times a second.
      if (isEmpty) await pause(ending)
    }
  } finally {
    leaving.abort()
  }
}

/** Until a stream is asked for again that has told of nothing. */
const pauseMillis = 1000

const pause = async (signal: AbortSignal): Promise<void> => {
  await Effect.runPromiseExit(Effect.sleep(pauseMillis), { signal })
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
  const { code, message = "" } = fieldsOf(object)
  if (code !== goneCode) throw refusalOf({ code: Number(code), body: object }, { resource: "", name: "" })
  const [requested = 0, oldest = 0] = [...String(message).matchAll(/\d+/g)].map(Number)
  throw new Expired({ requested, oldest })
}

const goneCode = 410

/** The lines of one stream as they come; a refusal is thrown. */
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
      if (isFailure(answered)) failure = refusalOf(answered, { resource: "", name: "" })
    })
    .catch((error: unknown) => {
      // Whoever has left does not hear that it was cut off.
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
