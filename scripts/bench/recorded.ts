import { manifest, open } from "./worlds.ts"
import type { OpenCluster } from "charthouse"
import type { Measure } from "./measures.ts"

/** What it costs this process, whatever else the machine does. */
const cpuMillis = async (work: () => Promise<unknown>): Promise<number> => {
  const begun = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / 1000
}

const roll = async (cluster: OpenCluster, pods: number, version: string): Promise<void> => {
  await cluster.patch({ resource: "deployments.apps", name: "web" }, { spec: manifest(pods, version).spec })
  const { outcome, message } = await cluster.rollout("web")
  if (outcome !== "complete") throw new Error(message)
}

const opened = async (pods: number, record: boolean): Promise<OpenCluster> => {
  const cluster = await open(pods, { record })
  await cluster.create(manifest(pods, "v1"))
  await cluster.settle()
  return cluster
}

const rolledMillis = async (record: boolean): Promise<number> => {
  await using cluster = await opened(50, record)
  const millis = await cpuMillis(() => roll(cluster, 50, "v2"))
  return millis
}

/** Both in turn, since what one takes depends on what else the machine does. */
const againstUnrecorded: Measure["take"] = async () => {
  let [unseen, seen] = [0, 0]
  for (let round = 0; round < 3; round += 1) {
    unseen += await rolledMillis(false)
    seen += await rolledMillis(true)
  }
  const note = `CPU: ${(seen / 3).toFixed(0)} ms, ${(unseen / 3).toFixed(0)} ms without`
  return { value: seen / unseen, unit: "x", bound: 1.6, note }
}

const told: Measure["take"] = async () => {
  await using cluster = await opened(50, true)
  await roll(cluster, 50, "v2")
  let text = ""
  const value = await cpuMillis(async () => {
    text = await cluster.recording()
  })
  const size = `${text.split("\n").length - 1} lines, ${(text.length / 1e6).toFixed(1)} MB`
  return { value, unit: "ms", bound: 250, note: size }
}

const heapMegabytes = (): number => {
  globalThis.gc?.()
  globalThis.gc?.()
  return process.memoryUsage().heapUsed / 1e6
}

/** As much as is ever kept: rollouts until the oldest changes are pushed out. */
const heapWhenFull: Measure["take"] = async () => {
  const heaps: Array<number> = []
  for (const record of [false, true]) {
    await using cluster = await opened(400, record)
    for (const version of ["v2", "v3", "v4", "v5", "v6"]) await roll(cluster, 400, version)
    heaps.push(heapMegabytes())
  }
  const [without = 0, withIt = 0] = heaps
  return { value: withIt - without, unit: "MB", bound: 120, note: "20,000 changes, 4,000 steps a kind" }
}

/** What a recording costs while it is made, when it is told, and to keep. */
export const recordedMeasures: Readonly<Record<string, Measure>> = {
  "50 Pods rolled, recorded, against not": { take: againstUnrecorded },
  "the recording of 50 Pods rolled, as text": { take: told },
  "heap of a recording that is full": { take: heapWhenFull, alone: true }
}
