import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeReadyTimes } from "../../../src/store/indexes/readyTimes.ts"

const seed = 20_260_511

describe(`the number of Pods that became ready after an instant (seed ${seed})`, () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({ add: fc.oneof(fc.nat(9), fc.nat(1_000), fc.constant(Infinity)) }),
      fc.record({ remove: fc.nat(99) }),
      fc.record({ later: fc.oneof(fc.nat(12), fc.nat(1_100), fc.constant(-1)) })
    ),
    { maxLength: 80 }
  )

  it("is the same as by counting, and so is the earliest", () => {
    fc.assert(
      fc.property(steps, (drawn) => {
        const times = makeReadyTimes()
        let all: ReadonlyArray<number> = []
        for (const step of drawn) {
          if ("add" in step) {
            times.add(step.add)
            all = [...all, step.add]
          } else if ("remove" in step) {
            const place = step.remove % Math.max(1, all.length)
            const gone = all[place]
            if (gone === undefined) continue
            times.remove(gone)
            all = all.filter((_, index) => index !== place)
          } else {
            const later = all.filter((it) => it > step.later)
            expect(times.readyAfter(step.later)).toEqual({
              count: later.length,
              earliestMillis: later.length === 0 ? undefined : Math.min(...later)
            })
          }
        }
      }),
      { seed, numRuns: 1_000 }
    )
  })
})
