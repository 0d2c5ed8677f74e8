import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeChangeHistory } from "../../../src/store/watch/changeHistory.ts"
import { aPod } from "../../builders.ts"
import type { Change } from "../../../src/store/objectStore.ts"

const change = (resourceVersion: number): Change => ({
  type: "MODIFIED",
  resource: "pods",
  object: aPod(),
  old: undefined,
  resourceVersion
})

const seed = 20_260_512

describe(`the change history (seed ${seed})`, () => {
  const inputs = fc.record({
    length: fc.integer({ min: 1, max: 9 }),
    gaps: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 40 }),
    requested: fc.array(fc.nat(130), { minLength: 1, maxLength: 10 })
  })

  it("has all changes since a version, or has expired for it", () => {
    fc.assert(
      fc.property(inputs, ({ length, gaps, requested }) => {
        const history = makeChangeHistory(length)
        const versions: Array<number> = []
        for (const gap of gaps) {
          versions.push((versions.at(-1) ?? 0) + gap)
          history.add(change(versions.at(-1) ?? 0))
        }
        const dropped = versions.slice(0, Math.max(0, versions.length - length))
        const oldest = dropped.at(-1) ?? 0
        expect(history.oldestVersion()).toBe(oldest)
        for (const version of [...requested, oldest, oldest - 1, versions.at(-1) ?? 0]) {
          const since = history.since(version)?.map(({ resourceVersion }) => resourceVersion)
          expect(since).toEqual(version < oldest ? undefined : versions.filter((it) => it > version))
        }
      }),
      { seed, numRuns: 1_000 }
    )
  })

  it("gives lists that do not change later", () => {
    const history = makeChangeHistory(2)
    history.add(change(1))
    const since = history.since(0)
    for (const version of [2, 3, 4, 5, 6, 7]) history.add(change(version))
    expect(since?.map(({ resourceVersion }) => resourceVersion)).toEqual([1])
  })
})
