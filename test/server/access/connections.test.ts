import { once } from "node:events"
import { Agent as PlainAgent, request as plainRequest } from "node:http"
import { Agent as SecureAgent, request as secureRequest } from "node:https"
import { connect } from "node:net"
import { connect as connectSecurely } from "node:tls"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { describe, expect, it } from "vitest"
import { makeCluster } from "../../../src/cluster/cluster.ts"
import { serve } from "../../../src/cluster/serving/serveCluster.ts"
import { openTestServer, token } from "../testServer.ts"
import type { Agent } from "node:http"
import type { Socket } from "node:net"
import type { ServeOptions } from "../../../src/cluster/serving/serveOptions.ts"

const listeners = [
  { listener: "the API with TLS", tls: true, isPage: false },
  { listener: "the API without TLS", tls: false, isPage: false },
  { listener: "the page beside an API with TLS", tls: true, isPage: true }
] as const

/** What clients without a token send to keep a connection open; `undefined` sends nothing. */
const beginnings: Readonly<Record<string, string | undefined>> = {
  "no byte": undefined,
  "half of the headers": "GET /api/v1/pods HTTP/1.1\r\nHost: 127",
  "half of a body": "POST /api/v1/namespaces HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99\r\n\r\n{",
  "a wrong token": "GET /api/v1/pods HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer x\r\n\r\n",
  "a request that needs no token": "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
}
const clientHelloBegin = Buffer.from("16030102000100", "hex")

describe("connections without the token", () => {
  it.each(listeners)(
    "make room for a connection with the token when all slots are taken: $listener",
    async (listener) => {
      const max = 4
      await using server = await openServer(listener, { connectionsMax: max, unauthenticatedMax: max })
      const opened = []
      for (let turn = 0; turn < max; turn += 1) {
        for (const hostile of await server.openHostile()) opened.push(hostile)
      }
      const answer = await server.get()
      await Promise.all(opened.slice(0, -max).map(({ closed }) => closed))
      const open = opened.filter(({ socket }) => !socket.closed).length
      expect({ answer, open }).toEqual({ answer: { code: 200, isReused: false }, open: max - 1 })
    }
  )

  it.each(listeners)(
    "are closed after authenticationTimeout, unlike a connection with the token: $listener",
    async (listener) => {
      await using server = await openServer(listener, { authenticationTimeout: 150 })
      // On a slow machine the client with the token may run out of time too.
      while (!(await server.get().catch(() => undefined))) continue
      const opened = await server.openHostile()
      await Promise.all(opened.map(({ closed }) => closed))
      expect(await server.get()).toEqual({ code: 200, isReused: true })
    }
  )

  it.each(listeners)("do not keep the server from closing: $listener", async (listener) => {
    const server = await openServer(listener)
    const opened = await server.openHostile()
    await server[Symbol.asyncDispose]()
    await Promise.all(opened.map(({ closed }) => closed))
    await expect(server.get()).rejects.toMatchObject({ code: "ECONNREFUSED" })
  })
})

describe("a connection with the token", () => {
  it("is refused beyond connectionsMax", async () => {
    await using world = await openTestServer({ serve: { connectionsMax: 2 } })
    const outcomes: Array<number | undefined> = []
    const get = (): Promise<number | undefined> =>
      new Promise((resolve) => {
        const headers = { authorization: `Bearer ${token}` }
        const outgoing = plainRequest(`${world.url}/api`, {
          agent: new PlainAgent({ keepAlive: true }),
          headers
        })
        outgoing.on("response", (response) => {
          response.resume()
          resolve(response.statusCode)
        })
        outgoing.on("error", () => resolve(undefined))
        outgoing.end()
      })
    for (let count = 0; count < 3; count += 1) outcomes.push(await get())
    expect(outcomes).toEqual([200, 200, undefined])
  })

  it("is closed after idleTimeout, unless a watch runs over it", async () => {
    await using world = await openTestServer({ serve: { idleTimeout: "50ms" } })
    const watch = await world.watch("/api/v1/configmaps?watch=1&resourceVersion=1")
    const agent = new PlainAgent({ keepAlive: true })
    const closed = await new Promise<Promise<unknown>>((resolve) => {
      const headers = { authorization: `Bearer ${token}` }
      plainRequest(`${world.url}/version`, { agent, headers }, (response) => {
        const { socket } = response
        resolve(once(socket, "close"))
        response.resume()
      }).end()
    })
    await closed
    await world.request("POST", "/api/v1/namespaces/default/configmaps", {
      body: { metadata: { name: "later" } }
    })
    const isLater = ({ object }: { readonly object: { readonly metadata: { readonly name?: string } } }) =>
      object.metadata.name === "later"
    while (!watch.lines.some(isLater)) await watch.next(1)
    expect(watch.lines.at(-1)).toMatchObject({ type: "ADDED", object: { metadata: { name: "later" } } })
    watch.close()
  })
})

interface HostileConnection {
  readonly socket: Socket
  readonly closed: Promise<unknown>
}

const openServer = async (
  { tls, isPage }: { readonly tls: boolean; readonly isPage: boolean },
  options: ServeOptions = {}
) => {
  const scope = Scope.makeUnsafe()
  const inScope = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>): Promise<A> =>
    Effect.runPromise(Effect.provideService(effect, Scope.Scope, scope))
  const cluster = await inScope(makeCluster())
  const served = await inScope(serve(cluster, { tls, token, page: true, ...options }))
  const url = new URL("/", isPage ? served.page : served.url)
  const isSecure = url.protocol === "https:"
  const port = Number(url.port)
  const agent = isSecure
    ? new SecureAgent({ keepAlive: true, ca: served.ca })
    : new PlainAgent({ keepAlive: true })

  const openSocket = (beginning: string | undefined): Promise<Socket> =>
    new Promise((resolve) => {
      const isHandshake = isSecure && beginning !== undefined
      const socket = isHandshake
        ? connectSecurely({ port, host: "127.0.0.1", ca: served.ca ?? "" })
        : connect(port, "127.0.0.1")
      socket.on("error", () => {})
      const begin = (): void => {
        if (beginning !== undefined) socket.write(beginning)
        resolve(socket)
      }
      socket.once(isHandshake ? "secureConnect" : "connect", begin)
      socket.once("close", () => resolve(socket))
    })

  const openHostile = async (): Promise<ReadonlyArray<HostileConnection>> => {
    const opened: Array<HostileConnection> = []
    for (const beginning of Object.values(beginnings)) {
      const socket = await openSocket(beginning)
      const closed = new Promise((resolve) => (socket.closed ? resolve(true) : socket.once("close", resolve)))
      opened.push({ socket, closed })
      // Unread data would delay the close event.
      socket.resume()
      if (isSecure && beginning === undefined) socket.write(clientHelloBegin)
    }
    return opened
  }

  return {
    openHostile,
    /** Sends a request with the token, over the previous connection while that is open. */
    get: () => getOnce(url, agent, isSecure),
    [Symbol.asyncDispose]: async () => {
      agent.destroy()
      await Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
}

const getOnce = (url: URL, agent: Agent, isSecure: boolean) =>
  new Promise<{ readonly code: number | undefined; readonly isReused: boolean }>((resolve, reject) => {
    const send = isSecure ? secureRequest : plainRequest
    const headers = { authorization: `Bearer ${token}` }
    const outgoing = send(new URL("/api/v1/pods", url), { agent, headers }, (response) => {
      response.resume()
      response.once("end", () => resolve({ code: response.statusCode, isReused: outgoing.reusedSocket }))
    })
    outgoing.once("error", reject)
    outgoing.end()
  })

/** A page without files, so that its listener answers as the API does. */
