/** Subscribers in the order in which they came, called by topic. */
export interface Subscribers<A> {
  readonly subscribe: Subscribe<A>
  readonly makeGroup: () => SubscriberGroup<A>
  readonly deliver: (item: A) => void
  /** Whether a subscriber of this topic does not skip heartbeats. */
  readonly needsHeartbeats: (topic: string) => boolean
}

/** Calls back with each item of these topics, by default of all. Returns how to unsubscribe. */
export type Subscribe<A> = (
  subscriber: (item: A) => void,
  topics?: Iterable<string>,
  options?: SubscribeOptions
) => () => void

export interface SubscribeOptions {
  /** Heartbeats of nodes may be left out in a period in which nothing else happens. */
  readonly skipsHeartbeats?: boolean
}

export interface SubscriberGroup<A> {
  readonly subscribe: Subscribe<A>
  /** Takes the group's place in the order before a subscriber comes: a stopped controller keeps its place. */
  readonly attach: () => void
  readonly deliver: (item: A) => void
  /** Sends all items to `receive` instead of the group's subscribers, until called with undefined. */
  readonly divert: (receive: ((item: A) => void) | undefined) => void
}

/** The place of one subscriber, or of a group, in the order of calls. */
interface Place<A> {
  /** Undefined before the place is taken. */
  number: number | undefined
  readonly members: Set<Entry<A>>
  diverted: Entry<A> | undefined
}

interface Entry<A> {
  readonly receive: (item: A) => void
  /** Undefined for all topics. */
  readonly topics: ReadonlySet<string> | undefined
  readonly skipsHeartbeats: boolean
  readonly place: Place<A>
  readonly number: number
}

export const makeSubscribers = <A>({
  topicOf
}: {
  readonly topicOf: (item: A) => string
}): Subscribers<A> => {
  const places = new Set<Place<A>>()
  /** Filled on demand, and emptied when a subscriber comes or goes. */
  const byTopic = new Map<string, ReadonlyArray<Entry<A>>>()
  let revision = 0
  let lastNumber = 0

  const clearOrder = (): void => {
    revision += 1
    byTopic.clear()
  }
  const entriesOf = (topic: string): ReadonlyArray<Entry<A>> => {
    const present = byTopic.get(topic)
    if (present !== undefined) return present
    const entries = Array.from(places, ({ members, diverted }) =>
      diverted === undefined ? [...members] : [diverted]
    )
      .flat()
      .filter(({ topics }) => topics === undefined || topics.has(topic))
    byTopic.set(topic, entries)
    return entries
  }

  const makePlace = (): Place<A> => ({ number: undefined, members: new Set(), diverted: undefined })
  const takePlace = (place: Place<A>): void => {
    if (place.number !== undefined) return
    place.number = ++lastNumber
    places.add(place)
    clearOrder()
  }
  const addTo = (
    place: Place<A>,
    receive: (item: A) => void,
    topics?: Iterable<string>,
    { skipsHeartbeats = false }: SubscribeOptions = {}
  ): Entry<A> => {
    takePlace(place)
    const number = ++lastNumber
    const topicSet = topics === undefined ? undefined : new Set(topics)
    const entry = { receive, topics: topicSet, skipsHeartbeats, place, number }
    place.members.add(entry)
    clearOrder()
    return entry
  }

  const makeGroup = (): SubscriberGroup<A> => {
    const place = makePlace()
    return {
      subscribe: (subscriber, topics, options) => {
        const entry = addTo(place, subscriber, topics, options)
        return () => {
          if (place.members.delete(entry)) clearOrder()
        }
      },
      attach: () => takePlace(place),
      deliver: (item) => {
        const topic = topicOf(item)
        for (const { topics, receive } of place.members)
          if (topics === undefined || topics.has(topic)) receive(item)
      },
      divert: (receive) => {
        place.diverted = receive && {
          receive,
          topics: undefined,
          skipsHeartbeats: false,
          place,
          number: 0
        }
        clearOrder()
      }
    }
  }

  return {
    subscribe: (subscriber, topics, options) => {
      const place = makePlace()
      addTo(place, subscriber, topics, options)
      return () => {
        if (places.delete(place)) clearOrder()
      }
    },
    makeGroup,
    needsHeartbeats: (topic) => entriesOf(topic).some(({ skipsHeartbeats }) => !skipsHeartbeats),
    deliver: (item) => {
      const topic = topicOf(item)
      let entries = entriesOf(topic)
      let entriesRevision = revision
      for (let index = 0; index < entries.length; index += 1) {
        const entry = entries[index]
        if (entry === undefined) return
        entry.receive(item)
        if (entriesRevision === revision) continue
        // The subscriber has added or removed others: those after it are still called.
        entriesRevision = revision
        entries = entriesOf(topic)
        index = entries.findLastIndex((other) => !isAfter(other, entry))
      }
    }
  }
}

const isAfter = <A>(a: Entry<A>, b: Entry<A>): boolean =>
  a.place === b.place ? a.number > b.number : (a.place.number ?? 0) > (b.place.number ?? 0)
