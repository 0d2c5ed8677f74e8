import { useEffect, useState } from "preact/hooks"
import type { Signal } from "./signal.ts"

/** The value of a signal. Redraws the component when it changes. */
export const useSignal = <A>(signal: Signal<A>): A => {
  const [, setValue] = useState(signal.get)
  useEffect(() => {
    const redraw = (): void => setValue(() => signal.get())
    redraw()
    return signal.subscribe(redraw)
  }, [signal])
  return signal.get()
}

const hiddenTabMillis = 250

/** The browser's next frame. A hidden tab draws no frames, so a timer stands in for it. */
export const scheduleBrowserFrame = (draw: () => void): void => {
  if (document.visibilityState === "visible") requestAnimationFrame(draw)
  else setTimeout(draw, hiddenTabMillis)
}
