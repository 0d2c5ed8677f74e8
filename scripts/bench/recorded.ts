import { heapMegabytes, singleLineMeasure, timed } from "./measure.ts"
import { webManifest, openClusterFor, rollWeb } from "./fixtures.ts"
import type { OpenCluster } from "charthouse"
import type { Checkout } from "./checkout.ts"
import type { Measurement } from "./measure.ts"

const openReadyCluster = async (checkout: Checkout, pods: number, record: boolean): Promise<OpenCluster> => {
  const cluster = await openClusterFor(checkout, pods, { record })
  await cluster.create(webManifest(pods, "v1"))
  await cluster.settle()
  return cluster
}

const rolloutCpuMillis = async (checkout: Checkout, record: boolean): Promise<number> => {
  await using cluster = await openReadyCluster(checkout, 50, record)
  const { cpuMillis } = await timed(() => rollWeb(cluster, 50, "v2"))
  return cpuMillis
}

/** In turns, since results depend on the machine's load. */
const compareWithUnrecorded = async (checkout: Checkout): Promise<Measurement> => {
  let [unrecordedMillis, recordedMillis] = [0, 0]
  for (let round = 0; round < 3; round += 1) {
    unrecordedMillis += await rolloutCpuMillis(checkout, false)
    recordedMillis += await rolloutCpuMillis(checkout, true)
  }
  const note = `CPU: ${(recordedMillis / 3).toFixed(0)} ms, ${(unrecordedMillis / 3).toFixed(0)} ms without`
  return { value: recordedMillis / unrecordedMillis, unit: "x", bound: 1.6, note }
}

const measureRecordingText = async (checkout: Checkout): Promise<Measurement> => {
  await using cluster = await openReadyCluster(checkout, 50, true)
  await rollWeb(cluster, 50, "v2")
  const { result: text, cpuMillis } = await timed(() => cluster.recording())
  const size = `${text.split("\n").length - 1} lines, ${(text.length / 1e6).toFixed(1)} MB`
  return { value: cpuMillis, unit: "ms", bound: 250, cpuMillis, note: size }
}

/** Rolls out until the recording drops its oldest changes. */
const measureHeapWhenFull = async (checkout: Checkout): Promise<Measurement> => {
  const heaps: Array<number> = []
  for (const record of [false, true]) {
    await using cluster = await openReadyCluster(checkout, 400, record)
    for (const version of ["v2", "v3", "v4", "v5", "v6"]) await rollWeb(cluster, 400, version)
    heaps.push(heapMegabytes())
  }
  const [unrecorded = 0, recorded = 0] = heaps
  return { value: recorded - unrecorded, unit: "MB", bound: 120, note: "20,000 changes, 4,000 steps a kind" }
}

/** Costs of making, rendering and keeping a recording. */
export const recordedMeasures = [
  singleLineMeasure("50 Pods rolled, recorded, against not", compareWithUnrecorded),
  singleLineMeasure("the recording of 50 Pods rolled, as text", measureRecordingText),
  singleLineMeasure("heap of a recording that is full", measureHeapWhenFull, { needsFreshProcess: true })
]
