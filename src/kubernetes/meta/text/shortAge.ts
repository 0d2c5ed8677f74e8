/** Source: duration.go (HumanDuration). */
export const shortAge = (millis: number): string => {
  const seconds = Math.trunc(millis / 1000)
  if (seconds < -1) return "<invalid>"
  if (seconds < 2 * minute) return `${Math.max(0, seconds)}s`
  if (seconds < 10 * minute) return twoUnits(seconds, [minute, "m"], [1, "s"])
  if (seconds < 3 * hour) return `${Math.floor(seconds / minute)}m`
  if (seconds < 8 * hour) return twoUnits(seconds, [hour, "h"], [minute, "m"])
  if (seconds < 2 * day) return `${Math.floor(seconds / hour)}h`
  if (seconds < 8 * day) return twoUnits(seconds, [day, "d"], [hour, "h"])
  if (seconds < 2 * year) return `${Math.floor(seconds / day)}d`
  return seconds < 8 * year ? twoUnits(seconds, [year, "y"], [day, "d"]) : `${Math.floor(seconds / year)}y`
}

const minute = 60
const hour = 60 * minute
const day = 24 * hour
const year = 365 * day

type Unit = readonly [seconds: number, name: string]

const twoUnits = (seconds: number, [large, largeName]: Unit, [small, smallName]: Unit): string => {
  const remainder = Math.floor((seconds % large) / small)
  const first = `${Math.floor(seconds / large)}${largeName}`
  return remainder === 0 ? first : `${first}${remainder}${smallName}`
}
