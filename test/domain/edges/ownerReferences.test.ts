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

describe("objects in an order that is always the same", () => {
  const [old, b, a, young] = [
    aPod({ name: "z", created: 1 }),
    aPod({ name: "b", created: 2 }),
    aPod({ name: "a", created: 2 }),
    aPod({ name: "c", created: 3 })
  ]
  const ways = [
    [old, b, a, young],
    [young, a, b, old],
    [a, young, old, b],
    [b, old, young, a]
  ]

  it.each(ways)("the oldest first, and of the same second by name, however they came", (...objects) => {
    expect(sorted(objects, compareByCreation)).toBe("z a b c")
    expect(sorted(objects, compareByName)).toBe("a b c z")
  })

  it("in which nothing comes before itself", () => {
    expect([compareByName(a, a), compareByName(a, b), compareByName(b, a)]).toEqual([0, -1, 1])
  })
})

describe("an owner that is being deleted", () => {
  it.each([
    { terminating: true, finalizers: ["foregroundDeletion"], waits: true, leaves: false },
    { terminating: true, finalizers: ["orphan"], waits: false, leaves: true },
    { terminating: true, finalizers: ["x/y"], waits: false, leaves: false },
    { terminating: true, finalizers: undefined, waits: false, leaves: false },
    { terminating: false, finalizers: ["foregroundDeletion", "orphan"], waits: false, leaves: false }
  ])(
    "$terminating, with $finalizers, waits for its dependents: $waits, or leaves them: $leaves",
    ({ terminating, finalizers, waits, leaves }) => {
      const owner = aPod({ terminating, ...(finalizers === undefined ? {} : { finalizers }) })
      expect([waitsForDependents(owner), orphansDependents(owner)]).toEqual([waits, leaves])
    }
  )
})

describe("an object that loses a finalizer", () => {
  it.each<{ why: string; has: ReadonlyArray<string>; keeps: ReadonlyArray<string> | undefined }>([
    { why: "keeps the others in their order", has: ["a/b", "orphan", "c/d"], keeps: ["a/b", "c/d"] },
    { why: "has no list any more when it was the last", has: ["orphan"], keeps: undefined },
    { why: "stays as it is where it never had it", has: ["a/b"], keeps: ["a/b"] }
  ])("$why", ({ has, keeps }) => {
    const { finalizers: _none, ...metadata } = aPod({ finalizers: has }).metadata
    expect(withoutFinalizer(aPod({ finalizers: has }), "orphan").metadata).toEqual(
      keeps === undefined ? metadata : { ...metadata, finalizers: keeps }
    )
  })
})
