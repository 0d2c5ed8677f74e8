import { describe, expect, it } from "vitest"
import { canary } from "../../../machines/steering/canary.ts"
import { currentRecord } from "../../../src/kubernetes/steering/steeringObservation.ts"
import { exploreSteering } from "../../../src/plan/exhaustive/steering/exploreSteering.ts"
import { failureDefaults } from "../../../src/kubernetes/steering/steeringSettings.ts"
import { webDeployment } from "../../steering/steeredShop.ts"
import type { Deployment } from "../../../src/kubernetes/meta/objects.ts"
import type { SteeringStrategy } from "../../../machines/steering/steeringStrategy.ts"

const gated = (image: string): Deployment => {
  const { metadata, ...draft } = webDeployment(undefined, {
    image,
    replicas: 2,
    isGated: true,
    spec: {
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
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

const withGuard = (name: string, guard: SteeringStrategy["guards"][string]): SteeringStrategy => ({
  ...canary,
  guards: { ...canary.guards, [name]: guard }
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
