import { describe, expect, it } from "vitest"
import { RemoteRefused, Unreachable, UnusableKubeconfig } from "../../src/client/clientErrors.ts"
import { makeContextKubeconfig } from "../../src/client/contextKubeconfig.ts"
import { openRemoteCluster } from "../../src/client/remoteCluster.ts"
import { Expired } from "../../src/store/storeErrors.ts"
import { runEventLoopTurns } from "../../src/testing/realTime.ts"
import { serverAnswering, sendJson } from "./serverAnswering.ts"
import type { ServerResponse } from "node:http"
import type { Change } from "../../src/store/objectStore.ts"

const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "default" } }

describe("a server other than Charthouse", () => {
  it("gets dryRun in the body of a DELETE, as a body makes it ignore the query", async () => {
    await using server = await serverAnswering((_request, response) => sendJson(response, 200, configMap))
    const remote = await openRemoteCluster(server)
    await remote.delete({ resource: "configmaps", name: "a" }, { dryRun: true, gracePeriodSeconds: 3 })
    remote.close()
    expect(server.requests.at(-1)).toMatchObject({
      method: "DELETE",
      url: "/api/v1/namespaces/default/configmaps/a",
      body: { apiVersion: "v1", kind: "DeleteOptions", dryRun: ["All"], gracePeriodSeconds: 3 }
    })
  })

  it("gets the impersonation headers of the kubeconfig", async () => {
    const more =
      'as-uid: "7", as-groups: [devs, ops], as-user-extra: { example.org/Scopes%: [view, "see all"], none: [] }'
    const user = `{ token: t, as: jane, ${more} }`
    await using server = await serverAnswering((_request, response) => sendJson(response, 200, configMap), {
      user
    })
    const remote = await openRemoteCluster(server)
    await remote.get({ resource: "configmaps", name: "a" })
    const again = await openRemoteCluster({
      kubeconfig: server.writeKubeconfig(makeContextKubeconfig(remote.context, "other"))
    })
    await again.get({ resource: "configmaps", name: "a" })
    for (const { headerLines } of server.requests) {
      expect(headerLines).toMatchObject({
        authorization: ["Bearer t"],
        "impersonate-user": ["jane"],
        "impersonate-uid": ["7"],
        "impersonate-group": ["devs", "ops"],
        "impersonate-extra-example.org%2fscopes%25": ["view", "see all"]
      })
      expect(headerLines).not.toHaveProperty("impersonate-extra-none")
    }
    expect(server.requests).toHaveLength(2)
    again.close()
    remote.close()
  })

  it("gets no request when impersonated groups have no user", async () => {
    const user = "{ token: t, as-groups: [devs] }"
    await using server = await serverAnswering((_request, response) => sendJson(response, 200, configMap), {
      user
    })
    await expect(openRemoteCluster(server)).rejects.toThrow(
      new UnusableKubeconfig('user "u": as-uid, as-groups and as-user-extra say nothing without as')
    )
  })

  it("is asked for its resources again when discovery failed", async () => {
    let isBroken = true
    await using server = await serverAnswering(({ url }, response) => {
      if (url !== "/apis/sea.example/v1") sendJson(response, 201, { kind: "Boat" })
      else if (isBroken) response.destroy()
      else sendJson(response, 200, { resources: [{ name: "boats", kind: "Boat", namespaced: true }] })
    })
    const remote = await openRemoteCluster(server)
    const boat = { apiVersion: "sea.example/v1", kind: "Boat", metadata: { name: "one" } }
    await expect(remote.create(boat)).rejects.toThrow(/cannot be reached: socket hang up$/)
    isBroken = false
    expect(await remote.create(boat)).toMatchObject({ kind: "Boat" })
    remote.close()
  })

  const refused: ReadonlyArray<{
    readonly why: string
    readonly code: number
    readonly retryAfter?: string
    readonly times: number
    readonly result: object
    readonly count: number
  }> = [
    { why: "too many requests", code: 429, retryAfter: "0", times: 3, result: configMap, count: 4 },
    { why: "a server that is starting", code: 503, retryAfter: "0", times: 10, result: configMap, count: 11 },
    {
      why: "a server that keeps failing",
      code: 500,
      retryAfter: "0",
      times: 99,
      result: { code: 500 },
      count: 11
    },
    { why: "no Retry-After", code: 429, times: 1, result: { code: 429 }, count: 1 },
    {
      why: "a date in Retry-After, which client-go ignores",
      code: 503,
      retryAfter: "Wed, 21 Oct 2015 07:28:00 GMT",
      times: 1,
      result: { code: 503 },
      count: 1
    },
    {
      why: "AlreadyExists with Retry-After",
      code: 409,
      retryAfter: "0",
      times: 1,
      result: { code: 409 },
      count: 1
    }
  ]
  it.each(refused)(
    "gets the same request again as often as client-go would send it: $why",
    async ({ code, retryAfter, times, result, count }) => {
      let left = times
      await using server = await serverAnswering((_request, response) => {
        left -= 1
        if (retryAfter !== undefined) response.setHeader("retry-after", retryAfter)
        if (left < 0) sendJson(response, 200, configMap)
        else response.writeHead(code).end("not now")
      })
      const remote = await openRemoteCluster(server)
      const answer = await remote.create(configMap).catch((error: unknown) => error)
      remote.close()
      expect(answer).toMatchObject(result)
      const sentRequest = { method: "POST", url: "/api/v1/namespaces/default/configmaps", body: configMap }
      expect(server.requests).toEqual(
        Array.from({ length: count }, () => expect.objectContaining(sentRequest))
      )
    }
  )

  it("does not delay close()", async () => {
    await using server = await serverAnswering((_request, response) => {
      response.writeHead(429, { "retry-after": "3600" }).end("not now")
    })
    const remote = await openRemoteCluster(server)
    const asking = remote.get({ resource: "configmaps", name: "a" })
    const watching = changeTexts(remote.watch("configmaps", { resourceVersion: "5", retries: 0 }), 1)
    while (server.requests.length < 2) await runEventLoopTurns(1)
    await runEventLoopTurns(20)
    remote.close()
    await expect(asking).rejects.toThrow(/^not now$|cannot be reached/)
    expect(await watching).toEqual([])
    expect(server.requests).toHaveLength(2)
  })

  it("has not answered when its answer is cut off", async () => {
    await using server = await serverAnswering((_request, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "1000" })
      response.write('{"kind":', () => response.destroy())
    })
    const remote = await openRemoteCluster(server)
    const changeTexts = await remote
      .get({ resource: "configmaps", name: "a" })
      .catch((error: unknown) => error)
    expect(changeTexts).toEqual(new Unreachable(`${server.url} cannot be reached: its answer was cut off`))
    remote.close()
  })
})

const event = (type: string, name: string, resourceVersion: string): string =>
  `${JSON.stringify({ type, object: { ...configMap, metadata: { name, namespace: "default", resourceVersion } } })}\n`

/** The changes of a watch as text, and the error that ended it. */
const changeTexts = async (
  changes: AsyncIterable<Change>,
  countMax: number
): Promise<ReadonlyArray<unknown>> => {
  const seen: Array<unknown> = []
  try {
    for await (const { type, object } of changes) {
      seen.push(`${type} ${object.metadata.name}`)
      if (seen.length === countMax) break
    }
  } catch (error) {
    seen.push(error)
  }
  return seen
}

type Answer = (response: ServerResponse) => void

/** A server with one answer per watch, the last of which repeats. */
const serverOfWatches = (answers: ReadonlyArray<Answer>) => {
  let count = 0
  return serverAnswering((_request, response) => {
    const answer = answers[Math.min(count, answers.length - 1)]
    count += 1
    answer?.(response)
  })
}

const status = (code: number, reason: string, message: string) => ({ kind: "Status", code, reason, message })
const unavailable: Answer = (response) => void response.writeHead(503).end("no healthy upstream")
const cutOff: Answer = (response) => void response.destroy()

describe("a watch", () => {
  it("continues from its last version after a server was unavailable for a moment", async () => {
    await using server = await serverOfWatches([
      (response) => response.end(event("ADDED", "x", "7")),
      unavailable,
      cutOff,
      (response) => response.write(event("ADDED", "y", "8"))
    ])
    const remote = await openRemoteCluster(server)
    expect(await changeTexts(remote.watch("configmaps", { resourceVersion: "5" }), 2)).toEqual([
      "ADDED x",
      "ADDED y"
    ])
    const versions = server.requests.map(({ url }) =>
      new URL(url, server.url).searchParams.get("resourceVersion")
    )
    expect(versions).toEqual(["5", "7", "7", "7"])
    remote.close()
  })

  it("waits for Retry-After, which is no failure", async () => {
    const later: Answer = (response) => void response.writeHead(429, { "retry-after": "0" }).end()
    await using server = await serverOfWatches([
      later,
      later,
      (response) => response.write(event("ADDED", "x", "7"))
    ])
    const remote = await openRemoteCluster(server)
    const watch = remote.watch("configmaps", { resourceVersion: "5", retries: 0 })
    expect(await changeTexts(watch, 1)).toEqual(["ADDED x"])
    expect(server.requests).toHaveLength(3)
    remote.close()
  })

  const old = "The resourceVersion for the provided watch is too old."
  const ends: ReadonlyArray<{
    readonly why: string
    readonly answers: ReadonlyArray<Answer>
    readonly retries?: number
    readonly error: Error
  }> = [
    {
      why: "a server that keeps failing after the given retries",
      answers: [unavailable],
      retries: 0,
      error: new RemoteRefused({ code: 503, reason: "", message: "no healthy upstream" })
    },
    {
      why: "a permanent refusal",
      answers: [(response) => sendJson(response, 403, status(403, "Forbidden", "configmaps is forbidden"))],
      error: new RemoteRefused({ code: 403, reason: "Forbidden", message: "configmaps is forbidden" })
    },
    {
      why: "an expired version before the stream",
      answers: [
        (response) => sendJson(response, 410, status(410, "Expired", "too old resource version: 5 (10)"))
      ],
      error: new Expired({ requested: 5, oldest: 10, sentence: "too old resource version: 5 (10)" })
    },
    {
      why: "an expired version in the stream, in etcd's words",
      answers: [
        (response) =>
          response.end(`${JSON.stringify({ type: "ERROR", object: status(410, "Expired", old) })}\n`)
      ],
      error: new Expired({ requested: 0, oldest: 0, sentence: old })
    }
  ]
  it.each(ends)("ends with $why", async ({ answers, retries, error }) => {
    await using server = await serverOfWatches(answers)
    const remote = await openRemoteCluster(server)
    const more = retries === undefined ? {} : { retries }
    expect(await changeTexts(remote.watch("configmaps", { resourceVersion: "5", ...more }), 1)).toEqual([
      error
    ])
    remote.close()
  })
})
