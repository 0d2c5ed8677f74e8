import { describe, expect, it } from "vitest"
import { invalidField, concatLists, noErrors } from "../../../src/kubernetes/validation/fieldErrors.ts"
import { memoizeCheck } from "../../../src/kubernetes/validation/memoizeCheck.ts"
import { deepFreeze, deepFreezeEveryPart } from "../../../src/kubernetes/meta/deepFreeze.ts"
import { memoizePerObservation } from "../../../src/kubernetes/apps/memoizePerObservation.ts"
import {
  timestampMillis,
  floorToSecond,
  timestampOf
} from "../../../src/kubernetes/meta/amounts/timestamps.ts"

describe("a cached result", () => {
  it("is computed once for each observation", () => {
    let calls = 0
    const computeOnce = memoizePerObservation(({ size }: { readonly size: number }) => {
      calls += 1
      return size * 10 + calls
    })
    const [first, second] = [{ size: 7 }, { size: 7 }]
    expect([first, first, second, second, first].map(computeOnce)).toEqual([71, 71, 72, 72, 73])
  })

  it("is cached when it is undefined", () => {
    let calls = 0
    const computeOnce = memoizePerObservation((_observation: object): undefined => {
      calls += 1
    })
    const first = {}
    expect([first, first].map(computeOnce)).toEqual([undefined, undefined])
    expect(calls).toBe(1)
  })

  it("is cached for a valid frozen object, and computed again for others", () => {
    let checks = 0
    const check = memoizeCheck((_object: object) => {
      checks += 1
      return noErrors
    })
    const [fixed, loose] = [Object.freeze({}), {}]
    for (const object of [fixed, fixed, loose, loose, fixed]) expect(check(object, "spec")).toEqual([])
    expect(checks).toBe(3)
  })

  it("is computed again for an invalid object, with the current path", () => {
    const check = memoizeCheck((_object: object, path) => [invalidField(path, 7, "odd")])
    const fixed = Object.freeze({})
    expect(["a", "b"].flatMap((path) => check(fixed, path).map(({ field }) => field))).toEqual(["a", "b"])
  })
})

describe("joining two lists", () => {
  it("returns the other list itself when one is empty", () => {
    const [none, some, more] = [[], ["a"], ["b", "c"]]
    expect(concatLists(none, some)).toBe(some)
    expect(concatLists(some, none)).toBe(some)
    expect(concatLists(some, more)).toEqual(["a", "b", "c"])
  })
})

describe("reading a timestamp", () => {
  const since = Date.parse("2031-05-06T07:08:09Z")

  it("gives the written time, even beyond the size of the cache", () => {
    const moments = Array.from({ length: 5000 }, (_, index) => since + index * 1000)
    const texts = moments.map((millis) => `${new Date(millis).toISOString().slice(0, 19)}Z`)
    expect(texts.map(timestampMillis)).toEqual(moments)
    expect(texts.map(timestampMillis)).toEqual(moments)
    expect(moments.map(timestampOf)).toEqual(texts)
  })

  it.each([
    { millis: 7999, floor: 7000 },
    { millis: 7000, floor: 7000 },
    { millis: -1, floor: -1000 }
  ])("rounds $millis ms down to $floor", ({ millis, floor }) => {
    expect(floorToSecond(millis)).toBe(floor)
    expect(timestampOf(millis)).toBe(timestampOf(floor))
  })
})

describe("deep freezing", () => {
  const state = { phase: "Pending", list: [{ a: 1 }], none: null }

  it.each([null, undefined, 7, "text", true])("returns %s unchanged", (value) => {
    expect(deepFreeze(value)).toBe(value)
    expect(deepFreezeEveryPart(value)).toBe(value)
  })

  it.each([
    { name: "deepFreeze", freeze: deepFreeze },
    { name: "deepFreezeEveryPart", freeze: deepFreezeEveryPart }
  ])("freezes the same object at every level: $name", ({ freeze }) => {
    const value = structuredClone(state)
    expect(freeze(value)).toBe(value)
    expect([value, value.list, value.list[0]].map(Object.isFrozen)).toEqual([true, true, true])
    expect(value).toEqual(state)
  })

  it("skips frozen parts with deepFreeze, but not with deepFreezeEveryPart", () => {
    const half = () => ({ spec: Object.freeze({ list: [1] }) })
    expect(Object.isFrozen(deepFreeze(half()).spec.list)).toBe(false)
    expect(Object.isFrozen(deepFreezeEveryPart(half()).spec.list)).toBe(true)
  })
})
