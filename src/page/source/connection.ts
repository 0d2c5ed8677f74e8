import { keep } from "../kept.ts"
import type { Kept } from "../kept.ts"

/** How the page stands with its server. */
export type Standing =
  | { readonly state: "connecting" | "live" }
  | { readonly state: "lost" | "refused"; readonly why: string }

/** Whether the server was gone, or refused the token, when it was last asked. */
export const isCut = ({ standing }: Pick<Connection, "standing">): boolean => "why" in standing.get()

/** Waits until the server answers a request again, or a signal comes; does not wait while the server answers. */
export const untilAnswering = (
  connection: Pick<Connection, "standing">,
  signal: AbortSignal
): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted || !isCut(connection)) return resolve()
    const end = (): void => {
      stop()
      signal.removeEventListener("abort", end)
      resolve()
    }
    const stop = connection.standing.hear(() => isCut(connection) || end())
    signal.addEventListener("abort", end)
  })

/** The API of the server that the page came from, by its token. */
export interface Connection {
  readonly standing: Kept<Standing>
  /** The JSON of an answer. Rejects with `Refused` in the server's words, or with `Lost`. */
  readonly ask: (method: string, path: string, options?: AskOptions) => Promise<unknown>
  /** A stream's lines, until it ends or `signal` says so. Rejects as `toGuard` does. */
  readonly lines: (path: string, signal: AbortSignal) => AsyncIterable<string>
}

export interface AskOptions {
  readonly body?: unknown
  /** What form the body has; JSON where it is left out. */
  readonly contentType?: string
  /** How long the answer may take. */
  readonly withinMillis?: number
}

/** The server said no. */
export class Refused extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** The server did not answer. */
export class Lost extends Error {}

const answerMillis = 10_000

export const connect = (token: string): Connection => {
  const standing = keep<Standing>({ state: "connecting" })
  const lose = (): Lost => {
    if (standing.get().state !== "lost") standing.set({ state: "lost", why: lostWords })
    return new Lost(lostWords)
  }
  /** What breaks off is lost; what was broken off from here is not. */
  const broken =
    (signal: AbortSignal | null | undefined) =>
    (error: unknown): never => {
      if (signal?.aborted === true && !isTimeout(signal)) throw error
      throw lose()
    }
  const send = async (path: string, init: RequestInit): Promise<Response> => {
    const headers = new Headers(init.headers)
    headers.set("authorization", `Bearer ${token}`)
    headers.set("accept", "application/json")
    const response = await fetch(path, { ...init, headers, cache: "no-store" }).catch(broken(init.signal))
    if (response.ok) {
      if (standing.get().state !== "live") standing.set({ state: "live" })
      return response
    }
    const message = messageOf(await response.text().catch(broken(init.signal)))
    if (response.status === 401) {
      if (standing.get().state !== "refused") standing.set({ state: "refused", why: refusedWords })
      throw new Refused(401, refusedWords)
    }
    throw new Refused(response.status, message)
  }
  return {
    standing,
    ask: async (method, path, options = {}) => {
      const { body, contentType = "application/json", withinMillis = answerMillis } = options
      const signal = AbortSignal.timeout(withinMillis)
      const init: RequestInit = { method, signal }
      if (body !== undefined) {
        init.body = JSON.stringify(body)
        init.headers = { "content-type": contentType }
      }
      const response = await send(path, init)
      return parsed(response.status, await response.text().catch(broken(signal)))
    },
    lines: async function* (path, signal) {
      const response = await send(path, { signal })
      if (response.body === null) return
      let rest = ""
      try {
        for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
          const lines = (rest + piece).split("\n")
          rest = lines.pop() ?? ""
          for (const line of lines) if (line !== "") yield line
        }
      } catch {
        if (signal.aborted) return
        throw lose()
      }
    }
  }
}

const lostWords =
  "The server does not answer: it has ended, or cannot be reached. What is shown is as it was. " +
  "If the server was started again with another token, open the address that it printed."

const refusedWords =
  "The token is not this server's: it was mistyped, or the server was started again with another one. " +
  "Open the whole address that charthouse up prints."

const isTimeout = (signal: AbortSignal): boolean =>
  signal.reason instanceof DOMException && signal.reason.name === "TimeoutError"

const parsed = (code: number, text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new Refused(code, "What the server answers is no JSON.")
  }
}

/** What a Status says, or else what came. */
const messageOf = (text: string): string => {
  try {
    const status = JSON.parse(text) as { readonly message?: unknown }
    if (typeof status.message === "string") return status.message
  } catch {
    // No JSON: it is shown as it is.
  }
  return text === "" ? "The server said no, and not why." : text.slice(0, 500)
}

/** What is the matter, in a sentence. */
export const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Waits, or until a signal comes. */
export const pause = (millis: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const timer = setTimeout(resolve, millis)
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true })
  })
