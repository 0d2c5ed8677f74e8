import { makeSignal } from "../signal.ts"
import { timeText } from "../timeline/timelineText.ts"
import { clockText } from "../source/clusterTime.ts"
import { useEffect } from "preact/hooks"
import { usePageState } from "../pageState.ts"
import { useSignal } from "../useSignal.ts"

const tickMillis = 200
const ticks = makeSignal(0)
let timer: ReturnType<typeof setInterval> | undefined
let tickingViews = 0

const startTicking = (): (() => void) => {
  tickingViews += 1
  timer ??= setInterval(() => ticks.set(ticks.get() + 1), tickMillis)
  return () => {
    tickingViews -= 1
    if (tickingViews > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The time is in whole seconds while the clock runs, otherwise as precise as on the timeline. */
export const useShownTime = (): { readonly millis: number; readonly text: string } => {
  const { source, moment, isNow, shownMillis, redrawCount, clusterTime } = usePageState()
  useSignal(source)
  useSignal(moment)
  useSignal(redrawCount)
  useSignal(ticks)
  const latestTime = useSignal(clusterTime)
  const isRunning = isNow() && latestTime?.speed !== 0
  useEffect(() => (isRunning ? startTicking() : undefined), [isRunning])
  const millis = shownMillis()
  return { millis, text: isRunning ? clockText(millis) : timeText(millis) }
}

export const ShownTime = () => <time>{useShownTime().text}</time>
