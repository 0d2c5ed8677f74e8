import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { resolveFeatureGates } from "../../src/kubernetes/meta/featureGates.ts"
import { runGarbageCollector } from "../../src/controllers/garbage/garbageCollector.ts"
import { makeKernel } from "../../src/runtime/time/kernel.ts"
import { makeMemoryStore } from "../../src/store/memoryStore.ts"
import { startMillis } from "../builders.ts"
import { makeLateView } from "./lateView.ts"
import type { Draft, KubeObject } from "../../src/kubernetes/meta/objects.ts"
import { Invalid, NotFound } from "../../src/store/storeErrors.ts"
import type { StoreError } from "../../src/store/storeErrors.ts"
import type { DeleteOptions, ObjectStore, Ref } from "../../src/store/objectStore.ts"

const lagMillis = 700

/** The collector alone, over a store that it sees late; somebody may be quicker than its deletions. */
const aYard = (
  options: {
    readonly beforeDelete?: (ref: Ref, store: ObjectStore["Service"]) => void
    /** Why a change is not made. */
    readonly refuses?: (ref: Ref) => StoreError | undefined
  } = {}
) => {
  const kernel = makeKernel({ startMillis })
  const { nowMillis } = kernel
  const { store, view: present } = makeMemoryStore({ nowMillis, seed: 5 })
  const view = makeLateView({ kernel, present, lagMillis })
  const now = <A>(effect: Effect.Effect<A, StoreError>): A => Effect.runSync(effect)
  const contested: ObjectStore["Service"] = {
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
  const services = { store: contested, view, events, featureGates: resolveFeatureGates(), nowMillis }
  kernel.run(Effect.scoped(Effect.andThen(runGarbageCollector(services, kernel), Effect.never)))
  now(store.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "yard" } }))
  const refOf = (name: string) => ({ resource: "configmaps", key: `yard/${name}` })
  return {
    store,
    make: (name: string, owners: ReadonlyArray<KubeObject> = [], metadata: Draft["metadata"] = {}) =>
      now(
        store.create({
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name, namespace: "yard", ownerReferences: owners.map(refTo), ...metadata }
        })
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

describe("a collector whose view is late", () => {
  it.each(["Background", "Foreground"] as const)("collects three generations (%s)", (propagationPolicy) => {
    const { make, remove, pass, left } = aYard()
    const root = make("root")
    const children = [make("child-1", [root]), make("child-2", [root])]
    for (const child of children) make(`${child.metadata.name}-grandchild`, [child])
    pass(5_000)
    expect(left()).toHaveLength(5)
    remove("root", { propagationPolicy })
    pass(60_000)
    expect(left()).toEqual([])
  })

  it("keeps what it does not see the owner of yet", () => {
    const { make, pass, left } = aYard()
    pass(5_000)
    make("child", [make("root")])
    pass(60_000)
    expect(left()).toEqual(["child", "root"])
  })

  it("keeps what was given another owner that it has not seen", () => {
    const { make, modify, remove, pass, left } = aYard()
    const [first, second] = [make("first"), make("second")]
    make("child", [first])
    pass(5_000)
    remove("first")
    pass(lagMillis - 1)
    modify("child", { ownerReferences: [refTo(first), refTo(second)] })
    pass(60_000)
    expect(left()).toEqual(["child", "second"])
  })

  it("frees an owner that waits for many, in whatever order they go", () => {
    const mixed = (place: number): number => (place * 7) % 23
    for (const order of [
      (a: number, b: number) => a - b,
      (a: number, b: number) => b - a,
      (a: number, b: number) => mixed(a) - mixed(b)
    ]) {
      const { make, modify, remove, pass, left } = aYard()
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

describe("a deletion that somebody is quicker than", () => {
  const contested = (change: (rival: KubeObject) => Draft["metadata"]) => {
    let rivals = 1
    const yard: ReturnType<typeof aYard> = aYard({
      beforeDelete: ({ key }) => {
        if (key !== "yard/child" || rivals === 0) return
        rivals -= 1
        yard.modify("child", change(second))
      }
    })
    const [first, second] = [yard.make("first"), yard.make("second")]
    yard.make("child", [first])
    yard.pass(5_000)
    yard.remove("first")
    yard.pass(60_000)
    return yard.left()
  }

  it("is not carried out when the owners have changed", () => {
    expect(contested((second) => ({ ownerReferences: [refTo(second)] }))).toEqual(["child", "second"])
  })

  it("is carried out when anything else has", () => {
    expect(contested(() => ({ labels: { touched: "yes" } }))).toEqual(["second"])
  })
})

describe("an owner that leaves its own alone", () => {
  const said = { resource: "configmaps", name: "child-1" }
  const sentence = `ConfigMap "child-1" is invalid: data: Invalid value`

  it.each<{ readonly why: string; readonly error: StoreError; readonly waits: boolean }>([
    {
      why: "stays while one cannot be told so",
      error: new Invalid({ ...said, errors: [], sentence }),
      waits: true
    },
    { why: "waits for nobody who is gone", error: new NotFound(said), waits: false },
    {
      why: "waits for nobody who is somebody else",
      error: new Invalid({ ...said, errors: [], sentence, isUidMismatch: true }),
      waits: false
    }
  ])("$why", ({ error, waits }) => {
    let isRefusing = true
    const yard = aYard({
      refuses: ({ key }) => (isRefusing && key === "yard/child-1" ? error : undefined)
    })
    const root = yard.make("root")
    for (const name of ["child-1", "child-2"]) yard.make(name, [root])
    yard.pass(5_000)
    yard.remove("root", { propagationPolicy: "Orphan" })
    yard.pass(60_000)
    expect(yard.left().includes("root")).toBe(waits)
    isRefusing = false
    yard.pass(600_000)
    // Who still refers to an owner that is gone goes after it.
    expect(yard.left()).toEqual(waits ? ["child-1", "child-2"] : ["child-2"])
  })
})
