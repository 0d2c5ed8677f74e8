/** Continuous work would leave the browser no time to draw, nor to answer a key. */
const sliceMillis = 8

/** The returned function is awaited between two pieces of work. */
export const pauseForFrames = (nowMillis: () => number = () => performance.now()): (() => Promise<void>) => {
  let beganMillis = nowMillis()
  return async () => {
    if (nowMillis() - beganMillis < sliceMillis) return
    await nextTask()
    beganMillis = nowMillis()
  }
}

/** A message has none of the delay of a timer. */
const nextTask = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.addEventListener("message", () => {
      port1.close()
      resolve()
    })
    port1.start()
    port2.postMessage(undefined)
  })
