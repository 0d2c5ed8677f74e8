import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { openRemoteCluster } from "../../../src/client/remoteCluster.ts"
import { startCluster } from "../../../src/testing/testing.ts"
import { configMap } from "../../server/traffic/recordedTraffic.ts"
import type { OpenCluster } from "../../../src/cluster/openCluster.ts"
import type { RemoteCluster } from "../../../src/client/remoteCluster.ts"

type ContractStore = Pick<
  OpenCluster | RemoteCluster,
  "get" | "list" | "create" | "update" | "patch" | "delete" | "watch"
>

interface OpenedStore {
  readonly store: ContractStore
  /** The store as another reader finds it: a durable one as it is opened again after kill -9. */
  readonly again: () => Promise<ContractStore>
}

let root = ""
let scope: AsyncDisposableStack
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "charthouse-contract-"))
  scope = new AsyncDisposableStack()
})
afterEach(async () => {
  await scope.disposeAsync()
  rmSync(root, { recursive: true, force: true })
})

const stores: Readonly<Record<string, () => Promise<OpenedStore>>> = {
  "in memory": async () => {
    const store = scope.use(await openCluster())
    return { store, again: () => Promise.resolve(store) }
  },
  "in a data directory": async () => {
    const data = join(root, "data")
    const store = scope.use(await openCluster({ data }))
    const again = async (): Promise<ContractStore> => {
      const copy = mkdtempSync(join(root, "killed-"))
      cpSync(data, copy, { recursive: true })
      return scope.use(await openCluster({ data: copy }))
    }
    return { store, again }
  },
  "of a served cluster": async () => {
    const world = scope.use(await startCluster({ serve: true }))
    const store = await openRemoteCluster({ kubeconfig: world.kubeconfigFile() })
    scope.defer(store.close)
    return { store, again: () => Promise.resolve(store) }
  }
}

const one = { resource: "configmaps", name: "one", namespace: "default" }
const listed = async (store: ContractStore) => {
  const { items, resourceVersion } = await store.list("configmaps", { namespace: "default" })
  return { resourceVersion, items: items.filter(({ metadata }) => metadata.name !== "kube-root-ca.crt") }
}

describe.each(Object.entries(stores))("the store %s", (_name, open) => {
  it("gives what was written to every later reader, byte for byte", async () => {
    const { store, again } = await open()
    const created = await store.create(configMap("one"))
    expect(created.metadata.uid).toMatch(/^[0-9a-f-]{36}$/)
    const patched = await store.patch(one, { data: { text: "later" } })
    expect(patched.metadata).toMatchObject({ uid: created.metadata.uid })
    await store.create(configMap("two"))
    const before = await listed(store)
    const after = await listed(await again())
    expect(after.items).toEqual(before.items)
    expect(after.items.map(({ metadata }) => metadata.name)).toEqual(["one", "two"])
    expect(Number(after.resourceVersion)).toBeGreaterThanOrEqual(Number(before.resourceVersion))
  })

  it("raises the version with each change, and not with a write that changes nothing", async () => {
    const { store } = await open()
    const created = await store.create(configMap("one", { text: "first" }))
    const unchanged = await store.patch(one, { data: { text: "first" } })
    expect(unchanged.metadata.resourceVersion).toBe(created.metadata.resourceVersion)
    const patched = await store.patch(one, { data: { text: "later" } })
    expect(Number(patched.metadata.resourceVersion)).toBeGreaterThan(Number(created.metadata.resourceVersion))
    expect((await listed(store)).resourceVersion).toBe(patched.metadata.resourceVersion)
  })

  it("refuses what was read before another write, what is there already, and what is not there", async () => {
    const { store, again } = await open()
    const created = await store.create(configMap("one"))
    await store.patch(one, { data: { text: "later" } })
    await expect(store.update(created)).rejects.toMatchObject({ _tag: "Conflict" })
    await expect(store.create(configMap("one"))).rejects.toMatchObject({ _tag: "AlreadyExists" })
    await store.delete(one)
    await expect(store.get(one)).rejects.toMatchObject({ _tag: "NotFound" })
    const later = await again()
    await expect(later.get(one)).rejects.toMatchObject({ _tag: "NotFound" })
    expect((await later.create(configMap("one"))).metadata.uid).not.toBe(created.metadata.uid)
  })

  it("sends every change since a version, once and in order", async () => {
    const { store, again } = await open()
    const { resourceVersion } = await listed(store)
    await store.create(configMap("one"))
    await store.patch(one, { data: { text: "later" } })
    await store.delete(one)
    await store.create(configMap("two"))
    const later = await again()
    const seen: Array<string> = []
    for await (const { type, object } of later.watch("configmaps", {
      namespace: "default",
      resourceVersion
    })) {
      seen.push(`${type} ${object.metadata.name}`)
      if (object.metadata.name === "two") break
    }
    expect(seen).toEqual(["ADDED one", "MODIFIED one", "DELETED one", "ADDED two"])
  })
})
