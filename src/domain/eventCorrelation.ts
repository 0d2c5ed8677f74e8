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
  /** Source, object, type and reason: everything but the message. */
  readonly kind: string
  readonly message: string
}

/** What becomes of it. `write` names the stored event that is the same one, if there is any. */
export type Correlated =
  | { readonly verdict: "drop" }
  | { readonly verdict: "write"; readonly key: string; readonly message: string }

/** So many different messages of one kind within the interval, and the next are combined into one event. */
const similarMax = 10
const similarIntervalMillis = 600_000
/** The spam filter of one source and object: a burst, refilled slowly. */
const burstMax = 25
const refillMillis = 300_000
/** Objects and kinds that are remembered; the oldest are forgotten first. */
const rememberedMax = 4096

interface Similar {
  readonly messages: Set<string>
  lastMillis: number
}
interface Bucket {
  tokens: number
  lastMillis: number
}

export const makeEventCorrelation = (): ((happening: Happening, nowMillis: number) => Correlated) => {
  const similarByKind = new Map<string, Similar>()
  const bucketBySource = new Map<string, Bucket>()

  const combine = ({ kind, message }: Happening, nowMillis: number): Correlated => {
    const known = similarByKind.get(kind)
    const fresh = known === undefined || nowMillis - known.lastMillis > similarIntervalMillis
    const similar = fresh ? { messages: new Set<string>(), lastMillis: nowMillis } : known
    similar.lastMillis = nowMillis
    if (similar.messages.size < similarMax) similar.messages.add(message)
    remember(similarByKind, kind, similar)
    return similar.messages.size < similarMax
      ? { verdict: "write", key: `${kind} ${message}`, message }
      : { verdict: "write", key: kind, message: `(combined from similar events): ${message}` }
  }

  /** Takes a token; false when the source has said too much of this object. */
  const admits = ({ source }: Happening, nowMillis: number): boolean => {
    const bucket = bucketBySource.get(source) ?? { tokens: burstMax, lastMillis: nowMillis }
    bucket.tokens = Math.min(burstMax, bucket.tokens + (nowMillis - bucket.lastMillis) / refillMillis)
    bucket.lastMillis = nowMillis
    remember(bucketBySource, source, bucket)
    if (bucket.tokens < 1) return false
    bucket.tokens -= 1
    return true
  }

  return (happening, nowMillis) => {
    const correlated = combine(happening, nowMillis)
    return admits(happening, nowMillis) ? correlated : { verdict: "drop" }
  }
}

/** Sets an entry and forgets the one that was set longest ago when there are too many. */
export const remember = <K, V>(map: Map<K, V>, key: K, value: V): void => {
  map.delete(key)
  map.set(key, value)
  if (map.size <= rememberedMax) return
  const oldest = map.keys().next()
  if (oldest.done !== true) map.delete(oldest.value)
}
