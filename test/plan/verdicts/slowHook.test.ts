import { expect, it } from "vitest"
import { planMistake } from "./planMistake.ts"
import { hookJob, webDeployment } from "../../steering/steeredShop.ts"

const strategy =
  "canary: { steps: [{ approve: 1 }, { run: smoke }], hooks: { smoke: { job: smoke, timeout: 3m } } }"

/** A gated Deployment whose hook is given 3 minutes, beside the Job that it copies. */
const files = (image: string): ReadonlyArray<string> => [
  JSON.stringify(
    webDeployment(strategy, {
      image,
      isGated: true,
      spec: { progressDeadlineSeconds: 60, strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }
    })
  ),
  JSON.stringify(hookJob("smoke:1"))
]

const endsAfter = (after: string) => ({
  behaviours: [{ name: "smoke", match: { image: "smoke:1" }, exit: { after, code: 0 } }]
})

it.each([
  { why: "the Job of its hook is quick", options: endsAfter("20s"), verdict: "ships", reasons: [] },
  {
    why: "the Job of its hook runs past the deadline, though not past the timeout",
    options: endsAfter("100s"),
    verdict: "stuck",
    reasons: [
      expect.stringMatching(/^misses its deadline: revision 2 .* is at step 2 of 2: runs hook "smoke"; Job/u)
    ]
  }
])("a rollout is $verdict where $why", async (row) => {
  const mistake = { ...row, from: files("web:1"), next: files("web:2") }
  expect(await planMistake(mistake)).toEqual(mistake)
})
