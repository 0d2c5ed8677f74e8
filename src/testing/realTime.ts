/** Real time, for real clusters and for clients that connect over a socket. */
export const realNow = (): Date => new Date()

export const sleepRealTime = (millis: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, millis)
  })

/** Lets the event loop run `count` turns. */
export const runEventLoopTurns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) {
    await new Promise<void>((resolve) => {
      setImmediate(resolve)
    })
  }
}
