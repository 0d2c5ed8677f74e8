import { spawn } from "node:child_process"
import { resolve } from "node:path"
import { describe, expect, it } from "vitest"
import { openRealCluster } from "../../src/testing/realCluster.ts"
import {
  ForeignWrite,
  NotOnRealCluster,
  startCluster,
  Unreachable,
  UnusableKubeconfig
} from "../../src/testing/testing.ts"
import type { StartedServer } from "../../src/testing/testing.ts"

const root = resolve(import.meta.dirname, "../..")

/** Our own cluster stands for a real one: served over TLS, its time goes by itself. */
const standIn = (): Promise<StartedServer> => startCluster({ clock: { speed: 60 }, serve: { tls: true } })

const vitest = (file: string, env: Readonly<Record<string, string>>) =>
  new Promise<{ readonly code: number | null; readonly printed: string }>((done) => {
    const args = [resolve(root, "node_modules/vitest/vitest.mjs"), "run", "--no-color", file]
    const child = spawn(process.execPath, args, { cwd: root, env: { ...process.env, ...env } })
    let printed = ""
    child.stdout.on("data", (chunk: Buffer) => (printed += String(chunk)))
    child.stderr.on("data", (chunk: Buffer) => (printed += String(chunk)))
    child.once("exit", (code) => done({ code, printed }))
  })

/** A test runner of its own takes a while to start where others are running. */
const patience = { timeout: 120_000 } as const

describe("a real cluster", () => {
  it("runs the very tests that run in the process, and nothing of them stays", patience, async () => {
    await using real = await standIn()
    const env = { CHARTHOUSE_USE_KUBECONFIG: real.kubeconfigFile() }
    const { code, printed } = await vitest("test/testing/sameBody.test.ts", env)
    expect(printed).toMatch(/Tests\s+6 passed/)
    expect(code).toBe(0)
    const namespaces = (): Promise<ReadonlyArray<string>> =>
      real
        .objects("namespaces")()
        .then((all) => all.map(({ metadata }) => metadata.name ?? ""))
    await real.eventually(async () => (await namespaces()).every((name) => !name.startsWith("charthouse-")))
    expect(real.requests.seen()).toBeGreaterThan(50)
  })

  it("is written to only in namespaces that the test has made", async () => {
    await using real = await standIn()
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
    await expect(cluster.delete({ resource: "nodes", name: "node-1" })).rejects.toThrow(
      'nodes "node-1" of a real cluster is not the test\'s to change'
    )
    const own = "apiVersion: v1\nkind: Namespace\nmetadata: { name: kube-system }"
    await expect(cluster.apply(own)).rejects.toThrow(
      '"kube-system" of a real cluster is not the test\'s to change'
    )
    await cluster.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "second" } })
    await cluster.create(configMap("second"))
    const found = (await cluster.list("configmaps")).items.filter(({ metadata }) => metadata.name === "a")
    expect(found.map(({ metadata }) => metadata.namespace)).toEqual(["second"])
    await cluster.close()
    await real.eventually(async () => {
      const { items } = await real.cluster.list("namespaces")
      expect(items.map(({ metadata }) => metadata.name)).not.toContain("second")
    })
  })

  it("that cannot be reached, or does not know the user, is told of in one sentence", async () => {
    await using real = await standIn()
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
})
