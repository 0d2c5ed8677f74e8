import { bodyBytesMax, bodyTooLarge, isContentLengthTooLarge } from "../http/readRequestBody.ts"
import type { IncomingRequest } from "../http/httpMessages.ts"
import type { FetchedResponse } from "./fetchedResponse.ts"

export type FetchInput = Request | URL | string

/** The base of a path without a host: the name that clients in a Pod use. */
const inClusterUrl = "https://kubernetes.default.svc"

/**
 * A `Request` of another library, such as jsdom, is no instance of this process's `Request`: it is recognized by its
 * fields.
 */
export const toRequest = (input: FetchInput, init: RequestInit | undefined): Request => {
  const isRequest = typeof input === "object" && "headers" in input
  if (!isRequest) return new Request(new URL(input, inClusterUrl), init)
  if (input.bodyUsed || input.body?.locked === true)
    throw new TypeError("the body of the request has already been read or is locked")
  return init === undefined ? input : new Request(input, init)
}

export const toIncomingRequest = ({ url, method, headers: allHeaders }: Request): IncomingRequest => {
  const { host, pathname, search } = new URL(url)
  // `fetch` gives its caller an uncompressed body, so the server must not compress it.
  const headerEntries = [...allHeaders].filter(([name]) => name !== "accept-encoding")
  return {
    method,
    url: `${pathname}${search}`,
    headers: { host, ...Object.fromEntries(headerEntries) },
    headersDistinct: Object.fromEntries(headerEntries.map(([name, value]) => [name, [value]]))
  }
}

/** Rejects with a `Refusal` for a body that is too large. */
export const readFetchedBody = async (
  { body }: Request,
  { request, response }: { readonly request: IncomingRequest; readonly response: FetchedResponse }
): Promise<Buffer> => {
  if (body === null) return Buffer.alloc(0)
  if (isContentLengthTooLarge(request)) throw bodyTooLarge()
  const reader = body.getReader()
  const cancel = (): void => void reader.cancel().catch(() => {})
  response.once("close", cancel)
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  for (;;) {
    const { done, value } = await readChunk(reader, response)
    if (response.closed) throw new Error("the request was cut off")
    if (done) return Buffer.concat(chunks)
    bytes += value.length
    if (bytes > bodyBytesMax) {
      cancel()
      throw bodyTooLarge()
    }
    chunks.push(value)
  }
}

/** When the stream of the body fails, `fetch` rejects with that error. */
const readChunk = async (reader: ReadableStreamDefaultReader<Uint8Array>, response: FetchedResponse) => {
  try {
    const chunk = await reader.read()
    if (!chunk.done && !(chunk.value instanceof Uint8Array))
      throw new TypeError("the body of the request is a stream of something else than bytes")
    return chunk
  } catch (error) {
    response.fail(error)
    throw error
  }
}
