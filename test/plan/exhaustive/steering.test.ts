import { describe, expect, it } from "vitest"
import { automaticRollback } from "../../../machines/steering/automaticRollback.ts"
import { blueGreen } from "../../../machines/steering/blueGreen.ts"
import { canary } from "../../../machines/steering/canary.ts"
import { currentRecord } from "../../../src/kubernetes/steering/steeringObservation.ts"
import { exploreSteering } from "../../../src/plan/exhaustive/steering/exploreSteering.ts"
import { failureDefaults } from "../../../src/kubernetes/steering/steeringSettings.ts"
import { webDeployment } from "../../steering/steeredShop.ts"
import type { Deployment } from "../../../src/kubernetes/meta/objects.ts"
import type { SteeringStrategy } from "../../../machines/steering/steeringStrategy.ts"

const gated = (image: string, { maxSurge = 1, isGated = true } = {}): Deployment => {
  const { metadata, ...draft } = webDeployment(undefined, {
    image,
    replicas: 2,
    isGated,
    spec: {
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable: 0 } },
      progressDeadlineSeconds: 600,
      revisionHistoryLimit: 10
    }
  })
  return {
    ...draft,
    metadata: { ...metadata, namespace: "shop", uid: "uid-web" },
    status: {}
  } as unknown as Deployment
}

const steps = [{ approve: 1 }, { holdMillis: 60_000 }, { approve: "50%" }]

const explored = (strategy: SteeringStrategy = canary) =>
  exploreSteering({
    from: gated("web:1"),
    next: gated("web:2"),
    strategy: { name: "canary", settings: { ...failureDefaults, steps } },
    strategies: [strategy],
    failures: 0
  })

const withGuard = (
  name: string,
  guard: SteeringStrategy["guards"][string],
  strategy: SteeringStrategy = canary
): SteeringStrategy => ({ ...strategy, guards: { ...strategy.guards, [name]: guard } })

const exploredSwitch = (strategy: SteeringStrategy = blueGreen) =>
  exploreSteering({
    from: gated("web:1", { maxSurge: 2 }),
    next: gated("web:2", { maxSurge: 2 }),
    strategy: {
      name: "blueGreen",
      settings: { ...failureDefaults, steps: [{ start: "all" }, { holdMillis: 60_000 }, { approve: "100%" }] }
    },
    strategies: [strategy],
    failures: 0
  })

const exploredRollback = (strategy: SteeringStrategy = automaticRollback) =>
  exploreSteering({
    from: gated("web:1", { isGated: false }),
    next: gated("web:2", { isGated: false }),
    strategy: { name: "automaticRollback", settings: failureDefaults },
    strategies: [strategy],
    failures: 0
  })

describe("a canary of 2 replicas, in every order of events and with a crash of its controller at any write", () => {
  it("keeps its floor, its ceiling and the approvals of its steps, and always ends", () => {
    const { isWhole, findings, states } = explored()
    expect(findings).toEqual([])
    expect(isWhole).toBe(true)
    expect(states).toBeGreaterThan(4000)
  })

  it.each([
    { broken: "goes back while old Pods are deleted", guard: "isFailingWhileShrinking", claim: "floor" },
    { broken: "never approves", guard: "mayApprove", claim: "success" },
    { broken: "never takes a step", guard: "isStepOver", claim: "success" },
    { broken: "never records a rollout", guard: "isUnrecorded", claim: "end" },
    { broken: "never marks a revision as complete", guard: "isNewlyComplete", claim: "success" }
  ])("is disproved when it $broken", ({ guard, claim }) => {
    const { findings } = explored(withGuard(guard, () => false))
    expect(findings.map((it) => it.claim)).toContain(claim)
  })

  it("is disproved when it reserves more Pods than its step has room for", () => {
    const { findings } = explored({
      ...withGuard(
        "mayReserve",
        (seen) => seen.newPods.length > (currentRecord(seen)?.reserved?.length ?? 0)
      ),
      commands: {
        ...canary.commands,
        reservePods: (seen) => {
          const record = currentRecord(seen)
          const reserved = seen.newPods.map(({ metadata }) => metadata.name)
          return record === undefined ? [] : [{ type: "recordSteering", record: { ...record, reserved } }]
        }
      }
    })
    expect(findings.find(({ claim }) => claim === "approvals")?.broken).toBe(
      "approved <= allowed by the step: 2 <= 1"
    )
  })
})

describe.each([
  { chart: automaticRollback, explore: exploredRollback, statesMin: 1000, canWaitForDeletions: true },
  { chart: blueGreen, explore: exploredSwitch, statesMin: 1500, canWaitForDeletions: false }
])(
  "$chart.state of 2 replicas, in every order of events",
  ({ chart, explore, statesMin, canWaitForDeletions }) => {
    it("keeps its floor and its ceiling, and always ends", () => {
      const { isWhole, findings, states } = explore()
      expect(findings).toEqual([])
      expect(isWhole).toBe(true)
      expect(states).toBeGreaterThan(statesMin)
    })

    it.each([
      ...(canWaitForDeletions ? [{ guard: "isFailingWhileShrinking", claim: "floor" }] : []),
      { guard: "isNewlyComplete", claim: "success" }
    ])("is disproved without $guard", ({ guard, claim }) => {
      const { findings } = explore(withGuard(guard, () => false, chart))
      expect(findings.map((it) => it.claim)).toContain(claim)
    })
  }
)
