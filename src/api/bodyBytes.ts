import type { IncomingMessage } from "node:http"
import { refusal } from "./statuses.ts"

/** What a request may carry at the most. */
const bodyBytesMax = 3 * 1024 * 1024
/** What is read and thrown away of a body that is too large, so that its sender gets to read the answer. */
const discardedBytesMax = 64 * 1024 * 1024

/**
 * Reads a whole body. Rejects with a `Refusal` as soon as it says that it is, or turns out to be, larger than anything
 * that would be stored.
 */
export const readBody = (request: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    let chunks: Array<Buffer> = []
    let bytes = 0
    const refuse = (): void => {
      chunks = []
      reject(tooLarge())
    }
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > discardedBytesMax) request.destroy()
      else if (bytes > bodyBytesMax) refuse()
      else chunks.push(chunk)
    })
    request.on("end", () => resolve(Buffer.concat(chunks)))
    request.on("error", reject)
    request.on("close", () => {
      if (!request.complete) reject(new Error("the request was cut off"))
    })
    if (saysTooLarge(request)) refuse()
  })

/** Whether a request says of itself that its body is too large. */
export const saysTooLarge = ({ headers }: IncomingMessage): boolean =>
  Number(headers["content-length"] ?? 0) > bodyBytesMax

const tooLarge = () =>
  refusal(413, "RequestEntityTooLarge", `Request entity too large: limit is ${bodyBytesMax}`)
