import type { CronField, CronFields, CronSchedule } from "./cronSchedule.ts"

/**
 * Times that the clock skips are left out; times that the clock shows twice are due twice. Source:
 * github.com/robfig/cron v3 (spec.go, constantdelay.go).
 */
export const nextCronTime = (
  schedule: CronSchedule,
  afterMillis: number,
  timeZone: string
): number | undefined => {
  if ("everyMillis" in schedule) return Math.floor((afterMillis + schedule.everyMillis) / 1000) * 1000
  let millis = (Math.floor(afterMillis / minuteMillis) + 1) * minuteMillis
  const endMillis = afterMillis + searchSpanMillis
  while (millis < endMillis) {
    const clock = clockAt(millis, timeZone)
    if (!isDueOn(schedule, clock)) millis = nextMidnight(millis, timeZone)
    else if (!schedule.hours.values.has(clock.hour)) millis += (60 - clock.minute) * minuteMillis
    else if (schedule.minutes.values.has(clock.minute)) return millis
    else millis += minutesToNext(schedule.minutes, clock.minute) * minuteMillis
  }
  return undefined
}

const minuteMillis = 60_000
const dayMillis = 86_400_000
/** A schedule that is not due within five years never is. */
const searchSpanMillis = 5 * 366 * dayMillis

interface WallClock {
  readonly month: number
  readonly day: number
  readonly weekday: number
  readonly hour: number
  readonly minute: number
}

const isDueOn = (
  { months, daysOfMonth, daysOfWeek }: CronFields,
  { month, day, weekday }: WallClock
): boolean => {
  if (!months.values.has(month)) return false
  const [inMonth, inWeek] = [daysOfMonth.values.has(day), daysOfWeek.values.has(weekday)]
  return daysOfMonth.isEvery || daysOfWeek.isEvery ? inMonth && inWeek : inMonth || inWeek
}

const minutesToNext = ({ values }: CronField, minute: number): number =>
  Math.min(60, ...[...values].filter((it) => it > minute)) - minute

/** The next day begins later than 0:00 where the clock is put forward at midnight. */
const nextMidnight = (millis: number, timeZone: string): number => {
  const offset = utcOffsetMillis(millis, timeZone)
  const midnightOnClock = (Math.floor((millis + offset) / dayMillis) + 1) * dayMillis
  const byPresentOffset = midnightOnClock - offset
  const nextOffset = utcOffsetMillis(byPresentOffset, timeZone)
  if (nextOffset === offset) return byPresentOffset
  const byNextOffset = midnightOnClock - nextOffset
  return utcOffsetMillis(byNextOffset, timeZone) === nextOffset ? byNextOffset : byPresentOffset
}

const clockAt = (millis: number, timeZone: string): WallClock => {
  const date = new Date(millis + utcOffsetMillis(millis, timeZone))
  return {
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes()
  }
}

const formatsByTimeZone = new Map<string, Intl.DateTimeFormat>()

const formatOf = (timeZone: string): Intl.DateTimeFormat => {
  const present = formatsByTimeZone.get(timeZone)
  if (present !== undefined) return present
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric"
  })
  formatsByTimeZone.set(timeZone, format)
  return format
}

export const utcOffsetMillis = (millis: number, timeZone: string): number => {
  if (timeZone === "UTC") return 0
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(millis)
      .map(({ type, value }) => [type, Number(value)])
  )
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0
  const local = Date.UTC(
    part("year"),
    part("month") - 1,
    part("day"),
    part("hour"),
    part("minute"),
    part("second")
  )
  return local - Math.floor(millis / 1000) * 1000
}
