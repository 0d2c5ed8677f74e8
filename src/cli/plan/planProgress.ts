import { formatDuration } from "../../kubernetes/meta/amounts/durations.ts"
import { openErrorFrame } from "../terminal/terminalFrame.ts"

export interface PlanProgress {
  readonly countRun: () => void
  readonly close: () => void
}

export const openPlanProgress = (total: number, screen?: NodeJS.WriteStream): PlanProgress => {
  const frame = openErrorFrame(screen)
  if (frame === undefined) return { countRun: () => {}, close: () => {} }
  const beganMillis = performance.now()
  let played = 0
  let lastDrawnMillis = -drawIntervalMillis
  return {
    countRun: () => {
      played += 1
      const elapsedMillis = performance.now() - beganMillis
      if (elapsedMillis - lastDrawnMillis < drawIntervalMillis) return
      lastDrawnMillis = elapsedMillis
      frame.draw([progressLine({ played, total, elapsedMillis })])
    },
    close: () => {
      frame.draw([])
      frame.done()
    }
  }
}

const drawIntervalMillis = 100
const barWidth = 30
/** The first runs take longer: modules are loaded, and the state before the change is played. */
const runsBeforeEstimate = 5

/** `playing ███████░░░░░░░ 37 of 120 runs, 12s left; Ctrl-C shows what is known so far` */
export const progressLine = ({
  played,
  total,
  elapsedMillis
}: {
  readonly played: number
  readonly total: number
  readonly elapsedMillis: number
}): string => {
  const filled = Math.round((played / total) * barWidth)
  const bar = "█".repeat(filled) + "░".repeat(barWidth - filled)
  const leftSeconds = Math.ceil(((elapsedMillis / played) * (total - played)) / 1000)
  const timeLeftText = played < runsBeforeEstimate ? "" : `, ${formatDuration(leftSeconds * 1000)} left`
  return `playing ${bar} ${played} of ${total} runs${timeLeftText}; Ctrl-C shows what is known so far`
}
