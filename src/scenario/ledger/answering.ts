import { containerLife } from "../../domain/containers.ts"
import { elapsedMillis } from "../../domain/storedContainers.ts"
import { readySinceMillis } from "../../domain/pods.ts"
import type { ContainerStatus, Pod } from "../../domain/objects.ts"
import type { ContainerLife, PodLife } from "../../domain/podLife.ts"

/** When a Pod that is ready stops answering, which its probes notice later or never. */
export interface Answering {
  /** Something has come over it: it answers nothing now. */
  readonly isHung: boolean
  /** For so long it answers each time it is ready; undefined for one that goes on. */
  readonly forMillis: number | undefined
  /** When it falls silent because it has been ready for so long. */
  readonly flapsMillis: number
  /** When the first of its present runs hangs. */
  readonly hangsMillis: number
  /** How often it has stopped being ready, in its present runs. */
  readonly lapses: number
  readonly restarts: number
  readonly wasReady: boolean
  readonly runs: ReadonlyMap<string, Run>
}

interface Run {
  readonly number: number
  readonly sinceMillis: number
}

/**
 * Requests go to all that a Pod runs: where one of its containers answers nothing, they are lost. How containers live
 * says when that is, be it their own way or what has come over them.
 */
export const answeringOf = (
  { pod, life, atMillis, isReady }: Seen,
  before: Answering | undefined
): Answering => {
  const running = (pod.status.containerStatuses ?? []).filter(({ state }) => state?.running !== undefined)
  const restarts = (pod.status.containerStatuses ?? []).reduce((sum, it) => sum + it.restartCount, 0)
  const isSameRun = before?.restarts === restarts
  const lapses = !isSameRun ? 0 : before.lapses + (before.wasReady && !isReady ? 1 : 0)
  const lives = running.map((status) => ({ status, life: containerLife(life, status.name, "app") }))
  const isHung = lives.some((it) => hangs(it.life, it.status))
  const flaps = lives.flatMap((it) =>
    it.life.flap === undefined || it.life.flap.times <= lapses ? [] : [it.life.flap]
  )
  const forMillis = flaps.length === 0 ? undefined : Math.min(...flaps.map(({ readyMillis }) => readyMillis))
  const runs = lives.some((it) => it.life.hangMillis !== undefined)
    ? runsOf(running, before, atMillis)
    : noRuns
  const hangsMillis = lives.reduce((first, it) => {
    const since = runs.get(it.status.name)?.sinceMillis
    return since === undefined ? first : Math.min(first, since + (it.life.hangMillis ?? Infinity))
  }, Infinity)
  const isStill = before?.wasReady === isReady && before.forMillis === forMillis
  // Who is met when it has long been ready is somewhere on its way.
  const sinceMillis = before === undefined ? (readySinceMillis(pod) ?? atMillis) : atMillis
  const flapsMillis = isStill
    ? before.flapsMillis
    : sinceMillis + ((isReady ? forMillis : undefined) ?? Infinity)
  return { isHung, forMillis, flapsMillis, hangsMillis, lapses, restarts, wasReady: isReady, runs }
}

interface Seen {
  readonly pod: Pod
  readonly life: PodLife
  readonly atMillis: number
  readonly isReady: boolean
}

const hangs = ({ mishap }: ContainerLife, { restartCount }: ContainerStatus): boolean =>
  mishap?.silentMillis !== undefined && mishap.run === restartCount

const noRuns: Answering["runs"] = new Map()

/** Since when each container runs: since it was seen to, or since its status says so. */
const runsOf = (
  running: ReadonlyArray<ContainerStatus>,
  before: Answering | undefined,
  atMillis: number
): Answering["runs"] =>
  new Map(
    running.map((status): readonly [string, Run] => {
      const { name, restartCount: number } = status
      const known = before?.runs.get(name)
      if (known?.number === number) return [name, known]
      const sinceMillis = before === undefined ? atMillis - elapsedMillis(status, atMillis) : atMillis
      return [name, { number, sinceMillis }]
    })
  )
