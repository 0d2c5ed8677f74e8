import { memoizeUpTo } from "../meta/text/memoizeUpTo.ts"

/** Source: client-go/tools/record/events_cache.go. */

export interface EventOccurrence {
  /** Source component and involved object. */
  readonly source: string
  readonly typeAndReason: string
  /** The part that the Event is about, for example a container; empty for the whole object. */
  readonly fieldPath: string
  readonly message: string
}

/** The creator of a new Event must call `rememberEventName`. */
type CorrelationResult =
  | { readonly type: "drop" }
  | {
      readonly type: "write"
      readonly message: string
      readonly existingName: string | undefined
      readonly rememberEventName: (name: string) => void
    }

/** From this many different messages of one kind on, Events are combined. */
const similarMax = 10
/** After a longer pause the count begins again. */
const similarIntervalMillis = 600_000
/** After a long pause, only this many messages of one kind are remembered. */
const rememberedMessagesMax = 50
/** A source may have this many Events at once, then one per `refillMillis`. */
const burstMax = 25
const refillMillis = 300_000
/** The limit of remembered sources; the least recently used is forgotten first. */
const rememberedSourcesMax = 4096

interface SourceState {
  tokens: number
  lastMillis: number
  kinds: ReadonlyArray<SimilarEvents>
}

/** Events that differ only in messages and parts. */
interface SimilarEvents {
  readonly kind: string
  lastMillis: number
  said: ReadonlyArray<SaidMessage>
  /** The name of the Event that combines further messages. */
  combined: string | undefined
}

interface SaidMessage {
  readonly part: string
  readonly message: string
  /** The name of the Event that counts the next occurrence. */
  name: string | undefined
  /** Whether the message is from before the last long pause: Events are not combined because of it. */
  isPast: boolean
}

export type EventCorrelationState = ReadonlyMap<string, SourceState>

interface EventCorrelation {
  readonly correlate: (occurrence: EventOccurrence, nowMillis: number) => CorrelationResult
  readonly save: () => EventCorrelationState
  readonly restore: (state: EventCorrelationState) => void
}

export const makeEventCorrelation = (): EventCorrelation => {
  const sources = new Map<string, SourceState>()
  /** Texts are interned, because most sources have the same few. */
  const sharedText = memoizeUpTo(rememberedSourcesMax, (text: string) => text)
  /** The last saved state, whose entries are copied before a change. */
  let saved: EventCorrelationState | undefined

  const touchSource = (source: string, nowMillis: number): SourceState => {
    const sourceState = writableSource(source) ?? { tokens: burstMax, lastMillis: nowMillis, kinds: [] }
    // The map's order is the order of use, the most recent last.
    sources.delete(source)
    sources.set(source, sourceState)
    if (sources.size > rememberedSourcesMax) {
      const leastRecent = sources.keys().next()
      if (leastRecent.done !== true) sources.delete(leastRecent.value)
    }
    return sourceState
  }
  /** Copies a state that is part of a saved state. */
  const writableSource = (source: string): SourceState | undefined => {
    const present = sources.get(source)
    return present === undefined || present !== saved?.get(source) ? present : copySource(present)
  }

  const changeSimilar = (
    source: string,
    kind: string,
    change: (similar: SimilarEvents | undefined) => void
  ): void => {
    const sourceState = writableSource(source)
    if (sourceState === undefined) return
    sources.set(source, sourceState)
    change(sourceState.kinds.find((it) => it.kind === kind))
  }

  const correlate: EventCorrelation["correlate"] = (occurrence, nowMillis) => {
    const { source, typeAndReason: kind, fieldPath: part, message } = occurrence
    const sourceState = touchSource(source, nowMillis)
    const similar = similarEventsOf(sourceState, sharedText(kind), nowMillis)
    const entry = uncombinedMessage(similar, sharedText(part), message)
    if (!takeToken(sourceState, nowMillis)) return { type: "drop" }
    if (entry === undefined) {
      const rememberEventName = (name: string): void =>
        changeSimilar(source, kind, (it) => {
          if (it !== undefined) it.combined = name
        })
      return {
        type: "write",
        message: `(combined from similar events): ${message}`,
        existingName: similar.combined,
        rememberEventName
      }
    }
    const rememberEventName = (name: string): void =>
      changeSimilar(source, kind, (it) => {
        const current = it?.said.find(isMessageAbout(part, message))
        if (current !== undefined) current.name = name
      })
    return { type: "write", message, existingName: entry.name, rememberEventName }
  }
  return {
    correlate,
    save: () => {
      saved = new Map(sources)
      return saved
    },
    restore: (state) => {
      saved = state
      sources.clear()
      for (const [source, sourceState] of state)
        sources.set(source, hasKindsWithParts(sourceState) ? withoutPartsInKinds(sourceState) : sourceState)
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

const similarEventsOf = (sourceState: SourceState, kind: string, nowMillis: number): SimilarEvents => {
  const present = sourceState.kinds.find((it) => it.kind === kind)
  if (present !== undefined && nowMillis - present.lastMillis <= similarIntervalMillis) {
    present.lastMillis = nowMillis
    return present
  }
  // After a long pause messages are no longer combined, but the same message still updates its
  // Event.
  const similar: SimilarEvents = {
    kind,
    lastMillis: nowMillis,
    said: present?.said.slice(-rememberedMessagesMax).map((entry) => ({ ...entry, isPast: true })) ?? [],
    combined: present?.combined
  }
  sourceState.kinds =
    present === undefined
      ? sourceState.kinds.concat(similar)
      : sourceState.kinds.map((it) => (it === present ? similar : it))
  return similar
}

const isMessageAbout =
  (part: string, message: string) =>
  (entry: SaidMessage): boolean =>
    entry.message === message && entry.part === part

/** Undefined if the message is to be combined with others. */
const uncombinedMessage = (
  similar: SimilarEvents,
  part: string,
  message: string
): SaidMessage | undefined => {
  const present = similar.said.find(isMessageAbout(part, message))
  if (present?.isPast === false) return present
  if (similar.said.length >= similarMax - 1) {
    const messages = new Set(similar.said.flatMap((it) => (it.isPast ? [] : it.message)))
    // The last of `similarMax` messages is already combined.
    if (!messages.has(message) && messages.size >= similarMax - 1) return undefined
  }
  if (present !== undefined) {
    present.isPast = false
    return present
  }
  const entry = { part, message, name: undefined, isPast: false }
  similar.said = similar.said.concat(entry)
  return entry
}

/** In older snapshots the part is the third word of the kind. */
const hasKindsWithParts = ({ kinds }: SourceState): boolean =>
  kinds.some(({ said }) => said.some(({ part }: Partial<SaidMessage>) => part === undefined))

const withoutPartsInKinds = (sourceState: SourceState): SourceState => {
  const kinds = new Map<string, SimilarEvents>()
  for (const { kind: kindAndPart, lastMillis, said, combined } of sourceState.kinds) {
    const [reason, type, part = ""] = kindAndPart.split(" ")
    const kind = `${reason} ${type}`
    const earlier = kinds.get(kind)
    kinds.set(kind, {
      kind,
      lastMillis: Math.max(lastMillis, earlier?.lastMillis ?? 0),
      said: [...(earlier?.said ?? []), ...said.map((it) => ({ ...it, part, isPast: false }))],
      combined: combined ?? earlier?.combined
    })
  }
  return { ...sourceState, kinds: [...kinds.values()] }
}

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
