import { Expired } from "../store/storeErrors.ts"
import { fieldsOrEmpty } from "../kubernetes/meta/fields.ts"
import { isFailureCode, noObject, toClientError } from "./statusErrors.ts"
import type { HttpResponse, StreamOptions } from "./apiConnection.ts"
import type { KubeObject } from "../kubernetes/meta/objects.ts"
import type { Change, ObjectList } from "../store/objectStore.ts"

export interface InformerSource {
  readonly list: (signal: AbortSignal) => Promise<ObjectList<KubeObject>>
  readonly streamLines: (resourceVersion: string, options: StreamOptions) => Promise<HttpResponse>
}

export interface InformerSink {
  /** Called at the beginning and when changes may have been missed. */
  readonly replace: (list: ObjectList<KubeObject>) => void
  readonly change: (type: Change["type"], object: KubeObject) => void
  /** The server has opened the watch. If it lacks the version, a failure follows at once. */
  readonly watchOpened: () => void
  /** The request is repeated after the delay. Until then the objects may be out of date. */
  readonly requestFailed: (error: unknown, delayMillis: number) => void
}

interface InformerSettings {
  readonly signal: AbortSignal
  readonly sleep: (millis: number, signal: AbortSignal) => Promise<void>
  /** 0 to 1, for the jitter of back-offs. */
  readonly random: () => number
  /** A watch that is silent this long is opened again; a server sends bookmarks more often. */
  readonly silenceMaxMillis: number
}

/**
 * Lists, then watches until `signal` aborts. Lists again when the version is gone (410).
 *
 * Source: client-go/tools/cache/reflector.go (ListAndWatch).
 */
export const runClientInformer = async (
  source: InformerSource,
  sink: InformerSink,
  { signal, sleep, random, silenceMaxMillis }: InformerSettings
): Promise<void> => {
  let version: string | undefined
  let failures = 0
  while (!signal.aborted) {
    try {
      if (version === undefined) {
        const list = await source.list(signal)
        if (signal.aborted) return
        version = list.resourceVersion
        sink.replace(list)
      }
      const watchEnd = await watchOnce(source, sink, { version, signal, sleep, silenceMaxMillis })
      version = watchEnd.version
      // A watch that had events ends the back-off of earlier failures, also if it has failed in the end.
      if (watchEnd.hasEvents) failures = 0
      if (watchEnd.failure !== undefined) throw watchEnd.failure
      // Avoids a busy loop when the server ends every stream at once.
      if (!watchEnd.hasEvents) await sleep(delayMinMillis, signal)
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof Expired) version = undefined
      const delayMillis = backOffMillis(failures, random())
      failures += 1
      sink.requestFailed(error, delayMillis)
      await sleep(delayMillis, signal)
    }
  }
}

const delayMinMillis = 800
const delayMaxMillis = 30_000
/** Ten doublings exceed `delayMaxMillis`. */
const doublingsMax = 10

/** 0.8 s, doubling up to 30 s, times 1 to 2. Source: client-go's NewReflector. */
const backOffMillis = (failures: number, jitter: number): number =>
  Math.min(delayMaxMillis, delayMinMillis * 2 ** Math.min(failures, doublingsMax)) * (1 + jitter)

interface WatchPosition extends Pick<InformerSettings, "signal" | "sleep" | "silenceMaxMillis"> {
  readonly version: string
}

interface WatchEnd {
  readonly version: string
  readonly hasEvents: boolean
  readonly failure?: unknown
}

const watchOnce = async (
  { streamLines }: InformerSource,
  sink: InformerSink,
  { version: startVersion, signal, sleep, silenceMaxMillis }: WatchPosition
): Promise<WatchEnd> => {
  const streamController = new AbortController()
  const streamSignal = AbortSignal.any([signal, streamController.signal])
  let version = startVersion
  let hasEvents = false
  let failure: unknown
  let isSilent = false
  const onLine = (line: unknown): void => {
    isSilent = false
    if (failure !== undefined) return
    const { type, object } = fieldsOrEmpty(line)
    if (type === "ERROR") {
      failure = toClientError({ code: Number(fieldsOrEmpty(object)["code"]), body: object }, noObject)
      return streamController.abort()
    }
    if (!hasResourceVersion(object)) {
      failure = new Error(`not an event of a watch: ${JSON.stringify(line)}`)
      return streamController.abort()
    }
    hasEvents = true
    version = object.metadata.resourceVersion
    if (type !== "BOOKMARK") sink.change(type as Change["type"], object)
  }
  const endSilentStream = async (): Promise<void> => {
    while (!streamSignal.aborted) {
      isSilent = true
      await sleep(silenceMaxMillis, streamSignal)
      if (isSilent) streamController.abort()
    }
  }
  void endSilentStream()
  try {
    const response = await streamLines(version, { onLine, onOpen: sink.watchOpened, signal: streamSignal })
    if (isFailureCode(response)) failure ??= toClientError(response, noObject)
  } catch (error) {
    if (!streamSignal.aborted) failure ??= error
  } finally {
    streamController.abort()
  }
  return { version, hasEvents, failure }
}

const hasResourceVersion = (value: unknown): value is KubeObject =>
  typeof fieldsOrEmpty(fieldsOrEmpty(value)["metadata"])["resourceVersion"] === "string"
