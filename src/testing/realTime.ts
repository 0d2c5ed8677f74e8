/** The machine's own time, for what no clock of ours moves: real clusters, and programs that answer over a socket. */
export const realNow = (): Date => new Date()

export const passReally = (millis: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, millis)
  })

/** Lets the sockets of this process have so many turns, however busy the machine is. */
export const takeTurns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) {
    await new Promise<void>((resolve) => {
      setImmediate(resolve)
    })
  }
}
