import { spawn } from "node:child_process"
import { resolve } from "node:path"
import { describe, expect, it } from "vitest"
import { namespaceManifest } from "../builders.ts"
import { aWebsite, websiteDefinition } from "../builders/customResources.ts"
import { serverAnswering, sendJson } from "../client/serverAnswering.ts"
import { openRealCluster } from "../../src/testing/realCluster.ts"
import {
  ForeignWrite,
  LeftBehind,
  NotOnRealCluster,
  startCluster,
  Unreachable,
  UnusableKubeconfig
} from "../../src/testing/testing.ts"
import type { StartedServer } from "../../src/testing/testing.ts"

const root = resolve(import.meta.dirname, "../..")

/** A Charthouse cluster served over TLS, whose clock runs by itself. */
const startStandIn = (): Promise<StartedServer> =>
  startCluster({ clock: { speed: 60 }, serve: { tls: true } })

const vitest = (file: string, env: Readonly<Record<string, string>>) =>
  new Promise<{ readonly code: number | null; readonly printed: string }>((done) => {
    const args = [resolve(root, "node_modules/vitest/vitest.mjs"), "run", "--no-color", file]
    const child = spawn(process.execPath, args, { cwd: root, env: { ...process.env, ...env } })
    let printed = ""
    child.stdout.on("data", (chunk: Buffer) => (printed += String(chunk)))
    child.stderr.on("data", (chunk: Buffer) => (printed += String(chunk)))
    child.once("exit", (code) => done({ code, printed }))
  })

/** A server with Namespaces, which refuses requests whose method and path match `forbidden`. */
const aStrictServer = async (forbidden: RegExp) => {
  const namespaces = new Map<string, unknown>()
  const server = await serverAnswering(({ method, url, body }, response) => {
    const name = url.match(/\/namespaces\/([^/?]+)$/)?.[1] ?? ""
    const status = (code: number, reason: string) =>
      sendJson(response, code, { kind: "Status", code, reason, message: `${method} is ${reason}` })
    if (forbidden.test(`${method} ${url}`)) return status(403, "Forbidden")
    if (method === "POST") {
      const made = body as { readonly metadata: { readonly name: string } }
      namespaces.set(made.metadata.name, made)
      return sendJson(response, 201, made)
    }
    if (name === "")
      return sendJson(response, 200, { items: [{ metadata: { name: "default" } }], metadata: {} })
    const found = namespaces.get(name)
    if (method === "DELETE") namespaces.delete(name)
    return found === undefined ? status(404, "NotFound") : sendJson(response, 200, found)
  })
  return { server, namespaces }
}

describe("a real cluster", () => {
  it("runs the same tests as in the process, and keeps none of their namespaces", async () => {
    await using real = await startStandIn()
    const env = { CHARTHOUSE_USE_KUBECONFIG: real.kubeconfigFile() }
    const { code, printed } = await vitest("test/testing/portableTest.test.ts", env)
    expect(printed).toMatch(/Tests\s+6 passed/)
    expect(code).toBe(0)
    const namespaces = (): Promise<ReadonlyArray<string>> =>
      real
        .objects("namespaces")()
        .then((all) => all.map(({ metadata }) => metadata.name ?? ""))
    await real.eventually(async () => (await namespaces()).every((name) => !name.startsWith("charthouse-")))
    expect(real.requests.seen()).toBeGreaterThan(50)
  })

  it("is written to only in namespaces created by the test", async () => {
    await using real = await startStandIn()
    await using cluster = await openRealCluster(real.kubeconfigFile())
    const configMap = (namespace: string) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a", namespace }
    })
    const words = /writes only to namespaces of its own on a real cluster, and "kube-system" is none/
    await expect(cluster.create(configMap("kube-system"))).rejects.toThrow(words)
    await expect(cluster.create(configMap("kube-system"))).rejects.toBeInstanceOf(ForeignWrite)
    await expect(cluster.apply(configMap("kube-system"))).rejects.toThrow(words)
    const named = { resource: "configmaps", name: "kube-root-ca.crt", namespace: "kube-system" }
    await expect(cluster.delete(named)).rejects.toThrow(words)
    await expect(cluster.patch(named, { data: {} })).rejects.toThrow(words)
    expect(() => cluster.faults).toThrow(NotOnRealCluster)
    expect(() => cluster.fetch).toThrow(/^fetch: a real cluster is reached over the network alone/)
    const server = await cluster.serve()
    expect(() => server.token).toThrow(/^token: the kubeconfig has the credentials of a real cluster/)
    await expect(cluster.delete({ resource: "nodes", name: "node-1" })).rejects.toThrow(
      'nodes "node-1" of a real cluster is not the test\'s to change'
    )
    const own = "apiVersion: v1\nkind: Namespace\nmetadata: { name: kube-system }"
    await expect(cluster.apply(own)).rejects.toThrow(
      '"kube-system" of a real cluster is not the test\'s to change'
    )
    await cluster.create(namespaceManifest("second"))
    await cluster.create(configMap("second"))
    const found = (await cluster.list("configmaps")).items.filter(({ metadata }) => metadata.name === "a")
    expect(found.map(({ metadata }) => metadata.namespace)).toEqual(["second"])
    await Promise.all([cluster.close(), cluster.close(), cluster[Symbol.asyncDispose]()])
    await real.eventually(async () => {
      const { items } = await real.cluster.list("namespaces")
      expect(items.map(({ metadata }) => metadata.name)).not.toContain("second")
    })
  })

  it("keeps no custom resource of a test, and takes none for another namespace", async () => {
    await using real = await startStandIn()
    await real.cluster.apply([
      websiteDefinition(),
      websiteDefinition(
        { scope: "Cluster", names: { plural: "pages", kind: "Page" } },
        { name: "pages.example.com" }
      )
    ])
    await using cluster = await openRealCluster(real.kubeconfigFile())
    await expect(cluster.apply(aWebsite({ namespace: "kube-system" }))).rejects.toBeInstanceOf(ForeignWrite)
    const page = (name: string) => ({ ...aWebsite({ name }), kind: "Page" })
    await cluster.apply([aWebsite({ namespace: "default" }), page("applied")])
    await cluster.create(page("created"))
    const { metadata } = await cluster.get({ resource: "websites.example.com", name: "blog" })
    expect(metadata.namespace).toBe(cluster.namespace)
    await cluster.close()
    expect((await real.cluster.list("pages.example.com")).items).toEqual([])
  })

  it("has the machine's timers, and calls back at a time of the machine until it is closed", async () => {
    await using real = await startStandIn()
    const cluster = await openRealCluster(real.kubeconfigFile())
    const { timers, clock } = cluster
    const calls: Array<string> = []
    const called = Promise.withResolvers<number>()
    const atMillis = Date.now() + 30
    clock.at(atMillis - 20, () => calls.push("cancelled"))()
    clock.at(atMillis + 30 * 86_400_000, () => calls.push("in thirty days"))
    clock.at(new Date(0), () => calls.push("has passed"))
    expect(calls).toEqual([])
    clock.at(atMillis, () => called.resolve(timers.Date.now()))
    expect(await called.promise).toBeGreaterThanOrEqual(atMillis)
    expect(await new Promise((resolve) => timers.setTimeout(resolve, 1, "a timer"))).toBe("a timer")
    clock.at(Date.now() + 1, () => calls.push("closed"))
    await cluster.close()
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(calls).toEqual(["has passed"])
    expect(() => clock.at(0, () => {})).toThrow("the cluster is closed")
  })

  it("that cannot be reached is reported in one sentence", async () => {
    await using real = await startStandIn()
    const kubeconfig = real.kubeconfigFile()
    await expect(openRealCluster(`${kubeconfig}-not`)).rejects.toThrow(/there is no such kubeconfig$/)
    await expect(openRealCluster(`${kubeconfig}-not`)).rejects.toBeInstanceOf(UnusableKubeconfig)
    await real.stop()
    await using other = await startCluster({ serve: true })
    const file = other.kubeconfigFile()
    await other.cluster.close()
    await expect(openRealCluster(file)).rejects.toThrow(/^http:\/\/127.0.0.1:\d+ cannot be reached: /)
    await expect(openRealCluster(file)).rejects.toBeInstanceOf(Unreachable)
  })

  it("keeps no namespace of a test that could not start, or reports it", async () => {
    const accounts = /^GET .*\/serviceaccounts/
    const { server, namespaces } = await aStrictServer(accounts)
    await using _server = server
    await expect(openRealCluster(server.kubeconfig)).rejects.toThrow(/^GET is Forbidden$/)
    expect([...namespaces.keys()]).toEqual([])
    const { server: stricter, namespaces: kept } = await aStrictServer(/^GET .*\/serviceaccounts|^DELETE/)
    await using _stricter = stricter
    const failure = await openRealCluster(stricter.kubeconfig).catch(String)
    expect(failure).toBe(
      `LeftBehind: GET is Forbidden; left behind in ${stricter.url}: ` +
        `namespaces "${[...kept.keys()].join(", ")}" (DELETE is Forbidden)`
    )
  })

  it("reports namespaces that could not be deleted at close", async () => {
    const { server, namespaces } = await aStrictServer(/^DELETE .*\/charthouse-/)
    await using _server = server
    const cluster = await openRealCluster(server.kubeconfig)
    for (const name of ["first", "second"]) {
      await cluster.create(namespaceManifest(name))
    }
    await cluster.delete({ resource: "namespaces", name: "first" })
    const words = `left behind in ${server.url}: namespaces "${cluster.namespace}" (DELETE is Forbidden)`
    await expect(cluster.close()).rejects.toThrow(new LeftBehind(words))
    expect([...namespaces.keys()]).toEqual([cluster.namespace])
  })
})
