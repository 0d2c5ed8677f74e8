import { Agent as PlainAgent, request as plainRequest } from "node:http"
import { Agent as SecureAgent, request as secureRequest } from "node:https"
import { Unreachable } from "./errors.ts"
import type { ClientRequest, IncomingMessage } from "node:http"
import type { Credentials } from "./credentials.ts"
import type { KubeContext } from "./kubeconfig.ts"

export interface Asked {
  readonly method?: string
  /** With its query. */
  readonly path: string
  readonly body?: unknown
  /** `application/json` where it is left out. */
  readonly contentType?: string
}

interface Answered {
  readonly code: number
  /** As JSON; a text where it is none. */
  readonly body: unknown
}

/** HTTP to one API server. */
export interface Connection {
  readonly ask: (asked: Asked) => Promise<Answered>
  /** Reads the lines of a stream until it ends; each is JSON. Answers like `ask` where it is refused. */
  readonly follow: (
    path: string,
    options: { readonly onLine: (line: unknown) => void; readonly signal: AbortSignal }
  ) => Promise<Answered>
  readonly close: () => void
}

/** How long nothing may be heard of a request. */
const silenceMillis = 30_000

/** Begins with what `credentials` gives, and asks for it once more when the server no longer takes it. */
export const connect = async (
  context: KubeContext,
  credentials: () => Promise<Credentials>
): Promise<Connection> => {
  const isSecure = context.url.startsWith("https:")
  let sender = makeSender(context, await credentials())
  const send = async (asked: Asked, options: SendOptions): Promise<IncomingMessage> => {
    const response = await sender.send(asked, options)
    if (response.statusCode !== unauthorized || !isSecure) return response
    response.resume()
    sender.close()
    sender = makeSender(context, await credentials())
    return sender.send(asked, options)
  }
  return {
    ask: async (asked) => {
      const response = await send(asked, { timeout: silenceMillis })
      return { code: response.statusCode ?? 0, body: jsonOrText(await textOf(response)) }
    },
    follow: async (path, { onLine, signal }) => {
      const response = await send({ path }, { signal })
      const code = response.statusCode ?? 0
      if (code !== ok) return { code, body: jsonOrText(await textOf(response)) }
      await readLines(response, onLine)
      return { code, body: undefined }
    },
    close: () => sender.close()
  }
}

const ok = 200
const unauthorized = 401

interface SendOptions {
  readonly timeout?: number
  readonly signal?: AbortSignal
}

interface Sender {
  readonly send: (asked: Asked, options: SendOptions) => Promise<IncomingMessage>
  readonly close: () => void
}

const makeSender = (context: KubeContext, credentials: Credentials): Sender => {
  const { url, ca, isInsecure, serverName } = context
  const { authorization, certificate, key } = credentials
  const isSecure = url.startsWith("https:")
  const agent = isSecure
    ? new SecureAgent({
        keepAlive: true,
        rejectUnauthorized: !isInsecure,
        ...(ca === undefined ? {} : { ca }),
        ...(certificate === undefined ? {} : { cert: certificate }),
        ...(key === undefined ? {} : { key }),
        ...(serverName === undefined ? {} : { servername: serverName })
      })
    : new PlainAgent({ keepAlive: true })
  const begin = isSecure ? secureRequest : plainRequest
  const send: Sender["send"] = (asked, options) =>
    new Promise((resolve, reject) => {
      const { method = "GET", path, body, contentType = "application/json" } = asked
      const bytes = body === undefined ? undefined : JSON.stringify(body)
      const headers = {
        accept: "application/json",
        "user-agent": "charthouse",
        ...(authorization === undefined ? {} : { authorization }),
        ...(bytes === undefined
          ? {}
          : { "content-type": contentType, "content-length": Buffer.byteLength(bytes) })
      }
      const request: ClientRequest = begin(`${url}${path}`, { method, agent, headers, ...options })
      request.on("response", resolve)
      request.on("timeout", () => request.destroy(new Error(`no answer within ${silenceMillis / 1000} s`)))
      request.on("error", (error) => {
        reject(new Unreachable(`${url} cannot be reached: ${error.message}`, { cause: error }))
      })
      request.end(bytes)
    })
  return { send, close: () => agent.destroy() }
}

const textOf = async (response: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

const jsonOrText = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Ends when the stream does, whichever side has ended it. */
const readLines = (response: IncomingMessage, onLine: (line: unknown) => void): Promise<void> =>
  new Promise((resolve) => {
    let rest = ""
    response.setEncoding("utf8")
    response.on("data", (chunk: string) => {
      const lines = `${rest}${chunk}`.split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) if (line !== "") onLine(jsonOrText(line))
    })
    response.on("error", () => resolve())
    response.on("close", () => resolve())
  })
