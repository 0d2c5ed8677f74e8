import { useEffect, useState } from "preact/hooks"
import type { Signal } from "./signal.ts"

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

/** A hidden tab draws no frames: a timer stands in. */
export const scheduleBrowserFrame = (draw: () => void): void => {
  if (document.visibilityState === "visible") requestAnimationFrame(draw)
  else setTimeout(draw, hiddenTabMillis)
}
