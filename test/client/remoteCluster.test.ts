import { describe, expect, it } from "vitest"
import { namespaceManifest } from "../builders.ts"
import { refuse } from "../../src/server/traffic/interceptors.ts"
import { ManifestsRefused } from "../../src/manifests/manifestsRefused.ts"
import { RemoteRefused, Unreachable } from "../../src/client/clientErrors.ts"
import { toClientError } from "../../src/client/statusErrors.ts"
import { openRemoteCluster } from "../../src/client/remoteCluster.ts"
import { Expired, Invalid, NotFound, Timeout, TooManyRequests } from "../../src/store/storeErrors.ts"
import { sleepRealTime } from "../../src/testing/realTime.ts"
import { startCluster } from "../../src/testing/testing.ts"
import { configMap, web } from "../server/traffic/recordedTraffic.ts"

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "boats.sea.example" },
  spec: {
    group: "sea.example",
    scope: "Namespaced",
    names: { plural: "boats", singular: "boat", kind: "Boat", listKind: "BoatList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } }
      }
    ]
  }
}

describe("a remote cluster", () => {
  it("lists page by page, with kinds of items", async () => {
    await using world = await startCluster({ serve: true })
    for (let index = 0; index < 501; index += 1) {
      await world.cluster.create(configMap(`cm-${String(index).padStart(3, "0")}`))
    }
    const remote = await openRemoteCluster({ kubeconfig: world.kubeconfigFile() })
    const { items, resourceVersion } = await remote.list("configmaps", { namespace: "default" })
    expect(items).toHaveLength(502)
    expect(items[0]).toMatchObject({ apiVersion: "v1", kind: "ConfigMap" })
    expect(Number(resourceVersion)).toBeGreaterThan(500)
    expect(world.requests.all({ verb: "list", resource: "configmaps" })).toHaveLength(2)
    remote.close()
  })

  it("finds custom kinds by discovery when they are used", async () => {
    await using world = await startCluster({ serve: { tls: true } })
    const remote = await openRemoteCluster({ kubeconfig: world.kubeconfigFile() })
    const named = { resource: "boats.sea.example", name: "one" }
    await expect(remote.get(named)).rejects.toThrow(
      `the server doesn't have a resource type "boats.sea.example"`
    )
    await remote.create(definition)
    await remote.create({ apiVersion: "sea.example/v1", kind: "Boat", metadata: { name: "one" } })
    await remote.patch(named, { spec: { crew: 3 } })
    expect(await remote.get(named)).toMatchObject({ kind: "Boat", spec: { crew: 3 } })
    expect((await remote.list("boats.sea.example")).items).toHaveLength(1)
    expect(await remote.isNamespaced("boats.sea.example")).toBe(true)
    remote.close()
  })

  it("selects by labels as text or as an object", async () => {
    await using world = await startCluster({ serve: true })
    for (const [name, labels] of Object.entries({
      a: { tier: "x" },
      b: { tier: "y", old: "1" },
      c: { tier: "z" }
    })) {
      await world.cluster.create({ ...configMap(name), metadata: { name, labels } })
    }
    const remote = await openRemoteCluster({ kubeconfig: world.kubeconfigFile() })
    const names = async (labelSelector: Parameters<typeof remote.list>[1]) =>
      (await remote.list("configmaps", labelSelector)).items.map(({ metadata }) => metadata.name)
    expect(await names({ labelSelector: "tier in (x,y),!old" })).toEqual(["a"])
    const matchExpressions = [
      { key: "tier", operator: "NotIn", values: ["x"] },
      { key: "tier", operator: "Exists" },
      { key: "old", operator: "DoesNotExist" }
    ]
    expect(await names({ labelSelector: { matchExpressions } })).toEqual(["c"])
    expect(await names({ labelSelector: { matchLabels: { tier: "y" } } })).toEqual(["b"])
    const many = { key: "old", operator: "Lt", values: ["2"] }
    expect(await names({ labelSelector: { matchExpressions: [many] } })).toEqual(["b"])
    remote.close()
  })

  it("deletes nothing in a dry run", async () => {
    await using world = await startCluster({ serve: true })
    const remote = await openRemoteCluster({ kubeconfig: world.kubeconfigFile() })
    const named = { resource: "configmaps", name: "a" }
    await remote.create(configMap("a"))
    await remote.delete(named, { dryRun: true })
    expect(await remote.get(named)).toMatchObject({ metadata: { name: "a" } })
    await remote.delete(named)
    await expect(remote.get(named)).rejects.toThrow(NotFound)
    remote.close()
  })

  it("continues a watch whose stream ended, and fails when its version has expired", async () => {
    await using world = await startCluster({ serve: true })
    const remote = await openRemoteCluster({ kubeconfig: world.kubeconfigFile() })
    await world.cluster.create(configMap("a"))
    const watch = remote.watch("configmaps", { namespace: "default" })[Symbol.asyncIterator]()
    const next = async (): Promise<string> => {
      const { value } = await watch.next()
      return value === undefined ? "" : `${value.type} ${value.object.metadata.name}`
    }
    expect(await next()).toBe("ADDED a")
    const coming = next()
    await world.cluster.create(configMap("b"))
    expect(["ADDED b", "ADDED kube-root-ca.crt"]).toContain(await coming)
    world.intercept({ verb: "watch", resource: "configmaps" }, refuse(410, "too old resource version: 5 (9)"))
    await watch.return?.(undefined)
    const again = remote.watch("configmaps", { resourceVersion: "1" })[Symbol.asyncIterator]()
    await expect(again.next()).rejects.toThrow("too old resource version: 5 (9)")
    remote.close()
  })

  it("ends all watches when closed, after the changes received so far", async () => {
    await using world = await startCluster({ serve: true })
    const remote = await openRemoteCluster({ kubeconfig: world.kubeconfigFile() })
    const seen: Array<string> = []
    const watching = (async () => {
      for await (const { object } of remote.watch("namespaces")) seen.push(object.metadata.name)
    })()
    const idle = remote.watch("pods")[Symbol.asyncIterator]().next()
    while (world.requests.all({ verb: "watch" }).length < 2) await sleepRealTime(1)
    remote.close()
    await watching
    expect([seen.toSorted()[0], (await idle).done]).toEqual(["default", true])
  })

  it("is not flooded with watches that it ends at once", async () => {
    await using world = await startCluster({ serve: true })
    const remote = await openRemoteCluster({ kubeconfig: world.kubeconfigFile() })
    await using _cut = await world.cluster.fault({ fault: "watchDropped", of: "clients" })
    const idle = remote.watch("pods")[Symbol.asyncIterator]().next()
    while (world.requests.all({ verb: "watch" }).length < 1) await sleepRealTime(1)
    // Enough for some hundred requests.
    await sleepRealTime(300)
    expect(world.requests.all({ verb: "watch" }).length).toBeLessThanOrEqual(2)
    remote.close()
    expect((await idle).done).toBe(true)
  })

  it("puts objects without a namespace into the kubeconfig's namespace", async () => {
    await using world = await startCluster({ serve: true })
    const remote = await openRemoteCluster({ kubeconfig: world.kubeconfigFile(), namespace: "shop" })
    await remote.apply(namespaceManifest("shop"))
    const { metadata, ...rest } = configMap("here", { size: "1" })
    await remote.apply([
      { ...rest, metadata },
      { ...rest, metadata: { ...metadata, namespace: "default" } }
    ])
    await remote.apply("apiVersion: v1\nkind: ConfigMap\nmetadata: { name: here }\ndata: { size: '2' }")
    const { items } = await world.cluster.list("configmaps")
    const found = items.filter(({ metadata: { name } }) => name === "here")
    expect(found.map(({ metadata: { namespace }, data }) => [namespace, data?.["size"]])).toEqual([
      ["default", "1"],
      ["shop", "2"]
    ])
    remote.close()
  })

  it("rejects with the library's errors where they fit, else with the server's message", async () => {
    await using world = await startCluster({ serve: true })
    const remote = await openRemoteCluster({ kubeconfig: world.kubeconfigFile() })
    const stopRefusing = world.intercept({ verb: "create" }, refuse(429, { retryAfterSeconds: 0 }))
    const busy = await remote.create(configMap("a")).catch((error: unknown) => error)
    expect(busy).toBeInstanceOf(TooManyRequests)
    expect(busy).toHaveProperty("retryAfterSeconds", 0)
    stopRefusing()
    world.intercept({ verb: "create", times: 1 }, refuse(504, "Timeout: too slow"))
    await expect(remote.create(configMap("a"))).rejects.toThrow(new Timeout({ why: "too slow" }))
    world.intercept({ verb: "create", times: 1 }, refuse(403, "the webhook said no"))
    const forbidden = await remote.create(configMap("a")).catch((error: unknown) => error)
    expect(forbidden).toBeInstanceOf(RemoteRefused)
    expect(forbidden).toMatchObject({ code: 403, reason: "Forbidden", message: "the webhook said no" })
    const invalid = await remote.create(web(-2)).catch((error: unknown) => error)
    expect(invalid).toBeInstanceOf(Invalid)
    expect(invalid).toHaveProperty("errors", [
      {
        type: "FieldValueInvalid",
        field: "spec.replicas",
        value: -2,
        detail: "must be greater than or equal to 0"
      }
    ])
    await expect(remote.get({ resource: "pods", name: "" })).rejects.toThrow(NotFound)
    remote.close()
  })

  it.each([
    { code: 429, says: "Too many requests, please try again later.", reason: "TooManyRequests" },
    { code: 500, says: "Internal error occurred: no disk", reason: "InternalError" },
    { code: 504, says: "Timeout: no disk", reason: "Timeout" }
  ])("rejects manifests as a store does when the server answers $code", async ({ code, says, reason }) => {
    await using world = await startCluster({ serve: true })
    const remote = await openRemoteCluster({ kubeconfig: world.kubeconfigFile() })
    world.intercept({ verb: "create" }, refuse(code, { message: says, retryAfterSeconds: 0 }))
    const refusal = await remote.apply(configMap("a")).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(ManifestsRefused)
    expect(String(refusal)).toContain(`Error from server (${reason}): ${says}`)
    remote.close()
  })

  it("is not opened when it cannot be reached or does not know the user", async () => {
    await using world = await startCluster({ serve: true })
    const { writeFileSync } = await import("node:fs")
    const file = world.kubeconfigFile()
    writeFileSync(file, world.kubeconfig.replace(/token: .*/, "token: another"))
    await expect(openRemoteCluster({ kubeconfig: file })).rejects.toThrow(Unreachable)
    await expect(openRemoteCluster({ kubeconfig: file })).rejects.toThrow(
      'does not know user "charthouse-charthouse" (401)'
    )
  })

  it("rejects with an answer's text when that is no Status", () => {
    const subject = { resource: "pods", name: "web" }
    expect(toClientError({ code: 502, body: "Bad Gateway\n" }, subject)).toMatchObject({
      code: 502,
      message: "Bad Gateway"
    })
    expect(toClientError({ code: 500, body: {} }, subject).message).toBe("the server answered 500")
    expect(new Expired({ requested: 5, oldest: 9 }).message).toBe("too old resource version: 5 (9)")
  })
})
