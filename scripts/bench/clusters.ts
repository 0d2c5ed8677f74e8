import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { CannotMeasure, heapMegabytes, singleLineMeasure, timed } from "./measure.ts"
import { expectComplete, webManifest, openClusterFor, rollWeb } from "./fixtures.ts"
import type { Checkout } from "./checkout.ts"
import type { Measurement } from "./measure.ts"

const measureReady =
  (pods: number, boundSeconds: number) =>
  async (checkout: Checkout): Promise<Measurement> => {
    const cluster = await openClusterFor(checkout, pods)
    const { millis, cpuMillis } = await timed(async () => {
      await cluster.create(webManifest(pods, "v1"))
      await expectComplete(cluster)
    })
    await cluster.close()
    return { value: millis / 1000, unit: "s", bound: boundSeconds, cpuMillis }
  }

const measureRollout =
  (pods: number, bound: number, unit: "s" | "ms") =>
  async (checkout: Checkout): Promise<Measurement> => {
    const cluster = await openClusterFor(checkout, pods)
    await cluster.create(webManifest(pods, "v1"))
    await expectComplete(cluster)
    const { millis, cpuMillis } = await timed(() => rollWeb(cluster, pods, "v2"))
    await cluster.close()
    return { value: millis / (unit === "s" ? 1000 : 1), unit, bound, cpuMillis }
  }

/** V8 takes most of the first fifty to compile the code. */
const seedsAtOnce = 150

/** What a plan plays for each of its seeds, without the plan's own counts. */
const measureSeeds = async (checkout: Checkout): Promise<Measurement> => {
  const { openCluster } = await checkout.library()
  const { cpuMillis } = await timed(async () => {
    for (let seed = 1; seed <= seedsAtOnce; seed += 1) {
      const cluster = await openCluster({ seed })
      await cluster.create(webManifest(20, "v1"))
      await expectComplete(cluster)
      await rollWeb(cluster, 20, "v2")
      await cluster.close()
    }
  })
  const value = cpuMillis / seedsAtOnce
  return {
    value,
    unit: "ms",
    cpuMillis: value,
    note: `CPU time, ${seedsAtOnce} seeds in one process; compare with commit e25cae5`
  }
}

/** Measured in a program that has loaded nothing else. */
const measureFirstObject = (checkout: Checkout): Promise<Measurement> => {
  const program = join(import.meta.dirname, "firstObject.mjs")
  const args = [program, checkout.libraryFile()]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" })
  if (status !== 0) throw new Error(stderr)
  const { millis, cpuMillis } = JSON.parse(stdout) as FirstObjectOutput
  return Promise.resolve({ value: millis, unit: "ms", bound: 100, cpuMillis })
}

interface FirstObjectOutput {
  readonly millis: number
  readonly cpuMillis: number
}

const measureFurtherCluster = async (checkout: Checkout): Promise<Measurement> => {
  const { openCluster } = await checkout.library()
  const {
    result: cluster,
    millis,
    cpuMillis
  } = await timed(async () => {
    const furtherCluster = await openCluster()
    await furtherCluster.get({ resource: "namespaces", name: "default" })
    return furtherCluster
  })
  await cluster.close()
  return { value: millis, unit: "ms", bound: 5, cpuMillis }
}

const measureMissedDeadline = async (checkout: Checkout): Promise<Measurement> => {
  const { openCluster, steady } = await checkout.library()
  const broken = { ...steady, name: "broken", pull: { delay: "1s", failures: "forever" } } as const
  const cluster = await openCluster({ behaviour: broken })
  const { millis, cpuMillis } = await timed(async () => {
    await cluster.create(webManifest(10, "v1"))
    const { outcome } = await cluster.rollout("web")
    if (outcome !== "failed") throw new Error(`the deadline was not missed: ${outcome}`)
  })
  await cluster.close()
  return { value: millis, unit: "ms", bound: 50, cpuMillis, note: "600 virtual seconds" }
}

const measureHeapPerPod = async (checkout: Checkout): Promise<Measurement> => {
  const pods = 10_000
  const cluster = await openClusterFor(checkout, pods)
  const before = heapMegabytes()
  await cluster.create(webManifest(pods, "v1"))
  await expectComplete(cluster)
  // Events stay for an hour; then only the Pods' own share is left.
  await cluster.advance("62m")
  return { value: ((heapMegabytes() - before) * 1000) / pods, unit: "kB", bound: 9, note: "at 10,000 Pods" }
}

const measureAgainstBareActors = async (checkout: Checkout): Promise<Measurement> => {
  if (!checkout.isHere) throw new CannotMeasure("bare actors are made of parts that no package exports")
  const { bareCpuMicrosPerPod } = await import("./bare.ts")
  const pods = 10_000
  const bareMicros = bareCpuMicrosPerPod(pods)
  const cluster = await openClusterFor(checkout, pods)
  const { cpuMillis } = await timed(async () => {
    await cluster.create(webManifest(pods, "v1"))
    await expectComplete(cluster)
  })
  const micros = (cpuMillis * 1000) / pods
  await cluster.close()
  return {
    value: micros / bareMicros,
    unit: "x",
    bound: 7,
    note: `CPU: ${micros.toFixed(0)} us a Pod, bare actors ${bareMicros.toFixed(0)} us`
  }
}

export const clusterMeasures = [
  singleLineMeasure("import to first object", measureFirstObject, { needsFreshProcess: true }),
  singleLineMeasure("a further cluster", measureFurtherCluster),
  singleLineMeasure("20 Pods created and rolled, a seed", measureSeeds),
  singleLineMeasure("50 Pods rolled", measureRollout(50, 50, "ms")),
  singleLineMeasure("10 bad images to the deadline", measureMissedDeadline),
  singleLineMeasure("1,000 Pods ready", measureReady(1000, 0.5)),
  singleLineMeasure("10,000 Pods ready", measureReady(10_000, 2.2)),
  singleLineMeasure("10,000 Pods rolled", measureRollout(10_000, 4.5, "s")),
  singleLineMeasure("heap a live Pod", measureHeapPerPod, { needsFreshProcess: true }),
  singleLineMeasure("a Pod's life against bare actors", measureAgainstBareActors)
]
