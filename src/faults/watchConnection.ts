export interface WatchConnection {
  readonly isBroken: () => boolean
  /** Returns how to unsubscribe. */
  readonly onBreak: (endWatch: () => void) => () => void
  /** Ends all watches, new ones too, until the returned function is called. */
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
