import { describe, expect, it } from "vitest"
import {
  requestDisruption,
  disruptionBudgetReport,
  failedDisruptionStatus,
  allowsUnhealthyEviction
} from "../../../src/kubernetes/policy/disruptionBudgets.ts"
import { expectedScale } from "../../../src/kubernetes/policy/expectedScale.ts"
import { validateCreate, validateUpdate } from "../../../src/kubernetes/admission/admit.ts"
import { errorBody } from "../../../src/kubernetes/validation/fieldErrors.ts"
import { aDeployment, anObject, aPod, aReplicaSet, aTime, kindNamed, startMillis } from "../../builders.ts"
import type { DisruptionBudget, DisruptionStatus } from "../../../src/kubernetes/policy/disruptionBudgets.ts"
import type { KubeObject, Pod } from "../../../src/kubernetes/meta/objects.ts"

const noDisruptions: DisruptionStatus = {
  currentHealthy: 0,
  desiredHealthy: 0,
  disruptionsAllowed: 0,
  expectedPods: 0
}

const aBudget = (spec: object, status: Partial<DisruptionStatus> = {}): DisruptionBudget =>
  anObject(
    "PodDisruptionBudget",
    { name: "web", generation: 3 },
    {
      spec: { selector: { matchLabels: { app: "web" } }, ...spec },
      status: { ...noDisruptions, ...status }
    }
  )

const somePods = (count: number, ready: number): ReadonlyArray<Pod> =>
  Array.from({ length: count }, (_, index) => aPod({ name: `p${index}`, ready: index < ready }))

const report = (budget: DisruptionBudget, pods: ReadonlyArray<Pod>, scale = pods.length, seconds = 0) =>
  disruptionBudgetReport({ budget, pods, expectedScale: scale, nowMillis: startMillis + seconds * 1000 })

describe("the status of a PodDisruptionBudget (TestIntegerMinAvailable and its neighbours)", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly spec: object
    readonly pods: ReadonlyArray<Pod>
    readonly scale?: number
    /** disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods. */
    readonly counts: readonly [number, number, number, number]
  }> = [
    { why: "allows nothing without Pods", spec: { minAvailable: 3 }, pods: [], counts: [0, 0, 3, 0] },
    {
      why: "allows nothing with one healthy Pod too few",
      spec: { minAvailable: 3 },
      pods: somePods(3, 2),
      counts: [0, 2, 3, 3]
    },
    {
      why: "allows nothing with just enough healthy Pods",
      spec: { minAvailable: 3 },
      pods: somePods(4, 3),
      counts: [0, 3, 3, 4]
    },
    {
      why: "allows two with two healthy Pods to spare",
      spec: { minAvailable: 3 },
      pods: somePods(5, 5),
      counts: [2, 5, 3, 5]
    },
    { why: "allows all Pods for an empty spec", spec: {}, pods: somePods(3, 3), counts: [3, 3, 0, 3] },
    {
      why: "rounds a percentage of the owners' scale up, whatever the number of Pods",
      spec: { minAvailable: "30%" },
      pods: somePods(3, 3),
      scale: 7,
      counts: [0, 3, 3, 7]
    },
    {
      why: "subtracts maxUnavailable from the owners' scale",
      spec: { maxUnavailable: 2 },
      pods: somePods(5, 5),
      scale: 5,
      counts: [2, 5, 3, 5]
    },
    {
      why: "rounds a percentage of maxUnavailable up",
      spec: { maxUnavailable: "1%" },
      pods: somePods(3, 3),
      scale: 3,
      counts: [1, 3, 2, 3]
    },
    {
      why: "needs no Pod when maxUnavailable exceeds the scale",
      spec: { maxUnavailable: 9 },
      pods: somePods(3, 1),
      counts: [1, 1, 0, 3]
    },
    {
      why: "does not count terminating Pods as healthy",
      spec: { minAvailable: 1 },
      pods: [aPod({ name: "a", ready: true, terminating: true }), aPod({ name: "b", ready: true })],
      counts: [0, 1, 1, 2]
    }
  ]
  it.each(rows)("$why", ({ spec, pods, scale, counts }) => {
    const { status } = report(aBudget(spec), pods, scale)
    const { disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods } = status
    expect([disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods]).toEqual(counts)
  })

  it("has a condition whose time changes only with its status", () => {
    const first = report(aBudget({ minAvailable: 3 }), somePods(3, 3)).status
    const later = report(aBudget({ minAvailable: 3 }, first), somePods(5, 4), 5, 7).status
    const again = report(aBudget({ minAvailable: 3 }, later), somePods(5, 5), 5, 9).status
    expect([first, later, again].map(({ conditions }) => conditions)).toEqual(
      [
        { status: "False", reason: "InsufficientPods", lastTransitionTime: aTime(0) },
        { status: "True", reason: "SufficientPods", lastTransitionTime: aTime(7) },
        { status: "True", reason: "SufficientPods", lastTransitionTime: aTime(7) }
      ].map((it) => [{ type: "DisruptionAllowed", message: "", observedGeneration: 3, ...it }])
    )
  })

  it("allows nothing when the scale of the owners is unknown", () => {
    const before = report(aBudget({ minAvailable: 1 }), somePods(3, 3)).status
    const { disruptionsAllowed, conditions } = failedDisruptionStatus(
      aBudget({}, before),
      "no owner",
      startMillis
    )
    expect([disruptionsAllowed, conditions?.[0]?.reason, conditions?.[0]?.message]).toEqual([
      0,
      "SyncFailed",
      "no owner"
    ])
  })
})

describe("an evicted Pod that still exists", () => {
  const withDisruptedPod = { disruptedPods: { p0: aTime(0) } }
  const budget = aBudget({ minAvailable: 1 }, withDisruptedPod)

  it("counts as gone for two minutes, then as healthy again", () => {
    const at = (seconds: number) => {
      const { status, stuckPods } = report(budget, somePods(3, 3), 3, seconds)
      return [
        status.currentHealthy,
        Object.keys(status.disruptedPods ?? {}),
        stuckPods.map((it) => it.metadata.name)
      ]
    }
    expect([at(1), at(120), at(121)]).toEqual([
      [2, ["p0"], []],
      [2, ["p0"], []],
      [3, [], ["p0"]]
    ])
  })

  it("causes a look after the two minutes, and is dropped once it is terminating", () => {
    expect(report(budget, somePods(3, 3)).lookAgainMillis).toBe(startMillis + 120_001)
    const going = report(budget, [aPod({ name: "p0", ready: true, terminating: true })])
    expect([going.status.disruptedPods, going.lookAgainMillis]).toEqual([undefined, undefined])
  })
})

describe("an eviction", () => {
  const good = { observedGeneration: 3, disruptionsAllowed: 2, currentHealthy: 5, desiredHealthy: 3 }
  const failed = { type: "DisruptionAllowed", status: "False", lastTransitionTime: aTime(0) }
  const rows: ReadonlyArray<{
    readonly why: string
    readonly status: object
    readonly expectedVerdict: string
  }> = [
    {
      why: "waits until the budget is observed",
      status: { ...good, observedGeneration: 2 },
      expectedVerdict: "unknown: The disruption budget web is still being processed by the server."
    },
    {
      why: "is refused with the number of healthy Pods needed",
      status: { ...good, disruptionsAllowed: 0, currentHealthy: 3 },
      expectedVerdict: "refused: The disruption budget web needs 3 healthy pods and has 3 currently"
    },
    {
      why: "is refused with the problem of a failed sync",
      status: {
        ...good,
        disruptionsAllowed: 0,
        conditions: [{ ...failed, reason: "SyncFailed", message: "no owner" }]
      },
      expectedVerdict:
        "refused: The disruption budget web does not allow evicting pods currently because it failed sync: no owner"
    },
    {
      why: "is refused with another condition",
      status: {
        ...good,
        disruptionsAllowed: 0,
        conditions: [{ ...failed, reason: "Holiday", message: "closed" }]
      },
      expectedVerdict:
        "refused: The disruption budget web does not allow evicting pods currently (Holiday): closed"
    },
    {
      why: "is forbidden when disruptionsAllowed is negative",
      status: { ...good, disruptionsAllowed: -1 },
      expectedVerdict: "forbidden: pdb disruptions allowed is negative"
    }
  ]
  it.each(rows)("$why", ({ status, expectedVerdict }) => {
    const verdict = requestDisruption(aBudget({}, status), "p0", startMillis)
    expect(`${verdict.type}: ${"why" in verdict ? verdict.why : ""}`).toBe(expectedVerdict)
  })

  it("takes one disruption; the last one changes the condition", () => {
    const one = requestDisruption(aBudget({}, { ...good, disruptionsAllowed: 1 }), "p0", startMillis)
    expect(one).toMatchObject({
      type: "allowed",
      status: {
        disruptionsAllowed: 0,
        disruptedPods: { p0: aTime(0) },
        conditions: [{ status: "False", reason: "InsufficientPods" }]
      }
    })
  })

  it("of an unready Pod is free while enough Pods are healthy, or with AlwaysAllow", () => {
    const few = { currentHealthy: 2, desiredHealthy: 3 }
    expect([
      allowsUnhealthyEviction(aBudget({}, { currentHealthy: 3, desiredHealthy: 3 })),
      allowsUnhealthyEviction(aBudget({}, { currentHealthy: 0, desiredHealthy: 0 })),
      allowsUnhealthyEviction(aBudget({}, few)),
      allowsUnhealthyEviction(aBudget({ unhealthyPodEvictionPolicy: "IfHealthyBudget" }, few)),
      allowsUnhealthyEviction(aBudget({ unhealthyPodEvictionPolicy: "AlwaysAllow" }, few))
    ]).toEqual([true, false, false, false, true])
  })
})

describe("the expected scale of a budget", () => {
  const web = aDeployment({ replicas: 7 })
  const [v1, v2] = [
    aReplicaSet({ version: "v1", replicas: 2, owner: web }),
    aReplicaSet({ version: "v2", owner: web })
  ]
  const lone = aReplicaSet({ version: "lone", replicas: 4, owner: null })
  const objects: ReadonlyArray<KubeObject> = [web, v1, v2, lone]
  const find = (resource: string, name: string) =>
    objects.find(({ kind, metadata }) => resource.startsWith(kind.toLowerCase()) && metadata.name === name)
  const scale = (...pods: ReadonlyArray<Pod>) => expectedScale(pods, find)

  it("sums the owners' replicas, each Deployment once", () => {
    const pods = [aPod({ owner: v1 }), aPod({ owner: v2 }), aPod({ owner: v2 }), aPod({ owner: lone })]
    expect(scale(...pods)).toEqual({ total: 11, unmanaged: [] })
  })

  it("leaves out Pods without an owner and names them", () => {
    expect(scale(aPod({ name: "bare" }), aPod({ owner: lone }))).toEqual({ total: 4, unmanaged: ["bare"] })
  })

  it("is unknown for an owner that is gone or has no scale", () => {
    const deletedOwner = aReplicaSet({ version: "gone", owner: null })
    const job = { ...deletedOwner, apiVersion: "batch/v1", kind: "Job" }
    const strange = { ...deletedOwner, apiVersion: "x.example/v1", kind: "Widget" }
    expect([deletedOwner, job, strange].map((owner) => scale(aPod({ name: "p", owner })))).toEqual([
      { failure: 'found no controllers for pod "p"' },
      { failure: "jobs.batch does not implement the scale subresource" },
      { failure: 'no matches for kind "Widget" in version "x.example/v1"' }
    ])
  })
})

describe("validation of a PodDisruptionBudget (TestValidatePodDisruptionBudgetSpec)", () => {
  const kind = kindNamed("PodDisruptionBudget")
  const errorsOf = (spec: object): ReadonlyArray<string> => {
    const draft = {
      apiVersion: "policy/v1",
      kind: kind.kind,
      metadata: { name: "web", namespace: "shop" },
      spec
    }
    return validateCreate(kind, draft).map((error) => `${error.field}: ${errorBody(error)}`)
  }
  const rows: ReadonlyArray<{
    readonly why: string
    readonly spec: object
    readonly errors: ReadonlyArray<string>
  }> = [
    {
      why: "accepts a percentage and a policy",
      spec: { minAvailable: "33%", unhealthyPodEvictionPolicy: "AlwaysAllow" },
      errors: []
    },
    {
      why: "rejects minAvailable together with maxUnavailable",
      spec: { minAvailable: 3, maxUnavailable: "7%", selector: { matchLabels: { app: "web" } } },
      errors: [
        'spec: Invalid value: {"MinAvailable":3,"Selector":{"matchLabels":{"app":"web"}},"MaxUnavailable":"7%","UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set'
      ]
    },
    {
      why: "rejects a negative number",
      spec: { maxUnavailable: -1 },
      errors: ["spec.maxUnavailable: Invalid value: -1: must be greater than or equal to 0"]
    },
    {
      why: "rejects more than 100%",
      spec: { minAvailable: "101%" },
      errors: ['spec.minAvailable: Invalid value: "101%": must not be greater than 100%']
    },
    {
      why: "rejects what is neither a number nor a percentage",
      spec: { minAvailable: "half" },
      errors: [
        "spec.minAvailable: Invalid value: \"half\": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"
      ]
    },
    {
      why: "rejects an unknown policy",
      spec: { unhealthyPodEvictionPolicy: "Never" },
      errors: [
        'spec.unhealthyPodEvictionPolicy: Unsupported value: "Never": supported values: "AlwaysAllow", "IfHealthyBudget"'
      ]
    },
    {
      why: "rejects an invalid selector",
      spec: { selector: { matchExpressions: [{ key: "app", operator: "In" }] } },
      errors: [
        "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'"
      ]
    }
  ]
  it.each(rows)("$why", ({ spec, errors }) => {
    expect(errorsOf(spec)).toEqual(errors)
  })

  it("is the same for an update", () => {
    const bad = { ...aBudget({ minAvailable: -3 }), apiVersion: "policy/v1" }
    expect(validateUpdate(kind, bad, aBudget({})).map(({ field }) => field)).toEqual(["spec.minAvailable"])
  })
})
