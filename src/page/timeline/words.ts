import type { RevisionPods, Row } from "./track.ts"

const texts = new Map<number, string>()
const rememberedMax = 4096

/** A moment by the cluster's clock, to the millisecond where that is not a whole second: `10:00:12.345`. */
export const timeText = (millis: number): string => {
  const known = texts.get(millis)
  if (known !== undefined) return known
  // Writing a date is slow, and the same moments are written at every drawing.
  if (texts.size >= rememberedMax) texts.clear()
  const exact = new Date(Math.round(millis)).toISOString().slice(11, 23)
  const text = exact.endsWith(".000") ? exact.slice(0, 8) : exact
  texts.set(millis, text)
  return text
}

const [minuteMillis, dayMillis] = [60_000, 86_400_000]

/** What stands below an axis whose marks are so far from each other. */
export const tickText = (millis: number, stepMillis: number): string => {
  if (stepMillis >= dayMillis) return new Date(millis).toISOString().slice(5, 10)
  if (stepMillis >= minuteMillis && millis % minuteMillis === 0) return timeText(millis).slice(0, 5)
  const second = Math.floor(millis / 1000) * 1000
  return stepMillis < 1000 ? timeText(millis).replace(/(\.\d+?)0+$/, "$1") : timeText(second)
}

/** How a Deployment stands, for whoever cannot see the drawing. */
export const rowText = ({ available, desired, floor, ceiling }: Row): string =>
  [
    `${available} of ${desired} available`,
    ...(floor === undefined ? [] : [`floor ${floor}`]),
    ...(ceiling === undefined ? [] : [`ceiling ${ceiling}`])
  ].join(", ")

/** `revision 2: 3 ready, 1 stopping`. */
export const revisionWords = ({ revision, ready, notReady, terminating }: RevisionPods): string => {
  const counts = [
    ...(ready === 0 ? [] : [`${ready} ready`]),
    ...(notReady === 0 ? [] : [`${notReady} not ready`]),
    ...(terminating === 0 ? [] : [`${terminating} stopping`])
  ]
  return `revision ${revision === "" ? "?" : revision}: ${counts.join(", ")}`
}
