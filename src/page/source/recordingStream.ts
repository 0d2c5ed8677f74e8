import { makeClusterHistory } from "../history/clusterHistory.ts"
import { errorText } from "../../kubernetes/meta/text/errorText.ts"
import { ServerLost, sleepMillis, RequestRefused, waitForServer } from "./connection.ts"
import { pauseForFrames } from "./pauseForFrames.ts"
import { recordingPath } from "../../recording/entry.ts"
import { isUnreadable, readRecordingEntry } from "../../recording/readEntry.ts"
import type { ServerConnection } from "./connection.ts"
import type { RecordingEntry } from "../../recording/entry.ts"
import type { ClusterHistory } from "../history/clusterHistory.ts"
import type { Signal } from "../signal.ts"
import type { PageAddress } from "../pageAddress.ts"

const retryMillis = 1000

/** Bounds the history of a live cluster to minutes of thousands of Pods, or hours of a few Pods. */
const entriesMax = 60_000

interface RecordingSignals {
  readonly liveHistory: Signal<ClusterHistory>
  readonly streamProblem: Signal<string | undefined>
}

/** Resumes a lost stream after its last entry. */
export const followRecording = async (
  connection: ServerConnection,
  abortSignal: AbortSignal,
  { liveHistory, streamProblem }: RecordingSignals
): Promise<void> => {
  const pause = pauseForFrames()
  await waitForServer(connection, abortSignal)
  while (!abortSignal.aborted) {
    try {
      const query = `watch=1&steps=none${resumeQuery(liveHistory.get())}`
      for await (const line of connection.lines(`${recordingPath}?${query}`, abortSignal)) {
        const entry = parseEntry(line)
        if (entry.type === "header") liveHistory.set(makeClusterHistory(entry, entriesMax))
        else liveHistory.get().add(entry)
        streamProblem.set(undefined)
        publishSoon(liveHistory)
        await pause()
        if (abortSignal.aborted) return
      }
    } catch (error) {
      // The connection's status reports these errors.
      const isReported =
        error instanceof ServerLost || (error instanceof RequestRefused && error.code === 401)
      if (!isReported && !abortSignal.aborted)
        streamProblem.set(`The recording cannot be read: ${errorText(error)}`)
    }
    await sleepMillis(retryMillis, abortSignal)
    await waitForServer(connection, abortSignal)
  }
}

/** A history with only a header lacks the initial objects: it asks for all. */
const resumeQuery = ({ header, lastEntryNumber }: ClusterHistory): string =>
  header === undefined || lastEntryNumber === undefined
    ? ""
    : `&since=${lastEntryNumber}&id=${encodeURIComponent(header.id)}`

const parseEntry = (line: string): RecordingEntry => {
  const entry = readRecordingEntry(line)
  if (isUnreadable(entry)) throw new Error(`a line of the server's recording ${entry.problem}`)
  return entry
}

const unpublished = new Set<Signal<ClusterHistory>>()

/** Publishes with a timer, since a hidden tab draws no frames. */
const publishSoon = (liveHistory: Signal<ClusterHistory>): void => {
  if (unpublished.has(liveHistory)) return
  unpublished.add(liveHistory)
  const hasManyObjects = liveHistory.get().objectCount > manyObjects
  setTimeout(
    () => {
      unpublished.delete(liveHistory)
      liveHistory.get().publish()
      markCaughtUpWhenQuiet(liveHistory.get())
    },
    hasManyObjects ? slowPublishMillis : publishMillis
  )
}

/** Each publication copies the maps of the objects, which takes longer for many objects. */
const manyObjects = 5000
const slowPublishMillis = 100
const publishMillis = 16

let quietTimer: ReturnType<typeof setTimeout> | undefined

const quietMillis = 1000

/** The server sends the initial entries without a pause: after a quiet second the history has caught up. */
const markCaughtUpWhenQuiet = (history: ClusterHistory): void => {
  clearTimeout(quietTimer)
  if (history.isCaughtUp) return
  quietTimer = setTimeout(() => {
    history.markCaughtUp()
    history.publish()
  }, quietMillis)
}

export interface ActorSummary {
  readonly chart: string
  readonly states: ReadonlyArray<string>
}

/** Restarts a lost stream, until the signal aborts. */
export const followSteps = async (
  connection: ServerConnection,
  address: PageAddress,
  abortSignal: AbortSignal,
  { liveHistory, actor, unknownActorMessage }: StepSignals
): Promise<void> => {
  const { kind, namespace, name } = address
  const steps = encodeURIComponent(`${kind}/${namespace}/${name}`)
  await waitForServer(connection, abortSignal)
  while (!abortSignal.aborted) {
    const recordingChange = new AbortController()
    // When the recording begins anew, so do its steps.
    const stopListening = liveHistory.listen(() => recordingChange.abort())
    try {
      actor.set(await fetchActor(connection, address))
      const history = liveHistory.get()
      const eitherSignal = AbortSignal.any([abortSignal, recordingChange.signal])
      for await (const line of connection.lines(
        `${recordingPath}?watch=1&objects=none&steps=${steps}`,
        eitherSignal
      )) {
        if (liveHistory.get() !== history) break
        const entry = parseEntry(line)
        if (entry.type === "step") history.addStep(entry)
        publishSoon(liveHistory)
      }
      unknownActorMessage.set(undefined)
    } catch (error) {
      if (error instanceof RequestRefused && !abortSignal.aborted) unknownActorMessage.set(errorText(error))
    }
    stopListening()
    if (!recordingChange.signal.aborted) await sleepMillis(retryMillis, abortSignal)
    await waitForServer(connection, abortSignal)
  }
}

interface StepSignals {
  readonly liveHistory: Signal<ClusterHistory>
  /** Undefined if the server has no actor for the object. */
  readonly actor: Signal<ActorSummary | undefined>
  readonly unknownActorMessage: Signal<string | undefined>
}

interface ListedActor extends ActorSummary {
  readonly kind: string
  readonly namespace?: string
  readonly name: string
}

const fetchActor = async (
  connection: ServerConnection,
  address: PageAddress
): Promise<ActorSummary | undefined> => {
  const { items } = (await connection.request("GET", "/charthouse/v1/actors")) as {
    readonly items: ReadonlyArray<ListedActor>
  }
  return items.find(
    (it) => it.kind === address.kind && it.name === address.name && (it.namespace ?? "") === address.namespace
  )
}
