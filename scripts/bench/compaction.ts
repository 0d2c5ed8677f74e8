import { openChangeDatabase } from "../../src/store/durable/changeDatabase.ts"
import { makeChangeLog } from "../../src/store/durable/changeLog.ts"
import { withDirectory } from "./durable.ts"
import { CannotMeasure, singleLineMeasure, timed } from "./measure.ts"

const objects = 10_000
/** Of each object: the last one stays. */
const changesOfEach = 4
const objectText = JSON.stringify({ filler: "x".repeat(2000) })

interface Stop {
  readonly millis: number
  /** On a busy machine, the rest of the time belongs to other processes. */
  readonly cpuMillis: number
}

/**
 * A write that comes while the file is compacted waits for at most one step, and then for its own commit. The step
 * before each write is timed together with that commit.
 */
const measureStops = async (directory: string): Promise<ReadonlyArray<Stop>> => {
  const database = await openChangeDatabase(directory, { level: "process" })
  let oldest = 0
  let version = 0
  const log = makeChangeLog<string>({
    database,
    writeObject: (text, write) => write(text),
    stored: [],
    oldestVersion: () => oldest,
    historyMillis: Number.POSITIVE_INFINITY,
    historyChangesMax: Number.POSITIVE_INFINITY,
    historyBytesMin: Number.POSITIVE_INFINITY,
    nowMillis: () => 0,
    speed: () => 0,
    version
  })
  const change = (key: string): void => {
    version += 1
    log.add({
      type: version <= objects ? "ADDED" : "MODIFIED",
      version,
      millis: 0,
      resource: "pods",
      key,
      object: objectText
    })
  }
  for (let round = 0; round < changesOfEach; round += 1) {
    for (let index = 0; index < objects; index += 1) change(`default/web-${index}`)
    log.commit()
  }
  oldest = version
  const stops: Array<Stop> = []
  let isCompacting = true
  while (isCompacting) {
    const { result, ...stop } = await timed(async () => {
      const isMore = log.compactStep()
      change("default/web-0")
      log.commit()
      return isMore
    })
    isCompacting = result
    stops.push(stop)
  }
  database.close()
  return stops
}

const compactionMeasure = singleLineMeasure(
  "longest stop of a write while 80 MB are compacted",
  async (checkout) => {
    if (!checkout.isHere) throw new CannotMeasure("compaction is a part that no package exports")
    const stops = await withDirectory(measureStops)
    const longest = Math.max(...stops.map(({ millis }) => millis))
    const longestCpu = Math.max(...stops.map(({ cpuMillis }) => cpuMillis))
    const note = `at most ${longestCpu.toFixed(1)} ms of CPU time, in ${stops.length} steps`
    return { value: longest, unit: "ms", bound: 20, note }
  },
  { needsFreshProcess: true }
)

export const compactionMeasures = [compactionMeasure]
