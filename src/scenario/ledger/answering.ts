import { elapsedMillis } from "../../domain/storedContainers.ts"
import type { ContainerLife } from "../../domain/podLife.ts"
import type { ContainerStatus } from "../../domain/objects.ts"

/** When a container that is ready stops answering, which its probes notice later or never. */
export interface Answering {
  /** When it falls silent: it has been ready, or has run, for so long; at once where something has come over it. */
  readonly silentMillis: number
  /** For so long it answers each time it is ready; undefined for one that goes on. */
  readonly forMillis: number | undefined
  /** When it falls silent because it has been ready for so long. */
  readonly flapsMillis: number
  /** How often it has stopped being ready, in its present run. */
  readonly lapses: number
  /** Which run that is, and since when: since it was seen to, or since its status says so. */
  readonly run: number
  readonly sinceMillis: number
  readonly wasReady: boolean
}

/**
 * How a container lives says until when it answers while its status still calls it ready, be it its own way or what
 * has come over it. Undefined for one that has never been seen to run.
 */
export const answeringOf = (
  { life, status, readySinceMillis, atMillis, isReady }: Seen,
  before: Answering | undefined
): Answering | undefined => {
  const run = status.restartCount
  if (status.state?.running === undefined) return before === undefined ? undefined : endedAfter(before)
  const known = before?.run === run ? before : undefined
  const lapses = known === undefined ? 0 : known.lapses + (known.wasReady && !isReady ? 1 : 0)
  const { flap, hangMillis = Infinity, mishap } = life
  const forMillis = flap === undefined || flap.times <= lapses ? undefined : flap.readyMillis
  const isStill = before?.wasReady === isReady && before.forMillis === forMillis
  // Who is met when it has long been ready is somewhere on its way.
  const readyMillis = before === undefined ? (readySinceMillis ?? atMillis) : atMillis
  const flapsMillis = isStill
    ? before.flapsMillis
    : readyMillis + ((isReady ? forMillis : undefined) ?? Infinity)
  const ranMillis = before === undefined ? elapsedMillis(status, atMillis) : 0
  const sinceMillis = known?.sinceMillis ?? atMillis - ranMillis
  const isHung = mishap?.silentMillis !== undefined && mishap.run === run
  const silentMillis = isHung ? -Infinity : Math.min(flapsMillis, sinceMillis + hangMillis)
  return { silentMillis, forMillis, flapsMillis, lapses, run, sinceMillis, wasReady: isReady }
}

/** Its next run is another, and begins when it is seen to. */
const endedAfter = (before: Answering): Answering => ({
  ...before,
  silentMillis: Infinity,
  flapsMillis: Infinity,
  run: -1,
  wasReady: false
})

interface Seen {
  readonly life: ContainerLife
  readonly status: ContainerStatus
  /** When its Pod last turned ready, as far as that says so. */
  readonly readySinceMillis: number | undefined
  readonly atMillis: number
  readonly isReady: boolean
}
