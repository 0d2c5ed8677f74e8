import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { singleLineMeasure, timed } from "./measure.ts"
import { webManifest } from "./fixtures.ts"
import type { Checkout } from "./checkout.ts"
import type { Measurement } from "./measure.ts"

const pods = 100

/** A rollout of few Pods at a time, in which nodes are lost, Pods crash and writes are refused. */
const makeStormStory = async (checkout: Checkout) => {
  const { defineStory } = await checkout.stories()
  // The speed-up depends on how much of the time is waiting: here, an hour for a registry.
  const baseManifest = webManifest(pods, "v1")
  return defineStory({
    name: "storm",
    nodes: 4,
    start: [
      {
        ...baseManifest,
        spec: {
          ...baseManifest.spec,
          minReadySeconds: 60,
          strategy: { rollingUpdate: { maxSurge: "10%", maxUnavailable: "10%" } }
        }
      }
    ],
    steps: [
      { setImage: "deployment/web", images: { app: "registry.example/app:v2" } },
      { waitFor: "deployment/web is complete", within: "3h" }
    ],
    faults: [
      { at: "30s", fault: "crash", pods: { deployment: "web", count: 5 } },
      { at: "1m", fault: "writesRefused", of: "controllers", code: 409, times: 5, for: "1m" },
      { at: "2m", fault: "nodeLost", node: "node-2", for: "10m" },
      { at: "3m", fault: "pullFails", image: "registry.example/app:v2", for: "1h" },
      { at: "4m", fault: "controllerRestarted", controller: "replicaSet" }
    ],
    limit: { time: "4h" }
  })
}

const measureStorm = async (checkout: Checkout): Promise<Measurement> => {
  const { runStory } = await checkout.stories()
  const story = await makeStormStory(checkout)
  const {
    result: { endMillis },
    millis,
    cpuMillis
  } = await timed(() => runStory(story))
  const note = `${(endMillis / 60_000).toFixed(1)} virtual minutes in ${millis.toFixed(0)} ms`
  return {
    value: millis / (endMillis / 12_000),
    unit: "ms",
    bound: 1,
    cpuMillis,
    note: `for each 12 s of time; ${note}`
  }
}

interface PlanSize {
  readonly deployments: number
  readonly replicas: number
  readonly seeds: number
  /** Seconds. */
  readonly bound: number
}

/** Runs the command, as users do, with advice and what-if. */
const measurePlan =
  ({ deployments, replicas, seeds, bound }: PlanSize) =>
  (checkout: Checkout): Promise<Measurement> => {
    const folder = mkdtempSync(join(tmpdir(), "charthouse-bench-"))
    const write = (version: string): string => {
      const file = join(folder, `${version}.json`)
      const items = Array.from({ length: deployments }, (_, index) =>
        webManifest(replicas, version, deployments === 1 ? "web" : `web-${index}`)
      )
      writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items }))
      return file
    }
    const [from, next] = [write("v1"), write("v2")]
    const args = ["plan", "-f", next, "--from", from, "--seeds", String(seeds), "-o", "json"]
    const command = [
      `--import=${new URL("cpuAtExit.mjs", import.meta.url).href}`,
      checkout.command(),
      ...args
    ]
    try {
      const startMillis = performance.now()
      const { status, stderr } = spawnSync(process.execPath, command, {
        encoding: "utf8",
        maxBuffer: 2 ** 28
      })
      if (status !== 0) throw new Error(stderr)
      const value = (performance.now() - startMillis) / 1000
      const cpuMillis = Number(/^cpuMillis (.*)$/m.exec(stderr)?.[1])
      return Promise.resolve({ unit: "s", bound, value, cpuMillis, note: "on 2 cores" })
    } finally {
      rmSync(folder, { recursive: true })
    }
  }

export const storyMeasures = [
  singleLineMeasure("100 Pods rolled with faults, to 12,000x", measureStorm),
  singleLineMeasure(
    "plan of 20 Pods with 1,000 seeds",
    measurePlan({ deployments: 1, replicas: 20, seeds: 1000, bound: 9 }),
    { needsFreshProcess: true }
  ),
  singleLineMeasure(
    "plan of 50 Deployments of 3 Pods with 100 seeds",
    measurePlan({ deployments: 50, replicas: 3, seeds: 100, bound: 10 }),
    { needsFreshProcess: true }
  )
]
