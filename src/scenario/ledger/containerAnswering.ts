import { millisSinceStartOrExit } from "../../kubernetes/pods/containers/storedContainers.ts"
import type { ContainerLife } from "../../kubernetes/pods/podLife.ts"
import type { ContainerStatus } from "../../kubernetes/meta/objects.ts"

/** When a container answers. Probes notice only later, or never, that it stops answering. */
export interface ContainerAnswering {
  /** -Infinity if a fault silences the container. */
  readonly answersUntilMillis: number
  /** How long it stays ready until it flaps; undefined if it does not flap. */
  readonly readyForMillis: number | undefined
  /** Infinity if the container does not flap. */
  readonly flapsAtMillis: number
  /** How often it became unready in its present run. */
  readonly unreadyCount: number
  /** The restart count of the present run; -1 between two runs. */
  readonly run: number
  readonly runStartMillis: number
  readonly wasReady: boolean
}

/** Undefined if the container has never run. */
export const updateAnswering = (
  { life, status, readySinceMillis, atMillis, isReady }: ObservedContainer,
  before: ContainerAnswering | undefined
): ContainerAnswering | undefined => {
  const run = status.restartCount
  if (status.state?.running === undefined) return before === undefined ? undefined : toStopped(before)
  const beforeInSameRun = before?.run === run ? before : undefined
  const unreadyCount =
    beforeInSameRun === undefined
      ? 0
      : beforeInSameRun.unreadyCount + (beforeInSameRun.wasReady && !isReady ? 1 : 0)
  // A `runFault` is a fault of one of the container's runs.
  const { flap, hangMillis = Infinity, runFault } = life
  const readyForMillis = flap === undefined || flap.times <= unreadyCount ? undefined : flap.readyMillis
  const isUnchanged = before?.wasReady === isReady && before.readyForMillis === readyForMillis
  const readyAtMillis = before === undefined ? (readySinceMillis ?? atMillis) : atMillis
  const flapsAtMillis = isUnchanged
    ? before.flapsAtMillis
    : readyAtMillis + ((isReady ? readyForMillis : undefined) ?? Infinity)
  const ranMillis = before === undefined ? millisSinceStartOrExit(status, atMillis) : 0
  const runStartMillis = beforeInSameRun?.runStartMillis ?? atMillis - ranMillis
  const isSilencedByFault = runFault?.silentMillis !== undefined && runFault.run === run
  // The fault is seen once it has silenced the container.
  const answersUntilMillis = isSilencedByFault
    ? -Infinity
    : Math.min(flapsAtMillis, runStartMillis + hangMillis)
  return {
    answersUntilMillis,
    readyForMillis,
    flapsAtMillis,
    unreadyCount,
    run,
    runStartMillis,
    wasReady: isReady
  }
}

const toStopped = (before: ContainerAnswering): ContainerAnswering => ({
  ...before,
  answersUntilMillis: Infinity,
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
