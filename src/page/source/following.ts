import { makeHistory } from "../history/history.ts"
import { Lost, pause, Refused, sentenceOf, untilAnswering } from "./connection.ts"
import { recordingPath } from "../../recording/entry.ts"
import { isUnreadable, readRecordingEntry } from "../../recording/readEntry.ts"
import type { Connection } from "./connection.ts"
import type { RecordingEntry } from "../../recording/entry.ts"
import type { History } from "../history/history.ts"
import type { Kept } from "../kept.ts"
import type { Place } from "../place.ts"

const retryMillis = 1000

/** So much of a living cluster is kept: some minutes of thousands of Pods, hours of a few. */
const entriesMax = 60_000

interface Recorded {
  readonly living: Kept<History>
  /** Why what happens cannot be shown, though the server answers. */
  readonly trouble: Kept<string | undefined>
}

/** Keeps the history of a living cluster until a signal comes, in one stream that is taken up where it was lost. */
export const followRecording = async (
  connection: Connection,
  signal: AbortSignal,
  { living, trouble }: Recorded
): Promise<void> => {
  await untilAnswering(connection, signal)
  while (!signal.aborted) {
    try {
      const query = `watch=1&steps=none${sinceOf(living.get())}`
      for await (const line of connection.lines(`${recordingPath}?${query}`, signal)) {
        const entry = entryOf(line)
        if (entry.type === "header") living.set(makeHistory(entry, entriesMax))
        else living.get().see(entry)
        trouble.set(undefined)
        onceAFrame(living)
      }
    } catch (error) {
      // Of these the connection says to everybody what is the matter.
      const isSaid = error instanceof Lost || (error instanceof Refused && error.code === 401)
      if (!isSaid && !signal.aborted) trouble.set(`What happens cannot be shown: ${sentenceOf(error)}`)
    }
    await pause(retryMillis, signal)
    await untilAnswering(connection, signal)
  }
}

/** Whoever has the header alone has nothing of what was there at the beginning. */
const sinceOf = ({ header, lastNumber }: History): string =>
  header === undefined || lastNumber === undefined
    ? ""
    : `&since=${lastNumber}&id=${encodeURIComponent(header.id)}`

const entryOf = (line: string): RecordingEntry => {
  const entry = readRecordingEntry(line)
  if (isUnreadable(entry)) throw new Error(`a line of what the server tells ${entry.refused}`)
  return entry
}

const untold = new Set<Kept<History>>()

/** What comes within a frame is told of together. A hidden tab has no frames, and gets nothing either. */
const onceAFrame = (living: Kept<History>): void => {
  if (untold.has(living)) return
  untold.add(living)
  setTimeout(() => {
    untold.delete(living)
    living.get().tell()
    onceQuiet(living.get())
  }, frameMillis)
}

const frameMillis = 16

let quiet: ReturnType<typeof setTimeout> | undefined

/** What was there already comes at once: when nothing has come for a while, that is over. */
const onceQuiet = (history: History): void => {
  clearTimeout(quiet)
  if (history.isCaughtUp) return
  quiet = setTimeout(() => {
    history.catchUp()
    history.tell()
  }, quietMillis)
}

const quietMillis = 1000

/** What is known of an actor beside its steps. */
export interface Standing {
  /** Its chart and its states where it has made no step that is remembered. */
  readonly chart: string
  readonly states: ReadonlyArray<string>
}

/** Keeps the steps of the actor that is looked at in the history of a living cluster, until a signal comes. */
export const followSteps = async (
  connection: Connection,
  place: Place,
  signal: AbortSignal,
  { living, standing, refused }: Following
): Promise<void> => {
  const { kind, namespace, name } = place
  const steps = encodeURIComponent(`${kind}/${namespace}/${name}`)
  await untilAnswering(connection, signal)
  while (!signal.aborted) {
    const other = new AbortController()
    // A recording that begins anew knows nothing of the steps that the one before it was told.
    const stop = living.hear(() => other.abort())
    try {
      standing.set(await standingOf(connection, place))
      const followed = living.get()
      const until = AbortSignal.any([signal, other.signal])
      for await (const line of connection.lines(
        `${recordingPath}?watch=1&objects=none&steps=${steps}`,
        until
      )) {
        if (living.get() !== followed) break
        const entry = entryOf(line)
        if (entry.type === "step") followed.seeAside(entry)
        onceAFrame(living)
      }
      refused.set(undefined)
    } catch (error) {
      if (error instanceof Refused && !signal.aborted) refused.set(sentenceOf(error))
    }
    stop()
    if (!other.signal.aborted) await pause(retryMillis, signal)
    await untilAnswering(connection, signal)
  }
}

interface Following {
  readonly living: Kept<History>
  readonly standing: Kept<Standing | undefined>
  /** The server's words, where it knows of no such actor. */
  readonly refused: Kept<string | undefined>
}

interface ActorLine extends Standing {
  readonly kind: string
  readonly namespace?: string
  readonly name: string
}

const standingOf = async (connection: Connection, place: Place): Promise<Standing | undefined> => {
  const { items } = (await connection.ask("GET", "/charthouse/v1/actors")) as {
    readonly items: ReadonlyArray<ActorLine>
  }
  return items.find(
    (it) => it.kind === place.kind && it.name === place.name && (it.namespace ?? "") === place.namespace
  )
}
