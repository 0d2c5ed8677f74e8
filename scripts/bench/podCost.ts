import { existsSync, readFileSync } from "node:fs"
import { Session } from "node:inspector/promises"
import { fileURLToPath } from "node:url"
import { CannotMeasure, multiLineMeasure, timed } from "./measure.ts"
import { bundledModules, podParts, sumByPart } from "./podParts.ts"
import { expectComplete, webManifest, openClusterFor } from "./fixtures.ts"
import type { HeapProfiler, Profiler } from "node:inspector"
import type { OpenCluster } from "charthouse"
import type { Checkout } from "./checkout.ts"
import type { MeasurementsByLine } from "./measure.ts"
import type { BundledModules, Calls, PodPart } from "./podParts.ts"

const pods = 2000
const partNames = Object.keys(podParts) as ReadonlyArray<PodPart>
const microsPerSample = 250
const bytesPerSample = 8192

const playPodLives = async (cluster: OpenCluster): Promise<void> => {
  await cluster.create(webManifest(pods, "v1"))
  await expectComplete(cluster)
  await cluster.patch({ resource: "deployments.apps", name: "web" }, { spec: { replicas: 0 } })
  await cluster.settle()
  const { items } = await cluster.list("pods")
  if (items.length > 0) throw new Error(`${items.length} Pods are left`)
}

const inCluster = async <A>(checkout: Checkout, use: (cluster: OpenCluster) => Promise<A>): Promise<A> => {
  const cluster = await openClusterFor(checkout, pods)
  const result = await use(cluster)
  await cluster.close()
  return result
}

/** Microseconds of CPU time per Pod: of this thread, and of the threads that collect and compile. */
const cpuOfLife = async (checkout: Checkout) => {
  if (typeof process.threadCpuUsage !== "function")
    throw new CannotMeasure("this Node does not tell the CPU time of a thread: it needs 24")
  return inCluster(checkout, async (cluster) => {
    globalThis.gc?.()
    const cpuBefore = process.threadCpuUsage()
    const { cpuMillis } = await timed(() => playPodLives(cluster))
    const { user, system } = process.threadCpuUsage(cpuBefore)
    const main = (user + system) / pods
    return { main, others: Math.max(0, (cpuMillis * 1000) / pods - main) }
  })
}

const profileOfLife = (checkout: Checkout, session: Session): Promise<Calls> =>
  inCluster(checkout, async (cluster) => {
    await session.post("Profiler.enable")
    await session.post("Profiler.setSamplingInterval", { interval: microsPerSample })
    await session.post("Profiler.start")
    await playPodLives(cluster)
    const { profile } = await session.post("Profiler.stop")
    await session.post("Profiler.disable")
    return callsOfProfile(profile)
  })

/** Counts samples: the time between two of them may have been another process's. */
const callsOfProfile = ({ nodes }: Profiler.Profile): Calls => {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const callsOf = ({ callFrame, hitCount = 0, children = [] }: Profiler.ProfileNode): Calls => ({
    callFrame,
    self: hitCount,
    children: children.flatMap((id) => {
      const child = byId.get(id)
      return child === undefined ? [] : [callsOf(child)]
    })
  })
  const [root] = nodes
  if (root === undefined) throw new Error("the profile is empty")
  return callsOf(root)
}

const callsOfHeap = ({ callFrame, selfSize, children }: HeapProfiler.SamplingHeapProfileNode): Calls => ({
  callFrame,
  self: selfSize,
  children: children.map(callsOfHeap)
})

const heapCalls = async (
  session: Session,
  isCollectedCounted: boolean,
  work: () => Promise<unknown>
): Promise<Calls> => {
  await session.post("HeapProfiler.enable")
  await session.post("HeapProfiler.startSampling", {
    samplingInterval: bytesPerSample,
    includeObjectsCollectedByMajorGC: isCollectedCounted,
    includeObjectsCollectedByMinorGC: isCollectedCounted
  })
  await work()
  if (!isCollectedCounted) await session.post("HeapProfiler.collectGarbage")
  const { profile } = await session.post("HeapProfiler.stopSampling")
  await session.post("HeapProfiler.disable")
  return callsOfHeap(profile.head)
}

const allocatedByLife = (checkout: Checkout, session: Session): Promise<Calls> =>
  inCluster(checkout, (cluster) => heapCalls(session, true, () => playPodLives(cluster)))

/** The memory that ready Pods keep once the Events of their start have expired. */
const keptByPod = (checkout: Checkout, session: Session): Promise<Calls> =>
  inCluster(checkout, (cluster) =>
    heapCalls(session, false, async () => {
      await cluster.create(webManifest(pods, "v1"))
      await expectComplete(cluster)
      await cluster.advance("62m")
    })
  )

const moduleReader = (): ((url: string) => BundledModules | undefined) => {
  const read = new Map<string, BundledModules | undefined>()
  return (url) => {
    if (!url.startsWith("file:") || url.includes("/node_modules/")) return undefined
    if (!read.has(url)) {
      const file = fileURLToPath(url)
      read.set(url, existsSync(file) ? bundledModules(readFileSync(file, "utf8")) : undefined)
    }
    return read.get(url)
  }
}

const total = (sums: ReadonlyMap<PodPart, number>): number =>
  [...sums.values()].reduce((sum, value) => sum + value, 0)

/**
 * By part, from creation to deletion. CPU time is measured unprofiled, and divided as a profile of later Pods shows.
 */
const podCost = async (checkout: Checkout): Promise<MeasurementsByLine> => {
  // Warms up the code.
  await inCluster(checkout, playPodLives)
  const { main, others } = await cpuOfLife(checkout)
  const session = new Session()
  session.connect()
  const modulesOf = moduleReader()
  const samples = sumByPart(await profileOfLife(checkout, session), modulesOf)
  const allocatedBytes = sumByPart(await allocatedByLife(checkout, session), modulesOf)
  const keptBytes = sumByPart(await keptByPod(checkout, session), modulesOf)
  session.disconnect()
  const microsOf = (part: PodPart): number =>
    part === "other threads" ? others : (main * (samples.get(part) ?? 0)) / total(samples)
  const rows = partNames.map((part) => ({
    name: `pod: ${part}`,
    micros: microsOf(part),
    note: `${heapNote(allocatedBytes.get(part) ?? 0, keptBytes.get(part) ?? 0)}: ${podParts[part]}`
  }))
  const whole = {
    name: "pod",
    micros: main + others,
    note: heapNote(total(allocatedBytes), total(keptBytes))
  }
  return Object.fromEntries(
    [whole, ...rows].map(({ name, micros, note }) => [
      name,
      { value: micros, unit: "us", cpuMillis: micros / 1000, note }
    ])
  )
}

const heapNote = (allocated: number, kept: number): string =>
  `${kilobytes(allocated)} allocated, ${kilobytes(kept)} kept`

const kilobytes = (bytes: number): string => `${(bytes / pods / 1000).toFixed(2)} kB`

export const podMeasures = [multiLineMeasure(["pod", ...partNames.map((part) => `pod: ${part}`)], podCost)]
