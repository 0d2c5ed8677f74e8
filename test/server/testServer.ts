import { Agent, request as sendRequest } from "node:http"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { makeCluster } from "../../src/cluster/cluster.ts"
import { serve } from "../../src/cluster/serving/serveCluster.ts"
import type { IncomingHttpHeaders } from "node:http"
import type { Cluster } from "../../src/cluster/cluster.ts"
import type { ClusterOptions } from "../../src/cluster/clusterOptions.ts"
import type { ServeOptions } from "../../src/cluster/serving/serveOptions.ts"

/** A cluster served over plain HTTP, and a client with its token. */
export interface TestServer extends AsyncDisposable {
  readonly cluster: Cluster["Service"]
  readonly url: string
  readonly port: number
  readonly request: (method: string, path: string, options?: RequestOptions) => Promise<Reply>
  readonly watch: (path: string, headers?: Readonly<Record<string, string>>) => Promise<Watching>
  readonly close: () => Promise<void>
}

interface RequestOptions {
  /** Objects are sent as JSON, strings and bytes as they are. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface Reply {
  readonly code: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The parsed body; undefined if it is not JSON. */
  readonly json: Json
}

// Tests read single fields of answers, and fail where a field is missing.
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any

interface Watching {
  readonly code: number
  readonly lines: ReadonlyArray<Json>
  /** Waits for so many lines after those that earlier calls returned. */
  readonly next: (count: number) => Promise<ReadonlyArray<Json>>
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>
  readonly close: () => void
}

export const token = "a-token-of-the-tests"

/** Opens a server on a virtual clock. Close it, or use `await using`. */
export const openTestServer = async (
  options: ClusterOptions & { readonly serve?: ServeOptions } = {}
): Promise<TestServer> => {
  const { serve: serving = {}, ...clusterOptions } = options
  const scope = Scope.makeUnsafe()
  const inScope = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>): Promise<A> =>
    run(Effect.provideService(effect, Scope.Scope, scope))
  const cluster = await inScope(makeCluster(clusterOptions))
  const { url } = await inScope(serve(cluster, { tls: false, token, ...serving }))
  const agent = new Agent({ keepAlive: true })
  const port = Number(new URL(url).port)
  const close = async (): Promise<void> => {
    agent.destroy()
    await run(Scope.close(scope, Exit.void))
  }
  const authorization = `Bearer ${serving.token ?? token}`

  const request: TestServer["request"] = (method, path, { body, headers = {} } = {}) =>
    new Promise((resolve, reject) => {
      const isText = typeof body === "string" || body instanceof Uint8Array
      const bytes = body === undefined || isText ? body : JSON.stringify(body)
      const type = body === undefined ? {} : { "content-type": "application/json" }
      const length = bytes === undefined ? {} : { "content-length": String(Buffer.byteLength(bytes)) }
      const all = { authorization, ...type, ...length, ...headers }
      const outgoing = sendRequest({ host: "127.0.0.1", port, method, path, agent, headers: all })
      outgoing.on("error", reject)
      outgoing.on("response", (response) => {
        const chunks: Array<Buffer> = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("error", reject)
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString()
          const { statusCode: code = 0, headers: replied } = response
          resolve({ code, headers: replied, text, json: jsonIn(text) })
        })
      })
      outgoing.end(bytes)
    })

  const watch: TestServer["watch"] = (path, headers = {}) =>
    new Promise((resolve, reject) => {
      const all = { authorization, ...headers }
      const outgoing = sendRequest({ host: "127.0.0.1", port, path, headers: all })
      outgoing.on("error", reject)
      outgoing.on("response", (response) => {
        resolve(watching(response.statusCode ?? 0, response, () => outgoing.destroy()))
      })
      outgoing.end()
    })

  return { cluster, url, port, request, watch, close, [Symbol.asyncDispose]: close }
}

const watching = (code: number, stream: NodeJS.ReadableStream, close: () => void): Watching => {
  const lines: Array<Json> = []
  let taken = 0
  let wake = (): void => {}
  let rest = ""
  stream.on("data", (chunk: Buffer) => {
    const parts = `${rest}${chunk.toString()}`.split("\n")
    rest = parts.pop() ?? ""
    lines.push(...parts.map((line) => jsonIn(line)))
    wake()
  })
  const ended = new Promise<void>((resolve) => {
    stream.on("error", () => resolve())
    stream.on("close", () => resolve())
  })
  const next = async (count: number): Promise<ReadonlyArray<Json>> => {
    while (lines.length < taken + count) {
      const more = new Promise<boolean>((resolve) => {
        wake = () => resolve(true)
      })
      const isMore = await Promise.race([more, ended.then(() => false)])
      if (!isMore) throw new Error(`the stream ended after ${lines.length} lines`)
    }
    taken += count
    return lines.slice(taken - count, taken)
  }
  return { code, lines, next, ended, close }
}

const jsonIn = (text: string): Json => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const run = async <A, E>(effect: Effect.Effect<A, E>): Promise<A> => {
  const exit = await Effect.runPromiseExit(effect)
  if (Exit.isSuccess(exit)) return exit.value
  throw Cause.squash(exit.cause)
}

export const withTestServer = async (check: (server: TestServer) => Promise<void>): Promise<void> => {
  await using server = await openTestServer()
  await check(server)
}
