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
  let unread: Array<Uint8Array> = []
  let unreadBytes = 0
  let isEnded = false
  let isReaderWaiting = false

  const finish = (): void => {
    unread = []
    unreadBytes = 0
    controller = undefined
  }
  const close = (): void => {
    const openController = controller
    finish()
    openController?.close()
    // A reader that brought its own buffer gets it back.
    openController?.byobRequest?.respond(0)
  }
  const sendChunk = (): void => {
    const chunk = takeChunk(unread)
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
      finish()
      onCancelled()
    }
  })
  return {
    stream,
    write: (bytes) => {
      if (controller === undefined || isEnded || bytes.length === 0) return
      unread.push(bytes)
      unreadBytes += bytes.length
      if (isReaderWaiting) sendChunk()
    },
    end: () => {
      isEnded = true
      if (unreadBytes === 0) close()
    },
    fail: (error) => {
      const open = controller
      finish()
      open?.error(error)
    },
    unreadBytes: () => unreadBytes
  }
}

/** Copies the bytes: the reader may change them, but watchers share an encoded event. */
const takeChunk = (unread: Array<Uint8Array>): Uint8Array => {
  let count = 0
  let size = 0
  for (const { length } of unread) {
    if (count > 0 && size + length > chunkBytesMax) break
    count += 1
    size += length
  }
  const chunk = new Uint8Array(size)
  let offset = 0
  for (const bytes of unread.splice(0, count)) {
    chunk.set(bytes, offset)
    offset += bytes.length
  }
  return chunk
}
