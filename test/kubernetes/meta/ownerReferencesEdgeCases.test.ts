import { describe, expect, it } from "vitest"
import {
  compareByCreation,
  compareByName,
  orphansDependents,
  waitsForDependents,
  withoutFinalizer
} from "../../../src/kubernetes/meta/ownerReferences.ts"
import { aPod } from "../../builders.ts"
import type { KubeObject } from "../../../src/kubernetes/meta/objects.ts"

const sorted = (
  objects: ReadonlyArray<KubeObject>,
  order: (a: KubeObject, b: KubeObject) => number
): string =>
  objects
    .toSorted(order)
    .map(({ metadata }) => metadata.name)
    .join(" ")

describe("the order of objects", () => {
  const [old, b, a, young] = [
    aPod({ name: "z", created: 1 }),
    aPod({ name: "b", created: 2 }),
    aPod({ name: "a", created: 2 }),
    aPod({ name: "c", created: 3 })
  ]
  const orders = [
    [old, b, a, young],
    [young, a, b, old],
    [a, young, old, b],
    [b, old, young, a]
  ]

  it.each(orders)("is by creation in seconds, then by name, from any order", (...objects) => {
    expect(sorted(objects, compareByCreation)).toBe("z a b c")
    expect(sorted(objects, compareByName)).toBe("a b c z")
  })

  it("puts no object before itself", () => {
    expect([compareByName(a, a), compareByName(a, b), compareByName(b, a)]).toEqual([0, -1, 1])
  })
})

describe("a deleted owner", () => {
  it.each([
    { terminating: true, finalizers: ["foregroundDeletion"], waits: true, orphans: false },
    { terminating: true, finalizers: ["orphan"], waits: false, orphans: true },
    { terminating: true, finalizers: ["x/y"], waits: false, orphans: false },
    { terminating: true, finalizers: undefined, waits: false, orphans: false },
    { terminating: false, finalizers: ["foregroundDeletion", "orphan"], waits: false, orphans: false }
  ])(
    "that terminates ($terminating) with $finalizers waits for its dependents: $waits, orphans them: $orphans",
    ({ terminating, finalizers, waits, orphans }) => {
      const owner = aPod({ terminating, ...(finalizers === undefined ? {} : { finalizers }) })
      expect([waitsForDependents(owner), orphansDependents(owner)]).toEqual([waits, orphans])
    }
  )
})

describe("an object without its finalizer", () => {
  it.each<{ why: string; has: ReadonlyArray<string>; keeps: ReadonlyArray<string> | undefined }>([
    { why: "keeps the other finalizers in order", has: ["a/b", "orphan", "c/d"], keeps: ["a/b", "c/d"] },
    { why: "has no list of finalizers when it was the last", has: ["orphan"], keeps: undefined },
    { why: "is unchanged when it never had it", has: ["a/b"], keeps: ["a/b"] }
  ])("$why", ({ has, keeps }) => {
    const { finalizers: _none, ...metadata } = aPod({ finalizers: has }).metadata
    expect(withoutFinalizer(aPod({ finalizers: has }), "orphan").metadata).toEqual(
      keeps === undefined ? metadata : { ...metadata, finalizers: keeps }
    )
  })
})
