import { describe, expect, it } from "vitest"
import { openCluster } from "../../../src/index.ts"
import { aConfigMap, aDeployment, aPod, configMaps, pods } from "../apiObjects.ts"
import type { OpenCluster } from "../../../src/index.ts"
import type { Json } from "../testServer.ts"

const watchPath = "/api/v1/namespaces/default/configmaps?watch=1&resourceVersion="

/** Reads lines of a stream. */
const linesOf = ({ body }: Response) => {
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  let text = ""
  const next = async (): Promise<Json> => {
    while (!text.includes("\n")) {
      const { done, value } = await reader.read()
      if (done) return undefined
      text += decoder.decode(value, { stream: true })
    }
    const [line = "", ...rest] = text.split("\n")
    text = rest.join("\n")
    return JSON.parse(line)
  }
  return { reader, next }
}

const openWatch = async (cluster: OpenCluster, init?: RequestInit): Promise<Response> => {
  const { resourceVersion } = await cluster.list("configmaps")
  return cluster.fetch(watchPath + resourceVersion, init)
}

const eventOf = ({ type, object }: Json) => `${type} ${object.metadata.name}`

describe("a watch in the process", () => {
  it("has each change in its body, before and after the reader waits for it", async () => {
    await using cluster = await openCluster()
    const { next } = linesOf(await openWatch(cluster))
    await cluster.create(aConfigMap("a"))
    await cluster.create(aConfigMap("b"))
    expect([eventOf(await next()), eventOf(await next())]).toEqual(["ADDED a", "ADDED b"])
    const waiting = next()
    await cluster.delete({ resource: "configmaps", name: "a" })
    expect(eventOf(await waiting)).toBe("DELETED a")
  })

  it("moves no time, and follows the cluster's", async () => {
    await using cluster = await openCluster()
    const before = cluster.now()
    const { next } = linesOf(await cluster.fetch(`${pods}?watch=1`))
    await cluster.create(aPod({ name: "web-1" }))
    expect(eventOf(await next())).toBe("ADDED web-1")
    expect(cluster.now()).toEqual(before)
    await cluster.settle()
    let event = await next()
    while (event.object.status.phase !== "Running") event = await next()
    expect(event.object.metadata.name).toBe("web-1")
  })

  it.each([
    {
      why: "its reader cancels",
      leave: async (_controller: AbortController, response: Response) => response.body?.cancel()
    },
    { why: "its signal is aborted", leave: async (controller: AbortController) => controller.abort() }
  ])("ends when $why", async ({ leave }) => {
    await using cluster = await openCluster()
    const controller = new AbortController()
    const response = await openWatch(cluster, { signal: controller.signal })
    expect(cluster.requests.watching()).toBe(1)
    await leave(controller, response)
    expect(cluster.requests.watching()).toBe(0)
    await cluster.create(aConfigMap("a"))
  })

  it("rejects the reader with the reason of an aborted signal", async () => {
    await using cluster = await openCluster()
    const controller = new AbortController()
    const { next } = linesOf(await openWatch(cluster, { signal: controller.signal }))
    const waiting = next()
    const reason = new Error("no longer needed")
    controller.abort(reason)
    await expect(waiting).rejects.toBe(reason)
  })

  it("ends with 410 when its reader is 8 MiB behind, and loses nothing before", async () => {
    await using cluster = await openCluster()
    const { next } = linesOf(await openWatch(cluster))
    const names = Array.from({ length: 12 }, (_, index) => `big-${index}`)
    for (const name of names) await cluster.create(aConfigMap(name, { key: "x".repeat(1_000_000) }))
    const events: Array<string> = []
    for (let event = await next(); event !== undefined; event = await next()) {
      events.push(event.type === "ERROR" ? `ERROR ${event.object.code}` : eventOf(event))
    }
    const sent = events.slice(0, -1)
    expect(sent).toEqual(names.slice(0, sent.length).map((name) => `ADDED ${name}`))
    expect(sent.length).toBeGreaterThan(7)
    expect(events.at(-1)).toBe("ERROR 410")
    expect(cluster.requests.watching()).toBe(0)
  })

  it("gives each reader bytes of its own", async () => {
    await using cluster = await openCluster()
    const first = linesOf(await openWatch(cluster))
    const second = linesOf(await openWatch(cluster))
    await cluster.create(aConfigMap("a"))
    const { value } = await first.reader.read()
    value?.fill(0)
    expect(eventOf(await second.next())).toBe("ADDED a")
  })

  it("can be read into a buffer of the reader, to its end", async () => {
    const cluster = await openCluster()
    const { body } = await openWatch(cluster)
    const reader = (body as ReadableStream<Uint8Array>).getReader({ mode: "byob" })
    await cluster.create(aConfigMap("a"))
    const { value } = await reader.read(new Uint8Array(16))
    expect(Buffer.from(value ?? []).toString()).toBe('{"type":"ADDED",')
    let last = reader.read(new Uint8Array(65_536))
    await last
    last = reader.read(new Uint8Array(16))
    await cluster.close()
    expect((await last).done).toBe(true)
  })
})

describe("a followed log in the process", () => {
  it("goes on until its container ends", async () => {
    await using cluster = await openCluster({ behaviour: "instant" })
    await cluster.create(aPod({ name: "web-1" }))
    await cluster.settle()
    const response = await cluster.fetch(`${pods}/web-1/log?follow=1`)
    expect(cluster.requests.watching()).toBe(1)
    await cluster.delete({ resource: "pods", name: "web-1" })
    await cluster.settle()
    const followed = await response.text()
    expect(followed).not.toBe("")
    expect(cluster.requests.watching()).toBe(0)
  })
})

describe("a recording in the process", () => {
  it("is sent as far as it is read, and is whole in the end", async () => {
    await using cluster = await openCluster({ record: true })
    await cluster.create(aDeployment({ spec: { replicas: 60 } }))
    await cluster.settle()
    const path = "/charthouse/v1/recording"
    const { url, token } = await cluster.serve({ tls: false })
    const overSocket = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })
    const [, ...expected] = (await overSocket.text()).split("\n")
    // More than is written before the reader has read it.
    const [, ...received] = (await (await cluster.fetch(path)).text()).split("\n")
    expect(expected.join("\n").length).toBeGreaterThan(256 * 1024)
    expect(received).toEqual(expected)
  })
})

describe("closing the cluster", () => {
  it("ends streams after what was written, and rejects later requests", async () => {
    const cluster = await openCluster()
    const { next } = linesOf(await openWatch(cluster))
    await cluster.create(aConfigMap("a"))
    await cluster.close()
    expect(eventOf(await next())).toBe("ADDED a")
    expect(await next()).toBeUndefined()
    await expect(cluster.fetch(configMaps)).rejects.toMatchObject({ name: "ClusterClosed" })
  })
})
