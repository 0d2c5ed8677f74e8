import { makeHistory } from "../history/history.ts"
import { pause, Refused, wordsOf } from "./connection.ts"
import { isUnread, readEntry } from "../../recording/readEntry.ts"
import type { Connection } from "./connection.ts"
import type { Entry } from "../../recording/entry.ts"
import type { History } from "../history/history.ts"
import type { Kept } from "../kept.ts"
import type { Place } from "../place.ts"

const path = "/charthouse/v1/recording"
const retryMillis = 1000

/** So much of a living cluster is kept: some minutes of thousands of Pods, hours of a few. */
const entriesMax = 60_000

/** Keeps the history of a living cluster until a signal comes, in one stream that is taken up where it was lost. */
export const followRecording = async (
  connection: Connection,
  signal: AbortSignal,
  living: Kept<History>
): Promise<void> => {
  while (!signal.aborted) {
    try {
      const query = `watch=1&steps=none${sinceOf(living.get())}`
      for await (const line of connection.lines(`${path}?${query}`, signal)) {
        const entry = entryOf(line)
        if (entry.type === "header") living.set(makeHistory(entry, entriesMax))
        else living.get().see(entry)
        onceAFrame(living)
      }
    } catch {
      // The connection says to everybody what is the matter.
    }
    await pause(retryMillis, signal)
  }
}

const sinceOf = ({ header, endNumber }: History): string =>
  header === undefined ? "" : `&since=${endNumber}&id=${encodeURIComponent(header.id)}`

const entryOf = (line: string): Entry => {
  const entry = readEntry(line)
  if (isUnread(entry)) throw new Error(entry.refused)
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
  while (!signal.aborted) {
    try {
      standing.set(await standingOf(connection, place))
      const followed = living.get()
      for await (const line of connection.lines(`${path}?watch=1&objects=none&steps=${steps}`, signal)) {
        if (living.get() !== followed) break
        const entry = entryOf(line)
        if (entry.type === "step") followed.seeAside(entry)
        onceAFrame(living)
      }
      refused.set(undefined)
    } catch (error) {
      if (error instanceof Refused && !signal.aborted) refused.set(wordsOf(error))
    }
    await pause(retryMillis, signal)
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
