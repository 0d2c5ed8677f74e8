import { describe, expect, it } from "vitest"
import { makeBoundedWindow } from "../../../src/store/watch/boundedWindow.ts"

describe("a bounded window", () => {
  it("keeps the latest items and returns the one that each new item displaces", () => {
    for (const lengthMax of [1, 2, 15, 16, 17, 100]) {
      const window = makeBoundedWindow<number>({ lengthMax, numberOf: (item) => item })
      for (let item = 1; item <= 5 * lengthMax; item += 1) {
        expect(window.add(item)).toBe(item <= lengthMax ? undefined : item - lengthMax)
        const first = Math.max(1, item - lengthMax + 1)
        const latest = Array.from({ length: item - first + 1 }, (_, index) => first + index)
        expect(window.all()).toEqual(latest)
        expect(window.after(item - 2)).toEqual(latest.slice(-2))
      }
    }
  })

  it("removes no item that was displaced", () => {
    const window = makeBoundedWindow<number>({ lengthMax: 64, numberOf: (item) => item })
    for (let item = 1; item <= 66; item += 1) window.add(item)
    expect(window.remove(2)).toBe(false)
    expect(window.remove(3)).toBe(true)
    expect(window.all()[0]).toBe(4)
  })
})
