import { makeSignal, waitUntil } from "../signal.ts"
import type { Signal } from "../signal.ts"

export type ConnectionState =
  | { readonly state: "connecting" | "live" }
  /** `lost`: the server does not answer. `refused`: it refuses the token. */
  | { readonly state: "lost" | "refused"; readonly why: string }

export const isDisconnected = ({ status }: Pick<ServerConnection, "status">): boolean => "why" in status.get()

export const waitForServer = (
  connection: Pick<ServerConnection, "status">,
  abortSignal: AbortSignal
): Promise<void> => waitUntil(connection.status, () => !isDisconnected(connection), abortSignal)

export interface ServerConnection {
  readonly status: Signal<ConnectionState>
  /** Rejects with `RequestRefused`, which has the server's message, or with `ServerLost`. */
  readonly request: (method: string, path: string, options?: PageRequestOptions) => Promise<unknown>
  /** The lines end when the signal aborts. Rejects with the same errors as `request`. */
  readonly lines: (path: string, abortSignal: AbortSignal) => AsyncIterable<string>
}

export interface PageRequestOptions {
  readonly body?: unknown
  readonly contentType?: string
  readonly withinMillis?: number
}

export class RequestRefused extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

export class ServerLost extends Error {}

const answerTimeoutMillis = 10_000

export const connectToServer = (token: string): ServerConnection => {
  const connectionState = makeSignal<ConnectionState>({ state: "connecting" })
  const markLost = (): ServerLost => {
    if (connectionState.get().state !== "lost") connectionState.set({ state: "lost", why: lostMessage })
    return new ServerLost(lostMessage)
  }
  /** A request that the page aborted does not mean that the server is lost. */
  const rethrowAsLost =
    (abortSignal: AbortSignal | null | undefined) =>
    (error: unknown): never => {
      if (abortSignal?.aborted === true && !isTimeout(abortSignal)) throw error
      throw markLost()
    }
  const send = async (path: string, init: RequestInit): Promise<Response> => {
    const headers = new Headers(init.headers)
    headers.set("authorization", `Bearer ${token}`)
    headers.set("accept", "application/json")
    const response = await fetch(path, { ...init, headers, cache: "no-store" }).catch(
      rethrowAsLost(init.signal)
    )
    if (response.ok) {
      if (connectionState.get().state !== "live") connectionState.set({ state: "live" })
      return response
    }
    const message = messageOf(await response.text().catch(rethrowAsLost(init.signal)))
    if (response.status === 401) {
      if (connectionState.get().state !== "refused")
        connectionState.set({ state: "refused", why: refusedMessage })
      throw new RequestRefused(401, refusedMessage)
    }
    throw new RequestRefused(response.status, message)
  }
  return {
    status: connectionState,
    request: async (method, path, options = {}) => {
      const { body, contentType = "application/json", withinMillis = answerTimeoutMillis } = options
      const abortSignal = AbortSignal.timeout(withinMillis)
      const init: RequestInit = { method, signal: abortSignal }
      if (body !== undefined) {
        init.body = JSON.stringify(body)
        init.headers = { "content-type": contentType }
      }
      const response = await send(path, init)
      return parseJson(response.status, await response.text().catch(rethrowAsLost(abortSignal)))
    },
    lines: async function* (path, abortSignal) {
      const response = await send(path, { signal: abortSignal })
      if (response.body === null) return
      let partialLine = ""
      try {
        for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
          const lines = (partialLine + chunk).split("\n")
          partialLine = lines.pop() ?? ""
          for (const line of lines) if (line !== "") yield line
        }
      } catch {
        if (abortSignal.aborted) return
        throw markLost()
      }
    }
  }
}

const lostMessage =
  "The server does not answer: it has stopped or cannot be reached. The page shows the last known state. " +
  "If the server was restarted with another token, open the address that it printed."

const refusedMessage =
  "The server refuses the token: it was mistyped, or the server was restarted with another one. " +
  "Open the complete address that charthouse up prints."

const isTimeout = (abortSignal: AbortSignal): boolean =>
  abortSignal.reason instanceof DOMException && abortSignal.reason.name === "TimeoutError"

const parseJson = (code: number, text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new RequestRefused(code, "The server's response is not JSON.")
  }
}

const messageOf = (text: string): string => {
  try {
    const status = JSON.parse(text) as { readonly message?: unknown }
    if (typeof status.message === "string") return status.message
  } catch {
    // Text that is not JSON is shown as it is.
  }
  return text === "" ? "The server refused the request without a reason." : text.slice(0, 500)
}

export const sleepMillis = (millis: number, abortSignal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (abortSignal.aborted) return resolve()
    const timer = setTimeout(resolve, millis)
    abortSignal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true })
  })
