import * as Effect from "effect/Effect"
import { actorKindList } from "../../../machines/actorKinds.ts"
import { badRequest, requireReadMethod } from "../http/statuses.ts"
import type { ActorKind } from "../../../machines/actorKinds.ts"
import type { StreamSink, StreamAnswer } from "../requests/apiCall.ts"
import type { QueryParameters } from "../http/queryParameters.ts"
import type { RecordingViewer, ViewerRequest } from "../../recording/recordingViewer.ts"

/**
 * One JSON entry per line; with `watch` the recording continues. A reader reconnects with `since` and `id`; if those
 * entries are no longer retained, the recording restarts with a header. `steps=none` leaves out the steps of actors,
 * `objects=none` everything else.
 *
 *   GET /charthouse/v1/recording[?watch=1][&since=41&id=ID][&steps=all|none|KIND/NAMESPACE/NAME][&objects=none]
 */
export interface RecordingOperations {
  readonly open: (viewerRequest: ViewerRequest) => RecordingViewer
}

const contentType = "application/x-ndjson"

/** Also the unread bytes at which writing pauses. */
const charactersPerWrite = 256 * 1024

/** How `steps` names one actor. A container is named with its Pod; a steering chart has its Deployment's address. */
const addressFormOf = ({ kind, isNamespaced }: ActorKind): string =>
  `${kind}/${isNamespaced ? "NAMESPACE" : ""}/${kind === "Container" ? "POD/NAME" : "NAME"}`
const addressForms = actorKindList.map(addressFormOf).join(", ")

export const handleRecording = async (
  { method, query }: { readonly method: string; readonly query: QueryParameters },
  recording: Effect.Effect<RecordingOperations>
): Promise<StreamAnswer> => {
  requireReadMethod(method)
  const viewerRequest = readViewerRequest(query)
  const { open } = await Effect.runPromise(recording)
  return { type: "stream", contentType, open: (sink) => streamEntries(open(viewerRequest), sink) }
}

const streamEntries = (viewer: RecordingViewer, sink: StreamSink): (() => void) => {
  let isWriteScheduled = false
  let isClientBehind = false
  const finish = (): void => {
    unsubscribe()
    sink.end()
  }
  const writeEntries = sink.endOnError(() => {
    isWriteScheduled = false
    if (isClientBehind) {
      // The client must reconnect: entries were dropped before they were sent.
      if (viewer.hasLostEntries()) finish()
      return
    }
    for (
      let text = viewer.takeLines(charactersPerWrite);
      text !== "";
      text = viewer.takeLines(charactersPerWrite)
    ) {
      // The recording ends, or entries that the client needs were dropped.
      if (text === undefined) return finish()
      sink.write(text)
      if (sink.unreadBytes() < charactersPerWrite) continue
      isClientBehind = true
      return sink.onDrained(() => {
        isClientBehind = false
        writeEntries()
      })
    }
  })
  // Batches the entries of one event loop turn.
  const unsubscribe = viewer.onUpdate(() => {
    if (isWriteScheduled) return
    isWriteScheduled = true
    queueMicrotask(writeEntries)
  })
  writeEntries()
  return unsubscribe
}

const readViewerRequest = (query: QueryParameters): ViewerRequest => {
  const objects = query.text("objects") ?? "all"
  if (objects !== "all" && objects !== "none") throw unsupported("objects", objects, "all, none")
  const steps = readSteps(query.text("steps") ?? "all")
  if (objects === "none" && steps === "none") {
    throw badRequest('steps: Invalid value: "none": with objects=none nothing would be left')
  }
  return {
    watch: query.flag("watch"),
    resumeAfter: readResumePoint(query),
    withObjects: objects === "all",
    steps
  }
}

const readResumePoint = (query: QueryParameters): ViewerRequest["resumeAfter"] => {
  const number = query.integer("since")
  const id = query.text("id")
  if (number === undefined) return undefined
  if (number < 0) throw badRequest(`since: Invalid value: ${number}: must be the number of an entry`)
  if (id === undefined) throw badRequest("id: Required value: of which recording since is a number")
  return { number, id }
}

const readSteps = (text: string): ViewerRequest["steps"] => {
  if (text === "all" || text === "none") return text
  const [kind = "", namespace = "", ...names] = text.split("/")
  const actorKind = actorKindList.find((it) => it.kind === kind)
  const isAddress =
    actorKind !== undefined &&
    actorKind.isNamespaced === (namespace !== "") &&
    names.length === (actorKind.kind === "Container" ? 2 : 1) &&
    !names.includes("")
  if (!isAddress) throw unsupported("steps", text, `all, none, ${addressForms}`)
  const name = names.join("/")
  return { actorPath: `${kind} ${namespace === "" ? name : `${namespace}/${name}`}` }
}

const unsupported = (field: string, value: string, supported: string) =>
  badRequest(`${field}: Unsupported value: ${JSON.stringify(value)}: supported values: ${supported}`)
