/**
 * How long a kubelet waits before it tries once more what has failed, and how it says so.
 *
 * Source: client-go/util/flowcontrol/backoff.go, pkg/kubelet/kuberuntime/kuberuntime_manager.go (doBackOff).
 */
const firstMillis = 10_000
const maxMillis = 300_000

/** A run this long forgives the failures before it. */
export const forgivenAfterMillis = 2 * maxMillis

/** The wait before the n-th attempt in a row, n counting from 1: 10 s, doubling, at most 300 s. */
export const backOffMillis = (failures: number): number =>
  Math.min(maxMillis, firstMillis * 2 ** Math.max(0, failures - 1))

/** The wait after so many crashes in a row: none after the first, which is followed by a run at once. */
export const crashBackOffMillis = (crashes: number): number => (crashes <= 1 ? 0 : backOffMillis(crashes - 1))

/** How often in a row a run has ended, of those that did not last, when a run of this length is over. */
export const crashesAfter = (crashesBefore: number, ranMillis: number): number =>
  ranMillis >= forgivenAfterMillis ? 1 : crashesBefore + 1

/** Whom a message is about. */
interface PodName {
  readonly name: string
  readonly namespace?: string | undefined
  readonly uid: string
}

/** `web-1_shop(8f3c…)`, as a kubelet names a Pod. */
export const podText = ({ name, namespace = "", uid }: PodName): string => `${name}_${namespace}(${uid})`

/** What the status of a crashed container says while it waits. */
export const crashMessage = (container: string, crashes: number, pod: PodName): string => {
  const wait = goDuration(crashBackOffMillis(crashes))
  return `back-off ${wait} restarting failed container=${container} pod=${podText(pod)}`
}

/**
 * How many crashes in a row such a message was written after. The longest wait is the same for all from some number
 * on: there the caller's own estimate counts.
 */
export const crashesOfMessage = (message: string, estimate: number): number => {
  const [, minutes = "0", seconds = "0"] = message.match(/^back-off (?:(\d+)m)?(\d+)s /u) ?? []
  const wait = (Number(minutes) * 60 + Number(seconds)) * 1000
  if (wait === 0) return estimate
  let crashes = 2
  while (crashBackOffMillis(crashes) < wait) crashes += 1
  return wait >= maxMillis ? Math.max(crashes, estimate) : crashes
}

/** A time as Go prints a `time.Duration` of whole milliseconds: `0s`, `700ms`, `1.25s`, `2m40s`, `1h0m3s`. */
export const goDuration = (millis: number): string => {
  if (millis === 0) return "0s"
  if (millis < 1000) return `${millis}ms`
  const minutes = Math.floor(millis / 60_000)
  const seconds = `${(millis - minutes * 60_000) / 1000}s`
  if (minutes === 0) return seconds
  return minutes < 60 ? `${minutes}m${seconds}` : `${Math.floor(minutes / 60)}h${minutes % 60}m${seconds}`
}
