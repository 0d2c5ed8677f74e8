/**
 * Event correlation of client-go: repeated Events are counted, similar ones are combined into one, and a rate limit
 * holds per source and object.
 * Source: staging/src/k8s.io/client-go/tools/record/events_cache.go.
 */

export interface EventOccurrence {
  /** Source component and involved object. */
  readonly source: string
  /** Type, reason and part of the object: everything but the message. */
  readonly kind: string
  readonly message: string
}

/**
 * What becomes of an occurrence: it is dropped, written as a new Event, or counted in the stored Event `existingName`.
 * `noteEventName` must be called with the name of a new Event.
 */
type CorrelationResult =
  | { readonly type: "drop" }
  | {
      readonly type: "write"
      readonly message: string
      readonly existingName: string | undefined
      readonly noteEventName: (name: string) => void
    }

/** From this many different messages of one kind within the interval on, Events are combined into one. */
const similarMax = 10
const similarIntervalMillis = 600_000
/** The token bucket of one source and object: this many Events at once, then one per `refillMillis`. */
const burstMax = 25
const refillMillis = 300_000
/** The most pairs of source and object that are remembered; the least recent is forgotten first. */
const rememberedMax = 4096

interface SourceState {
  tokens: number
  lastMillis: number
  kinds: ReadonlyArray<SimilarEvents>
}

/** The Events of one source that differ in their messages only. */
interface SimilarEvents {
  readonly kind: string
  lastMillis: number
  /** The messages of these Events so far, with the names of the Events; a list, since it is short. */
  said: ReadonlyArray<{ readonly message: string; name: string | undefined }>
  /** Name of the Event that combines further messages. */
  combined: string | undefined
}

export type EventCorrelationState = ReadonlyMap<string, SourceState>

interface EventCorrelation {
  readonly correlate: (occurrence: EventOccurrence, nowMillis: number) => CorrelationResult
  readonly save: () => EventCorrelationState
  readonly restore: (state: EventCorrelationState) => void
}

export const makeEventCorrelation = (): EventCorrelation => {
  const sources = new Map<string, SourceState>()
  /** Each kind's text once: most sources have Events of the same few kinds. */
  const kindTexts = new Map<string, string>()
  /** The last saved or restored state: its entries are copied before a change. */
  let saved: EventCorrelationState | undefined

  const touchSource = (source: string, nowMillis: number): SourceState => {
    const sourceState = writableSource(source) ?? { tokens: burstMax, lastMillis: nowMillis, kinds: [] }
    // Map order is order of use: the most recent is last.
    sources.delete(source)
    sources.set(source, sourceState)
    if (sources.size > rememberedMax) {
      const first = sources.keys().next()
      if (first.done !== true) sources.delete(first.value)
    }
    return sourceState
  }
  /** The state of a source, copied first if it is part of a saved state. */
  const writableSource = (source: string): SourceState | undefined => {
    const present = sources.get(source)
    return present === undefined || present !== saved?.get(source) ? present : copySource(present)
  }

  const sharedKindText = (kind: string): string => {
    const known = kindTexts.get(kind)
    if (known !== undefined) return known
    if (kindTexts.size >= rememberedMax) kindTexts.clear()
    kindTexts.set(kind, kind)
    return kind
  }

  const correlate: EventCorrelation["correlate"] = ({ source, kind, message }, nowMillis) => {
    const sourceState = touchSource(source, nowMillis)
    const similar = similarOf(sourceState, sharedKindText(kind), nowMillis)
    const entry = entryOf(similar, message)
    if (!takeToken(sourceState, nowMillis)) return { type: "drop" }
    if (entry === undefined) {
      const noteEventName = (name: string): void => {
        similar.combined = name
      }
      return {
        type: "write",
        message: `(combined from similar events): ${message}`,
        existingName: similar.combined,
        noteEventName
      }
    }
    const noteEventName = (name: string): void => {
      entry.name = name
    }
    return { type: "write", message, existingName: entry.name, noteEventName }
  }
  return {
    correlate,
    save: () => {
      saved = new Map(sources)
      return saved
    },
    restore: (state) => {
      saved = state
      for (const [source, sourceState] of state) sources.set(source, sourceState)
    }
  }
}

const copySource = (sourceState: SourceState): SourceState => ({
  ...sourceState,
  kinds: sourceState.kinds.map((similar) => ({
    ...similar,
    said: similar.said.map((entry) => ({ ...entry }))
  }))
})

const similarOf = (sourceState: SourceState, kind: string, nowMillis: number): SimilarEvents => {
  const present = sourceState.kinds.find((it) => it.kind === kind)
  if (present !== undefined && nowMillis - present.lastMillis <= similarIntervalMillis) {
    present.lastMillis = nowMillis
    return present
  }
  // After a long pause messages are not combined any more, but the same message still updates its Event.
  const similar: SimilarEvents = {
    kind,
    lastMillis: nowMillis,
    said: present?.said.slice(-1) ?? [],
    combined: present?.combined
  }
  sourceState.kinds =
    present === undefined
      ? withItem(sourceState.kinds, similar)
      : sourceState.kinds.map((it) => (it === present ? similar : it))
  return similar
}

/** The entry of a message, added if there is room; undefined if the message is to be combined with others. */
const entryOf = (similar: SimilarEvents, message: string): SimilarEvents["said"][number] | undefined => {
  const present = similar.said.find((it) => it.message === message)
  if (present !== undefined) return present
  // The last of `similarMax` messages is combined already.
  if (similar.said.length >= similarMax - 1) return undefined
  const entry = { message, name: undefined }
  similar.said = withItem(similar.said, entry)
  return entry
}

/** A copy of its exact size: thousands of sources are remembered, and a list that grows has room for many more. */
const withItem = <A>(list: ReadonlyArray<A>, item: A): ReadonlyArray<A> =>
  list.length === 0 ? [item] : [...list, item].slice()

const takeToken = (sourceState: SourceState, nowMillis: number): boolean => {
  sourceState.tokens = Math.min(
    burstMax,
    sourceState.tokens + (nowMillis - sourceState.lastMillis) / refillMillis
  )
  sourceState.lastMillis = nowMillis
  if (sourceState.tokens < 1) return false
  sourceState.tokens -= 1
  return true
}
