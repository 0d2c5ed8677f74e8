/** The connection that the watches of a client go by. */
export interface WatchLine {
  readonly isBroken: () => boolean
  /** Calls back when it breaks. Returns how to stop. */
  readonly onBreak: (end: () => void) => () => void
  /** Ends every watch, and every new one at once, until it is mended again. Returns how to mend it. */
  readonly cut: () => () => void
}

export const makeWatchLine = (): WatchLine => {
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
