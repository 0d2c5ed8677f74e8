import * as Effect from "effect/Effect"
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus"
import { afterEach, describe, expect, it, vi } from "vitest"
import { makeChangeFeed } from "../../../src/server/verbs/changeFeed.ts"
import { parseQuery } from "../../../src/server/http/queryParameters.ts"
import { watchVerb } from "../../../src/server/verbs/watchVerb.ts"
import { kindOfResource } from "../../../src/kubernetes/meta/kinds.ts"
import { aConfigMap, aDeployment, deployments, patchType, statusSummary } from "../apiObjects.ts"
import { expireHistory } from "./expireHistory.ts"
import { withTestServer } from "../testServer.ts"
import { endStreamOnError } from "../../../src/server/responses/responseStreams.ts"
import { makeErrorCatcher } from "../../../src/runtime/observers.ts"
import { adminUser } from "../../../src/kubernetes/meta/userInfo.ts"
import type { ApiCall } from "../../../src/server/requests/apiCall.ts"
import type { Json, TestServer } from "../testServer.ts"

const configMapsPath = "/api/v1/namespaces/kube-node-lease/configmaps"
const watching = (query = ""): string =>
  `${configMapsPath}?watch=1&fieldSelector=metadata.name!=kube-root-ca.crt${query}`

/** `ADDED a`, or only the type for an object without a name. */
const lineText = ({ type, object }: Json): string =>
  `${type} ${object.metadata?.name ?? object.reason ?? ""}`.trim()
const lineTexts = (lines: ReadonlyArray<Json>): ReadonlyArray<string> => lines.map(lineText)

const create = ({ request }: TestServer, name: string, labels: object = {}) =>
  request("POST", configMapsPath, { body: aConfigMap(name, { key: "value" }, { labels }) })
const change = ({ request }: TestServer, name: string, body: object) =>
  request("PATCH", `${configMapsPath}/${name}`, { body, headers: patchType.merge })
const remove = ({ request }: TestServer, name: string) => request("DELETE", `${configMapsPath}/${name}`)

const versionOf = async ({ request }: TestServer): Promise<string> =>
  (await request("GET", configMapsPath)).json.metadata.resourceVersion

describe("a watch", () => {
  it.each(["", "&resourceVersion=", "&resourceVersion=0"])(
    "without a version begins with the existing objects, sorted: %o",
    (query) =>
      withTestServer(async (server) => {
        for (const name of ["b", "c", "a"]) await create(server, name)
        const stream = await server.watch(watching(query))
        expect(lineTexts(await stream.next(3))).toEqual(["ADDED a", "ADDED b", "ADDED c"])
        await create(server, "aa")
        expect(lineTexts(await stream.next(1))).toEqual(["ADDED aa"])
        stream.close()
      })
  )

  it("from a version sends all later changes in order, with kinds", () =>
    withTestServer(async (server) => {
      await create(server, "a")
      const version = await versionOf(server)
      await create(server, "b")
      await change(server, "a", { data: { key: "new" } })
      const stream = await server.watch(watching(`&resourceVersion=${version}`))
      await remove(server, "b")
      const lines = await stream.next(3)
      expect(lineTexts(lines)).toEqual(["ADDED b", "MODIFIED a", "DELETED b"])
      const versions = lines.map(({ object }) => Number(object.metadata.resourceVersion))
      expect(versions.toSorted((a, b) => a - b)).toEqual(versions)
      expect(versions[0]).toBeGreaterThan(Number(version))
      expect(lines[1]?.object).toMatchObject({ kind: "ConfigMap", apiVersion: "v1", data: { key: "new" } })
      stream.close()
    }))

  it("sends a deletion with a resourceVersion of its own", () =>
    withTestServer(async (server) => {
      const { json: made } = await create(server, "a")
      const stream = await server.watch(watching(`&resourceVersion=${made.metadata.resourceVersion}`))
      await remove(server, "a")
      const [deleted] = await stream.next(1)
      expect(Number(deleted.object.metadata.resourceVersion)).toBeGreaterThan(
        Number(made.metadata.resourceVersion)
      )
      stream.close()
    }))

  it("sends nothing for a write that changes nothing", () =>
    withTestServer(async (server) => {
      const { json: made } = await create(server, "a")
      const stream = await server.watch(watching(`&resourceVersion=${made.metadata.resourceVersion}`))
      await change(server, "a", { data: { key: "value" } })
      await create(server, "b")
      expect(lineTexts(await stream.next(1))).toEqual(["ADDED b"])
      stream.close()
    }))

  it("with a selector sends ADDED when an object begins to match, and DELETED when it ceases", () =>
    withTestServer(async (server) => {
      const stream = await server.watch(watching("&labelSelector=tier%3Dfront"))
      await create(server, "a", { tier: "back" })
      await change(server, "a", { metadata: { labels: { tier: "front" } } })
      await change(server, "a", { data: { key: "new" } })
      await change(server, "a", { metadata: { labels: { tier: "back" } } })
      await change(server, "a", { data: { key: "newer" } })
      await change(server, "a", { metadata: { labels: { tier: "front" } } })
      const { json: last } = await remove(server, "a")
      expect(last.status).toBe("Success")
      const lines = await stream.next(5)
      expect(lineTexts(lines)).toEqual(["ADDED a", "MODIFIED a", "DELETED a", "ADDED a", "DELETED a"])
      const [, modified, left] = lines
      // DELETED shows the last matching state, at the version of the change.
      expect(left.object.metadata.labels).toEqual({ tier: "front" })
      expect(Number(left.object.metadata.resourceVersion)).toBeGreaterThan(
        Number(modified.object.metadata.resourceVersion)
      )
      stream.close()
    }))

  it.each([
    "/api/v1/watch/namespaces/kube-node-lease/configmaps/a",
    "/api/v1/namespaces/kube-node-lease/configmaps/a?watch=true",
    `${configMapsPath}?watch=true&fieldSelector=metadata.name%3Da`
  ])("of one object sends no other: %s", (path) =>
    withTestServer(async (server) => {
      await create(server, "a")
      await create(server, "b")
      const stream = await server.watch(path)
      await change(server, "b", { data: { key: "new" } })
      await change(server, "a", { data: { key: "new" } })
      expect(lineTexts(await stream.next(2))).toEqual(["ADDED a", "MODIFIED a"])
      stream.close()
    })
  )

  it("is also served at /watch paths, with and without a namespace", () =>
    withTestServer(async (server) => {
      await server.request("POST", deployments, { body: aDeployment() })
      for (const path of [
        "/apis/apps/v1/watch/namespaces/default/deployments",
        "/apis/apps/v1/watch/deployments"
      ]) {
        const stream = await server.watch(path)
        expect(lineTexts(await stream.next(1))).toEqual(["ADDED web"])
        stream.close()
      }
    }))

  it("serves two clients, and one of them after the other has left", () =>
    withTestServer(async (server) => {
      const [first, second] = [await server.watch(watching()), await server.watch(watching())]
      await create(server, "a")
      expect([await first.next(1), await second.next(1)].map(lineTexts)).toEqual([["ADDED a"], ["ADDED a"]])
      first.close()
      await create(server, "b")
      expect(lineTexts(await second.next(1))).toEqual(["ADDED b"])
      second.close()
    }))
})

describe("a watch from a version outside the history", () => {
  it("sends one ERROR event with 410 and ends", () =>
    withTestServer(async (server) => {
      const version = await versionOf(server)
      await expireHistory(server.cluster)
      const stream = await server.watch(watching(`&resourceVersion=${version}`))
      expect(stream.code).toBe(200)
      const [{ type, object }] = await stream.next(1)
      expect(type).toBe("ERROR")
      expect(object).toEqual({
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message: expect.stringMatching(new RegExp(`^too old resource version: ${version} \\(\\d+\\)$`)),
        reason: "Expired",
        code: 410
      })
      await stream.ended
      expect(stream.lines).toHaveLength(1)
    }))

  it("is refused with 504 when the version is in the future", () =>
    withTestServer(async ({ request }) => {
      const reply = await request("GET", watching("&resourceVersion=999999"))
      expect(statusSummary(reply)).toMatchObject({ code: 504, reason: "Timeout" })
    }))
})

describe("a watch with initial events", () => {
  const streaming = "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"

  it.each([
    { query: streaming, why: "with sendInitialEvents" },
    { query: `${streaming}&resourceVersion=0`, why: "from version 0" },
    { query: "&allowWatchBookmarks=true", why: "without a version" }
  ])("gets a bookmark at their end $why", ({ query }) =>
    withTestServer(async (server) => {
      await create(server, "a")
      const version = await versionOf(server)
      const stream = await server.watch(watching(query))
      const [, end] = await stream.next(2)
      expect(lineTexts(stream.lines)).toEqual(["ADDED a", "BOOKMARK"])
      expect(end.object).toEqual({
        kind: "ConfigMap",
        apiVersion: "v1",
        metadata: { resourceVersion: version, annotations: { "k8s.io/initial-events-end": "true" } }
      })
      await create(server, "b")
      expect(lineTexts(await stream.next(1))).toEqual(["ADDED b"])
      stream.close()
    })
  )

  it("sends none with sendInitialEvents=false", () =>
    withTestServer(async (server) => {
      await create(server, "a")
      const query = "&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
      const stream = await server.watch(watching(query))
      await create(server, "b")
      expect(lineTexts(await stream.next(1))).toEqual(["ADDED b"])
      stream.close()
    }))

  const match = "resourceVersionMatch"
  it.each([
    {
      query: "sendInitialEvents=true",
      message: `${match}: Forbidden: sendInitialEvents requires setting ${match} to NotOlderThan`
    },
    {
      query: `${match}=NotOlderThan`,
      message: `${match}: Forbidden: ${match} is forbidden for watch unless sendInitialEvents is provided`
    },
    {
      query: `sendInitialEvents=true&${match}=Exact`,
      message:
        `[${match}: Forbidden: sendInitialEvents requires setting ${match} to NotOlderThan, ` +
        `${match}: Unsupported value: "Exact": supported values: "NotOlderThan"]`
    }
  ])("is refused with $query", ({ query, message }) =>
    withTestServer(async ({ request }) => {
      expect(statusSummary(await request("GET", `${configMapsPath}?watch=1&${query}`))).toEqual({
        code: 422,
        reason: "Invalid",
        message: `ListOptions.meta.k8s.io "" is invalid: ${message}`
      })
    })
  )
})

describe("over time, a watch", () => {
  afterEach(() => vi.useRealTimers())
  const holdTime = () =>
    vi.useFakeTimers({ toFake: ["setTimeout", "setInterval", "clearTimeout", "clearInterval"] })

  it("gets bookmarks with the current version, if requested", () =>
    withTestServer(async (server) => {
      const version = await versionOf(server)
      holdTime()
      const [marked, plain] = [
        await server.watch(watching(`&resourceVersion=${version}&allowWatchBookmarks=true`)),
        await server.watch(watching(`&resourceVersion=${version}`))
      ]
      await server.request("POST", deployments, { body: aDeployment() })
      vi.advanceTimersByTime(60_000)
      const [bookmark] = await marked.next(1)
      expect(bookmark).toEqual({
        type: "BOOKMARK",
        object: {
          kind: "ConfigMap",
          apiVersion: "v1",
          metadata: { resourceVersion: await versionOf(server) }
        }
      })
      await create(server, "a")
      await plain.next(1)
      expect(lineTexts(plain.lines)).toEqual(["ADDED a"])
      for (const stream of [marked, plain]) stream.close()
    }))

  it("ends after timeoutSeconds with a last bookmark", () =>
    withTestServer(async (server) => {
      holdTime()
      const stream = await server.watch(watching("&timeoutSeconds=17&allowWatchBookmarks=true"))
      vi.advanceTimersByTime(16_999)
      await create(server, "a")
      await stream.next(2)
      vi.advanceTimersByTime(1)
      await stream.ended
      expect(lineTexts(stream.lines)).toEqual(["BOOKMARK", "ADDED a", "BOOKMARK"])
    }))

  it.each(["", "&timeoutSeconds=0", "&timeoutSeconds=99999999999"])(
    "lasts at least 30 minutes without a near timeout: %o",
    (query) =>
      withTestServer(async (server) => {
        holdTime()
        const stream = await server.watch(watching(query))
        vi.advanceTimersByTime(1_799_000)
        await create(server, "a")
        expect(lineTexts(await stream.next(1))).toEqual(["ADDED a"])
        stream.close()
      })
  )
})

describe("a watch without a timeout", () => {
  afterEach(() => vi.useRealTimers())

  it("ends after 30 to 60 minutes, at a random time", () =>
    withTestServer(async (server) => {
      vi.useFakeTimers({ toFake: ["setTimeout", "setInterval", "clearTimeout", "clearInterval"] })
      const streams = [await server.watch(watching()), await server.watch(watching())]
      const over: Array<number> = []
      let minutes = 0
      for (const stream of streams) void stream.ended.then(() => over.push(minutes))
      for (; minutes < 60; minutes += 1) {
        vi.advanceTimersByTime(60_000)
        // These answers come after the streams that the server has ended by now.
        await server.request("GET", "/version")
        await server.request("GET", "/version")
      }
      await Promise.all(streams.map(({ ended }) => ended))
      expect(new Set(over).size).toBe(2)
      expect(Math.min(...over)).toBeGreaterThanOrEqual(29)
    }))

  it("ends alone when writing a change to it fails, and the error is logged", () =>
    withTestServer(async ({ cluster }) => {
      const { store, view, nowMillis } = cluster
      const feed = makeChangeFeed(view)
      const consoleError = vi.spyOn(console, "error").mockReturnValue()
      const ends: Array<string> = []
      const follow = async (name: string, line: () => string) => {
        const encoder = { line, bookmark: line }
        const call = watchCall({ store, view, nowMillis, isValidToken: () => true })
        const { open } = await Effect.runPromise(
          watchVerb(call, { feed, encoder, random: xoroshiro128plus(7) })
        )
        const end = (): void => void ends.push(name)
        return open({
          write: () => {},
          end,
          endOnError: endStreamOnError(makeErrorCatcher(`the stream of ${name}`), end),
          unreadBytes: () => 0,
          onDrained: () => {}
        })
      }
      const stop = await follow("sound", () => "")
      await follow("broken", () => {
        throw new Error("no such column")
      })
      await Effect.runPromise(cluster.run(store.create(aConfigMap("a", {}, { namespace: "default" }))))
      const loggedText = consoleError.mock.calls.flat().map(String).join(" ")
      consoleError.mockRestore()
      expect(ends).toEqual(["broken"])
      expect(loggedText).toMatch(/the stream of broken failed, [^]*Error: no such column\n/)
      stop()
      feed.close()
    }))
})

const watchCall = (services: ApiCall["services"]): ApiCall => {
  const kind = kindOfResource("configmaps")
  if (kind === undefined) throw new Error("ConfigMaps are not served")
  const { group, version, plural } = kind
  const path = { group, version, plural, namespace: undefined, name: undefined, subresource: undefined }
  return {
    services,
    method: "GET",
    target: { type: "resource", ...path, isWatchPath: false, kind, resource: "configmaps" },
    query: parseQuery(new URLSearchParams({ resourceVersion: String(services.view.version()) })),
    contentType: "",
    userAgent: "tests",
    user: adminUser,
    body: Buffer.alloc(0),
    warn: () => {}
  }
}

describe("changes by controllers", () => {
  it("are watched like those of clients", () =>
    withTestServer(async (server) => {
      const stream = await server.watch(`${deployments}?watch=1`)
      await server.request("POST", deployments, { body: aDeployment() })
      await Effect.runPromise(server.cluster.rollout("web"))
      await server.request("GET", deployments)
      const last = stream.lines.at(-1)
      expect(last.object.status).toMatchObject({ readyReplicas: 3, updatedReplicas: 3 })
      expect(lineTexts(stream.lines).slice(0, 2)).toEqual(["ADDED web", "MODIFIED web"])
      stream.close()
    }))
})
