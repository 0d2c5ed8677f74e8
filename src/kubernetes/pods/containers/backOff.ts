/** Source: backoff.go, kuberuntime_manager.go (doBackOff). */
const firstBackOffMillis = 10_000
const maxBackOffMillis = 300_000

/** A container that ran for this long starts its back-off afresh. */
export const backOffResetMillis = 2 * maxBackOffMillis

/** `failures` counts from 1. */
export const backOffMillis = (failures: number): number =>
  Math.min(maxBackOffMillis, firstBackOffMillis * 2 ** Math.max(0, failures - 1))

/** A container is restarted at once after its first crash. */
export const crashBackOffMillis = (crashes: number): number => (crashes <= 1 ? 0 : backOffMillis(crashes - 1))

/** The end of a long run counts as the first crash. */
export const crashCountAfterRun = (crashesBefore: number, ranMillis: number): number =>
  ranMillis >= backOffResetMillis ? 1 : crashesBefore + 1

interface PodName {
  readonly name: string
  readonly namespace?: string | undefined
  readonly uid: string
}

export const formatPodName = ({ name, namespace = "", uid }: PodName): string =>
  `${name}_${namespace}(${uid})`

export const crashBackOffMessage = (container: string, crashes: number, pod: PodName): string => {
  const wait = goDuration(crashBackOffMillis(crashes))
  return `back-off ${wait} restarting failed container=${container} pod=${formatPodName(pod)}`
}

/** Uses `estimate` if the message names no back-off, or the longest one, which many counts share. */
export const parseCrashCount = (message: string, estimate: number): number => {
  const [, minutes = "0", seconds = "0"] = message.match(/^back-off (?:(\d+)m)?(\d+)s /u) ?? []
  const wait = (Number(minutes) * 60 + Number(seconds)) * 1000
  if (wait === 0) return estimate
  let crashes = 2
  while (crashBackOffMillis(crashes) < wait) crashes += 1
  return wait >= maxBackOffMillis ? Math.max(crashes, estimate) : crashes
}

export const goDuration = (millis: number): string => {
  if (millis === 0) return "0s"
  if (millis < 1000) return `${millis}ms`
  const minutes = Math.floor(millis / 60_000)
  const seconds = `${(millis - minutes * 60_000) / 1000}s`
  if (minutes === 0) return seconds
  return minutes < 60 ? `${minutes}m${seconds}` : `${Math.floor(minutes / 60)}h${minutes % 60}m${seconds}`
}
