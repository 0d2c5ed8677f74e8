import { heapMegabytes, line, timed } from "./measure.ts"
import { manifest, open, roll } from "./worlds.ts"
import type { OpenCluster } from "charthouse"
import type { Checkout } from "./checkout.ts"
import type { Measured } from "./measure.ts"

const opened = async (checkout: Checkout, pods: number, record: boolean): Promise<OpenCluster> => {
  const cluster = await open(checkout, pods, { record })
  await cluster.create(manifest(pods, "v1"))
  await cluster.settle()
  return cluster
}

const rolledMillis = async (checkout: Checkout, record: boolean): Promise<number> => {
  await using cluster = await opened(checkout, 50, record)
  const { cpuMillis } = await timed(() => roll(cluster, 50, "v2"))
  return cpuMillis
}

/** Both in turn, since what one takes depends on what else the machine does. */
const againstUnrecorded = async (checkout: Checkout): Promise<Measured> => {
  let [unseen, seen] = [0, 0]
  for (let round = 0; round < 3; round += 1) {
    unseen += await rolledMillis(checkout, false)
    seen += await rolledMillis(checkout, true)
  }
  const note = `CPU: ${(seen / 3).toFixed(0)} ms, ${(unseen / 3).toFixed(0)} ms without`
  return { value: seen / unseen, unit: "x", bound: 1.6, note }
}

const recordingText = async (checkout: Checkout): Promise<Measured> => {
  await using cluster = await opened(checkout, 50, true)
  await roll(cluster, 50, "v2")
  const { result: text, cpuMillis } = await timed(() => cluster.recording())
  const size = `${text.split("\n").length - 1} lines, ${(text.length / 1e6).toFixed(1)} MB`
  return { value: cpuMillis, unit: "ms", bound: 250, cpuMillis, note: size }
}

/** As much as is ever kept: rollouts until the oldest changes are pushed out. */
const heapWhenFull = async (checkout: Checkout): Promise<Measured> => {
  const heaps: Array<number> = []
  for (const record of [false, true]) {
    await using cluster = await opened(checkout, 400, record)
    for (const version of ["v2", "v3", "v4", "v5", "v6"]) await roll(cluster, 400, version)
    heaps.push(heapMegabytes())
  }
  const [without = 0, withIt = 0] = heaps
  return { value: withIt - without, unit: "MB", bound: 120, note: "20,000 changes, 4,000 steps a kind" }
}

/** What a recording costs while it is made, when it is told, and to keep. */
export const recordedMeasures = [
  line("50 Pods rolled, recorded, against not", againstUnrecorded),
  line("the recording of 50 Pods rolled, as text", recordingText),
  line("heap of a recording that is full", heapWhenFull, { needsFreshProcess: true })
]
