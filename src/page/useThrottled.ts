import { useEffect, useState } from "preact/hooks"
import type { Signal } from "./signal.ts"

export const useThrottled = <A>(signal: Signal<A>, intervalMillis: number): A => {
  const [value, setValue] = useState(signal.get)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let lastDrawMillis = -Infinity
    const redraw = (): void => {
      timer = undefined
      lastDrawMillis = performance.now()
      setValue(() => signal.get())
    }
    const schedule = (): void => {
      timer ??= setTimeout(redraw, Math.max(0, lastDrawMillis + intervalMillis - performance.now()))
    }
    redraw()
    const unsubscribe = signal.subscribe(schedule)
    return () => {
      unsubscribe()
      clearTimeout(timer)
    }
  }, [signal, intervalMillis])
  return value
}
