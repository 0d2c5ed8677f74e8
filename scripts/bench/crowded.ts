import { execFile } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { Worker } from "node:worker_threads"
import { findKubectls } from "../kubectl.ts"
import { CannotMeasure, singleLineMeasure } from "./measure.ts"
import { startUp } from "./up.ts"
import type { Checkout } from "./checkout.ts"
import type { Measurement } from "./measure.ts"

const run = promisify(execFile)
const runCount = 9

/** How long the process `kubectl get pods` takes against `charthouse up`. */
const getPods = async (checkout: Checkout, isCrowded: boolean): Promise<Measurement> => {
  const [kubectl] = (await findKubectls()).found
  if (kubectl === undefined) throw new CannotMeasure("no kubectl is here: node scripts/kubectl.ts says why")
  const server = await startUp(checkout)
  const cache = mkdtempSync(join(tmpdir(), "charthouse-bench-"))
  const args = ["get", "pods", "--kubeconfig", server.kubeconfig, "--cache-dir", cache]
  // Fills kubectl's cache with what the server serves.
  await run(kubectl.path, args)
  const hostileClients = isCrowded ? await crowd(Number(new URL(server.url).port)) : undefined
  const allStartMillis = performance.now()
  const durations: Array<number> = []
  for (let time = 0; time < runCount; time += 1) {
    const startMillis = performance.now()
    await run(kubectl.path, args)
    durations.push(performance.now() - startMillis)
  }
  const seconds = (performance.now() - allStartMillis) / 1000
  const connections = await hostileClients?.end()
  await server.end()
  durations.sort((a, b) => a - b)
  const slowest = `kubectl ${kubectl.version}, the slowest of ${runCount} ${(durations.at(-1) ?? 0).toFixed(0)} ms`
  const churn =
    connections === undefined ? "" : `, ${(connections / seconds).toFixed(0)} connections a second`
  return { value: durations[Math.floor(runCount / 2)] ?? 0, unit: "ms", note: `${slowest}${churn}` }
}

/** 200 slow handshakes, 200 slow headers, 200 slow bodies and 2,000 bare sockets, which all reconnect. */
const crowd = async (port: number) => {
  // Connections that the clients have opened, counted by their thread.
  const opened = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const place = new URL("./hostileClients.ts", import.meta.url)
  const worker = new Worker(place, { workerData: { port, opened } })
  await once(worker, "message")
  const before = Atomics.load(opened, 0)
  return {
    end: async (): Promise<number> => {
      const count = Atomics.load(opened, 0) - before
      await worker.terminate()
      return count
    }
  }
}

export const crowdedMeasures = [
  singleLineMeasure("kubectl get pods", (checkout) => getPods(checkout, false)),
  singleLineMeasure("kubectl get pods, 2,600 connections without a token", (checkout) =>
    getPods(checkout, true)
  )
]
