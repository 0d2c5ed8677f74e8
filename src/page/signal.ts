export interface Signal<A> {
  readonly get: () => A
  readonly set: (value: A) => void
  /** Calls back at most once a frame. Returns the function that unsubscribes. */
  readonly subscribe: (onChange: () => void) => () => void
  /** Calls back synchronously, for derived values. Returns the function that unsubscribes. */
  readonly listen: (onChange: () => void) => () => void
}

export const makeSignal = <A>(initial: A): Signal<A> => {
  let value = initial
  const subscribers = new Set<() => void>()
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return
      value = next
      for (const onChange of listeners) onChange()
      for (const onChange of subscribers) requestDraw(onChange)
    },
    subscribe: (onChange) => {
      subscribers.add(onChange)
      return () => void subscribers.delete(onChange)
    },
    listen: (onChange) => {
      listeners.add(onChange)
      return () => void listeners.delete(onChange)
    }
  }
}

/** Also resolves when the abort signal aborts. */
export const waitUntil = (
  signal: Pick<Signal<unknown>, "listen">,
  holds: () => boolean,
  abortSignal: AbortSignal
): Promise<void> =>
  new Promise((resolve) => {
    if (abortSignal.aborted || holds()) return resolve()
    const finish = (): void => {
      stopListening()
      abortSignal.removeEventListener("abort", finish)
      resolve()
    }
    const stopListening = signal.listen(() => holds() && finish())
    abortSignal.addEventListener("abort", finish)
  })

/** Schedules a redraw, by default with a timer, so that tests need no browser. */
type FrameScheduler = (draw: () => void) => void

let scheduleFrame: FrameScheduler = (draw) => void setTimeout(draw)

export const setFrameScheduler = (scheduler: FrameScheduler): void => {
  scheduleFrame = scheduler
}

const pendingDraws = new Set<() => void>()

const requestDraw = (draw: () => void): void => {
  if (pendingDraws.size === 0) scheduleFrame(drawPending)
  pendingDraws.add(draw)
}

const drawPending = (): void => {
  const draws = [...pendingDraws]
  pendingDraws.clear()
  for (const draw of draws) draw()
}
