import type { IncomingMessage } from "node:http"
import { makeRefusal } from "./statuses.ts"
import type { IncomingRequest } from "./httpMessages.ts"

/** Source: apiserver/pkg/server/config.go (MaxRequestBodyBytes). */
export const bodyBytesMax = 3 * 1024 * 1024
/** Bytes of an oversized body that are discarded, so that the client reads the 413. */
const discardedBytesMax = 64 * 1024 * 1024

/** Rejects with a `Refusal` when the body is too long. */
export const readRequestBody = (request: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    let chunks: Array<Buffer> = []
    let bytes = 0
    const refuse = (): void => {
      chunks = []
      reject(bodyTooLarge())
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
    if (isContentLengthTooLarge(request)) refuse()
  })

export const isContentLengthTooLarge = ({ headers }: IncomingRequest): boolean =>
  Number(headers["content-length"] ?? 0) > bodyBytesMax

export const bodyTooLarge = () =>
  makeRefusal(413, "RequestEntityTooLarge", `Request entity too large: limit is ${bodyBytesMax}`)
