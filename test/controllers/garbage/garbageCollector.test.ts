import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { resolveFeatureGates } from "../../../src/kubernetes/meta/featureGates.ts"
import { runGarbageCollector } from "../../../src/controllers/garbage/garbageCollector.ts"
import { makeKernel } from "../../../src/runtime/time/kernel.ts"
import { makeMemoryStore } from "../../../src/store/memoryStore.ts"
import { aManifest, namespaceManifest, startMillis } from "../../builders.ts"
import { makeLateView } from "../workloads/lateView.ts"
import type { Draft, KubeObject } from "../../../src/kubernetes/meta/objects.ts"
import { Invalid, NotFound } from "../../../src/store/storeErrors.ts"
import type { StoreError } from "../../../src/store/storeErrors.ts"
import type { DeleteOptions, ObjectStore, Ref } from "../../../src/store/objectStore.ts"

const lagMillis = 700

/** The garbage collector over a late view of a store, in which another client may write first. */
const lateCollector = (
  options: {
    readonly beforeDelete?: (ref: Ref, store: ObjectStore["Service"]) => void
    readonly refuses?: (ref: Ref) => StoreError | undefined
  } = {}
) => {
  const kernel = makeKernel({ startMillis })
  const { nowMillis } = kernel
  const { store, view: present } = makeMemoryStore({ nowMillis, seed: 5 })
  const view = makeLateView({ kernel, present, lagMillis })
  const now = <A>(effect: Effect.Effect<A, StoreError>): A => Effect.runSync(effect)
  const conflictingStore: ObjectStore["Service"] = {
    ...store,
    modify: (ref, change, only) =>
      Effect.suspend(() => {
        const refused = options.refuses?.(ref)
        return refused === undefined ? store.modify(ref, change, only) : Effect.fail(refused)
      }),
    delete: (ref, request) =>
      Effect.suspend(() => {
        options.beforeDelete?.(ref, store)
        return store.delete(ref, request)
      })
  }
  const events = { record: () => Effect.void }
  const services = { store: conflictingStore, view, events, featureGates: resolveFeatureGates(), nowMillis }
  kernel.run(Effect.scoped(Effect.andThen(runGarbageCollector(services, kernel), Effect.never)))
  now(store.create(namespaceManifest("yard")))
  const refOf = (name: string) => ({ resource: "configmaps", key: `yard/${name}` })
  return {
    store,
    make: (name: string, owners: ReadonlyArray<KubeObject> = [], metadata: Draft["metadata"] = {}) =>
      now(
        store.create(
          aManifest("ConfigMap", { name, namespace: "yard", ownerReferences: owners.map(refTo), ...metadata })
        )
      ),
    remove: (name: string, request: DeleteOptions = {}) => now(store.delete(refOf(name), request)),
    modify: (name: string, metadata: Draft["metadata"]) =>
      now(store.modify(refOf(name), (it) => ({ ...it, metadata: { ...it.metadata, ...metadata } }))),
    pass: (millis: number) => kernel.advanceTo(nowMillis() + millis),
    left: () => [...present.all("configmaps")].map(({ metadata }) => metadata.name).sort()
  }
}

const refTo = ({ apiVersion, kind, metadata: { name, uid } }: KubeObject) => ({
  apiVersion,
  kind,
  name,
  uid,
  blockOwnerDeletion: true
})

describe("the garbage collector with a late view", () => {
  it.each(["Background", "Foreground"] as const)("collects three generations (%s)", (propagationPolicy) => {
    const { make, remove, pass, left } = lateCollector()
    const root = make("root")
    const children = [make("child-1", [root]), make("child-2", [root])]
    for (const child of children) make(`${child.metadata.name}-grandchild`, [child])
    pass(5_000)
    expect(left()).toHaveLength(5)
    remove("root", { propagationPolicy })
    pass(60_000)
    expect(left()).toEqual([])
  })

  it("keeps an object whose owner it does not see yet", () => {
    const { make, pass, left } = lateCollector()
    pass(5_000)
    make("child", [make("root")])
    pass(60_000)
    expect(left()).toEqual(["child", "root"])
  })

  it("keeps an object with a new owner that it has not seen", () => {
    const { make, modify, remove, pass, left } = lateCollector()
    const [first, second] = [make("first"), make("second")]
    make("child", [first])
    pass(5_000)
    remove("first")
    pass(lagMillis - 1)
    modify("child", { ownerReferences: [refTo(first), refTo(second)] })
    pass(60_000)
    expect(left()).toEqual(["child", "second"])
  })

  it("removes an owner in foreground deletion after its dependents, in any order", () => {
    const mixed = (place: number): number => (place * 7) % 23
    for (const order of [
      (a: number, b: number) => a - b,
      (a: number, b: number) => b - a,
      (a: number, b: number) => mixed(a) - mixed(b)
    ]) {
      const { make, modify, remove, pass, left } = lateCollector()
      const root = make("root")
      const places = Array.from({ length: 23 }, (_, place) => place)
      for (const place of places) make(`child-${place}`, [root], { finalizers: ["x.io/y"] })
      remove("root", { propagationPolicy: "Foreground" })
      pass(5_000)
      for (const place of places.toSorted(order)) {
        expect(left()).toContain("root")
        modify(`child-${place}`, { finalizers: [] })
        pass(900)
      }
      expect(left()).toEqual([])
    }
  })
})

describe("a deletion that conflicts with another write", () => {
  const conflictingStore = (change: (rival: KubeObject) => Draft["metadata"]) => {
    let rivals = 1
    const collector: ReturnType<typeof lateCollector> = lateCollector({
      beforeDelete: ({ key }) => {
        if (key !== "yard/child" || rivals === 0) return
        rivals -= 1
        collector.modify("child", change(second))
      }
    })
    const [first, second] = [collector.make("first"), collector.make("second")]
    collector.make("child", [first])
    collector.pass(5_000)
    collector.remove("first")
    collector.pass(60_000)
    return collector.left()
  }

  it("is dropped when the owners have changed", () => {
    expect(conflictingStore((second) => ({ ownerReferences: [refTo(second)] }))).toEqual(["child", "second"])
  })

  it("is carried out after other changes", () => {
    expect(conflictingStore(() => ({ labels: { touched: "yes" } }))).toEqual(["second"])
  })
})

describe("an owner that orphans its dependents", () => {
  const subject = { resource: "configmaps", resourceName: "child-1" }
  const sentence = `ConfigMap "child-1" is invalid: data: Invalid value`

  it.each<{ readonly why: string; readonly error: StoreError; readonly waits: boolean }>([
    {
      why: "stays while a dependent refuses the change",
      error: new Invalid({ ...subject, errors: [], sentence }),
      waits: true
    },
    { why: "does not wait for a missing dependent", error: new NotFound(subject), waits: false },
    {
      why: "does not wait for another object of a dependent's name",
      error: new Invalid({ ...subject, errors: [], sentence, isUidMismatch: true }),
      waits: false
    }
  ])("$why", ({ error, waits }) => {
    let isRefusing = true
    const collector = lateCollector({
      refuses: ({ key }) => (isRefusing && key === "yard/child-1" ? error : undefined)
    })
    const root = collector.make("root")
    for (const name of ["child-1", "child-2"]) collector.make(name, [root])
    collector.pass(5_000)
    collector.remove("root", { propagationPolicy: "Orphan" })
    collector.pass(60_000)
    expect(collector.left().includes("root")).toBe(waits)
    isRefusing = false
    collector.pass(600_000)
    // Dependents that still refer to the removed owner are collected.
    expect(collector.left()).toEqual(waits ? ["child-1", "child-2"] : ["child-2"])
  })
})
