import { once } from "node:events"
import { line } from "./measure.ts"
import { manifest, open } from "./worlds.ts"
import type { OpenOptions } from "charthouse"
import type { Checkout } from "./checkout.ts"
import type { Measured } from "./measure.ts"

const pods = 1000

interface Looking {
  /** Who alone is inspected. */
  readonly chosen?: ReadonlyArray<string>
  readonly viewers: number
}

/** The processor's seconds until all Pods are ready: what else the machine does is not in them. */
const readyWith = async (checkout: Checkout, options: OpenOptions): Promise<number> => {
  globalThis.gc?.()
  const cluster = await open(checkout, pods, options)
  const begun = process.cpuUsage()
  await cluster.create(manifest(20, "v1", "quiet"))
  await cluster.create(manifest(pods, "v1"))
  const { outcome, message } = await cluster.rollout("web")
  const { user, system } = process.cpuUsage(begun)
  if (outcome !== "complete") throw new Error(message)
  await cluster.close()
  return (user + system) / 1e6
}

const watching = async (url: string) => {
  const { WebSocket } = await import("ws")
  const told = { frames: 0, bytes: 0, isCutOff: false }
  const socket = new WebSocket(url.replace("http:", "ws:"))
  socket.on("message", (frame: Buffer) => {
    told.frames += 1
    told.bytes += frame.length
  })
  socket.on("close", () => (told.isCutOff = true))
  await once(socket, "open")
  return told
}

/** How many times the work of the same without an inspector. The viewers are in this process, and their work as well. */
const inspected =
  ({ chosen, viewers }: Looking, bound: number) =>
  async (checkout: Checkout): Promise<Measured> => {
    const { openInspector } = await checkout.inspector()
    const off = await readyWith(checkout, {})
    const inspector = await openInspector(chosen === undefined ? {} : { chosen })
    const watched = await Promise.all(Array.from({ length: viewers }, () => watching(inspector.url)))
    const on = await readyWith(checkout, { inspect: inspector })
    const shares = `${(off * 1000).toFixed(0)} ms without, ${(on * 1000).toFixed(0)} ms with`
    const frames = watched.map(
      (it) => `, ${it.frames} frames, ${(it.bytes / 1e6).toFixed(1)} MB${it.isCutOff ? ", cut off" : ""}`
    )
    await inspector.close()
    return { value: on / off, unit: "x", bound, note: [shares, ...frames].join("") }
  }

/**
 * What an inspector costs while it is there. With one, all charts run in XState's interpreter, which tells of each
 * microstep; without one they are compiled. So most of what the first line shows is the interpreter, and what the others
 * show beyond it is the telling.
 */
export const inspectedMeasures = [
  line("inspected without a viewer, against not", inspected({ viewers: 0 }, 2)),
  line(
    "inspected, one viewer of another, against not",
    inspected({ viewers: 1, chosen: ["deployment/quiet"] }, 2.2)
  ),
  line("inspected, one viewer of all, against not", inspected({ viewers: 1 }, 3))
]
