import { responseHeaders } from "./responseText.ts"
import { letEventLoopTurn } from "../../runtime/time/programTurns.ts"
import type { Observer, Observers } from "../../runtime/observers.ts"
import type { OutgoingResponse } from "../http/httpMessages.ts"
import type { StreamSink, StreamAnswer } from "../requests/apiCall.ts"

/** The most open watches, followed logs and recordings, by default. */
export const streamsMaxDefault = 1500

/** How long an ended stream may take to flush before its connection is destroyed. */
const flushMillis = 5000

/** Resolves once everything written to streams has been sent, which Node does at the end of an event loop turn. */
export const waitForStreamWrites = letEventLoopTurn

/** Wraps callbacks like `observe`; an error in one also ends the stream. */
export const endStreamOnError =
  (observe: Observer, end: () => void): Observer =>
  (callback) =>
    observe((...args) => {
      try {
        callback(...args)
      } catch (error) {
        end()
        throw error
      }
    })

/** Sends the headers at once, then what the stream writes. Returns a function that ends the stream. */
export const openStream = (
  response: OutgoingResponse,
  answer: StreamAnswer,
  {
    observers,
    commit
  }: {
    readonly observers: Observers
    /** Called before each write; the stream ends when it throws, and the client resumes later. */
    readonly commit?: (() => void) | undefined
  }
): (() => void) => {
  response.writeHead(200, responseHeaders(answer.contentType))
  response.flushHeaders()
  let isEnded = false
  const end = (): void => {
    if (isEnded) return
    isEnded = true
    response.end()
    const destroyTimer = setTimeout(() => response.destroy(), flushMillis)
    response.once("close", () => clearTimeout(destroyTimer))
  }
  const observe = observers.add(`the stream of ${response.req.url ?? "/"}`)
  const sink: StreamSink = {
    guarded: endStreamOnError(observe, end),
    write: (bytes) => {
      if (isEnded) return
      try {
        commit?.()
      } catch {
        isEnded = true
        response.destroy()
        return
      }
      response.write(bytes)
    },
    end,
    unreadBytes: () => response.writableLength,
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
