import { describe, expect, it } from "vitest"
import { automaticRollback } from "../../../machines/steering/automaticRollback.ts"
import { blueGreen } from "../../../machines/steering/blueGreen.ts"
import { canary } from "../../../machines/steering/canary.ts"
import { currentRecord } from "../../../src/kubernetes/steering/steeringObservation.ts"
import { exploreSteering } from "../../../src/plan/exhaustive/steering/exploreSteering.ts"
import { failureDefaults } from "../../../src/kubernetes/steering/steeringSettings.ts"
import { steeringMachine } from "../../../machines/steering.ts"
import { webDeployment } from "../../steering/steeredShop.ts"
import type { Deployment } from "../../../src/kubernetes/meta/objects.ts"
import type { SteeringClaim } from "../../../src/plan/exhaustive/steering/steeringClaims.ts"
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

type Model = Parameters<typeof exploreSteering>[0]

const charts = { canary, blueGreen, automaticRollback }
type ChartName = keyof typeof charts

/** Three steps of a canary and of a switch; the rollback has none. */
const stepsOf = {
  canary: [{ approve: 1 }, { holdMillis: 60_000 }, { approve: "50%" }],
  blueGreen: [{ start: "all" }, { holdMillis: 60_000 }, { approve: "100%" }],
  automaticRollback: []
} as const

const explored = (
  name: ChartName,
  {
    strategy = charts[name],
    settings = {},
    ...model
  }: Partial<Omit<Model, "strategy">> & { strategy?: SteeringStrategy; settings?: object } = {}
) => {
  const options = { maxSurge: name === "blueGreen" ? 2 : 1, isGated: name !== "automaticRollback" }
  const steps = name === "automaticRollback" ? {} : { steps: stepsOf[name] }
  return exploreSteering({
    from: gated("web:1", options),
    next: gated("web:2", options),
    strategy: { name, settings: { ...failureDefaults, ...steps, ...settings } },
    strategies: [strategy],
    failuresMax: 0,
    ...model
  })
}

const withGuard = (
  strategy: SteeringStrategy,
  name: string,
  guard: SteeringStrategy["guards"][string]
): SteeringStrategy => ({ ...strategy, guards: { ...strategy.guards, [name]: guard } })

describe.each([
  { name: "canary", statesMin: 3000 },
  { name: "blueGreen", statesMin: 1500 },
  { name: "automaticRollback", statesMin: 1000 }
] as const)(
  "$name of 2 replicas, in every order of events and with a crash of its controller at any write",
  ({ name, statesMin }) => {
    it("keeps its floor, its ceiling and the approvals of its steps, and always ends", () => {
      const { isWhole, findings, states } = explored(name)
      expect(findings).toEqual([])
      expect(isWhole).toBe(true)
      expect(states).toBeGreaterThan(statesMin)
    })
  }
)

const hooks = { smoke: { job: "smoke", timeoutMillis: 60_000 } }
const analyses = {
  errors: {
    source: { http: "http://metrics/errors", path: "value" },
    max: 1,
    count: 2,
    failuresMax: 0,
    intervalMillis: 1000,
    timeoutMillis: 1000
  }
}
const checked = { hooks, analyses, steps: [{ approve: 1 }, { run: "smoke" }, { analyse: "errors" }] }

it("proves a canary with a hook and an analysis", () => {
  const { isWhole, findings, states } = explored("canary", { settings: checked })
  expect({ isWhole, findings }).toEqual({ isWhole: true, findings: [] })
  expect(states).toBeGreaterThan(4000)
})

it("proves that no Job of a hook outlives its rollout", () => {
  const settings = { hooks, steps: [{ approve: 1 }, { run: "smoke" }] }
  const { isWhole, findings } = explored("canary", { settings, requests: ["abort"] })
  expect({ isWhole, findings }).toEqual({ isWhole: true, findings: [] })
})

it("is disproved when no Job of a hook is deleted", () => {
  const machine = steeringMachine().provide({ guards: { hasObsoleteHookJobs: () => false } })
  const model = { settings: checked, requests: ["abort"], machine, endsAtFirstFinding: true } as const
  for (const name of ["canary", "blueGreen"] as const) {
    const { findings } = explored(name, model)
    expect(findings.map(({ explanation }) => explanation)).toContain(
      "the Job of a hook runs on, though its step is over"
    )
  }
})

it("proves automaticRollback with a user who aborts and promotes", () => {
  const { isWhole, findings } = explored("automaticRollback", {
    requests: ["abort", "promote"],
    requestsMax: 2
  })
  expect({ isWhole, findings }).toEqual({ isWhole: true, findings: [] })
})

describe("a rollout without a progress deadline whose new Pods may find no node", () => {
  const [from, next] = ["web:1", "web:2"].map((image) => {
    const deployment = gated(image)
    return { ...deployment, spec: { ...deployment.spec, progressDeadlineSeconds: 2 ** 31 - 1 } }
  }) as [Deployment, Deployment]
  const model = { from, next, failuresMax: 1, settings: { scheduleTimeoutMillis: 60_000 } }

  it("always ends", () => {
    const { isWhole, findings } = explored("canary", model)
    expect({ isWhole, findings }).toEqual({ isWhole: true, findings: [] })
  })

  it("may stop for good if they are not judged", () => {
    const settings = { ...model.settings, scheduleTimeoutMillis: Infinity }
    const { findings } = explored("canary", { ...model, settings, endsAtFirstFinding: true })
    expect(findings.map(({ claim }) => claim)).toEqual(["end"])
    expect(findings[0]?.steps.at(-1)?.what).toBe("finds no node")
  })
})

interface BrokenGuard {
  readonly guard: string
  /** What is broken without it. */
  readonly claim: SteeringClaim
  readonly model?: Parameters<typeof explored>[1]
}

const untilPromoted = { steps: [{ approve: 1 }, { holdMillis: undefined }] }
const late = { steps: [{ approve: 1 }, { approve: 2 }, { holdMillis: undefined }] }

/**
 * Guards without which nothing breaks. A switch at once reserves nothing, and old Pods go only after it; its preview is
 * always there in the model.
 */
const canBeLeftOut: Readonly<Record<ChartName, ReadonlyArray<string>>> = {
  canary: [],
  blueGreen: ["hasFailedWithPodsToDelete", "mayReserve", "isPreviewMissing"],
  automaticRollback: []
}

const common: ReadonlyArray<BrokenGuard> = [
  { guard: "isControllerBehind", claim: "rules" },
  { guard: "isUnrecorded", claim: "end" },
  { guard: "isUndoRecordObsolete", claim: "end", model: { requests: ["applyAgain"] } },
  { guard: "isComplete", claim: "reports" },
  { guard: "wasAborted", claim: "end", model: { settings: { onFailure: "hold" } } },
  { guard: "mayUndo", claim: "end", model: { failuresMax: 1 } },
  { guard: "hasFailed", claim: "end", model: { settings: { onFailure: "hold" }, failuresMax: 1 } },
  { guard: "isRequestTooLate", claim: "requests", model: { requests: ["promote"] } }
]

const inSteps: ReadonlyArray<BrokenGuard> = [
  ...common,
  { guard: "isNewlyComplete", claim: "end" },
  { guard: "hasPendingComplete", claim: "end", model: { failuresMax: 1 } },
  { guard: "isHoldUnrecorded", claim: "requests", model: { requests: ["hold"] } },
  { guard: "isHeld", claim: "reports", model: { requests: ["hold"] } },
  { guard: "mayPromote", claim: "success", model: { requests: ["promote"], settings: untilPromoted } },
  { guard: "isPromotionTooEarly", claim: "requests", model: { requests: ["promote"], settings: late } },
  { guard: "mayApprove", claim: "success" },
  { guard: "isStepOver", claim: "end" },
  { guard: "mayRun", claim: "success", model: { settings: checked } },
  { guard: "mayAsk", claim: "end", model: { settings: checked } },
  { guard: "isChecking", claim: "reports", model: { settings: checked } },
  { guard: "isHolding", claim: "reports" }
]

describe.each<{ readonly name: ChartName; readonly rows: ReadonlyArray<BrokenGuard> }>([
  {
    name: "canary",
    rows: [
      ...inSteps,
      { guard: "mayReserve", claim: "success" },
      { guard: "hasFailedWithPodsToDelete", claim: "floor" }
    ]
  },
  {
    name: "blueGreen",
    rows: [
      ...inSteps,
      { guard: "isPreviewOfOtherRevision", claim: "end", model: { settings: { preview: "next" } } }
    ]
  },
  {
    name: "automaticRollback",
    rows: [
      ...common,
      { guard: "isNewlyComplete", claim: "success" },
      { guard: "hasFailedWithPodsToDelete", claim: "floor" }
    ]
  }
])("$name without one of its guards", ({ name, rows }) => {
  const chart = charts[name]

  it.each(rows)("is disproved, with the steps that lead there: $guard", ({ guard, claim, model = {} }) => {
    const { findings } = explored(name, {
      ...model,
      strategy: withGuard(chart, guard, () => false),
      endsAtFirstFinding: true
    })
    expect(findings.map((it) => it.claim)).toContain(claim)
  })

  it("is tried without each of them", () => {
    const untried = Object.keys(chart.guards).filter((guard) => !rows.some((it) => it.guard === guard))
    expect(untried).toEqual(canBeLeftOut[name])
  })
})

it("is disproved when it reserves more Pods than its step has room for", () => {
  const { findings } = explored("canary", {
    endsAtFirstFinding: true,
    strategy: {
      ...withGuard(
        canary,
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
    }
  })
  expect(findings.find(({ claim }) => claim === "approvals")?.explanation).toBe(
    "approved <= allowed by the step: 2 <= 1"
  )
})

it("tells the shortest order of events that breaks a rule", () => {
  const strategy = withGuard(canary, "isHeld", () => false)
  const { findings } = explored("canary", { strategy, requests: ["hold"], endsAtFirstFinding: true })
  expect(findings[0]?.steps.map(({ who, what }) => `${who} ${what}`)).toEqual([
    "Deployment created ReplicaSet web-776fbc875 (new) of 1, wrote its status",
    "steering recorded the rollout of revision 2",
    "the user asks to hold",
    "steering recorded the hold"
  ])
  expect(findings[0]?.explanation).toBe("reports Approving and is HeldByUser")
})
