import { millisSinceStartOrExit } from "../../../kubernetes/pods/containers/storedContainers.ts"
import type { ContainerLife } from "../../../kubernetes/pods/podLife.ts"
import type { ContainerStatus } from "../../../kubernetes/meta/objects.ts"

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

interface ObservedStatus {
  readonly life: ContainerLife
  readonly status: ContainerStatus
  readonly readySinceMillis: number | undefined
  readonly atMillis: number
  readonly isReady: boolean
}

/** Undefined if the container has never run. */
export const updateAnswering = (
  observed: ObservedStatus,
  before: ContainerAnswering | undefined
): ContainerAnswering | undefined => {
  const { life, status, atMillis, isReady } = observed
  if (status.state?.running === undefined) return before === undefined ? undefined : toStopped(before)
  const run = status.restartCount
  const earlierInRun = before?.run === run ? before : undefined
  const hasBecomeUnready = earlierInRun?.wasReady === true && !isReady
  const unreadyCount = (earlierInRun?.unreadyCount ?? 0) + (hasBecomeUnready ? 1 : 0)
  const readyForMillis = readyForMillisAfter(life, unreadyCount)
  const flapsAtMillis = flapTime(observed, before, readyForMillis)
  // Only the first observation may be later than the start.
  const ranMillis = before === undefined ? millisSinceStartOrExit(status, atMillis) : 0
  const runStartMillis = earlierInRun?.runStartMillis ?? atMillis - ranMillis
  const hangsAtMillis = runStartMillis + (life.hangMillis ?? Infinity)
  return {
    answersUntilMillis: isSilencedByFault(life, run) ? -Infinity : Math.min(flapsAtMillis, hangsAtMillis),
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

const readyForMillisAfter = ({ flap }: ContainerLife, unreadyCount: number): number | undefined =>
  flap === undefined || flap.times <= unreadyCount ? undefined : flap.readyMillis

const flapTime = (
  { isReady, readySinceMillis, atMillis }: ObservedStatus,
  before: ContainerAnswering | undefined,
  readyForMillis: number | undefined
): number => {
  if (before?.wasReady === isReady && before.readyForMillis === readyForMillis) return before.flapsAtMillis
  if (!isReady || readyForMillis === undefined) return Infinity
  const readyAtMillis = before === undefined ? (readySinceMillis ?? atMillis) : atMillis
  return readyAtMillis + readyForMillis
}

/** The ledger sees such a fault only once it has silenced the container. */
const isSilencedByFault = ({ runFault }: ContainerLife, run: number): boolean =>
  runFault?.silentMillis !== undefined && runFault.run === run
