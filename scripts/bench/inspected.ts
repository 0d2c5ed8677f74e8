import { once } from "node:events"
import { singleLineMeasure } from "./measure.ts"
import { webManifest, openClusterFor } from "./fixtures.ts"
import type { OpenOptions } from "charthouse"
import type { Checkout } from "./checkout.ts"
import type { Measurement } from "./measure.ts"

const pods = 1000

interface InspectorUse {
  readonly chosen?: ReadonlyArray<string>
  readonly viewers: number
}

/** CPU seconds until all Pods are ready. */
const readyWith = async (checkout: Checkout, options: OpenOptions): Promise<number> => {
  globalThis.gc?.()
  const cluster = await openClusterFor(checkout, pods, options)
  const cpuBefore = process.cpuUsage()
  await cluster.create(webManifest(20, "v1", "quiet"))
  await cluster.create(webManifest(pods, "v1"))
  const { outcome, message } = await cluster.rollout("web")
  const { user, system } = process.cpuUsage(cpuBefore)
  if (outcome !== "complete") throw new Error(message)
  await cluster.close()
  return (user + system) / 1e6
}

const connectViewer = async (url: string) => {
  const { WebSocket } = await import("ws")
  const received = { frames: 0, bytes: 0, isCutOff: false }
  const socket = new WebSocket(url.replace("http:", "ws:"))
  socket.on("message", (frame: Buffer) => {
    received.frames += 1
    received.bytes += frame.length
  })
  socket.on("close", () => (received.isCutOff = true))
  await once(socket, "open")
  return received
}

/** CPU time as a multiple of that without an inspector. Viewers run in this process: their work counts. */
const inspected =
  ({ chosen, viewers }: InspectorUse, bound: number) =>
  async (checkout: Checkout): Promise<Measurement> => {
    const { openInspector } = await checkout.inspector()
    const off = await readyWith(checkout, {})
    const inspector = await openInspector(chosen === undefined ? {} : { chosen })
    const connections = await Promise.all(Array.from({ length: viewers }, () => connectViewer(inspector.url)))
    const on = await readyWith(checkout, { inspect: inspector })
    const shares = `${(off * 1000).toFixed(0)} ms without, ${(on * 1000).toFixed(0)} ms with`
    const frames = connections.map(
      (it) => `, ${it.frames} frames, ${(it.bytes / 1e6).toFixed(1)} MB${it.isCutOff ? ", cut off" : ""}`
    )
    await inspector.close()
    return { value: on / off, unit: "x", bound, note: [shares, ...frames].join("") }
  }

/**
 * What an open inspector costs. With one, charts run in XState's interpreter, which reports each microstep; without one
 * they are compiled. So the first line shows mainly the interpreter, and the others the reports.
 */
export const inspectedMeasures = [
  singleLineMeasure("inspected without a viewer, against not", inspected({ viewers: 0 }, 2)),
  singleLineMeasure(
    "inspected, one viewer of another, against not",
    inspected({ viewers: 1, chosen: ["deployment/quiet"] }, 2.2)
  ),
  singleLineMeasure("inspected, one viewer of all, against not", inspected({ viewers: 1 }, 3))
]
