export interface Signal<A> {
  readonly get: () => A
  readonly set: (value: A) => void
  /** Calls back at most once a frame. Returns how to unsubscribe. */
  readonly subscribe: (changed: () => void) => () => void
  /** Calls back synchronously, for derived values. Returns how to unsubscribe. */
  readonly listen: (changed: () => void) => () => void
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
      for (const changed of listeners) changed()
      for (const changed of subscribers) requestDraw(changed)
    },
    subscribe: (changed) => {
      subscribers.add(changed)
      return () => void subscribers.delete(changed)
    },
    listen: (changed) => {
      listeners.add(changed)
      return () => void listeners.delete(changed)
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
