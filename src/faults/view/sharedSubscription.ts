/** The subscribers of one client or controller, who share one place among the subscribers of the store. */
export interface SharedSubscription<A> {
  readonly subscribe: (subscriber: (item: A) => void) => () => void
  /** Takes the place, if no subscriber has yet. A controller keeps its place while it is stopped. */
  readonly attach: () => void
  /** Calls all subscribers. */
  readonly deliver: (item: A) => void
  /** Sends the items of the store to `receive` instead of the subscribers; undefined ends that. */
  readonly divert: (receive: ((item: A) => void) | undefined) => void
}

export const makeSharedSubscription = <A>(
  subscribeToStore: (listener: (item: A) => void) => unknown
): SharedSubscription<A> => {
  const subscribers = new Set<(item: A) => void>()
  let receivers: ReadonlySet<(item: A) => void> = subscribers
  let isAttached = false
  const attach = (): void => {
    if (isAttached) return
    isAttached = true
    subscribeToStore((item) => {
      for (const receive of receivers) receive(item)
    })
  }
  return {
    subscribe: (subscriber) => {
      attach()
      subscribers.add(subscriber)
      return () => subscribers.delete(subscriber)
    },
    attach,
    deliver: (item) => {
      for (const subscriber of subscribers) subscriber(item)
    },
    divert: (receive) => {
      receivers = receive === undefined ? subscribers : new Set([receive])
    }
  }
}
