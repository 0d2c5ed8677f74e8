import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { aPod, aReplicaSet, namespaceManifest } from "../builders.ts"
import {
  aConfigMapDraft,
  aDeploymentDraft,
  aPodDraft,
  aStore,
  changeTexts,
  expiryOf,
  run,
  watchChanges,
  withChanges
} from "./testStore.ts"
import type { KubeObject } from "../../src/kubernetes/meta/objects.ts"
import type { Change } from "../../src/store/objectStore.ts"

type Store = ReturnType<typeof aStore>["store"]

const seed = 20_260_514

/** Writes of a client, many of which change nothing or are refused. */
const clientWrites = fc.array(
  fc.record({
    act: fc.constantFrom("create", "label", "label", "status", "annotate", "delete", "finalize", "same"),
    name: fc.constantFrom("a", "b", "c"),
    kind: fc.constantFrom("pods", "configmaps"),
    value: fc.constantFrom("1", "2", "3")
  }),
  { minLength: 1, maxLength: 50 }
)
type ClientWrite =
  (typeof clientWrites extends fc.Arbitrary<infer A> ? A : never) extends ReadonlyArray<infer B> ? B : never

const attempt = (store: Store, { act, name, kind, value }: ClientWrite): void => {
  const ref = { resource: kind, key: `shop/${name}` }
  const metadata = { name, labels: { v: value } }
  const modify = (change: Parameters<Store["modify"]>[1]) => store.modify(ref, change)
  const effects = {
    create: () => store.create(kind === "pods" ? aPodDraft(metadata) : aConfigMapDraft(metadata)),
    label: () => modify((it) => withChanges(it, { labels: { v: value } })),
    annotate: () =>
      modify((it) => withChanges(it, value === "1" ? { annotations: {} } : { annotations: { v: value } })),
    status: () =>
      store.modify(ref, (it) => withChanges(it, {}, { status: { phase: "Running", message: value } }), {
        status: true
      }),
    delete: () => store.delete(ref),
    finalize: () => modify((it) => withChanges(it, { finalizers: value === "1" ? [] : ["x.io/y"] })),
    same: () => modify((it) => ({ ...it }))
  }
  try {
    run(effects[act]())
  } catch {
    // Refused: the name is taken or missing.
  }
}

const contents = (store: Store): ReadonlyMap<string, KubeObject> =>
  new Map(
    ["pods", "configmaps"].flatMap((kind) =>
      run(store.list(kind)).items.map((it) => [`${kind} ${it.metadata.name}`, it] as const)
    )
  )

describe(`the store under random writes (seed ${seed})`, () => {
  it("raises the version by one per change, and holds the last change of each object", () => {
    fc.assert(
      fc.property(clientWrites, (drawn) => {
        const { store, changes, version } = aStore()
        for (const it of drawn) {
          const before = version()
          const changesBefore = changes.length
          attempt(store, it)
          expect(version() - before).toBe(changes.length - changesBefore)
        }
        expect(changes.map(({ resourceVersion }) => resourceVersion)).toEqual(
          changes.map((_, index) => index + 2)
        )
        const replayed = new Map<string, KubeObject>()
        for (const { type, resource, object, old, resourceVersion } of changes) {
          const key = `${resource} ${object.metadata.name}`
          expect(object.metadata.resourceVersion).toBe(String(resourceVersion))
          expect(replayed.get(key)).toBe(old)
          expect(type).toBe(
            old === undefined ? "ADDED" : replayed.has(key) && type === "DELETED" ? "DELETED" : "MODIFIED"
          )
          if (type === "DELETED") replayed.delete(key)
          else replayed.set(key, object)
        }
        expect(contents(store)).toEqual(replayed)
      }),
      { seed, numRuns: 300 }
    )
  })

  it("makes no version for a write that changes nothing", () => {
    fc.assert(
      fc.property(clientWrites, (drawn) => {
        const { store, changes } = aStore()
        for (const it of drawn) attempt(store, it)
        const plain = ({ metadata: { resourceVersion: _version, ...metadata }, ...object }: KubeObject) => ({
          ...object,
          metadata
        })
        for (const { object, old, type } of changes) {
          if (type === "MODIFIED" && old !== undefined) expect(plain(object)).not.toEqual(plain(old))
        }
      }),
      { seed, numRuns: 200 }
    )
  })

  it("sends a watch all changes since its version, or fails with Expired", async () => {
    await fc.assert(
      fc.asyncProperty(
        clientWrites,
        fc.integer({ min: 1, max: 12 }),
        fc.nat(60),
        async (drawn, historyChangesMax, from) => {
          const { store, changes, version } = aStore({ historyChangesMax })
          for (const it of drawn) attempt(store, it)
          const last = version()
          const requested = 1 + (from % last)
          const options = { resourceVersion: String(requested) }
          const dropped = last - historyChangesMax
          if (requested < dropped) {
            const { message } = await expiryOf(store, options)
            expect(message).toBe(`too old resource version: ${requested} (${dropped})`)
            return
          }
          const later = changes.filter(({ resourceVersion }) => resourceVersion > requested)
          if (later.length > 0) expect(await watchChanges(store, options, later.length)).toEqual(later)
        }
      ),
      { seed, numRuns: 200 }
    )
  })

  it("gives the same objects with the same seed and writes, and other names with another seed", () => {
    fc.assert(
      fc.property(clientWrites, (drawn) => {
        const [one, two] = [aStore({ seed: 5 }), aStore({ seed: 5 })]
        for (const it of drawn) {
          attempt(one.store, it)
          attempt(two.store, it)
        }
        expect(one.changes).toEqual(two.changes)
      }),
      { seed, numRuns: 50 }
    )
    const uidOf = (of: number) => run(aStore({ seed: of }).store.create(aPodDraft())).metadata.uid
    expect(uidOf(5)).not.toBe(uidOf(6))
  })
})

const isFrozenThrough = (value: unknown): boolean =>
  typeof value !== "object" ||
  value === null ||
  (Object.isFrozen(value) && Object.values(value).every(isFrozenThrough))

describe("stored objects", () => {
  it("are deeply frozen when handed out", () => {
    const { store, changes } = aStore()
    const made = run(store.create(aDeploymentDraft({ labels: { a: "b" } })))
    run(
      store.updateStatus(withChanges(made, {}, { status: { conditions: [{ type: "A", status: "True" }] } }))
    )
    run(store.delete({ resource: "deployments.apps", key: "shop/web" }))
    for (const { object, old } of changes) {
      expect(isFrozenThrough(object)).toBe(true)
      expect(isFrozenThrough(old)).toBe(true)
    }
  })

  it("do not change with the objects that were passed in", () => {
    const { store, view } = aStore()
    const labels = { app: "web" }
    const container = { name: "app", image: "i:v1" }
    const draft = aPodDraft({ labels }, { containers: [container] })
    const ref = { resource: "pods", key: "shop/web" }
    run(store.create(draft))
    const before = structuredClone(run(store.get(ref)))
    for (const attack of [
      () => Object.assign(labels, { app: "site" }),
      () => Object.assign(container, { image: "evil" }),
      () => Object.assign(draft.spec ?? {}, { nodeName: "n9" }),
      () => Object.assign(draft.metadata, { name: "other" }),
      () => Object.assign(run(store.get(ref)).metadata, { name: "other" }),
      () => view.get("pods", "shop/web")?.spec.containers.push({ name: "more" })
    ]) {
      try {
        attack()
      } catch {
        // Freezing or copying both protect the store.
      }
    }
    expect(run(store.get(ref))).toEqual(before)
  })

  it("are not removed by emptying a list of them", () => {
    const { store } = aStore()
    run(store.create(aPodDraft()))
    const { items } = run(store.list("pods"))
    Reflect.set(items, "length", 0)
    expect(run(store.list("pods")).items).toHaveLength(1)
  })

  it("share unchanged parts with their previous version", () => {
    const { store } = aStore()
    const first = run(store.create(aDeploymentDraft({ labels: { a: "b" } })))
    const second = run(store.updateStatus(withChanges(first, {}, { status: { replicas: 1 } })))
    expect("spec" in second && "spec" in first && second.spec === first.spec).toBe(true)
    expect(second.metadata.labels).toBe(first.metadata.labels)
  })

  it("share the spec of Pods of one template, and of one node once bound", () => {
    const { store, view } = aStore()
    const { spec = {} } = aPodDraft()
    Object.freeze(spec)
    const pods = ["a", "b", "c"].map((name) => run(store.create({ ...aPodDraft({ name }), spec } as never)))
    for (const { metadata } of pods) {
      run(
        store.bind({
          key: `shop/${metadata.name}`,
          uid: metadata.uid,
          nodeName: metadata.name === "c" ? "n2" : "n1"
        })
      )
    }
    const specs = ["a", "b", "c"].map((name) => view.get("pods", `shop/${name}`)?.spec)
    expect(specs[0]).toBe(specs[1])
    expect(specs[2]).not.toBe(specs[0])
    expect(specs.map((it) => it?.nodeName)).toEqual(["n1", "n1", "n2"])
  })
})

describe("a list", () => {
  it("is sorted by namespace and name, with the store's version", () => {
    const { store, version } = aStore()
    run(store.create(namespaceManifest("yard")))
    for (const [namespace, name] of [
      ["yard", "a"],
      ["shop", "c"],
      ["shop", "b"]
    ]) {
      run(store.create(aPodDraft({ namespace: namespace ?? "", name: name ?? "" })))
    }
    const listed = run(store.list("pods"))
    expect(listed.items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)).toEqual([
      "shop/b",
      "shop/c",
      "yard/a"
    ])
    expect(listed.resourceVersion).toBe(String(version()))
    expect(run(store.list("pods", { namespace: "yard" })).items).toHaveLength(1)
  })
})

describe("a watch with a selector (see also: watchers of the e2e suite)", () => {
  const selected = { resource: "pods", labelSelector: { matchLabels: { app: "web" } } }
  const ref = { resource: "pods", key: "shop/p" }
  const relabel = (store: Store, app: string) =>
    run(store.modify(ref, (it) => withChanges(it, { labels: { app } })))

  it("sends ADDED when an object begins to match, and DELETED with its last matching state", async () => {
    const { store } = aStore()
    run(store.create(aPodDraft({ name: "p", labels: { app: "site" } })))
    for (const app of ["web", "site", "web"]) relabel(store, app)
    run(store.modify(ref, (it) => withChanges(it, { annotations: { a: "b" } })))
    run(store.delete(ref))
    const changesBefore: ReadonlyArray<Change> = await watchChanges(
      store,
      { ...selected, resourceVersion: "1" },
      5
    )
    expect(changeTexts(changesBefore)).toEqual([
      "ADDED p@3",
      "DELETED p@4",
      "ADDED p@5",
      "MODIFIED p@6",
      "DELETED p@7"
    ])
    for (const { object } of changesBefore) expect(object.metadata.labels).toEqual({ app: "web" })
  })

  it("without a version begins with the existing objects", async () => {
    const { store } = aStore()
    for (const name of ["b", "a", "x"]) {
      run(store.create(aPodDraft({ name, labels: { app: name === "x" ? "site" : "web" } })))
    }
    const changesBefore = watchChanges(store, selected, 3)
    await Promise.resolve()
    run(store.delete({ resource: "pods", key: "shop/a" }))
    expect(changeTexts(await changesBefore)).toEqual(["ADDED a@3", "ADDED b@2", "DELETED a@5"])
  })

  it("in one namespace sends no changes of others", async () => {
    const { store } = aStore()
    run(store.create(namespaceManifest("yard")))
    run(store.create(aPodDraft({ name: "p", namespace: "yard" })))
    run(store.create(aPodDraft({ name: "q" })))
    const changesBefore = await watchChanges(
      store,
      { resource: "pods", namespace: "shop", resourceVersion: "1" },
      1
    )
    expect(changeTexts(changesBefore)).toEqual(["ADDED q@4"])
  })
})

describe("the view's owner index", () => {
  it("follows owners that are created, deleted and replaced (TestFilterPodsByOwner)", () => {
    const { store, view } = aStore()
    const owner = aReplicaSet({ uid: "u-1" })
    const reference = aPod({ owner }).metadata.ownerReferences ?? []
    run(store.create(aPodDraft({ name: "a", ownerReferences: reference })))
    run(store.create(aPodDraft({ name: "b" })))
    const [other] = aPod({ owner: aReplicaSet({ uid: "u-2" }) }).metadata.ownerReferences ?? []
    const plain = reference.map((it) => ({ ...it, controller: false }))
    run(store.create(aPodDraft({ name: "c", ownerReferences: other === undefined ? [] : [...plain, other] })))
    const names = (pods: ReadonlyArray<KubeObject>) => pods.map(({ metadata }) => metadata.name).join(" ")
    expect([names(view.controlled("pods", "u-1")), names(view.orphans("pods", "shop"))]).toEqual(["a", "b"])
    const swap = (name: string, ownerReferences: typeof reference) =>
      run(
        store.modify({ resource: "pods", key: `shop/${name}` }, (it) => withChanges(it, { ownerReferences }))
      )
    swap("a", [])
    swap("b", reference)
    expect([names(view.controlled("pods", "u-1")), names(view.orphans("pods", "shop"))]).toEqual(["b", "a"])
    expect(view.pods.total("u-1")).toBe(1)
    run(store.delete({ resource: "pods", key: "shop/b" }))
    run(store.delete({ resource: "pods", key: "shop/c" }))
    expect(view.dependents("u-1")).toEqual([])
    expect(view.pods.total("u-1")).toBe(0)
  })
})
