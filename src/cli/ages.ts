/**
 * A length of time as `kubectl` prints ages, two units at the most: `0s`, `45s`, `3m20s`, `12m`, `2h5m`,
 * `4d`.
 */
export const shortAge = (millis: number): string => {
  const seconds = Math.max(0, Math.floor(millis / 1000))
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 10) return twoUnits(minutes, "m", seconds % 60, "s")
  if (minutes < 180) return `${minutes}m`
  const hours = Math.floor(minutes / 60)
  if (hours < 8) return twoUnits(hours, "h", minutes % 60, "m")
  return hours < 48 ? `${hours}h` : twoUnits(Math.floor(hours / 24), "d", 0, "h")
}

const twoUnits = (large: number, largeUnit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`

/** How long something took, to a tenth of a second: `8.4s`, `10m0.2s`. */
export const exactSpan = (millis: number): string => {
  const tenths = Math.round(millis / 100)
  const minutes = Math.floor(tenths / 600)
  const seconds = `${((tenths % 600) / 10).toFixed(1)}s`
  if (minutes === 0) return seconds
  const hours = Math.floor(minutes / 60)
  return hours === 0 ? `${minutes}m${seconds}` : `${hours}h${minutes % 60}m${seconds}`
}
