import { activityElapsedMillis } from "../../kubernetes/pods/containers/storedContainers.ts"
import type { ContainerLife } from "../../kubernetes/pods/podLife.ts"
import type { ContainerStatus } from "../../kubernetes/meta/objects.ts"

/** When a running container stops answering. Its probes notice later, or never. */
export interface ContainerAnswering {
  /** When it flaps or hangs; -Infinity if a fault silences it. */
  readonly silentMillis: number
  /** How long a flapping container answers each time it is ready; undefined if it does not flap. */
  readonly readyForMillis: number | undefined
  /** When it stops answering next because it flaps; Infinity if it does not. */
  readonly flapsAtMillis: number
  /** How often it has become unready in its current run. */
  readonly unreadyCount: number
  /** The current run's restart count, and its start as far as known. */
  readonly run: number
  readonly runStartMillis: number
  /** Whether it was ready at the last update. */
  readonly wasReady: boolean
}

/** Uses the container's life with faults. Undefined if the container has never run. */
export const updateAnswering = (
  { life, status, readySinceMillis, atMillis, isReady }: ObservedContainer,
  before: ContainerAnswering | undefined
): ContainerAnswering | undefined => {
  const run = status.restartCount
  if (status.state?.running === undefined) return before === undefined ? undefined : betweenRuns(before)
  const beforeInRun = before?.run === run ? before : undefined
  const unreadyCount =
    beforeInRun === undefined ? 0 : beforeInRun.unreadyCount + (beforeInRun.wasReady && !isReady ? 1 : 0)
  // A `mishap` is a fault of one of the container's runs.
  const { flap, hangMillis = Infinity, mishap } = life
  const readyForMillis = flap === undefined || flap.times <= unreadyCount ? undefined : flap.readyMillis
  const isUnchanged = before?.wasReady === isReady && before.readyForMillis === readyForMillis
  // A container that is ready when first observed became ready when its Pod's Ready condition says.
  const readyAtMillis = before === undefined ? (readySinceMillis ?? atMillis) : atMillis
  const flapsAtMillis = isUnchanged
    ? before.flapsAtMillis
    : readyAtMillis + ((isReady ? readyForMillis : undefined) ?? Infinity)
  // How long it had run when it was first observed.
  const ranMillis = before === undefined ? activityElapsedMillis(status, atMillis) : 0
  const runStartMillis = beforeInRun?.runStartMillis ?? atMillis - ranMillis
  const isSilencedByFault = mishap?.silentMillis !== undefined && mishap.run === run
  const silentMillis = isSilencedByFault ? -Infinity : Math.min(flapsAtMillis, runStartMillis + hangMillis)
  return { silentMillis, readyForMillis, flapsAtMillis, unreadyCount, run, runStartMillis, wasReady: isReady }
}

/** The next run starts when it is observed. */
const betweenRuns = (before: ContainerAnswering): ContainerAnswering => ({
  ...before,
  silentMillis: Infinity,
  flapsAtMillis: Infinity,
  run: -1,
  wasReady: false
})

interface ObservedContainer {
  readonly life: ContainerLife
  readonly status: ContainerStatus
  readonly readySinceMillis: number | undefined
  readonly atMillis: number
  readonly isReady: boolean
}
