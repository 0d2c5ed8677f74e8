import { once } from "node:events"
import { WebSocket } from "ws"
import { manifest, open } from "./worlds.ts"
import type { Measure, Measured } from "./measures.ts"

const pods = 1000

interface Looking {
  /** Who alone is inspected. */
  readonly chosen?: ReadonlyArray<string>
  readonly viewers: number
}

/** The same as without an inspector, in a process of its own: until all Pods are ready, and viewers have been told. */
const inspected =
  ({ chosen, viewers }: Looking, bound: number): Measure["take"] =>
  async (): Promise<Measured> => {
    const { openInspector } = await import("charthouse/inspect")
    const inspector = await openInspector(chosen === undefined ? {} : { chosen })
    const cluster = await open(pods, { inspect: inspector })
    let frames = 0
    let bytes = 0
    let closed = 0
    const sockets = Array.from(
      { length: viewers },
      () => new WebSocket(inspector.url.replace("http:", "ws:"))
    )
    for (const socket of sockets) {
      socket.on("message", (frame: Buffer) => {
        frames += 1
        bytes += frame.length
      })
      socket.on("close", () => (closed += 1))
      await once(socket, "open")
    }
    const begun = performance.now()
    await cluster.create(manifest(20, "v1", "quiet"))
    await cluster.create(manifest(pods, "v1"))
    const { outcome, message } = await cluster.rollout("web")
    if (outcome !== "complete") throw new Error(message)
    const value = (performance.now() - begun) / 1000
    const cut = closed
    // What is on its way arrives before the end.
    for (let before = -1; before !== frames;) {
      before = frames
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    await inspector.close()
    await cluster.close()
    const told = `${frames} frames, ${(bytes / 1e6).toFixed(1)} MB${cut === 0 ? "" : ", cut off"}`
    return { value, unit: "s", bound, ...(viewers === 0 ? {} : { note: told }) }
  }

/** To be held against `1,000 Pods ready`, where nobody inspects. */
export const inspectedMeasures: Readonly<Record<string, Measure>> = {
  "1,000 Pods ready, inspected, nobody looks": { take: inspected({ viewers: 0 }, 0.8) },
  "1,000 Pods ready, inspected, one viewer": { take: inspected({ viewers: 1 }, 3) },
  "1,000 Pods ready, one viewer of another": {
    take: inspected({ viewers: 1, chosen: ["deployment/quiet"] }, 1)
  }
}
