import { describe, expect, it } from "vitest"
import { deepFreeze } from "../../../../src/kubernetes/meta/deepFreeze.ts"
import { templateHash } from "../../../../src/kubernetes/apps/revisions/podTemplates.ts"
import { aTemplate } from "../../../builders.ts"

describe("the hash of a template", () => {
  it.each([
    { count: undefined, hash: "6d6966c8b4" },
    { count: 0, hash: "8446f75456" },
    { count: 1, hash: "56c8b6b58f" },
    { count: 0x1f2, hash: "589d64c65c" },
    { count: 0x1f2f3, hash: "8c89ff5c6" },
    { count: 0x1f2f3f4, hash: "8574c5984d" }
  ])("is the same in every release: $hash for collision count $count", ({ count, hash }) => {
    expect(templateHash(aTemplate("v3"), count)).toBe(hash)
  })
})

describe("the cached hash of a template", () => {
  it("depends on the collision count", () => {
    const template = deepFreeze(aTemplate("v3"))
    const counts = [undefined, 0, 1, undefined, 1]
    const [none, zero, one, ...again] = counts.map((count) => templateHash(template, count))
    expect(new Set([none, zero, one]).size).toBe(3)
    expect(again).toEqual([none, one])
  })

  it("exists for frozen templates only", () => {
    const template = { ...aTemplate("v3") }
    const before = templateHash(template, 0)
    Object.assign(template, aTemplate("v4"))
    expect(templateHash(template, 0)).not.toBe(before)
    expect(templateHash(template, 0)).toBe(templateHash(aTemplate("v4"), 0))
  })
})
