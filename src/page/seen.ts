import { useEffect, useState } from "preact/hooks"
import { useKept } from "./useKept.ts"
import { useWorld } from "./world.ts"

/** A rollout of thousands of Pods is not summed up at each of their changes, nor at each moment that is passed by. */
const growthMillis = 250
const movesMillis = 80

/** Draws a view anew a few times a second while the present moves, and soon where another moment is chosen. */
export const useSeen = (): void => {
  const { moment, known, time } = useWorld()
  useKept(time)
  const [, look] = useState(0)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let lookedMillis = 0
    const lookNow = (): void => {
      timer = undefined
      lookedMillis = performance.now()
      look((count) => count + 1)
    }
    const within = (millis: number) => (): void => {
      clearTimeout(timer)
      const wait = lookedMillis + millis - performance.now()
      if (wait <= 0) lookNow()
      else timer = setTimeout(lookNow, wait)
    }
    const stops = [known.follow(within(growthMillis)), moment.follow(within(movesMillis))]
    return () => {
      for (const stop of stops) stop()
      clearTimeout(timer)
    }
  }, [known, moment])
}
