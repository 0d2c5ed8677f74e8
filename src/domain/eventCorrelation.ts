/**
 * How a recorder keeps a busy object from drowning everybody in events: the same event again is counted, many like
 * ones are folded into one, and one source says only so much of one object.
 *
 * Source: staging/src/k8s.io/client-go/tools/record/events_cache.go.
 */

/** An event as it is about to be recorded, addressed by what makes it the same as another. */
export interface Happening {
  /** Who says it of what: source and object. */
  readonly source: string
  /** Type, reason and part of the object: everything but the message. */
  readonly kind: string
  readonly message: string
}

/** What becomes of it: nothing, a new event, or one that was written before (by its name) once more. */
type Correlated =
  | { readonly verdict: "drop" }
  | {
      readonly verdict: "write"
      readonly message: string
      readonly before: string | undefined
      /** Notes under which name it was written. */
      readonly wrote: (name: string) => void
    }

/** So many different messages of one kind within the interval, and the next are combined into one event. */
const similarMax = 10
const similarIntervalMillis = 600_000
/** The spam filter of one source and object: a burst, refilled slowly. */
const burstMax = 25
const refillMillis = 300_000
/** Sources and objects that are remembered; those that were silent for longest are forgotten first. */
const rememberedMax = 4096

/** What one source has said of one object. */
interface Talk {
  tokens: number
  lastMillis: number
  readonly kinds: Array<Similar>
}

interface Similar {
  readonly kind: string
  lastMillis: number
  /**
   * Messages and the names of the events they were written as, a few at most: a list is quicker than a map.
   */
  readonly said: Array<{ readonly message: string; name: string | undefined }>
  /** The event that the rest is combined into. */
  combined: string | undefined
}

/** What was said before, by source and object: nobody changes it any more. */
export type SaidBefore = ReadonlyMap<string, Talk>

interface EventCorrelation {
  readonly correlate: (happening: Happening, nowMillis: number) => Correlated
  readonly save: () => SaidBefore
  /** Goes on from what was said elsewhere; for one that has heard nothing yet. */
  readonly restore: (said: SaidBefore) => void
}

export const makeEventCorrelation = (): EventCorrelation => {
  const talks = new Map<string, Talk>()
  /** What was saved last, or restored: of that, a talk is copied before more is said. */
  let saved: SaidBefore | undefined

  const talkOf = (source: string, nowMillis: number): Talk => {
    const talk = ownTalkOf(source) ?? { tokens: burstMax, lastMillis: nowMillis, kinds: [] }
    // The last in the map is who spoke last.
    talks.delete(source)
    talks.set(source, talk)
    if (talks.size > rememberedMax) {
      const first = talks.keys().next()
      if (first.done !== true) talks.delete(first.value)
    }
    return talk
  }
  const ownTalkOf = (source: string): Talk | undefined => {
    const known = talks.get(source)
    return known === undefined || known !== saved?.get(source) ? known : copyOf(known)
  }

  const correlate: EventCorrelation["correlate"] = ({ source, kind, message }, nowMillis) => {
    const talk = talkOf(source, nowMillis)
    const similar = similarOf(talk, kind, nowMillis)
    const entry = entryOf(similar, message)
    if (!admits(talk, nowMillis)) return { verdict: "drop" }
    if (entry === undefined) {
      const wrote = (name: string): void => {
        similar.combined = name
      }
      return {
        verdict: "write",
        message: `(combined from similar events): ${message}`,
        before: similar.combined,
        wrote
      }
    }
    const wrote = (name: string): void => {
      entry.name = name
    }
    return { verdict: "write", message, before: entry.name, wrote }
  }
  return {
    correlate,
    save: () => {
      saved = new Map(talks)
      return saved
    },
    restore: (said) => {
      saved = said
      for (const [source, talk] of said) talks.set(source, talk)
    }
  }
}

const copyOf = (talk: Talk): Talk => ({
  ...talk,
  kinds: talk.kinds.map((similar) => ({ ...similar, said: similar.said.map((entry) => ({ ...entry })) }))
})

const similarOf = (talk: Talk, kind: string, nowMillis: number): Similar => {
  const place = talk.kinds.findIndex((it) => it.kind === kind)
  const known = talk.kinds[place]
  if (known !== undefined && nowMillis - known.lastMillis <= similarIntervalMillis) {
    known.lastMillis = nowMillis
    return known
  }
  // After a long silence the messages are no longer counted together, but they are still the same events.
  const similar: Similar = {
    kind,
    lastMillis: nowMillis,
    said: known?.said.slice(-1) ?? [],
    combined: known?.combined
  }
  if (place < 0) talk.kinds.push(similar)
  else talk.kinds[place] = similar
  return similar
}

/** The entry of a message; undefined when there are too many different ones by now. */
const entryOf = (similar: Similar, message: string): Similar["said"][number] | undefined => {
  const known = similar.said.find((it) => it.message === message)
  if (known !== undefined) return known
  if (similar.said.length >= similarMax - 1) return undefined
  const entry = { message, name: undefined }
  similar.said.push(entry)
  return entry
}

/** Takes a token; false when the source has said too much of this object. */
const admits = (talk: Talk, nowMillis: number): boolean => {
  talk.tokens = Math.min(burstMax, talk.tokens + (nowMillis - talk.lastMillis) / refillMillis)
  talk.lastMillis = nowMillis
  if (talk.tokens < 1) return false
  talk.tokens -= 1
  return true
}
