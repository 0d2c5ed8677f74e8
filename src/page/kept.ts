import { useEffect, useState } from "preact/hooks"

/** A value that views follow. */
export interface Kept<A> {
  readonly get: () => A
  readonly set: (value: A) => void
  /** Calls back after each change, once a frame at the most. Returns how to stop. */
  readonly follow: (changed: () => void) => () => void
}

export const keep = <A>(initial: A): Kept<A> => {
  let value = initial
  const followers = new Set<() => void>()
  return {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return
      value = next
      for (const changed of followers) nextFrame(changed)
    },
    follow: (changed) => {
      followers.add(changed)
      return () => void followers.delete(changed)
    }
  }
}

/** The value now, and a view that is drawn anew when it changes. */
export const useKept = <A>(kept: Kept<A>): A => {
  const [, setValue] = useState(kept.get)
  useEffect(() => {
    const draw = (): void => setValue(() => kept.get())
    draw()
    return kept.follow(draw)
  }, [kept])
  return kept.get()
}

const waiting = new Set<() => void>()

/** Many changes of one frame are drawn together. Frames stand still in a tab that nobody sees; time does not. */
const nextFrame = (draw: () => void): void => {
  if (waiting.size === 0) {
    if (document.visibilityState === "visible") requestAnimationFrame(drawAll)
    else setTimeout(drawAll, hiddenMillis)
  }
  waiting.add(draw)
}

const hiddenMillis = 250

const drawAll = (): void => {
  const all = [...waiting]
  waiting.clear()
  for (const draw of all) draw()
}
