import { describe, expect, it } from "vitest"
import { autoscaler, requests, web } from "./mistakenManifests.ts"
import { planMistake } from "./planMistake.ts"
import type { Mistake } from "./planMistake.ts"

const sized = web({ replicas: 5, container: requests })
const unsized = sized.replace("  replicas: 5\n", "")
const replicasGone = "spec.replicas: 5 is gone from the manifest: kubectl apply sets it to 1, the default"

const rows: ReadonlyArray<Mistake> = [
  {
    why: "the manifest leaves out the size that it had",
    from: [sized],
    next: [unsized],
    verdict: "risky",
    reasons: [replicasGone]
  },
  {
    why: "the manifest leaves the size to an autoscaler",
    from: [sized, autoscaler],
    next: [unsized, autoscaler],
    verdict: "risky",
    reasons: [replicasGone]
  },
  {
    why: "the manifest never had a size",
    from: [unsized, autoscaler],
    next: [unsized, autoscaler],
    verdict: "ships"
  }
]

describe("what a manifest makes of a verdict", () => {
  it.for(rows)("is $verdict where $why", async (row) => {
    expect(await planMistake(row)).toEqual(row)
  })
})
