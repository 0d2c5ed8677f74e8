import { describe, expect, it } from "vitest"
import {
  changeField,
  fillDefaults,
  isEqualIgnoringEmpty,
  memoizeChange
} from "../../../../src/kubernetes/validation/structuralSharing.ts"

describe("semantic equality of two values", () => {
  it.each([
    { a: undefined, b: [], same: true, why: "a missing and an empty list" },
    { a: {}, b: null, same: true, why: "an empty object and null" },
    { a: { x: 1, y: [] }, b: { x: 1 }, same: true, why: "one has an additional empty list" },
    { a: { x: 1 }, b: { x: 1, y: undefined }, same: true, why: "one has an additional undefined" },
    { a: { x: [1, { y: 2 }] }, b: { x: [1, { y: 2 }] }, same: true, why: "equal at every level" },
    { a: { x: 1 }, b: undefined, same: false, why: "an object and undefined" },
    { a: { x: 1 }, b: null, same: false, why: "an object and null" },
    { a: null, b: { x: 1 }, same: false, why: "null and an object" },
    { a: undefined, b: 0, same: false, why: "undefined and 0" },
    { a: [], b: false, same: false, why: "an empty list and false" },
    { a: { x: 1 }, b: { x: 1, y: 0 }, same: false, why: "one has an additional number" },
    { a: { x: 1, y: 0 }, b: { x: 1 }, same: false, why: "one lacks a number" },
    { a: [1, 2], b: [1], same: false, why: "one list is longer" },
    { a: ["a"], b: { 0: "a" }, same: false, why: "a list and an object" },
    { a: "ab", b: { 0: "a", 1: "b" }, same: false, why: "a string and its characters" },
    { a: { 0: "a", 1: "b" }, b: "ab", same: false, why: "characters and their string" },
    { a: 7, b: { x: null }, same: false, why: "a number and an object of null" },
    { a: { x: null }, b: 7, same: false, why: "an object of null and a number" },
    { a: "7", b: 7, same: false, why: "a string and a number" }
  ])("$why: $same", ({ a, b, same }) => {
    expect(isEqualIgnoringEmpty(a, b)).toBe(same)
  })
})

describe("a missing field", () => {
  it.each([
    { why: "is filled with its default", object: { a: "" }, defaults: { a: "x" }, filled: { a: "x" } },
    { why: "includes null", object: { a: null }, defaults: { a: 3 }, filled: { a: 3 } },
    { why: "does not include 0", object: { a: 0 }, defaults: { a: 3 }, filled: undefined },
    { why: "needs a default", object: { a: "" }, defaults: { a: undefined }, filled: undefined },
    {
      why: "is left alone when the default is equal",
      object: { a: "" },
      defaults: { a: "" },
      filled: undefined
    }
  ])("$why", ({ object, defaults, filled }) => {
    const result = fillDefaults<{ a: unknown }>(object, defaults)
    if (filled === undefined) expect(result).toBe(object)
    else expect(result).toEqual(filled)
  })

  it.each([{ object: {} }, { object: { a: undefined } }, { object: { a: null } }])(
    "is not created by a change: $object",
    ({ object }: { readonly object: { a?: unknown } }) => {
      expect(changeField(object, "a", () => 7)).toBe(object)
    }
  )
})

describe("a cached change", () => {
  interface Counted {
    readonly count: number
    readonly parts: ReadonlyArray<object | null>
  }
  const frozenInput = (): Counted => Object.freeze({ count: 3, parts: Object.freeze([]) })
  const incrementOnce = () =>
    memoizeChange(({ count }: Counted): Counted => ({ count: count + 1, parts: [{ count }, null] }))

  it("is computed once for a frozen object, and is idempotent", () => {
    const change = incrementOnce()
    const start = frozenInput()
    const once = change(start)
    expect(once.count).toBe(4)
    expect(change(start)).toBe(once)
    expect(change(once)).toBe(once)
  })

  it("freezes its result at every level", () => {
    const { parts } = incrementOnce()(frozenInput())
    expect(parts).toHaveLength(2)
    expect([parts, ...parts].every((part) => Object.isFrozen(part))).toBe(true)
  })

  it("is computed again for an object that is not frozen", () => {
    const change = incrementOnce()
    const start: Counted = { count: 3, parts: [] }
    expect(change(start)).not.toBe(change(start))
    expect(Object.isFrozen(change(start))).toBe(false)
  })
})
