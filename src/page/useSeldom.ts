import { useEffect, useState } from "preact/hooks"
import type { Kept } from "./kept.ts"

/** A value as it was not longer ago than this: what is drawn whole is not drawn at every change of many. */
export const useSeldom = <A>(kept: Kept<A>, everyMillis: number): A => {
  const [value, setValue] = useState(kept.get)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let lastMillis = -Infinity
    const draw = (): void => {
      timer = undefined
      lastMillis = performance.now()
      setValue(() => kept.get())
    }
    const look = (): void => {
      timer ??= setTimeout(draw, Math.max(0, lastMillis + everyMillis - performance.now()))
    }
    draw()
    const stop = kept.follow(look)
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [kept, everyMillis])
  return value
}
