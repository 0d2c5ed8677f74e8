import { activityElapsedMillis } from "../../kubernetes/pods/containers/storedContainers.ts"
import type { ContainerLife } from "../../kubernetes/pods/podLife.ts"
import type { ContainerStatus } from "../../kubernetes/meta/objects.ts"

/** When a ready container stops answering. Its probes notice that later, or never. */
export interface ContainerAnswering {
  /** When it stops answering: after its ready time or its time until it hangs, or at once under a fault. */
  readonly silentMillis: number
  /** Duration for which it answers after each time it became ready; undefined if unlimited. */
  readonly forMillis: number | undefined
  readonly flapsMillis: number
  /** How often it has become unready during its current run. */
  readonly lapses: number
  /** The restart count of that run, and when the run started as far as known. */
  readonly run: number
  readonly sinceMillis: number
  readonly wasReady: boolean
}

/**
 * Computes from a container's life, faults included, until when it answers while its status still says ready.
 * Undefined if it has never run.
 */
export const updateAnswering = (
  { life, status, readySinceMillis, atMillis, isReady }: ObservedContainer,
  before: ContainerAnswering | undefined
): ContainerAnswering | undefined => {
  const run = status.restartCount
  if (status.state?.running === undefined) return before === undefined ? undefined : afterRun(before)
  const sameRun = before?.run === run ? before : undefined
  const lapses = sameRun === undefined ? 0 : sameRun.lapses + (sameRun.wasReady && !isReady ? 1 : 0)
  const { flap, hangMillis = Infinity, mishap } = life
  const forMillis = flap === undefined || flap.times <= lapses ? undefined : flap.readyMillis
  const isUnchanged = before?.wasReady === isReady && before.forMillis === forMillis
  // A container that was ready before it was first observed started to be ready at that time.
  const readyMillis = before === undefined ? (readySinceMillis ?? atMillis) : atMillis
  const flapsMillis = isUnchanged
    ? before.flapsMillis
    : readyMillis + ((isReady ? forMillis : undefined) ?? Infinity)
  const ranMillis = before === undefined ? activityElapsedMillis(status, atMillis) : 0
  const sinceMillis = sameRun?.sinceMillis ?? atMillis - ranMillis
  const isHung = mishap?.silentMillis !== undefined && mishap.run === run
  const silentMillis = isHung ? -Infinity : Math.min(flapsMillis, sinceMillis + hangMillis)
  return { silentMillis, forMillis, flapsMillis, lapses, run, sinceMillis, wasReady: isReady }
}

/** The next run starts when it is observed. */
const afterRun = (before: ContainerAnswering): ContainerAnswering => ({
  ...before,
  silentMillis: Infinity,
  flapsMillis: Infinity,
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
