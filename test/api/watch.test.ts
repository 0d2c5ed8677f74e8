import * as Effect from "effect/Effect"
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus"
import { afterEach, describe, expect, it, vi } from "vitest"
import { makeChangeFeed } from "../../src/server/verbs/changeFeed.ts"
import { parseQuery } from "../../src/server/http/queryParameters.ts"
import { watchVerb } from "../../src/server/verbs/watchVerb.ts"
import { kindOfResource } from "../../src/kubernetes/meta/kinds.ts"
import { aConfigMap, aDeployment, deployments, patchType, told } from "./drafts.ts"
import { outlive } from "./history.ts"
import { inWorld } from "./world.ts"
import { endStreamOnError } from "../../src/server/responses/responseStreams.ts"
import { makeObserver } from "../../src/runtime/observers.ts"
import { adminUser } from "../../src/kubernetes/meta/userInfo.ts"
import type { ApiCall } from "../../src/server/requests/apiCall.ts"
import type { Json, World } from "./world.ts"

const here = "/api/v1/namespaces/kube-node-lease/configmaps"
const watching = (query = ""): string =>
  `${here}?watch=1&fieldSelector=metadata.name!=kube-root-ca.crt${query}`

/** `ADDED a`, or with the version where there is nothing to name. */
const told1 = ({ type, object }: Json): string =>
  `${type} ${object.metadata?.name ?? object.reason ?? ""}`.trim()
const tale = (lines: ReadonlyArray<Json>): ReadonlyArray<string> => lines.map(told1)

const create = ({ request }: World, name: string, labels: object = {}) =>
  request("POST", here, { body: aConfigMap(name, { key: "value" }, { labels }) })
const change = ({ request }: World, name: string, body: object) =>
  request("PATCH", `${here}/${name}`, { body, headers: patchType.merge })
const remove = ({ request }: World, name: string) => request("DELETE", `${here}/${name}`)

const versionOf = async ({ request }: World): Promise<string> =>
  (await request("GET", here)).json.metadata.resourceVersion

describe("a watch", () => {
  it.each(["", "&resourceVersion=", "&resourceVersion=0"])(
    "without a version begins with what there is, in order: %o",
    (query) =>
      inWorld(async (world) => {
        for (const name of ["b", "c", "a"]) await create(world, name)
        const stream = await world.watch(watching(query))
        expect(tale(await stream.next(3))).toEqual(["ADDED a", "ADDED b", "ADDED c"])
        await create(world, "aa")
        expect(tale(await stream.next(1))).toEqual(["ADDED aa"])
        stream.close()
      })
  )

  it("from a version tells every change after it, in order, objects with kind", () =>
    inWorld(async (world) => {
      await create(world, "a")
      const version = await versionOf(world)
      await create(world, "b")
      await change(world, "a", { data: { key: "new" } })
      const stream = await world.watch(watching(`&resourceVersion=${version}`))
      await remove(world, "b")
      const lines = await stream.next(3)
      expect(tale(lines)).toEqual(["ADDED b", "MODIFIED a", "DELETED b"])
      const versions = lines.map(({ object }) => Number(object.metadata.resourceVersion))
      expect(versions.toSorted((a, b) => a - b)).toEqual(versions)
      expect(versions[0]).toBeGreaterThan(Number(version))
      expect(lines[1]?.object).toMatchObject({ kind: "ConfigMap", apiVersion: "v1", data: { key: "new" } })
      stream.close()
    }))

  it("tells of a deletion at a version of its own, which is newer than the last change", () =>
    inWorld(async (world) => {
      const { json: made } = await create(world, "a")
      const stream = await world.watch(watching(`&resourceVersion=${made.metadata.resourceVersion}`))
      await remove(world, "a")
      const [deleted] = await stream.next(1)
      expect(Number(deleted.object.metadata.resourceVersion)).toBeGreaterThan(
        Number(made.metadata.resourceVersion)
      )
      stream.close()
    }))

  it("says nothing of a write that changes nothing", () =>
    inWorld(async (world) => {
      const { json: made } = await create(world, "a")
      const stream = await world.watch(watching(`&resourceVersion=${made.metadata.resourceVersion}`))
      await change(world, "a", { data: { key: "value" } })
      await create(world, "b")
      expect(tale(await stream.next(1))).toEqual(["ADDED b"])
      stream.close()
    }))

  it("with a selector tells of what comes to match as added, and of what stops as deleted", () =>
    inWorld(async (world) => {
      const stream = await world.watch(watching("&labelSelector=tier%3Dfront"))
      await create(world, "a", { tier: "back" })
      await change(world, "a", { metadata: { labels: { tier: "front" } } })
      await change(world, "a", { data: { key: "new" } })
      await change(world, "a", { metadata: { labels: { tier: "back" } } })
      await change(world, "a", { data: { key: "newer" } })
      await change(world, "a", { metadata: { labels: { tier: "front" } } })
      const { json: last } = await remove(world, "a")
      expect(last.status).toBe("Success")
      const lines = await stream.next(5)
      expect(tale(lines)).toEqual(["ADDED a", "MODIFIED a", "DELETED a", "ADDED a", "DELETED a"])
      const [, modified, left] = lines
      // It is shown as it was when it still matched, at the version of the change that took it away.
      expect(left.object.metadata.labels).toEqual({ tier: "front" })
      expect(Number(left.object.metadata.resourceVersion)).toBeGreaterThan(
        Number(modified.object.metadata.resourceVersion)
      )
      stream.close()
    }))

  it.each([
    "/api/v1/watch/namespaces/kube-node-lease/configmaps/a",
    "/api/v1/namespaces/kube-node-lease/configmaps/a?watch=true",
    `${here}?watch=true&fieldSelector=metadata.name%3Da`
  ])("of one object tells of no other: %s", (path) =>
    inWorld(async (world) => {
      await create(world, "a")
      await create(world, "b")
      const stream = await world.watch(path)
      await change(world, "b", { data: { key: "new" } })
      await change(world, "a", { data: { key: "new" } })
      expect(tale(await stream.next(2))).toEqual(["ADDED a", "MODIFIED a"])
      stream.close()
    })
  )

  it("may be asked for by the old prefix, in a namespace and across all", () =>
    inWorld(async (world) => {
      await world.request("POST", deployments, { body: aDeployment() })
      for (const path of [
        "/apis/apps/v1/watch/namespaces/default/deployments",
        "/apis/apps/v1/watch/deployments"
      ]) {
        const stream = await world.watch(path)
        expect(tale(await stream.next(1))).toEqual(["ADDED web"])
        stream.close()
      }
    }))

  it("of two clients is told to both, and goes on for one when the other leaves", () =>
    inWorld(async (world) => {
      const [first, second] = [await world.watch(watching()), await world.watch(watching())]
      await create(world, "a")
      expect([await first.next(1), await second.next(1)].map(tale)).toEqual([["ADDED a"], ["ADDED a"]])
      first.close()
      await create(world, "b")
      expect(tale(await second.next(1))).toEqual(["ADDED b"])
      second.close()
    }))
})

describe("a watch from a version that is no longer known", () => {
  it("is told so as its only event, and ends", () =>
    inWorld(async (world) => {
      const version = await versionOf(world)
      await outlive(world.cluster)
      const stream = await world.watch(watching(`&resourceVersion=${version}`))
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

  it("is refused when it has not been yet", () =>
    inWorld(async ({ request }) => {
      const reply = await request("GET", watching("&resourceVersion=999999"))
      expect(told(reply)).toMatchObject({ code: 504, reason: "Timeout" })
    }))
})

describe("a watch that asks for the first events", () => {
  const streaming = "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"

  it.each([
    { query: streaming, why: "by name" },
    { query: `${streaming}&resourceVersion=0`, why: "of any version" },
    { query: "&allowWatchBookmarks=true", why: "by naming no version" }
  ])("is told where they end, $why", ({ query }) =>
    inWorld(async (world) => {
      await create(world, "a")
      const version = await versionOf(world)
      const stream = await world.watch(watching(query))
      const [, end] = await stream.next(2)
      expect(tale(stream.lines)).toEqual(["ADDED a", "BOOKMARK"])
      expect(end.object).toEqual({
        kind: "ConfigMap",
        apiVersion: "v1",
        metadata: { resourceVersion: version, annotations: { "k8s.io/initial-events-end": "true" } }
      })
      await create(world, "b")
      expect(tale(await stream.next(1))).toEqual(["ADDED b"])
      stream.close()
    })
  )

  it("gets none where it says that it wants none", () =>
    inWorld(async (world) => {
      await create(world, "a")
      const query = "&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
      const stream = await world.watch(watching(query))
      await create(world, "b")
      expect(tale(await stream.next(1))).toEqual(["ADDED b"])
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
  ])("is refused as $query", ({ query, message }) =>
    inWorld(async ({ request }) => {
      expect(told(await request("GET", `${here}?watch=1&${query}`))).toEqual({
        code: 422,
        reason: "Invalid",
        message: `ListOptions.meta.k8s.io "" is invalid: ${message}`
      })
    })
  )
})

describe("as time goes by, a watch", () => {
  afterEach(() => vi.useRealTimers())
  const holdTime = () =>
    vi.useFakeTimers({ toFake: ["setTimeout", "setInterval", "clearTimeout", "clearInterval"] })

  it("is told the version by bookmarks, if it asked for them", () =>
    inWorld(async (world) => {
      const version = await versionOf(world)
      holdTime()
      const [marked, plain] = [
        await world.watch(watching(`&resourceVersion=${version}&allowWatchBookmarks=true`)),
        await world.watch(watching(`&resourceVersion=${version}`))
      ]
      await world.request("POST", deployments, { body: aDeployment() })
      vi.advanceTimersByTime(60_000)
      const [bookmark] = await marked.next(1)
      expect(bookmark).toEqual({
        type: "BOOKMARK",
        object: { kind: "ConfigMap", apiVersion: "v1", metadata: { resourceVersion: await versionOf(world) } }
      })
      await create(world, "a")
      await plain.next(1)
      expect(tale(plain.lines)).toEqual(["ADDED a"])
      for (const stream of [marked, plain]) stream.close()
    }))

  it("ends after as many seconds as it asked for, with a last bookmark", () =>
    inWorld(async (world) => {
      holdTime()
      const stream = await world.watch(watching("&timeoutSeconds=17&allowWatchBookmarks=true"))
      vi.advanceTimersByTime(16_999)
      await create(world, "a")
      await stream.next(2)
      vi.advanceTimersByTime(1)
      await stream.ended
      expect(tale(stream.lines)).toEqual(["BOOKMARK", "ADDED a", "BOOKMARK"])
    }))

  it.each(["", "&timeoutSeconds=0", "&timeoutSeconds=99999999999"])(
    "goes on for half an hour at least where it asked for no end, or for one far away: %o",
    (query) =>
      inWorld(async (world) => {
        holdTime()
        const stream = await world.watch(watching(query))
        vi.advanceTimersByTime(1_799_000)
        await create(world, "a")
        expect(tale(await stream.next(1))).toEqual(["ADDED a"])
        stream.close()
      })
  )
})

describe("a watch that nobody said the end of", () => {
  afterEach(() => vi.useRealTimers())

  it("ends between half an hour and an hour later, no two at the same time", () =>
    inWorld(async (world) => {
      vi.useFakeTimers({ toFake: ["setTimeout", "setInterval", "clearTimeout", "clearInterval"] })
      const streams = [await world.watch(watching()), await world.watch(watching())]
      const over: Array<number> = []
      let minutes = 0
      for (const stream of streams) void stream.ended.then(() => over.push(minutes))
      for (; minutes < 60; minutes += 1) {
        vi.advanceTimersByTime(60_000)
        // An answer comes after whatever the server has ended before.
        await world.request("GET", "/version")
        await world.request("GET", "/version")
      }
      await Promise.all(streams.map(({ ended }) => ended))
      expect(new Set(over).size).toBe(2)
      expect(Math.min(...over)).toBeGreaterThanOrEqual(29)
    }))

  it("ends alone when a change cannot be shown to it, and the cause is logged", () =>
    inWorld(async ({ cluster }) => {
      const { store, view, nowMillis } = cluster
      const feed = makeChangeFeed(view)
      const said = vi.spyOn(console, "error").mockReturnValue()
      const ends: Array<string> = []
      const follow = async (name: string, line: () => string) => {
        const writer = { line, bookmark: line }
        const call = watchCall({ store, view, nowMillis, knowsToken: () => true })
        const { open } = await Effect.runPromise(
          watchVerb(call, { feed, writer, chance: xoroshiro128plus(7) })
        )
        const end = (): void => void ends.push(name)
        return open({
          write: () => {},
          end,
          observe: endStreamOnError(makeObserver(`the stream of ${name}`), end),
          unreadBytes: () => 0,
          onDrained: () => {}
        })
      }
      const stop = await follow("sound", () => "")
      await follow("broken", () => {
        throw new Error("no such column")
      })
      await Effect.runPromise(cluster.run(store.create(aConfigMap("a", {}, { namespace: "default" }))))
      const told = said.mock.calls.flat().map(String).join(" ")
      said.mockRestore()
      expect(ends).toEqual(["broken"])
      expect(told).toMatch(/the stream of broken failed, [^]*Error: no such column\n/)
      stop()
      feed.close()
    }))
})

/** A watch of all ConfigMaps from now on, as the handler hands it to the verb. */
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

describe("what the cluster does by itself", () => {
  it("is watched as what clients do", () =>
    inWorld(async (world) => {
      const stream = await world.watch(`${deployments}?watch=1`)
      await world.request("POST", deployments, { body: aDeployment() })
      await Effect.runPromise(world.cluster.rollout("web"))
      await world.request("GET", deployments)
      const last = stream.lines.at(-1)
      expect(last.object.status).toMatchObject({ readyReplicas: 3, updatedReplicas: 3 })
      expect(tale(stream.lines).slice(0, 2)).toEqual(["ADDED web", "MODIFIED web"])
      stream.close()
    }))
})
