/** `8.4s` or `10m0.2s`. */
export const preciseDurationText = (millis: number): string => {
  const tenths = Math.round(millis / 100)
  const minutes = Math.floor(tenths / 600)
  const seconds = `${((tenths % 600) / 10).toFixed(1)}s`
  if (minutes === 0) return seconds
  const hours = Math.floor(minutes / 60)
  return hours === 0 ? `${minutes}m${seconds}` : `${hours}h${minutes % 60}m${seconds}`
}
