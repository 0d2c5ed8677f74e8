import type { ReadableByteStreamController } from "node:stream/web"

export interface ResponseBody {
  readonly stream: ReadableStream<Uint8Array>
  readonly write: (bytes: Uint8Array) => void
  readonly end: () => void
  /** Rejects the reader; unread bytes are lost. */
  readonly fail: (error: unknown) => void
  readonly unreadBytes: () => number
}

interface BodyListeners {
  readonly onDrained: () => void
  readonly onCancelled: () => void
}

const chunkBytesMax = 64 * 1024

export const makeResponseBody = ({ onDrained, onCancelled }: BodyListeners): ResponseBody => {
  let controller: ReadableByteStreamController | undefined
  let unreadChunks: Array<Uint8Array> = []
  let unreadBytes = 0
  let isEnded = false
  let isReaderWaiting = false

  const discardUnread = (): void => {
    unreadChunks = []
    unreadBytes = 0
    controller = undefined
  }
  const close = (): void => {
    const openController = controller
    discardUnread()
    openController?.close()
    // A reader that brought its own buffer gets it back.
    openController?.byobRequest?.respond(0)
  }
  const sendChunk = (): void => {
    const chunk = takeChunk(unreadChunks)
    unreadBytes -= chunk.length
    isReaderWaiting = false
    controller?.enqueue(chunk)
    if (unreadBytes > 0) return
    onDrained()
    if (isEnded && unreadBytes === 0) close()
  }
  const stream = new ReadableStream({
    type: "bytes",
    start: (opened: ReadableByteStreamController) => {
      controller = opened
    },
    pull: () => {
      if (unreadBytes > 0) sendChunk()
      else isReaderWaiting = true
    },
    cancel: () => {
      discardUnread()
      onCancelled()
    }
  })
  return {
    stream,
    write: (bytes) => {
      if (controller === undefined || isEnded || bytes.length === 0) return
      unreadChunks.push(bytes)
      unreadBytes += bytes.length
      if (isReaderWaiting) sendChunk()
    },
    end: () => {
      isEnded = true
      if (unreadBytes === 0) close()
    },
    fail: (error) => {
      const openController = controller
      discardUnread()
      openController?.error(error)
    },
    unreadBytes: () => unreadBytes
  }
}

/** Copies the bytes: the reader may change them, but watchers share an encoded event. */
const takeChunk = (unreadChunks: Array<Uint8Array>): Uint8Array => {
  let count = 0
  let size = 0
  for (const { length } of unreadChunks) {
    if (count > 0 && size + length > chunkBytesMax) break
    count += 1
    size += length
  }
  const chunk = new Uint8Array(size)
  let offset = 0
  for (const bytes of unreadChunks.splice(0, count)) {
    chunk.set(bytes, offset)
    offset += bytes.length
  }
  return chunk
}
