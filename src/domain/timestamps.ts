/**
 * Times as Kubernetes writes them: RFC 3339, UTC, whole seconds (metav1.Time). A reading cuts the fraction off, so
 * comparisons with stored times see up to a second less than has passed.
 */

let lastSecond = Number.NaN
let lastText = ""

/** `2026-01-01T00:00:00Z` of a Unix time in milliseconds. */
export const timestampOf = (millis: number): string => {
  const second = Math.floor(millis / 1000)
  if (second !== lastSecond) {
    // Thousands of objects are stamped within one second: they share one string.
    lastSecond = second
    lastText = `${new Date(second * 1000).toISOString().slice(0, 19)}Z`
  }
  return lastText
}

const millisByText = new Map<string, number>()
const rememberedMax = 4096

/** Unix milliseconds of a stored time; NaN where the text is no time. */
export const millisOf = (timestamp: string): number => {
  const known = millisByText.get(timestamp)
  if (known !== undefined) return known
  // Reading a date is slow and few distinct seconds are in play; the memory is emptied rather than grown.
  if (millisByText.size >= rememberedMax) millisByText.clear()
  const millis = Date.parse(timestamp)
  millisByText.set(timestamp, millis)
  return millis
}

export const secondsFloor = (millis: number): number => Math.floor(millis / 1000) * 1000
