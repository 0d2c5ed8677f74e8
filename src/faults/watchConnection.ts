/** The watches of all clients from outside, which a fault breaks. */
export interface WatchConnection {
  readonly isBroken: () => boolean
  /** Calls back when the connection breaks. Returns how to unsubscribe. */
  readonly onBreak: (endWatch: () => void) => () => void
  /** Ends all watches, and new ones at once, until the returned function is called. */
  readonly cut: () => () => void
}

export const makeWatchConnection = (): WatchConnection => {
  const watches = new Set<() => void>()
  let cuts = 0
  return {
    isBroken: () => cuts > 0,
    onBreak: (endWatch) => {
      watches.add(endWatch)
      return () => watches.delete(endWatch)
    },
    cut: () => {
      cuts += 1
      for (const endWatch of watches) endWatch()
      watches.clear()
      return () => {
        cuts -= 1
      }
    }
  }
}
