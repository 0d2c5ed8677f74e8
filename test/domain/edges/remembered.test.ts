import { describe, expect, it } from "vitest"
import { invalidField, concatLists, noErrors } from "../../../src/kubernetes/validation/fieldErrors.ts"
import { memoizeCheck } from "../../../src/kubernetes/validation/memoizeCheck.ts"
import { deepFreeze, deepFreezeUntrusted } from "../../../src/kubernetes/meta/deepFreeze.ts"
import { memoizePerObservation } from "../../../src/kubernetes/apps/memoizePerObservation.ts"
import {
  timestampMillis,
  floorToSecond,
  timestampOf
} from "../../../src/kubernetes/meta/amounts/timestamps.ts"

describe("an answer is worked out once", () => {
  it("for an observation, however often it is asked before the next is looked at", () => {
    let asked = 0
    const answerOf = memoizePerObservation(({ size }: { readonly size: number }) => {
      asked += 1
      return size * 10 + asked
    })
    const [one, other] = [{ size: 7 }, { size: 7 }]
    expect([one, one, other, other, one].map(answerOf)).toEqual([71, 71, 72, 72, 73])
  })

  it("even where the answer is that there is none", () => {
    let asked = 0
    const answerOf = memoizePerObservation((_seen: object): undefined => {
      asked += 1
    })
    const one = {}
    expect([one, one].map(answerOf)).toEqual([undefined, undefined])
    expect(asked).toBe(1)
  })

  it("for a frozen object that is fine, and each time for one that may still change", () => {
    let looked = 0
    const check = memoizeCheck((_object: object) => {
      looked += 1
      return noErrors
    })
    const [fixed, loose] = [Object.freeze({}), {}]
    for (const object of [fixed, fixed, loose, loose, fixed]) expect(check(object, "spec")).toEqual([])
    expect(looked).toBe(3)
  })

  it("each time for one that is wrong, at the place where it is now", () => {
    const check = memoizeCheck((_object: object, path) => [invalidField(path, 7, "odd")])
    const fixed = Object.freeze({})
    expect(["a", "b"].flatMap((path) => check(fixed, path).map(({ field }) => field))).toEqual(["a", "b"])
  })
})

describe("a list joined with nothing", () => {
  it("is the list itself, so that what is fine costs nothing", () => {
    const [none, some, more] = [[], ["a"], ["b", "c"]]
    expect(concatLists(none, some)).toBe(some)
    expect(concatLists(some, none)).toBe(some)
    expect(concatLists(some, more)).toEqual(["a", "b", "c"])
  })
})

describe("a time that is read", () => {
  const since = Date.parse("2031-05-06T07:08:09Z")

  it("is the one that was written, also of more than are remembered", () => {
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
  ])("of $millis is one of $floor in whole seconds", ({ millis, floor }) => {
    expect(floorToSecond(millis)).toBe(floor)
    expect(timestampOf(millis)).toBe(timestampOf(floor))
  })
})

describe("what is frozen", () => {
  const state = { phase: "Pending", list: [{ a: 1 }], none: null }

  it.each([null, undefined, 7, "text", true])("is %s as it is", (value) => {
    expect(deepFreeze(value)).toBe(value)
    expect(deepFreezeUntrusted(value)).toBe(value)
  })

  it.each([
    { name: "from within", freeze: deepFreeze },
    { name: "from outside", freeze: deepFreezeUntrusted }
  ])("$name is frozen to its leaves, and the same object", ({ freeze }) => {
    const value = structuredClone(state)
    expect(freeze(value)).toBe(value)
    expect([value, value.list, value.list[0]].map(Object.isFrozen)).toEqual([true, true, true])
    expect(value).toEqual(state)
  })

  it("from within is taken to be frozen below what is frozen; from outside it is looked for", () => {
    const half = () => ({ spec: Object.freeze({ list: [1] }) })
    expect(Object.isFrozen(deepFreeze(half()).spec.list)).toBe(false)
    expect(Object.isFrozen(deepFreezeUntrusted(half()).spec.list)).toBe(true)
  })
})
