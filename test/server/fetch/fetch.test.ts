import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { build } from "esbuild"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { projectPath } from "../../projectPath.ts"
import { withCluster } from "../../cluster/testCluster.ts"
import {
  answerWith,
  ClusterClosed,
  delay,
  drop,
  loseAnswer,
  openCluster,
  refuse
} from "../../../src/index.ts"
import { aConfigMap, configMaps } from "../apiObjects.ts"
import type { OpenCluster } from "../../../src/index.ts"

const create = (name: string): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(aConfigMap(name))
})

const namesOf = async (cluster: OpenCluster): Promise<ReadonlyArray<string>> => {
  const { items } = await cluster.list("configmaps", { namespace: "default" })
  return items.map(({ metadata }) => metadata.name ?? "").filter((name) => name !== "kube-root-ca.crt")
}

/** Waits, while the cluster's time stands still, until so many requests wait for it. */
const untilSleeping = async ({ requests }: Pick<OpenCluster, "requests">, count: number): Promise<void> => {
  while (requests.sleeping() !== count) await new Promise((resolve) => setImmediate(resolve))
}

const configMapPath = `${configMaps}/a`

describe("cluster.fetch", () => {
  it.each([
    { input: configMapPath, why: "a path alone" },
    { input: `http://k8s.test${configMapPath}`, why: "a text" },
    { input: new URL(configMapPath, "https://10.0.0.1:6443"), why: "a URL" },
    { input: new Request(`https://k8s.test${configMapPath}`), why: "a Request" },
    { input: `custom://somewhere${configMapPath}`, why: "another scheme" }
  ])("takes $why", async ({ input }) => {
    await using cluster = await openCluster()
    await cluster.create(aConfigMap("a"))
    const { fetch } = cluster
    const response = await fetch(input)
    expect(response).toBeInstanceOf(Response)
    expect(response.ok).toBe(true)
    expect(await response.json()).toMatchObject({ metadata: { name: "a" } })
  })

  it("takes a Request of another realm, which is no instance of this one's", async () => {
    await using cluster = await openCluster()
    const { url, method, headers, body, signal, bodyUsed } = new Request(
      `https://k8s.test${configMaps}`,
      create("a")
    )
    const request = { url, method, headers, body, signal, bodyUsed } as Request
    expect((await cluster.fetch(request)).status).toBe(201)
    expect(await namesOf(cluster)).toEqual(["a"])
  })

  it("changes a Request as the second argument says", async () => {
    await using cluster = await openCluster()
    const request = new Request(`https://k8s.test${configMaps}`, create("a"))
    const { status } = await cluster.fetch(request, { body: JSON.stringify(aConfigMap("b")) })
    expect(status).toBe(201)
    expect(await namesOf(cluster)).toEqual(["b"])
  })

  it("refuses a Request whose body was read, as fetch does", async () => {
    await using cluster = await openCluster()
    const request = new Request(`https://k8s.test${configMaps}`, create("a"))
    await request.text()
    await expect(cluster.fetch(request)).rejects.toBeInstanceOf(TypeError)
  })

  it("sends a streamed body, and rejects with the error of a stream that fails", async () => {
    await using cluster = await openCluster()
    const streamed = (
      start: (controller: ReadableStreamDefaultController<unknown>) => void
    ): RequestInit => ({
      ...create("a"),
      body: new ReadableStream({ start }) as ReadableStream<Uint8Array>,
      duplex: "half"
    })
    const failing = streamed((controller) => controller.error(new Error("the disk is gone")))
    await expect(cluster.fetch(configMaps, failing)).rejects.toThrow("the disk is gone")
    const noBytes = streamed((controller) => controller.enqueue("text"))
    await expect(cluster.fetch(configMaps, noBytes)).rejects.toBeInstanceOf(TypeError)
    expect(await namesOf(cluster)).toEqual([])
    const whole = streamed((controller) => {
      for (const part of JSON.stringify(aConfigMap("a"))) controller.enqueue(new TextEncoder().encode(part))
      controller.close()
    })
    expect((await cluster.fetch(configMaps, whole)).status).toBe(201)
    expect(await namesOf(cluster)).toEqual(["a"])
  })

  it("needs no token, and reads none: the caller holds the cluster", async () => {
    await using cluster = await openCluster()
    for (const authorization of ["Bearer of-some-kubeconfig", "Basic YTpi", ""]) {
      const headers = { authorization, origin: "https://elsewhere.example" }
      expect((await cluster.fetch(configMaps, { headers })).status).toBe(200)
    }
    expect(cluster.requests.all().map(({ user }) => user.username)).toEqual(
      Array.from({ length: 3 }, () => "charthouse-admin")
    )
  })

  it("is not compressed, since nothing would decompress it", async () => {
    await using cluster = await openCluster()
    const response = await cluster.fetch("/openapi/v2", { headers: { "accept-encoding": "gzip" } })
    expect(response.headers.has("content-encoding")).toBe(false)
    expect(await response.json()).toMatchObject({ swagger: "2.0" })
  })

  it("has no body with 304", async () => {
    await using cluster = await openCluster()
    const etag = (await cluster.fetch("/apis")).headers.get("etag") ?? ""
    const { status, body } = await cluster.fetch("/apis", { headers: { "if-none-match": etag } })
    expect({ status, body }).toEqual({ status: 304, body: null })
  })

  it("reviews tokens of the cluster's servers, while they run", async () => {
    await using cluster = await openCluster()
    const { token, stop } = await cluster.serve({ tls: false })
    const isAuthenticated = async (): Promise<unknown> => {
      const response = await cluster.fetch("/apis/authentication.k8s.io/v1/tokenreviews", {
        ...create(""),
        body: JSON.stringify({ spec: { token } })
      })
      const { status } = (await response.json()) as { readonly status: { readonly authenticated?: boolean } }
      return status.authenticated === true
    }
    expect(await isAuthenticated()).toBe(true)
    await stop()
    expect(await isAuthenticated()).toBe(false)
  })

  it("is logged, refused and answered by interceptors like a served request", async () => {
    await using cluster = await openCluster()
    const only = { verb: "create", resource: "configmaps", times: 1 } as const
    cluster.intercept(only, refuse(429, { retryAfterSeconds: 7 }))
    const refused = await cluster.fetch(configMaps, create("a"))
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "7"])
    cluster.intercept(only, answerWith({ kind: "Told" }, 205))
    expect((await cluster.fetch(configMaps, create("a"))).status).toBe(205)
    expect(await namesOf(cluster)).toEqual([])
    expect(cluster.requests.all().map(({ verb, name, code }) => ({ verb, name, code }))).toEqual([
      { verb: "create", name: "a", code: 429 },
      { verb: "create", name: "a", code: 205 }
    ])
  })

  it.each([
    { how: drop, carriedOut: [], why: "dropped" },
    { how: loseAnswer(), carriedOut: ["a"], why: "carried out without an answer" }
  ])("rejects as fetch does when the request is $why", async ({ how, carriedOut }) => {
    await using cluster = await openCluster()
    cluster.intercept({}, how)
    const failure = await cluster.fetch(configMaps, create("a")).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(TypeError)
    expect(failure).toMatchObject({ message: "fetch failed", cause: { code: "ECONNRESET" } })
    expect(await namesOf(cluster)).toEqual(carriedOut)
  })

  it.each<{ readonly begin: (cluster: OpenCluster) => unknown; readonly why: string }>([
    { begin: (cluster) => cluster.intercept({}, delay("5s")), why: "an interceptor delays it" },
    {
      begin: (cluster) => cluster.fault({ fault: "writesSlow", of: "clients", by: "5s" }),
      why: "a fault slows down writes"
    }
  ])("waits for the cluster's time when $why", async ({ begin }) => {
    await using cluster = await openCluster()
    await begin(cluster)
    const before = cluster.now().getTime()
    const answered = cluster.fetch(configMaps, create("a")).then(() => cluster.now().getTime() - before)
    await untilSleeping(cluster, 1)
    await cluster.advance("4s")
    expect(await namesOf(cluster)).toEqual([])
    await cluster.advance("1s")
    expect(await answered).toBe(5000)
    expect(await namesOf(cluster)).toEqual(["a"])
  })

  it("rejects a client that waits, with its signal's reason or when the cluster is closed", async () => {
    const cluster = await openCluster()
    cluster.intercept({}, delay("5s"))
    const controller = new AbortController()
    const aborted = cluster.fetch(configMaps, { signal: controller.signal }).catch((error: unknown) => error)
    const closedClient = cluster.fetch(configMaps).catch((error: unknown) => error)
    await untilSleeping(cluster, 2)
    controller.abort()
    expect(await aborted).toBe(controller.signal.reason)
    expect(
      await cluster.fetch(configMaps, { signal: controller.signal }).catch((error: unknown) => error)
    ).toBe(controller.signal.reason)
    await cluster.close()
    expect(await closedClient).toBeInstanceOf(ClusterClosed)
  })

  it("shows the caller's frames once in an error that rejects many calls", async () => {
    await using cluster = await openCluster()
    const controller = new AbortController()
    controller.abort(new Error("no longer needed"))
    const stackAfterCall = async (): Promise<unknown> => {
      const error: unknown = await cluster.fetch(configMaps, { signal: controller.signal }).catch(Object)
      return error instanceof Error ? error.stack : error
    }
    const first = await stackAfterCall()
    expect(first).toContain("fetch.test.ts")
    expect(await stackAfterCall()).toBe(first)
  })

  it("is not rejected with an observer's error, which the next call of a test gets", async () => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => {})
    onTestFinished(() => logged.mockRestore())
    await using cluster = await openCluster()
    cluster.onChange("configmaps", () => {
      throw new Error("an assertion of the test")
    })
    expect((await cluster.fetch(configMaps, create("a"))).status).toBe(201)
    expect((await cluster.fetch(configMaps, create("b"))).status).toBe(201)
    await expect(cluster.settle()).rejects.toThrow("an assertion of the test")
  })

  it("of the service returns an Effect, whose interruption disconnects the client", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        const { status } = yield* cluster.fetch(configMaps, create("a"))
        expect(status).toBe(201)
        cluster.intercept({}, delay("5s"))
        const fiber = yield* Effect.forkChild(cluster.fetch(configMaps))
        yield* Effect.promise(() => untilSleeping(cluster, 1))
        yield* Fiber.interrupt(fiber)
        yield* Effect.promise(() => untilSleeping(cluster, 0))
        expect(cluster.requests.underWay()).toBe(0)
      })
    ))

  it("loads no module of Node that opens sockets", async () => {
    const { metafile } = await build({
      absWorkingDir: projectPath("."),
      entryPoints: ["src/cluster/serving/openClusterFetch.ts"],
      bundle: true,
      splitting: true,
      platform: "node",
      format: "esm",
      outdir: "unwritten",
      write: false,
      metafile: true,
      logLevel: "silent"
    })
    const modules = Object.values(metafile.inputs).flatMap(({ imports }) =>
      imports.map(({ path }) => path).filter((path) => path.startsWith("node:"))
    )
    expect(Object.keys(metafile.inputs)).toContain("src/server/requestHandler.ts")
    const withSockets = ["http", "http2", "https", "net", "tls"].map((name) => `node:${name}`)
    expect(modules.filter((path) => withSockets.includes(path))).toEqual([])
    expect(modules).toContain("node:crypto")
  })
})
