import * as Effect from "effect/Effect"
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus"
import { afterEach, describe, expect, it, vi } from "vitest"
import { makeErrorCatcher } from "../../../src/runtime/observers.ts"
import { letEventLoopTurn } from "../../../src/runtime/time/userCode.ts"
import { makeWatchConnection } from "../../../src/faults/watchConnection.ts"
import { makeWatchEncoder } from "../../../src/server/responses/watchEncoder.ts"
import { kindOfResource } from "../../../src/kubernetes/meta/kinds.ts"
import { adminUser } from "../../../src/kubernetes/meta/userInfo.ts"
import { makeChangeFeed } from "../../../src/server/verbs/changeFeed.ts"
import { parseQuery } from "../../../src/server/http/queryParameters.ts"
import { endStreamOnError } from "../../../src/server/responses/responseStreams.ts"
import { watchVerb } from "../../../src/server/verbs/watchVerb.ts"
import { aConfigMap, patchType } from "../apiObjects.ts"
import { withTestServer } from "../testServer.ts"
import type { KubeObject } from "../../../src/kubernetes/meta/objects.ts"
import type { WatchConnection } from "../../../src/faults/watchConnection.ts"
import type { WatchEncoder } from "../../../src/server/responses/watchEncoder.ts"
import type { ChangeFeed } from "../../../src/server/verbs/changeFeed.ts"
import type { Change } from "../../../src/store/objectStore.ts"
import type { Json, TestServer } from "../testServer.ts"

const configMaps = "/api/v1/namespaces/kube-node-lease/configmaps"
const selection = "fieldSelector=metadata.name!=kube-root-ca.crt"
const withEndBookmark = `${selection}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`

const names = Array.from({ length: 12 }, (_, index) => `large-${String(index).padStart(2, "0")}`)
/** Each part of a watch ends with the third of these objects. */
const createLargeObjects = async ({ request }: TestServer): Promise<void> => {
  for (const name of names) {
    await request("POST", configMaps, { body: aConfigMap(name, { text: "x".repeat(100_000) }) })
  }
}
const added = (some: ReadonlyArray<string>): ReadonlyArray<string> => some.map((name) => `ADDED ${name}`)

const lineText = ({ type, object }: Json): string =>
  `${type} ${object.metadata?.name ?? object.reason ?? ""}`.trim()

interface WatchSetup {
  readonly query?: string
  readonly feed?: ChangeFeed
  readonly watches?: WatchConnection
  readonly encoder?: (encoder: WatchEncoder) => WatchEncoder
}

/** Opens a watch whose client reads nothing by itself: what is written is seen at once. */
const openWatch = async ({ cluster }: TestServer, setup: WatchSetup = {}) => {
  const { store, view, nowMillis } = cluster
  const kind = kindOfResource("configmaps")
  if (kind === undefined) throw new Error("ConfigMaps are not served")
  const { group, version, plural } = kind
  const path = { group, version, plural, name: undefined, subresource: undefined }
  const query = parseQuery(new URLSearchParams(setup.query ?? withEndBookmark))
  const { watches = makeWatchConnection(), feed = makeChangeFeed(view) } = setup
  const encoder = makeWatchEncoder({
    format: { form: "plain", version: "v1", yaml: false },
    kind,
    query,
    nowMillis,
    pretty: false
  })
  const { open } = await Effect.runPromise(
    watchVerb(
      {
        services: { store, view, nowMillis, watchConnection: watches, isValidToken: () => true },
        method: "GET",
        target: {
          type: "resource",
          ...path,
          namespace: "kube-node-lease",
          isWatchPath: false,
          kind,
          resource: "configmaps"
        },
        query,
        contentType: "",
        userAgent: "tests",
        user: adminUser,
        body: Buffer.alloc(0),
        warn: () => {}
      },
      { feed, encoder: setup.encoder?.(encoder) ?? encoder, random: xoroshiro128plus(7) }
    )
  )
  const lines: Array<Json> = []
  let isEnded = false
  let unreadBytes = 0
  const end = (): void => {
    isEnded = true
  }
  const stop = open({
    write: (bytes) => {
      if (isEnded) return
      lines.push(JSON.parse(bytes.toString()))
      unreadBytes += bytes.length
    },
    end,
    endOnError: endStreamOnError(makeErrorCatcher("the stream of the test"), end),
    unreadBytes: () => unreadBytes,
    onDrained: () => {}
  })
  return {
    stop,
    feed,
    watches,
    lines,
    texts: () => lines.map(lineText),
    isEnded: () => isEnded,
    /** Lets the event loop turn until nothing more is written. */
    writtenParts: async () => {
      for (let before = -1; before < lines.length;) {
        before = lines.length
        await letEventLoopTurn()
      }
    }
  }
}

describe("a watch that begins with many objects", () => {
  afterEach(() => vi.useRealTimers())

  it("writes a part in a turn: other requests are answered before the last object is written", () =>
    withTestServer(async (server) => {
      await createLargeObjects(server)
      const answerRequest = () => Effect.runPromise(server.cluster.fetch("/version"))
      // Loads what answers requests.
      await answerRequest()
      const watch = await openWatch(server)
      expect(watch.texts()).toEqual(added(names.slice(0, 3)))
      expect((await answerRequest()).status).toBe(200)
      expect(watch.lines.length).toBeLessThan(names.length)
      await watch.writtenParts()
      expect(watch.texts()).toEqual([...added(names), "BOOKMARK"])
      watch.stop()
    }))

  it("is read whole by a client", () =>
    withTestServer(async (server) => {
      await createLargeObjects(server)
      const [stream, version] = await Promise.all([
        server.watch(`${configMaps}?watch=1&${withEndBookmark}`),
        server.request("GET", "/version")
      ])
      expect(version.code).toBe(200)
      const lines = await stream.next(names.length + 1)
      expect(lines.map(lineText)).toEqual([...added(names), "BOOKMARK"])
      expect(lines[5].object.data.text).toHaveLength(100_000)
      await server.request("DELETE", `${configMaps}/large-05`)
      expect((await stream.next(1)).map(lineText)).toEqual(["DELETED large-05"])
      stream.close()
    }))

  it("sends the changes that are made meanwhile afterwards, once and in order", () =>
    withTestServer(async (server) => {
      await createLargeObjects(server)
      const version = server.cluster.view.version()
      const watch = await openWatch(server)
      const { run, store } = server.cluster
      const refOf = (name: string) => ({ resource: "configmaps", key: `kube-node-lease/${name}` })
      const setData = (count: string) => (object: KubeObject) => ({ ...object, data: { count } })
      await Effect.runPromise(
        run(
          Effect.all([
            store.modify(refOf("large-01"), setData("1")),
            store.modify(refOf("large-11"), setData("1")),
            store.delete(refOf("large-10")),
            store.create(aConfigMap("a", {}, { namespace: "kube-node-lease" })),
            store.create(aConfigMap("elsewhere", {}, { namespace: "default" })),
            store.modify(refOf("large-11"), setData("2"))
          ])
        )
      )
      expect(watch.texts().length).toBeLessThan(names.length)
      await watch.writtenParts()
      const changes = ["MODIFIED large-01", "MODIFIED large-11", "DELETED large-10", "ADDED a"]
      expect(watch.texts()).toEqual([...added(names), "BOOKMARK", ...changes, "MODIFIED large-11"])
      const versions = watch.lines.map(({ object }) => Number(object.metadata.resourceVersion))
      expect(Math.max(...versions.slice(0, names.length))).toBeLessThanOrEqual(version)
      expect(versions[names.length]).toBe(version)
      const laterVersions = versions.slice(names.length + 1)
      expect(laterVersions.toSorted((a, b) => a - b)).toEqual(laterVersions)
      expect(laterVersions[0]).toBeGreaterThan(version)
      expect(watch.lines[11].object.data.text).toHaveLength(100_000)

      await server.request("PATCH", `${configMaps}/a`, {
        body: { data: { key: "new" } },
        headers: patchType.merge
      })
      expect(watch.texts().slice(names.length + 6)).toEqual(["MODIFIED a"])
      watch.stop()
    }))

  it("does not count the initial objects as unread, but all that comes after", () =>
    withTestServer(async (server) => {
      await createLargeObjects(server)
      const watch = await openWatch(server)
      await watch.writtenParts()
      await server.request("POST", configMaps, { body: aConfigMap("a", { text: "x".repeat(900_000) }) })
      const path = `${configMaps}/a`
      for (let count = 0; count < 9; count += 1) {
        await server.request("PATCH", path, {
          body: { data: { count: `${count}` } },
          headers: patchType.merge
        })
      }
      const modified = Array.from({ length: 9 }, () => "MODIFIED a")
      expect(watch.texts().slice(names.length)).toEqual(["BOOKMARK", "ADDED a", ...modified])
      await server.request("DELETE", path)
      expect(watch.texts().at(-1)).toBe("ERROR Expired")
      expect(watch.isEnded()).toBe(true)
      expect(watch.feed.subscriberCount()).toBe(0)
    }))

  it("writes nothing more when the client has left", () =>
    withTestServer(async (server) => {
      await createLargeObjects(server)
      const watch = await openWatch(server)
      await letEventLoopTurn()
      const writtenLines = watch.lines.length
      watch.stop()
      await server.request("DELETE", `${configMaps}/large-00`)
      await watch.writtenParts()
      expect(watch.lines).toHaveLength(writtenLines)
      expect(watch.feed.subscriberCount()).toBe(0)
    }))

  it("ends when watches break", () =>
    withTestServer(async (server) => {
      await createLargeObjects(server)
      const watch = await openWatch(server)
      watch.watches.cut()
      await watch.writtenParts()
      expect([watch.texts(), watch.isEnded()]).toEqual([added(names.slice(0, 3)), true])
      expect(watch.feed.subscriberCount()).toBe(0)
    }))

  it("ends at its timeout, without a bookmark before the last object", () =>
    withTestServer(async (server) => {
      await createLargeObjects(server)
      vi.useFakeTimers({ toFake: ["setTimeout", "setInterval", "clearTimeout", "clearInterval"] })
      const watch = await openWatch(server, { query: `${withEndBookmark}&timeoutSeconds=60` })
      vi.advanceTimersByTime(60_000)
      await watch.writtenParts()
      expect([watch.texts(), watch.isEnded()]).toEqual([added(names.slice(0, 3)), true])
      expect([watch.feed.subscriberCount(), vi.getTimerCount()]).toEqual([0, 0])
    }))

  it("ends when an object cannot be written, and the error is logged", () =>
    withTestServer(async (server) => {
      await createLargeObjects(server)
      const consoleError = vi.spyOn(console, "error").mockReturnValue()
      const failing = (encoder: WatchEncoder): WatchEncoder => ({
        ...encoder,
        line: (type, object) => {
          if (object.metadata.name === "large-07") throw new Error("no such column")
          return encoder.line(type, object)
        }
      })
      const watch = await openWatch(server, { encoder: failing })
      await watch.writtenParts()
      const loggedText = consoleError.mock.calls.flat().map(String).join(" ")
      consoleError.mockRestore()
      expect([watch.texts(), watch.isEnded()]).toEqual([added(names.slice(0, 7)), true])
      expect(loggedText).toMatch(/the stream of the test failed, [^]*Error: no such column\n/)
      watch.stop()
    }))

  it("ends with 410 when too many changes are made meanwhile", () =>
    withTestServer(async (server) => {
      await createLargeObjects(server)
      let onChange: ((change: Change) => void) | undefined
      const feed: ChangeFeed = {
        subscribe: (_resource, callback) => {
          onChange = callback
          return () => {
            onChange = undefined
          }
        },
        subscriberCount: () => (onChange === undefined ? 0 : 1),
        close: () => {}
      }
      const watch = await openWatch(server, { feed })
      const { view } = server.cluster
      const object = view.get("configmaps", "kube-node-lease/large-00")
      if (object === undefined) throw new Error("large-00 is missing")
      const resourceVersion = view.version() + 1
      const change: Change = {
        type: "MODIFIED",
        resource: "configmaps",
        object,
        old: object,
        resourceVersion
      }
      for (let count = 0; count < 30_000; count += 1) onChange?.(change)
      await watch.writtenParts()
      expect(watch.texts()).toEqual([...added(names.slice(0, 3)), "ERROR Expired"])
      expect([watch.isEnded(), feed.subscriberCount()]).toEqual([true, 0])
    }))
})

describe("a watch that begins with few objects", () => {
  it("writes them, and the bookmark, in one turn", () =>
    withTestServer(async (server) => {
      for (const name of ["b", "a"]) await server.request("POST", configMaps, { body: aConfigMap(name) })
      const watch = await openWatch(server)
      expect(watch.texts()).toEqual(["ADDED a", "ADDED b", "BOOKMARK"])
      watch.stop()
    }))
})
