import { describe, expect, it } from "vitest"
import { aStore, aDeploymentDraft, aPodDraft, refusalOf, run, withChanges } from "../testStore.ts"
import type { Deployment, KubeObject } from "../../../src/kubernetes/meta/objects.ts"

describe("a write that changes nothing makes no version", () => {
  const setUp = () => {
    const fixture = aStore()
    const made = run(fixture.store.create(aDeploymentDraft({ labels: { a: "b" } })))
    return { ...fixture, made }
  }
  it.each([
    { why: "the same object", change: (it: KubeObject) => it },
    { why: "a copy of the object", change: (it: KubeObject) => structuredClone(it) },
    { why: "empty annotations", change: (it: KubeObject) => withChanges(it, { annotations: {} }) },
    {
      why: "empty lists",
      change: (it: KubeObject) => withChanges(it, { finalizers: [], ownerReferences: [] })
    },
    {
      why: "missing defaults",
      change: (it: KubeObject) => withChanges(it, {}, { spec: aDeploymentDraft().spec ?? {} })
    },
    {
      why: "a status outside updateStatus",
      change: (it: KubeObject) => withChanges(it, {}, { status: { replicas: 7 } })
    }
  ])("$why", ({ change }) => {
    const { store, made, changes, version } = setUp()
    expect(run(store.update(change(made)))).toBe(made)
    expect(run(store.modify({ resource: "deployments.apps", key: "shop/web" }, change))).toBe(made)
    expect(version()).toBe(2)
    expect(changes).toHaveLength(1)
  })

  it("but a quantity in another unit makes one, of the same generation", () => {
    const { store } = aStore()
    const withMemory = (memory: string) => {
      const containers = [{ name: "app", image: "app:1", resources: { limits: { memory } } }]
      return { template: { metadata: { labels: { app: "web" } }, spec: { containers } } }
    }
    const made = run(store.create(aDeploymentDraft({}, withMemory("1Gi"))))
    const next = run(store.update(aDeploymentDraft({}, withMemory("1073741824")))) as Deployment
    expect(next.metadata.resourceVersion).not.toBe(made.metadata.resourceVersion)
    expect(next.metadata.generation).toBe(made.metadata.generation)
    expect(next.spec.template.spec?.containers[0]?.resources).toEqual({ limits: { memory: "1073741824" } })
    expect(run(store.update(aDeploymentDraft({}, withMemory("1048576Ki")))).metadata.generation).toBe(1)
  })

  it("with the same status", () => {
    const { store, made, version } = setUp()
    const once = run(store.updateStatus(withChanges(made, {}, { status: { replicas: 3 } })))
    expect(run(store.updateStatus(withChanges(once, {}, { status: { replicas: 3 } })))).toBe(once)
    expect(version()).toBe(3)
  })

  it("in a dry run, which is checked and answered", () => {
    const { store, made, version, changes } = setUp()
    const tried = run(store.create(aPodDraft({ name: "p" }), { dryRun: true }))
    expect(tried.metadata.name).toBe("p")
    expect(
      run(store.update(withChanges(made, { labels: { a: "c" } }), { dryRun: true })).metadata.labels
    ).toEqual({
      a: "c"
    })
    expect(refusalOf(store.create(aDeploymentDraft(), { dryRun: true }))).toMatchObject({
      _tag: "AlreadyExists"
    })
    expect(refusalOf(store.get({ resource: "pods", key: "shop/p" }))).toMatchObject({ _tag: "NotFound" })
    expect([version(), changes.length]).toEqual([2, 1])
    const { uid } = run(store.create(aPodDraft({ name: "q" }))).metadata
    const other = aStore()
    run(other.store.create(aDeploymentDraft()))
    expect(run(other.store.create(aPodDraft({ name: "q" }))).metadata.uid).toBe(uid)
  })
})
