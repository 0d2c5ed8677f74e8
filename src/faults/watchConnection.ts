export interface WatchConnection {
  readonly isBroken: () => boolean
  /** Calls back when the connection breaks. Returns how to unsubscribe. */
  readonly onBreak: (end: () => void) => () => void
  /** Ends all watches, and new ones at once, until the returned function is called. */
  readonly cut: () => () => void
}

export const makeWatchConnection = (): WatchConnection => {
  const watches = new Set<() => void>()
  let cuts = 0
  return {
    isBroken: () => cuts > 0,
    onBreak: (end) => {
      watches.add(end)
      return () => watches.delete(end)
    },
    cut: () => {
      cuts += 1
      for (const end of watches) end()
      watches.clear()
      return () => {
        cuts -= 1
      }
    }
  }
}
