import { describe, expect, it } from "vitest"
import { failureEndText } from "../../../src/reports/planFigures.ts"
import { plan } from "../../../src/plan/plan.ts"
import { webDeployment } from "../../steering/steeredShop.ts"
import type { RolloutPlan } from "../../../src/plan/plan.ts"

const canary = "canary: { steps: [{ approve: 1 }, { hold: 2m }, { hold: untilPromoted }] }"

const planned = async (
  strategy: string | undefined,
  probe?: object,
  spec: object = {}
): Promise<RolloutPlan> => {
  const version = (image: string) => {
    const draft = webDeployment(strategy, {
      image,
      isGated: true,
      spec: { ...spec, strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }
    })
    const containers = [{ name: "web", image, ...(probe === undefined ? {} : { readinessProbe: probe }) }]
    const template = { ...draft.spec.template, spec: { ...draft.spec.template.spec, containers } }
    return { ...draft, spec: { ...draft.spec, template } }
  }
  const { rollouts } = await plan({ from: version("web:1"), next: version("web:2"), seeds: [1] })
  const [rollout] = rollouts
  if (rollout === undefined) throw new Error("the plan has no rollout")
  return rollout
}

const endsOf = ({ failures }: RolloutPlan): Readonly<Record<string, string>> =>
  Object.fromEntries(failures.map((it) => [it.way, failureEndText(it, 4).split(",")[0] ?? ""]))

describe("the plan of a steered rollout", () => {
  it("tells its steps, promoted where it waits for that, and what happens when the new revision fails", async () => {
    const rollout = await planned(canary, { httpGet: { path: "/", port: 80 } })
    const steps = rollout.typical.phases.flatMap(({ what }) =>
      what.split(", ").filter((it) => it.startsWith("step"))
    )
    expect(steps).toEqual(["step 1 over", "step 2 over", "step 3 over"])
    expect(rollout.stuck).toBe(0)
    expect(endsOf(rollout)).toEqual({
      "its image cannot be pulled": expect.stringMatching(/^taken back in 1m/u),
      "its containers crash": expect.stringMatching(/^taken back in 1m/u),
      "it never answers": expect.stringMatching(/^taken back in 10m/u)
    })
    expect(rollout.failures.every(({ availableFewest }) => availableFewest === 4)).toBe(true)
  })

  it.each([
    {
      strategy: "canary: { steps: [{ approve: 1 }, { run: smoke }], hooks: { smoke: { job: smoke } } }",
      says: 'taken back: hook "smoke" failed: there is no Job "smoke" to start a copy of'
    },
    {
      strategy: "canary: { steps: [{ approve: 1 }, { run: smok }], hooks: { smoke: { job: smoke } } }",
      says: 'charthouse.dev/strategy is not followed: "smok" is no hook; did you mean smoke?'
    },
    {
      strategy:
        "canary: { steps: [{ analyse: calm }], analyses: { calm: { pods: restarts, max: 0, count: 3, interval: 40h } } }",
      // Without a deadline.
      spec: { progressDeadlineSeconds: 2 ** 31 - 1 },
      says: /is at step 1 of 1: analyses "calm"; 1 of 3 answers, the last one: 0$/u
    },
    {
      strategy: undefined,
      says:
        "nothing approves Pods with the readiness gate charthouse.dev/approved: remove it from spec.template.spec, " +
        "or set the annotation charthouse.dev/strategy"
    }
  ])(
    "is stuck if its revision is not the one that serves in the end: $says",
    async ({ strategy, spec, says }) => {
      const { stuck, reasons } = await planned(strategy, undefined, spec)
      expect([stuck, reasons.map(({ reason }) => reason)]).toEqual([
        1,
        [typeof says === "string" ? says : expect.stringMatching(says)]
      ])
    }
  )

  it("takes no Pod from before for a new one once it is taken back", async () => {
    const { typical } = await planned(
      "canary: { steps: [{ approve: 1 }, { hold: 1m }, { run: smoke }], hooks: { smoke: { job: smoke } } }"
    )
    expect(typical.phases.map(({ what }) => what)).toEqual([
      "applied",
      "first new Pod available, step 1 over",
      "step 2 over, taken back",
      "back at the revision from before"
    ])
  })

  it("says that it stays as it is with onFailure: hold, and that nothing notices a failure without a probe", async () => {
    const rollout = await planned("canary: { steps: [{ approve: 1 }], onFailure: hold }")
    expect(endsOf(rollout)).toMatchObject({
      "its image cannot be pulled": "held",
      "it never answers": "complete: nothing tells that it fails"
    })
  })
})
