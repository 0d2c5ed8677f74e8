/** A value that views follow. */
export interface Kept<A> {
  readonly get: () => A
  readonly set: (value: A) => void
  /** Calls back after each change, once a frame at the most. Returns how to stop. */
  readonly follow: (changed: () => void) => () => void
  /** Calls back at each change, at once: for what is derived from it. Returns how to stop. */
  readonly hear: (changed: () => void) => () => void
}

export const keep = <A>(initial: A): Kept<A> => {
  let value = initial
  const followers = new Set<() => void>()
  const hearers = new Set<() => void>()
  return {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return
      value = next
      for (const changed of hearers) changed()
      for (const changed of followers) drawLater(changed)
    },
    follow: (changed) => {
      followers.add(changed)
      return () => void followers.delete(changed)
    },
    hear: (changed) => {
      hearers.add(changed)
      return () => void hearers.delete(changed)
    }
  }
}

/** When what has changed is drawn: where nobody says it, as soon as nothing else is to be done. */
type Frames = (draw: () => void) => void

let nextFrame: Frames = (draw) => void setTimeout(draw)

export const drawBy = (frames: Frames): void => {
  nextFrame = frames
}

const waiting = new Set<() => void>()

/** Many changes of one frame are drawn together. */
const drawLater = (draw: () => void): void => {
  if (waiting.size === 0) nextFrame(drawAll)
  waiting.add(draw)
}

const drawAll = (): void => {
  const all = [...waiting]
  waiting.clear()
  for (const draw of all) draw()
}
