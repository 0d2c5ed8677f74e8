import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { decodeFieldSet, encodeFieldSet } from "../../../../src/kubernetes/apply/managedFields/fieldsV1.ts"
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
} from "../../../../src/kubernetes/apply/managedFields/fieldSet.ts"
import {
  pathElementsText,
  fieldPathsOf
} from "../../../../src/kubernetes/apply/managedFields/pathElements.ts"

type Texts = ReadonlyArray<string>

const textsOf = (set: FieldSet): Texts => fieldPathsOf(set).map(pathElementsText).toSorted()

const sorted = (texts: Texts): Texts => [...new Set(texts)].toSorted()

const decoded = (fields: unknown): FieldSet => {
  const set = decodeFieldSet(fields)
  if (set === undefined) throw new Error("unreadable")
  return set
}

describe("sets of paths", () => {
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
  /**
   * The set has the expected paths, is empty without any, and is the same object as `from` when it has the same
   * paths.
   */
  const expectPaths = (set: FieldSet, expected: Texts, unchangedFrom?: FieldSet): void => {
    expect(textsOf(set)).toEqual(expected)
    expect(isEmptyFieldSet(set)).toBe(expected.length === 0)
    if (unchangedFrom !== undefined && textsOf(unchangedFrom).join() === expected.join())
      expect(set).toBe(unchangedFrom)
  }

  it("hold the paths of which they were made", () => {
    fc.assert(
      fc.property(paths, path, (list, other) => {
        const set = fieldSetOf(...list)
        expectPaths(set, sorted(list.map(pathElementsText)))
        expect(hasPath(set, other)).toBe(textsOf(set).includes(pathElementsText(other)))
      }),
      { seed: 103, numRuns: 200 }
    )
  })

  it("never hold the root", () => {
    expect(isEmptyFieldSet(fieldSetOf([]))).toBe(true)
    expect(isEmptyFieldSet(decoded({ ".": {} }))).toBe(true)
    expect(isEmptyFieldSet(decoded({}))).toBe(true)
  })

  it("unite", () => {
    law(107, (a, b) => {
      expectPaths(fieldSetUnion(a, b), sorted([...textsOf(a), ...textsOf(b)]), a)
      expect(fieldSetUnion(a, emptyFieldSet)).toBe(a)
    })
  })

  it("subtract path by path, or with all paths below", () => {
    law(109, (a, b) => {
      const [pathsOfA, roots] = [textsOf(a), textsOf(b)]
      expectPaths(
        fieldSetDifference(a, b),
        pathsOfA.filter((text) => !roots.includes(text)),
        a
      )
      const isBelow = (text: string): boolean => roots.some((root) => text.startsWith(root))
      expectPaths(
        withoutSubtrees(a, b),
        pathsOfA.filter((text) => !isBelow(text)),
        a
      )
    })
  })

  it("intersect, and are equal when they have the same paths", () => {
    law(113, (a, b) => {
      const [pathsOfA, pathsOfB] = [textsOf(a), textsOf(b)]
      expectPaths(
        fieldSetIntersection(a, b),
        pathsOfA.filter((text) => pathsOfB.includes(text))
      )
      expect(isSameFieldSet(a, b)).toBe(pathsOfA.join() === pathsOfB.join())
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

  it("is encoded in one order, however it was decoded", () => {
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
    { fields: null, why: "null" },
    { fields: "f:spec", why: "a string" },
    { fields: { "v:nothing": {} }, why: "a value that is not JSON" },
    { fields: { 'i:"a"': {} }, why: "an index that is no number" },
    { fields: { "i:": {} }, why: "an empty index" },
    { fields: { "1i:": {} }, why: "a prefix that only ends like an index" },
    { fields: { "k:null": {} }, why: "a key of null" },
    { fields: { "k:3": {} }, why: "a key of a number" },
    { fields: { "k:[1]": {} }, why: "a key of a list" }
  ])("rejects $why", ({ fields }) => {
    expect(decodeFieldSet(fields)).toBe(undefined)
  })

  it("may be five hundred levels deep, and no more", () => {
    const nested = (steps: number): unknown => JSON.parse(`${'{"f:a":'.repeat(steps)}{}${"}".repeat(steps)}`)
    expect(fieldPathsOf(decoded(nested(500))).map(({ length }) => length)).toEqual([500])
    expect(decodeFieldSet(nested(501))).toBe(undefined)
  })

  it("has numbers for list indexes", () => {
    expect([...textsOf(decoded({ "f:args": { "i:3": {} } }))]).toEqual([".args[3]"])
  })
})
