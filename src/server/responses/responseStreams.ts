// Node's own timers, also in tests with fake global timers.
import { clearImmediate, setImmediate } from "node:timers"
import { responseHeaders } from "./responseText.ts"
import { letEventLoopTurn } from "../../runtime/time/userCode.ts"
import type { ErrorCatcher, Observers } from "../../runtime/observers.ts"
import type { OutgoingResponse } from "../http/httpMessages.ts"
import type { StreamSink, StreamAnswer } from "../requests/apiCall.ts"

export const streamsMaxDefault = 1500

/** Time to flush an ended stream before its connection is destroyed. */
const flushMillis = 5000

/** Node sends what was written to a stream by the end of an event loop turn. */
export const waitForStreamWrites = letEventLoopTurn

/** Encoding this many bytes takes some 10 ms. */
const partBytesMax = 256 * 1024

/** Writes a part per turn of the event loop: other requests are answered in between. */
export interface PartWriter {
  /** Writes the first part, and plans the others. */
  readonly begin: () => void
  readonly stop: () => void
}

/** Calls `onWritten` directly after the last line, unless the writer was stopped. */
export const makePartWriter = (
  sink: StreamSink,
  lines: Iterator<Buffer | string, void>,
  onWritten: () => void
): PartWriter => {
  let isStopped = false
  let nextPart: NodeJS.Immediate | undefined
  const writePart = sink.endOnError(() => {
    for (let partBytes = 0; partBytes < partBytesMax;) {
      const next = lines.next()
      // Making a line may have stopped the writer.
      if (isStopped) return
      if (next.done === true) return onWritten()
      sink.write(next.value)
      partBytes += next.value.length
    }
    nextPart = setImmediate(writePart)
  })
  return {
    begin: writePart,
    stop: () => {
      isStopped = true
      clearImmediate(nextPart)
    }
  }
}

export const endStreamOnError =
  (catchErrors: ErrorCatcher, end: () => void): ErrorCatcher =>
  (callback) =>
    catchErrors((...args) => {
      try {
        callback(...args)
      } catch (error) {
        end()
        throw error
      }
    })

/** Sends the headers at once. Returns a function that ends the stream. */
export const openStream = (
  response: OutgoingResponse,
  answer: StreamAnswer,
  {
    observers,
    commitAtTurnEnd
  }: {
    readonly observers: Observers
    /** Writes are sent when the promise resolves. When it rejects, the stream ends, and the client resumes later. */
    readonly commitAtTurnEnd?: (() => Promise<void>) | undefined
  }
): (() => void) => {
  response.writeHead(200, responseHeaders(answer.contentType))
  response.flushHeaders()
  let isEnded = false
  let unsent: Array<Buffer | string> = []
  let unsentLength = 0
  const endResponse = (): void => {
    response.end()
    const destroyTimer = setTimeout(() => response.destroy(), flushMillis)
    response.once("close", () => clearTimeout(destroyTimer))
  }
  const end = (): void => {
    if (isEnded) return
    isEnded = true
    if (unsent.length === 0) endResponse()
  }
  const sendUnsent = (): void => {
    const lines = unsent
    unsent = []
    unsentLength = 0
    for (const bytes of lines) response.write(bytes)
    if (isEnded) endResponse()
  }
  const catchErrors = observers.catchErrorsOf(`the stream of ${response.req.url ?? "/"}`)
  const sink: StreamSink = {
    endOnError: endStreamOnError(catchErrors, end),
    write: (bytes) => {
      if (isEnded) return
      if (commitAtTurnEnd === undefined) return void response.write(bytes)
      unsent.push(bytes)
      unsentLength += bytes.length
      // A commit is already under way, and sends these bytes, too.
      if (unsent.length > 1) return
      commitAtTurnEnd().then(sendUnsent, () => {
        isEnded = true
        response.destroy()
      })
    },
    end,
    unreadBytes: () => unsentLength + response.writableLength,
    onDrained: (listener) => void response.once("drain", listener)
  }
  if (response.req.method === "HEAD") {
    end()
    return end
  }
  const stopAnswer = answer.open(sink)
  response.once("close", stopAnswer)
  response.on("error", () => response.destroy())
  return () => {
    stopAnswer()
    end()
  }
}
