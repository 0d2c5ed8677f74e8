import { expect, it } from "vitest"
import { hasSchedulingGates } from "../../../src/kubernetes/pods/schedulingGates.ts"
import { aPod } from "../../builders.ts"

it.each([
  { why: "a Pod without gates may be scheduled", spec: {}, isGated: false },
  { why: "a Pod whose gates are removed may be scheduled", spec: { schedulingGates: [] }, isGated: false },
  {
    why: "a single gate keeps a Pod from the scheduler",
    spec: { schedulingGates: [{ name: "a" }] },
    isGated: true
  }
])("$why", ({ spec, isGated }) => {
  expect(hasSchedulingGates(aPod({ spec }))).toBe(isGated)
})
