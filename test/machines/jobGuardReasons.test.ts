import { describe, expect, it } from "vitest"
import { jobGuards } from "../../machines/guards/jobGuards.ts"

describe("the reason of a Job's guard", () => {
  it("isResumed says whether the condition Suspended is still True", () => {
    const reasonFor = (conditions: ReadonlyArray<object>) =>
      jobGuards.isResumed.reason({ context: { seen: { job: { status: { conditions } } } } } as never)
    expect(reasonFor([{ type: "Suspended", status: "True" }])).toBe("its condition Suspended is still True")
    expect(reasonFor([{ type: "Suspended", status: "False" }])).toBe("its condition Suspended is not True")
    expect(reasonFor([])).toBe("its condition Suspended is not True")
  })
})
