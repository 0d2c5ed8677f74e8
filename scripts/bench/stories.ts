import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { manifest } from "./worlds.ts"
import type { Measure } from "./measures.ts"

const pods = 100

/** A careful rollout in which nodes are lost, Pods crash and writes are refused. */
const storm = async () => {
  const { defineStory } = await import("charthouse/scenario")
  // How many times as fast as time goes depends on how much of it is waiting: here, an hour for a registry.
  const careful = manifest(pods, "v1")
  return defineStory({
    name: "storm",
    nodes: 4,
    start: [
      {
        ...careful,
        spec: {
          ...careful.spec,
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

const ratio: Measure["take"] = async () => {
  const { runStory } = await import("charthouse/scenario")
  const story = await storm()
  const begun = performance.now()
  const { endMillis } = await runStory(story)
  const millis = performance.now() - begun
  const note = `${(endMillis / 60_000).toFixed(1)} virtual minutes in ${millis.toFixed(0)} ms`
  return {
    value: millis / (endMillis / 10_000),
    unit: "ms",
    bound: 1,
    note: `for each 10 s of time; ${note}`
  }
}

const seeds = 1000

/** As it is asked for on the command line, in a process of its own. */
const planned: Measure["take"] = () => {
  const folder = mkdtempSync(join(tmpdir(), "charthouse-bench-"))
  const write = (version: string): string => {
    const file = join(folder, `${version}.json`)
    writeFileSync(file, JSON.stringify(manifest(20, version)))
    return file
  }
  const [from, next] = [write("v1"), write("v2")]
  const command = join(import.meta.dirname, "../../dist/src/packed/command/start.js")
  const begun = performance.now()
  const args = [command, "plan", "-f", next, "--from", from, "--seeds", String(seeds), "-o", "json"]
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", maxBuffer: 2 ** 26 })
  const value = (performance.now() - begun) / 1000
  rmSync(folder, { recursive: true })
  if (status !== 0) throw new Error(stderr)
  return Promise.resolve({ value, unit: "s", bound: 10, note: "on 2 cores" })
}

export const storyMeasures: Readonly<Record<string, Measure>> = {
  "100 Pods rolled with faults, to 10,000x": { take: ratio },
  "plan of 20 Pods with 1,000 seeds": { take: planned, alone: true }
}
