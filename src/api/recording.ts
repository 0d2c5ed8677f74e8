import * as Effect from "effect/Effect"
import { badRequest, requireRead } from "./statuses.ts"
import type { Sink, StreamAnswer } from "./call.ts"
import type { Query } from "./query.ts"
import type { Viewer, ViewerWish } from "../recording/viewer.ts"

/**
 * Everything that a page shows of the cluster, at any moment, beside the Kubernetes API: an entry of the recording is
 * an object on a line of its own. With `watch` it goes on; one that was broken off is taken up where its reader says
 * what he knows, and begins anew, with a header, where that is no longer kept.
 *
 *   GET /charthouse/v1/recording[?watch=1][&since=41&id=ID][&steps=all|none|KIND/NAMESPACE/NAME][&objects=none]
 */
export interface ServedRecording {
  readonly open: (wish: ViewerWish) => Viewer
}

const contentType = "application/x-ndjson"

/** A reader is given so much at a time, and no more before it has been taken. */
const pieceCharacters = 256 * 1024

/** How an actor is called: a node is in no namespace, and a container has its Pod's name before its own. */
const places =
  "KIND/NAMESPACE/NAME of a Deployment, ReplicaSet or Pod, Container/NAMESPACE/POD/NAME or Node//NAME"

/** Rejects with a `Refusal`. */
export const answerRecording = async (
  { method, query }: { readonly method: string; readonly query: Query },
  recording: Effect.Effect<ServedRecording>
): Promise<StreamAnswer> => {
  requireRead(method)
  const wish = wishIn(query)
  const { open } = await Effect.runPromise(recording)
  return { type: "stream", contentType, open: (sink) => send(open(wish), sink) }
}

/** Writes what there is as fast as it is read. Returns how to stop. */
const send = (viewer: Viewer, sink: Sink): (() => void) => {
  let isPlanned = false
  let isFull = false
  const finish = (): void => {
    stop()
    sink.end()
  }
  const pump = sink.observe(() => {
    isPlanned = false
    if (isFull) {
      // Whoever does not read while all that he wants is pushed out may come back and begin anew.
      if (viewer.isLost()) finish()
      return
    }
    for (let text = viewer.take(pieceCharacters); text !== ""; text = viewer.take(pieceCharacters)) {
      if (text === undefined) return finish()
      sink.write(text)
      if (sink.behind() < pieceCharacters) continue
      isFull = true
      return sink.onDrained(() => {
        isFull = false
        pump()
      })
    }
  })
  // What happens in one turn of the event loop is told together.
  const stop = viewer.onMore(() => {
    if (isPlanned) return
    isPlanned = true
    queueMicrotask(pump)
  })
  pump()
  return stop
}

const wishIn = (query: Query): ViewerWish => {
  const objects = query.text("objects") ?? "all"
  if (objects !== "all" && objects !== "none") throw unsupported("objects", objects, "all, none")
  const steps = stepsIn(query.text("steps") ?? "all")
  if (objects === "none" && steps === "none") {
    throw badRequest('steps: Invalid value: "none": with objects=none nothing would be left')
  }
  return { watch: query.flag("watch"), known: knownIn(query), objects: objects === "all", steps }
}

const knownIn = (query: Query): ViewerWish["known"] => {
  const number = query.integer("since")
  const id = query.text("id")
  if (number === undefined) return undefined
  if (number < 0) throw badRequest(`since: Invalid value: ${number}: must be the number of an entry`)
  if (id === undefined) throw badRequest("id: Required value: of which recording since is a number")
  return { number, id }
}

const stepsIn = (text: string): ViewerWish["steps"] => {
  if (text === "all" || text === "none") return text
  const [kind = "", namespace = "", ...names] = text.split("/")
  const isNode = kind === "Node" && namespace === ""
  const isHere = ["Deployment", "ReplicaSet", "Pod"].includes(kind) && namespace !== ""
  const parts = kind === "Container" && namespace !== "" ? 2 : isNode || isHere ? 1 : undefined
  if (names.length !== parts || names.includes("")) throw unsupported("steps", text, `all, none, ${places}`)
  const name = names.join("/")
  return { place: `${kind} ${isNode ? name : `${namespace}/${name}`}` }
}

const unsupported = (field: string, value: string, supported: string) =>
  badRequest(`${field}: Unsupported value: ${JSON.stringify(value)}: supported values: ${supported}`)
