import { describe, expect, it } from "vitest"
import {
  changeField,
  fillDefaults,
  isSemanticallyEqual,
  memoizeChange
} from "../../../../src/kubernetes/validation/structuralSharing.ts"

describe("two values are the same to Kubernetes", () => {
  it.each([
    { a: undefined, b: [], same: true, why: "no list and an empty one" },
    { a: {}, b: null, same: true, why: "an empty object and nothing" },
    { a: { x: 1, y: [] }, b: { x: 1 }, same: true, why: "one has an empty list more" },
    { a: { x: 1 }, b: { x: 1, y: undefined }, same: true, why: "one has nothing more" },
    { a: { x: [1, { y: 2 }] }, b: { x: [1, { y: 2 }] }, same: true, why: "all the way down" },
    { a: { x: 1 }, b: undefined, same: false, why: "something and nothing" },
    { a: { x: 1 }, b: null, same: false, why: "something and null" },
    { a: null, b: { x: 1 }, same: false, why: "null and something" },
    { a: undefined, b: 0, same: false, why: "nothing and a number that is little" },
    { a: [], b: false, same: false, why: "an empty list and no" },
    { a: { x: 1 }, b: { x: 1, y: 0 }, same: false, why: "one has a number more" },
    { a: { x: 1, y: 0 }, b: { x: 1 }, same: false, why: "one has a number less" },
    { a: [1, 2], b: [1], same: false, why: "one is longer" },
    { a: ["a"], b: { 0: "a" }, same: false, why: "a list and an object" },
    { a: "ab", b: { 0: "a", 1: "b" }, same: false, why: "a text and its letters" },
    { a: { 0: "a", 1: "b" }, b: "ab", same: false, why: "letters and their text" },
    { a: 7, b: { x: null }, same: false, why: "a number and an object of nothing" },
    { a: { x: null }, b: 7, same: false, why: "an object of nothing and a number" },
    { a: "7", b: 7, same: false, why: "a text and its number" }
  ])("$why: $same", ({ a, b, same }) => {
    expect(isSemanticallyEqual(a, b)).toBe(same)
  })
})

describe("what an object lacks", () => {
  it.each([
    { why: "is filled in", object: { a: "" }, defaults: { a: "x" }, filled: { a: "x" } },
    { why: "is what is null", object: { a: null }, defaults: { a: 3 }, filled: { a: 3 } },
    { why: "is not 0", object: { a: 0 }, defaults: { a: 3 }, filled: undefined },
    { why: "is not what has no default", object: { a: "" }, defaults: { a: undefined }, filled: undefined },
    { why: "is not what would be the same", object: { a: "" }, defaults: { a: "" }, filled: undefined }
  ])("$why", ({ object, defaults, filled }) => {
    const result = fillDefaults<{ a: unknown }>(object, defaults)
    if (filled === undefined) expect(result).toBe(object)
    else expect(result).toEqual(filled)
  })

  it.each([{ object: {} }, { object: { a: undefined } }, { object: { a: null } }])(
    "is not changed: $object",
    ({ object }: { readonly object: { a?: unknown } }) => {
      expect(changeField(object, "a", () => 7)).toBe(object)
    }
  )
})

describe("a change that is remembered", () => {
  interface Counted {
    readonly count: number
    readonly parts: ReadonlyArray<object | null>
  }
  const frozenOne = (): Counted => Object.freeze({ count: 3, parts: Object.freeze([]) })
  const oneMore = () =>
    memoizeChange(({ count }: Counted): Counted => ({ count: count + 1, parts: [{ count }, null] }))

  it("is made once of what is frozen, and not of what it made", () => {
    const change = oneMore()
    const start = frozenOne()
    const once = change(start)
    expect(once.count).toBe(4)
    expect(change(start)).toBe(once)
    expect(change(once)).toBe(once)
  })

  it("freezes what it makes of it, to its leaves", () => {
    const { parts } = oneMore()(frozenOne())
    expect(parts).toHaveLength(2)
    expect([parts, ...parts].every((part) => Object.isFrozen(part))).toBe(true)
  })

  it("is made anew of what may have changed, which stays as free", () => {
    const change = oneMore()
    const start: Counted = { count: 3, parts: [] }
    expect(change(start)).not.toBe(change(start))
    expect(Object.isFrozen(change(start))).toBe(false)
  })
})
