/**
 * Timestamps of Kubernetes: RFC 3339, UTC, whole seconds (metav1.Time). Formatting cuts off the fraction, so that
 * durations between stored times are inexact by up to a second.
 */

let lastSecond = Number.NaN
let lastText = ""

export const timestampOf = (millis: number): string => {
  const second = Math.floor(millis / 1000)
  if (second !== lastSecond) {
    // Thousands of objects get the time of one second: they share one string.
    lastSecond = second
    lastText = `${new Date(second * 1000).toISOString().slice(0, 19)}Z`
  }
  return lastText
}

const millisByText = new Map<string, number>()
const cachedTextsMax = 4096

/** Parses a stored time to Unix milliseconds; NaN if invalid. */
export const timestampMillis = (timestamp: string): number => {
  const cached = millisByText.get(timestamp)
  if (cached !== undefined) return cached
  // Parsing a date is slow and few distinct seconds are in use; the cache is emptied when full.
  if (millisByText.size >= cachedTextsMax) millisByText.clear()
  const millis = Date.parse(timestamp)
  millisByText.set(timestamp, millis)
  return millis
}

export const floorToSecond = (millis: number): number => Math.floor(millis / 1000) * 1000
