import { describe, expect, it } from "vitest"
import { compareByCreation, compareByName } from "../../../src/kubernetes/meta/objectOrder.ts"
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
