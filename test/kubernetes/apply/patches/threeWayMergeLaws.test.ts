import type { Fields } from "../../../../src/kubernetes/meta/fields.ts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { threeWayMerge } from "../../../../src/kubernetes/apply/patches/threeWayMerge.ts"
import { valueAt, deployments, deepFrozen } from "../../admission/drafts.ts"

describe("laws of the three-way merge", () => {
  const settings = { seed: 23, numRuns: 400 }
  const names = fc.constantFrom("a", "b", "c", "proxy")
  const container = fc.record(
    {
      name: names,
      image: fc.constantFrom("v1", "v2"),
      args: fc.array(fc.constantFrom("x", "y"), { maxLength: 2 }),
      env: fc.uniqueArray(fc.record({ name: names, value: fc.constantFrom("1", "2") }), {
        maxLength: 3,
        selector: ({ name }) => name
      })
    },
    { requiredKeys: ["name"] }
  )
  const object = fc.record(
    {
      metadata: fc.record(
        { labels: fc.dictionary(names, names), finalizers: fc.uniqueArray(names) },
        { requiredKeys: [] }
      ),
      spec: fc.record(
        {
          replicas: fc.integer({ min: 0, max: 9 }),
          template: fc.record({
            spec: fc.record({
              containers: fc.uniqueArray(container, { maxLength: 4, selector: ({ name }) => name })
            })
          })
        },
        { requiredKeys: [] }
      )
    },
    { requiredKeys: [] }
  )
  const merge = (original: Fields, modified: Fields, current: Fields): Fields =>
    threeWayMerge({ kind: deployments, original, modified, current })

  it("is idempotent and returns the same object", () => {
    fc.assert(
      fc.property(object, object, object, (original, modified, current) => {
        const once = merge(original, modified, deepFrozen(current))
        expect(merge(modified, modified, once)).toBe(once)
      }),
      settings
    )
  })

  it("sets what the manifest has: merged again without the last manifest it changes nothing", () => {
    fc.assert(
      fc.property(object, object, object, (original, modified, current) => {
        const once = merge(original, modified, current)
        expect(merge({}, modified, once)).toBe(once)
        for (const [label, value] of Object.entries(modified.metadata?.labels ?? {})) {
          expect(valueAt(once, `metadata.labels.${label}`)).toBe(value)
        }
      }),
      settings
    )
  })

  it("keeps what no manifest ever had", () => {
    fc.assert(
      fc.property(object, object, object, (original, modified, current) => {
        const live = { ...current, status: { replicas: 5 } }
        const once = merge(original, modified, live)
        expect(valueAt(once, "status")).toBe(live.status)
        // A branch that the manifest drops goes as a whole.
        if (modified.metadata?.labels === undefined) return
        for (const [label, value] of Object.entries(current.metadata?.labels ?? {})) {
          if (label in modified.metadata.labels || label in (original.metadata?.labels ?? {})) continue
          expect(valueAt(once, `metadata.labels.${label}`)).toBe(value)
        }
      }),
      settings
    )
  })

  it("removes what the manifest dropped", () => {
    fc.assert(
      fc.property(object, object, (original, current) => {
        const once = merge(original, {}, current)
        for (const field of Object.keys(original)) expect(field in once).toBe(false)
      }),
      settings
    )
  })
})
