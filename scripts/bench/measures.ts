import { bareLives } from "./bare.ts"
import { crowdedMeasures } from "./crowded.ts"
import { exploredMeasures } from "./explored.ts"
import { inspectedMeasures } from "./inspected.ts"
import { manifest, open } from "./worlds.ts"
import { recordedMeasures } from "./recorded.ts"
import { pageMeasures } from "./page.ts"
import { servedMeasures } from "./served.ts"
import { snapshotMeasures } from "./snapshots.ts"
import { storyMeasures } from "./stories.ts"
import type { OpenCluster } from "charthouse"

export interface Measured {
  readonly value: number
  readonly unit: string
  /** What it is meant to stay below, in the same unit, on two cores. */
  readonly bound?: number
  /** What it is meant to stay above, where more is better. */
  readonly least?: number
  readonly note?: string
}

export interface Measure {
  readonly take: () => Promise<Measured>
  /** Only a fresh process can tell. */
  readonly alone?: true
}

type Take = Measure["take"]

const since = (begun: number): number => performance.now() - begun

const expectComplete = async (cluster: OpenCluster): Promise<void> => {
  const { outcome, message } = await cluster.rollout("web")
  if (outcome !== "complete") throw new Error(message)
}

const ready =
  (pods: number, boundSeconds: number): Take =>
  async () => {
    const cluster = await open(pods)
    const begun = performance.now()
    await cluster.create(manifest(pods, "v1"))
    await expectComplete(cluster)
    const value = since(begun) / 1000
    await cluster.close()
    return { value, unit: "s", bound: boundSeconds }
  }

const rolled =
  (pods: number, bound: number, unit: "s" | "ms"): Take =>
  async () => {
    const cluster = await open(pods)
    await cluster.create(manifest(pods, "v1"))
    await expectComplete(cluster)
    const begun = performance.now()
    await cluster.patch({ resource: "deployments.apps", name: "web" }, { spec: manifest(pods, "v2").spec })
    await expectComplete(cluster)
    const value = since(begun) / (unit === "s" ? 1000 : 1)
    await cluster.close()
    return { value, unit, bound }
  }

const firstAnswer: Take = async () => {
  const begun = performance.now()
  const { openCluster } = await import("charthouse")
  const cluster = await openCluster()
  await cluster.get({ resource: "namespaces", name: "default" })
  return { value: since(begun), unit: "ms", bound: 100 }
}

const furtherCluster: Take = async () => {
  const { openCluster } = await import("charthouse")
  const begun = performance.now()
  const cluster = await openCluster()
  await cluster.get({ resource: "namespaces", name: "default" })
  const value = since(begun)
  await cluster.close()
  return { value, unit: "ms", bound: 5 }
}

const deadline: Take = async () => {
  const { openCluster, steady } = await import("charthouse")
  const broken = { ...steady, name: "broken", pull: { delay: "1s", failures: "forever" } } as const
  const cluster = await openCluster({ behaviour: broken })
  const begun = performance.now()
  await cluster.create(manifest(10, "v1"))
  const { outcome } = await cluster.rollout("web")
  if (outcome !== "failed") throw new Error(`the deadline was not missed: ${outcome}`)
  const value = since(begun)
  await cluster.close()
  return { value, unit: "ms", bound: 50, note: "600 virtual seconds" }
}

const heapMegabytes = (): number => {
  globalThis.gc?.()
  globalThis.gc?.()
  return process.memoryUsage().heapUsed / 1e6
}

const heapPerPod: Take = async () => {
  const pods = 10_000
  const cluster = await open(pods)
  const before = heapMegabytes()
  await cluster.create(manifest(pods, "v1"))
  await expectComplete(cluster)
  // Events outlive what they tell of by an hour; a Pod's own share is what stays.
  await cluster.advance("62m")
  return { value: ((heapMegabytes() - before) * 1000) / pods, unit: "kB", bound: 12, note: "at 10,000 Pods" }
}

const ownShare: Take = async () => {
  const pods = 10_000
  const bareMicros = bareLives(pods)
  const cluster = await open(pods)
  const begun = performance.now()
  await cluster.create(manifest(pods, "v1"))
  await expectComplete(cluster)
  const micros = (since(begun) * 1000) / pods
  await cluster.close()
  return {
    value: micros / bareMicros,
    unit: "x",
    bound: 3,
    note: `${micros.toFixed(0)} us a Pod, bare actors ${bareMicros.toFixed(0)} us`
  }
}

/** Everything that is measured, by name. */
export const measures: Readonly<Record<string, Measure>> = {
  "import to first object": { take: firstAnswer, alone: true },
  "a further cluster": { take: furtherCluster },
  "50 Pods rolled": { take: rolled(50, 50, "ms") },
  "10 bad images to the deadline": { take: deadline },
  "1,000 Pods ready": { take: ready(1000, 0.5) },
  "10,000 Pods ready": { take: ready(10_000, 5) },
  "10,000 Pods rolled": { take: rolled(10_000, 10, "s") },
  "heap a live Pod": { take: heapPerPod, alone: true },
  "a Pod's life against bare actors": { take: ownShare },
  ...inspectedMeasures,
  ...recordedMeasures,
  ...exploredMeasures,
  ...snapshotMeasures,
  ...storyMeasures,
  ...servedMeasures,
  ...crowdedMeasures,
  ...pageMeasures
}
