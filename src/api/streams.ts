import type { ServerResponse } from "node:http"
import { headersFor } from "./respond.ts"
import type { Observer, Observers } from "../runtime/observers.ts"
import type { Sink, StreamAnswer } from "./call.ts"

/** How long a reader that was told to begin anew has to take what is left for it. */
const partingMillis = 5000

/** Resolves when what has been written to streams has left: Node sends it when its turn of the event loop is over. */
export const streamsWritten = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** An observer that an error ends. */
export const endOnError =
  (observe: Observer, end: () => void): Observer =>
  (callback) =>
    observe((...seen) => {
      try {
        callback(...seen)
      } catch (error) {
        end()
        throw error
      }
    })

/**
 * Sends a stream's head at once, so that a client knows it is being served, and then what comes. Returns how to end it.
 */
export const openStream = (
  response: ServerResponse,
  answer: StreamAnswer,
  observers: Observers
): (() => void) => {
  response.writeHead(200, headersFor(answer.contentType))
  response.flushHeaders()
  let ended = false
  const end = (): void => {
    if (ended) return
    ended = true
    response.end()
    const impatience = setTimeout(() => response.destroy(), partingMillis)
    response.once("close", () => clearTimeout(impatience))
  }
  const observe = observers.add(`the stream of ${response.req.url ?? "/"}`)
  const sink: Sink = {
    observe: endOnError(observe, end),
    write: (bytes) => {
      if (!ended) response.write(bytes)
    },
    end,
    behind: () => response.writableLength,
    onDrained: (listener) => void response.once("drain", listener)
  }
  if (response.req.method === "HEAD") {
    end()
    return end
  }
  const stop = answer.open(sink)
  response.once("close", stop)
  response.on("error", () => response.destroy())
  return () => {
    stop()
    end()
  }
}
