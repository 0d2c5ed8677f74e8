import { describe, expect, it } from "vitest"
import {
  orphansDependents,
  waitsForDependents,
  withoutFinalizer
} from "../../../src/kubernetes/meta/deletion.ts"
import { aPod } from "../../builders.ts"

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
