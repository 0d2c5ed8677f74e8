import { memoizeUpTo } from "../../kubernetes/meta/text/memoizeUpTo.ts"
import type { RevisionPods, TrackRow } from "./series/workloadTrack.ts"

/** `10:00:12.345`, or `10:00:12`. Formatting is slow, and each redraw has the same times. */
export const timeText = memoizeUpTo(4096, (millis: number): string => {
  const fullText = new Date(Math.round(millis)).toISOString().slice(11, 23)
  return fullText.endsWith(".000") ? fullText.slice(0, 8) : fullText
})

const [minuteMillis, dayMillis] = [60_000, 86_400_000]

/** As precise as the distance of two ticks requires. */
export const tickText = (millis: number, stepMillis: number): string => {
  if (stepMillis >= dayMillis) return new Date(millis).toISOString().slice(5, 10)
  if (stepMillis >= minuteMillis && millis % minuteMillis === 0) return timeText(millis).slice(0, 5)
  const second = Math.floor(millis / 1000) * 1000
  return stepMillis < 1000 ? timeText(millis).replace(/(\.\d+?)0+$/, "$1") : timeText(second)
}

const countWords: Readonly<Record<string, string>> = {
  Job: "running",
  CronJob: "running",
  HorizontalPodAutoscaler: "replicas"
}

export const availabilityText = (kind: string, { available, desired, floor, ceiling }: TrackRow): string =>
  [
    `${available} of ${desired} ${countWords[kind] ?? "available"}`,
    ...(floor === undefined ? [] : [`floor ${floor}`]),
    ...(ceiling === undefined ? [] : [`ceiling ${ceiling}`])
  ].join(", ")

/** `revision 2: 3 ready, 1 stopping`. */
export const revisionPodsText = ({ revision, ready, notReady, terminating }: RevisionPods): string => {
  const counts = [
    ...(ready === 0 ? [] : [`${ready} ready`]),
    ...(notReady === 0 ? [] : [`${notReady} not ready`]),
    ...(terminating === 0 ? [] : [`${terminating} stopping`])
  ]
  return revision === "" ? counts.join(", ") : `revision ${revision}: ${counts.join(", ")}`
}
