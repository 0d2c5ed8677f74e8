import { useEffect, useState } from "preact/hooks"
import type { Kept } from "./kept.ts"

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

const hiddenMillis = 250

/** The browser's next frame. They stand still in a tab that nobody sees; time does not. */
export const browserFrames = (draw: () => void): void => {
  if (document.visibilityState === "visible") requestAnimationFrame(draw)
  else setTimeout(draw, hiddenMillis)
}
