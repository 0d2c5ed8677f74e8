import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { decodeFieldSet, encodeFieldSet } from "../../../src/kubernetes/apply/managedFields/fieldsV1.ts"
import {
  fieldSetDifference,
  emptyFieldSet,
  hasPath,
  fieldSetIntersection,
  isEmptyFieldSet,
  isSameFieldSet,
  fieldSetOf,
  fieldSetUnion,
  withoutSubtrees,
  type FieldPath,
  type FieldSet
} from "../../../src/kubernetes/apply/managedFields/fieldSet.ts"
import { pathElementsText, fieldPathsOf } from "../../../src/kubernetes/apply/managedFields/pathElements.ts"

type Texts = ReadonlyArray<string>

const textsOf = (set: FieldSet): Texts => fieldPathsOf(set).map(pathElementsText).toSorted()

const sorted = (texts: Texts): Texts => [...new Set(texts)].toSorted()

const decoded = (fields: unknown): FieldSet => {
  const set = decodeFieldSet(fields)
  if (set === undefined) throw new Error("unreadable")
  return set
}

describe("sets of a few paths", () => {
  const path: fc.Arbitrary<FieldPath> = fc.array(fc.constantFrom("f:a", "f:b", 'k:{"n":1}'), {
    minLength: 1,
    maxLength: 3
  })
  const paths = fc.array(path, { maxLength: 6 })
  const law = (seed: number, holds: (a: FieldSet, b: FieldSet) => void): void => {
    fc.assert(
      fc.property(paths, paths, (a, b) => {
        holds(fieldSetOf(...a), fieldSetOf(...b))
      }),
      { seed, numRuns: 150 }
    )
  }
  /** What is in a set is what is said, no more is left of it, and what has not changed is the very same. */
  const expectPaths = (set: FieldSet, expected: Texts, from?: FieldSet): void => {
    expect(textsOf(set)).toEqual(expected)
    expect(isEmptyFieldSet(set)).toBe(expected.length === 0)
    if (from !== undefined && textsOf(from).join() === expected.join()) expect(set).toBe(from)
  }

  it("hold what was put into them", () => {
    fc.assert(
      fc.property(paths, path, (list, other) => {
        const set = fieldSetOf(...list)
        expectPaths(set, sorted(list.map(pathElementsText)))
        expect(hasPath(set, other)).toBe(textsOf(set).includes(pathElementsText(other)))
      }),
      { seed: 103, numRuns: 200 }
    )
  })

  it("never hold the whole object", () => {
    expect(isEmptyFieldSet(fieldSetOf([]))).toBe(true)
    expect(isEmptyFieldSet(decoded({ ".": {} }))).toBe(true)
    expect(isEmptyFieldSet(decoded({}))).toBe(true)
  })

  it("come together", () => {
    law(107, (a, b) => {
      expectPaths(fieldSetUnion(a, b), sorted([...textsOf(a), ...textsOf(b)]), a)
      expect(fieldSetUnion(a, emptyFieldSet)).toBe(a)
    })
  })

  it("are taken from each other, place by place or with all that is below", () => {
    law(109, (a, b) => {
      const [mine, roots] = [textsOf(a), textsOf(b)]
      expectPaths(
        fieldSetDifference(a, b),
        mine.filter((text) => !roots.includes(text)),
        a
      )
      const isBelow = (text: string): boolean => roots.some((root) => text.startsWith(root))
      expectPaths(
        withoutSubtrees(a, b),
        mine.filter((text) => !isBelow(text)),
        a
      )
    })
  })

  it("share what both hold, and are the same when they hold the same", () => {
    law(113, (a, b) => {
      const [mine, theirs] = [textsOf(a), textsOf(b)]
      expectPaths(
        fieldSetIntersection(a, b),
        mine.filter((text) => theirs.includes(text))
      )
      expect(isSameFieldSet(a, b)).toBe(mine.join() === theirs.join())
      expect(isSameFieldSet(decoded(encodeFieldSet(a)), a)).toBe(true)
    })
    const [below, both] = [fieldSetOf(["f:a", "f:b"]), fieldSetOf(["f:a"], ["f:a", "f:b"])]
    expect([isSameFieldSet(below, both), isSameFieldSet(both, below)]).toEqual([false, false])
  })
})

describe("fieldsV1", () => {
  const inOrder = [
    "f:B",
    "f:a",
    "f:b",
    'k:{"a":1}',
    'k:{"a":1,"b":2}',
    'k:{"a":2}',
    'k:{"a":"x"}',
    'k:{"a":"x y"}',
    'k:{"b":1}',
    "v:2",
    "v:10",
    'v:"/a"',
    'v:"/a b"',
    "v:false",
    "v:true",
    "v:null",
    "i:2",
    "i:10"
  ]

  it("is written in one order, however it was read", () => {
    const shuffled = fc.shuffledSubarray(inOrder, { minLength: inOrder.length })
    fc.assert(
      fc.property(shuffled, (list) => {
        const fields = Object.fromEntries(list.map((element) => [element, {}]))
        expect(Object.keys(encodeFieldSet(decoded(fields)))).toEqual(inOrder)
      }),
      { seed: 127, numRuns: 150 }
    )
  })

  it.each([
    { fields: null, why: "nothing" },
    { fields: "f:spec", why: "a text" },
    { fields: { "v:nothing": {} }, why: "a value that is no JSON" },
    { fields: { 'i:"a"': {} }, why: "a place that is no number" },
    { fields: { "i:": {} }, why: "no place" },
    { fields: { "1i:": {} }, why: "a step that only ends like one" },
    { fields: { "k:null": {} }, why: "a key that is null" },
    { fields: { "k:3": {} }, why: "a key that is a number" },
    { fields: { "k:[1]": {} }, why: "a key that is a list" }
  ])("is refused: $why", ({ fields }) => {
    expect(decodeFieldSet(fields)).toBe(undefined)
  })

  it("may have five hundred steps one below another, and no more", () => {
    const nested = (steps: number): unknown => JSON.parse(`${'{"f:a":'.repeat(steps)}{}${"}".repeat(steps)}`)
    expect(fieldPathsOf(decoded(nested(500))).map(({ length }) => length)).toEqual([500])
    expect(decodeFieldSet(nested(501))).toBe(undefined)
  })

  it("shows a place in a list as a number", () => {
    expect([...textsOf(decoded({ "f:args": { "i:3": {} } }))]).toEqual([".args[3]"])
  })
})
