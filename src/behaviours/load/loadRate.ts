import { parseDuration } from "../../kubernetes/meta/amounts/durations.ts"
import type { DailyLoad, LoadChange, LoadRate } from "./load.ts"

const hourMillis = 3_600_000
const dayMillis = 24 * hourMillis
/** The curve of a day consists of straight lines of this length. */
const dailyStepMillis = hourMillis / 4

/** Requests a second. */
export const loadRateAt = (rate: LoadRate, { beganMillis, nowMillis }: LoadTime): number => {
  if (typeof rate === "number") return rate
  if ("low" in rate) return dailyRateAt(rate, nowMillis)
  const { atMillis, overMillis } = changeTimes(rate, beganMillis)
  if (nowMillis < atMillis) return rate.from
  if (nowMillis >= atMillis + overMillis) return rate.to
  return rate.from + ((rate.to - rate.from) * (nowMillis - atMillis)) / overMillis
}

interface LoadTime {
  /** When the rate began to hold. */
  readonly beganMillis: number
  readonly nowMillis: number
}

const changeTimes = ({ at = "0s", over = "0s" }: LoadChange, beganMillis: number) => ({
  atMillis: beganMillis + (parseDuration(at) ?? 0),
  overMillis: parseDuration(over) ?? 0
})

const dailyRateAt = (rate: DailyLoad, nowMillis: number): number => {
  const stepMillis = Math.floor(nowMillis / dailyStepMillis) * dailyStepMillis
  const first = cosineCurveAt(rate, stepMillis)
  const next = cosineCurveAt(rate, stepMillis + dailyStepMillis)
  return first + ((next - first) * (nowMillis - stepMillis)) / dailyStepMillis
}

const cosineCurveAt = ({ low, high, peak = "14:00" }: DailyLoad, millis: number): number => {
  const [hours = 0, minutes = 0] = peak.split(":").map(Number)
  const peakMillis = hours * hourMillis + minutes * 60_000
  const angle = ((millis - peakMillis) / dayMillis) * 2 * Math.PI
  return low + ((high - low) * (1 + Math.cos(angle))) / 2
}

/** Undefined if the rate is a straight line from `nowMillis` on. */
const nextCorner = (rate: LoadRate, { beganMillis, nowMillis }: LoadTime): number | undefined => {
  if (typeof rate === "number") return undefined
  if ("low" in rate) return (Math.floor(nowMillis / dailyStepMillis) + 1) * dailyStepMillis
  const { atMillis, overMillis } = changeTimes(rate, beganMillis)
  return [atMillis, atMillis + overMillis].find((corner) => corner > nowMillis)
}

/** `lost`: above the capacity. The sums are exact, since rates are straight lines between corners. */
export const requestsBetween = (
  rate: LoadRate,
  {
    beganMillis,
    fromMillis,
    toMillis,
    capacity
  }: {
    readonly beganMillis: number
    readonly fromMillis: number
    readonly toMillis: number
    /** Requests a second. */
    readonly capacity: number
  }
): { readonly requested: number; readonly lost: number } => {
  let requested = 0
  let lost = 0
  let millis = fromMillis
  while (millis < toMillis) {
    const end = Math.min(toMillis, nextCorner(rate, { beganMillis, nowMillis: millis }) ?? toMillis)
    const first = loadRateAt(rate, { beganMillis, nowMillis: millis })
    // The rate may jump at the corner.
    const last = rateJustBefore(rate, { beganMillis, nowMillis: end })
    const seconds = (end - millis) / 1000
    requested += ((first + last) / 2) * seconds
    lost += areaAboveZero(first - capacity, last - capacity) * seconds
    millis = end
  }
  return { requested, lost }
}

const rateJustBefore = (rate: LoadRate, time: LoadTime): number => {
  if (typeof rate === "number" || "low" in rate) return loadRateAt(rate, time)
  const { atMillis } = changeTimes(rate, time.beganMillis)
  return time.nowMillis === atMillis ? rate.from : loadRateAt(rate, time)
}

/** The area above zero under a straight line of width 1. */
const areaAboveZero = (first: number, last: number): number => {
  if (first <= 0 && last <= 0) return 0
  if (first >= 0 && last >= 0) return (first + last) / 2
  const above = Math.max(first, last)
  return (above * above) / (2 * (above - Math.min(first, last)))
}
