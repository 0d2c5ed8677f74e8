import { describe, expect, it } from "vitest"
import { planMistake } from "./planMistake.ts"
import { webDeployment } from "../../steering/steeredShop.ts"
import type { Mistake } from "./planMistake.ts"

const canary = "canary: { steps: [{ approve: 1 }] }"
const gateUnknown =
  "its Pods are not ready before a controller that is not played sets their condition example.com/in-service"

/** A gated Deployment, with more fields for the Pod. */
const web = (image: string, pod: object = {}): string => {
  const draft = webDeployment(canary, {
    image,
    spec: { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }
  })
  const { template } = draft.spec
  const gates = [{ conditionType: "charthouse.dev/approved" }]
  const spec = { ...template.spec, readinessGates: gates, ...pod }
  return JSON.stringify({ ...draft, spec: { ...draft.spec, template: { ...template, spec } } })
}

const inService = {
  readinessGates: [{ conditionType: "charthouse.dev/approved" }, { conditionType: "example.com/in-service" }]
}

const rows: ReadonlyArray<Omit<Mistake, "from">> = [
  {
    why: "a controller that is not played sets a condition of its Pods",
    next: [web("web:2", inService)],
    verdict: "unknown",
    reasons: [gateUnknown]
  },
  {
    why: "that controller is taken for granted",
    next: [web("web:2", inService)],
    options: { acceptUnknown: ["ReadinessGate"] },
    verdict: "ships"
  },
  {
    why: "no node that is played has the label that its Pods ask for",
    next: [web("web:2", { nodeSelector: { disk: "fast" } })],
    verdict: "unknown"
  },
  {
    why: "its image cannot be pulled, whatever sets the condition",
    next: [web("web:2", inService)],
    options: {
      behaviours: [{ name: "unpullable", match: { image: "web:2" }, pull: { failures: "forever" } }]
    },
    verdict: "stuck"
  }
]

describe("the verdict about a rollout that its steering takes back", () => {
  it.each(rows)("is about the template that was applied: $why", async (row) => {
    const mistake = { ...row, from: [web("web:1")] }
    expect(await planMistake(mistake)).toEqual(mistake)
  })
})
