import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { namespaceManifest } from "../builders.ts"
import { makeMemoryStore } from "../../src/store/memoryStore.ts"
import { aDeployment, valueAt, edited } from "../kubernetes/admission/drafts.ts"

const aStore = () => {
  const { store, view } = makeMemoryStore({ nowMillis: () => 0, seed: 1 })
  const run = Effect.runSync
  run(store.create(namespaceManifest("shop")))
  let changes = 0
  view.subscribe(() => (changes += 1))
  const refusal = (write: ReturnType<typeof store.create>): string =>
    run(Effect.match(write, { onSuccess: () => "accepted", onFailure: ({ message }) => message }))
  return {
    store,
    run,
    refusal,
    changeCount: () => changes,
    items: () => run(store.list("deployments.apps")).items
  }
}

const dryRun = { dryRun: true }

describe("a dry-run write", () => {
  it("returns the created object without a resource version", () => {
    const { store, run, items, changeCount } = aStore()
    const tried = run(store.create(aDeployment({ replicas: undefined }), dryRun))
    expect(valueAt(tried, "spec.replicas")).toBe(1)
    expect(tried.metadata).toMatchObject({ resourceVersion: "", generation: 1 })
    expect(tried.metadata.uid).toHaveLength(36)
    expect(Object.isFrozen(tried)).toBe(true)
    expect([items(), changeCount()]).toEqual([[], 0])
  })

  it("returns the updated object with the stored resource version", () => {
    const { store, run, items, changeCount } = aStore()
    const stored = run(store.create(aDeployment()))
    const tried = run(store.update(edited(stored, ["spec.replicas", 7]), dryRun))
    expect(valueAt(tried, "spec.replicas")).toBe(7)
    expect(tried.metadata).toMatchObject({
      generation: 2,
      resourceVersion: stored.metadata.resourceVersion,
      uid: stored.metadata.uid
    })
    expect(run(store.update(edited(stored), dryRun))).toBe(stored)
    expect([items(), changeCount()]).toEqual([[stored], 1])
  })

  it("does not remove an object by removing its last finalizer", () => {
    const { store, run, items } = aStore()
    run(store.create(edited(aDeployment(), ["metadata.finalizers", ["a.io/x"]])))
    const leaving = run(store.delete({ resource: "deployments.apps", key: "shop/web" }))
    run(store.update(edited(leaving, ["metadata.finalizers", undefined]), dryRun))
    expect(items()).toEqual([leaving])
  })

  it("fails as the write would fail", () => {
    const { store, run, refusal } = aStore()
    expect(refusal(store.create(aDeployment({ replicas: -1 }), dryRun))).toContain(
      "spec.replicas: Invalid value: -1"
    )
    expect(refusal(store.update(aDeployment(), dryRun))).toBe('deployments.apps "web" not found')
    run(store.create(aDeployment()))
    expect(refusal(store.create(aDeployment(), dryRun))).toBe('deployments.apps "web" already exists')
    const stale = edited(aDeployment(), ["metadata.resourceVersion", "1"])
    expect(refusal(store.update(stale, dryRun))).toContain("the object has been modified")
  })

  it("takes no name or uid that another object would get", () => {
    const [tried, untried] = [aStore(), aStore()]
    const draft = edited(aDeployment(), ["metadata.name", undefined], ["metadata.generateName", "web-"])
    tried.run(tried.store.create(draft, dryRun))
    expect(tried.run(tried.store.create(draft))).toEqual(untried.run(untried.store.create(draft)))
  })
})
