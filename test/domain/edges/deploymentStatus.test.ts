import { describe, expect, it } from "vitest"
import {
  forgetProgress,
  renumberNext,
  reportCondition,
  reportCounts
} from "../../../src/kubernetes/apps/deploymentCommands.ts"
import {
  availableCondition,
  replicaFailureOf,
  withStatusReports
} from "../../../src/kubernetes/apps/deploymentStatus.ts"
import { draftReplicaSet } from "../../../src/kubernetes/apps/revisions/newReplicaSet.ts"
import { countReplicas } from "../../../src/kubernetes/apps/replicaCounts.ts"
import { aDeployment, anObservation, aReplicaSet, aTime, startMillis } from "../../builders.ts"
import type { DeploymentCondition, DeploymentStatus } from "../../../src/kubernetes/meta/objects.ts"
import type { DeploymentStatusReport } from "../../../src/kubernetes/apps/deploymentStatus.ts"

const failure = (more: Partial<DeploymentCondition> = {}): DeploymentCondition => ({
  type: "ReplicaFailure",
  status: "True",
  reason: "FailedCreate",
  message: "no room",
  lastTransitionTime: aTime(5),
  ...more
})
const { lastTransitionTime: _time, ...timeless } = failure()

const reported = (
  conditions: ReadonlyArray<DeploymentCondition>,
  report: DeploymentStatusReport
): DeploymentStatus => withStatusReports({ conditions }, [report], startMillis)

describe("a failure is repeated", () => {
  const available: DeploymentCondition = { type: "Available", status: "True" }

  it("after what was there, when it is the first", () => {
    const status = reported([available], { part: "replicaFailure", failure: failure() })
    expect(status).toStrictEqual({ conditions: [available, failure()] })
  })

  it("with a new time, when it is of another status", () => {
    const stored = failure({ status: "Unknown", lastTransitionTime: aTime(1) })
    const status = reported([stored, available], { part: "replicaFailure", failure: failure() })
    expect(status).toStrictEqual({ conditions: [available, failure()] })
  })

  it("with the time of the one before, and without any where that had none", () => {
    const another = failure({ reason: "FailedDelete" })
    const report: DeploymentStatusReport = { part: "replicaFailure", failure: another }
    const before = failure({ lastTransitionTime: aTime(1) })
    expect(reported([before], report)).toStrictEqual({
      conditions: [{ ...another, lastTransitionTime: aTime(1) }]
    })
    expect(reported([timeless], report)).toStrictEqual({ conditions: [another] })
  })

  it("without a time of change where the ReplicaSet says none", () => {
    const replicaSet = aReplicaSet({ version: "v1", conditions: [timeless] })
    const seen = anObservation({ deployment: aDeployment(), replicaSets: [replicaSet] })
    expect(replicaFailureOf(seen)).toStrictEqual(timeless)
  })
})

describe("counts", () => {
  const counted = (status: DeploymentStatus): DeploymentStatus => {
    const counts = countReplicas(aDeployment({ generation: 2 }), [], undefined)
    return withStatusReports(status, [{ part: "counts", counts }], startMillis)
  }

  it("leave what they do not speak of, and make nothing of what is not there", () => {
    expect(counted({ replicas: 3 })).toStrictEqual({ observedGeneration: 2, terminatingReplicas: 0 })
    expect(counted({ collisionCount: 1, conditions: [failure()] })).toStrictEqual({
      observedGeneration: 2,
      terminatingReplicas: 0,
      collisionCount: 1,
      conditions: [failure()]
    })
  })

  it("of an object that was never given a generation, and of ReplicaSets that never reported, are 0", () => {
    const { generation: _generation, ...metadata } = aDeployment().metadata
    const silent = { ...aReplicaSet({ replicas: 2 }), status: { replicas: 0 } }
    expect(countReplicas({ ...aDeployment(), metadata }, [silent], silent)).toStrictEqual({
      observedGeneration: 0,
      replicas: 0,
      updatedReplicas: 0,
      readyReplicas: 0,
      availableReplicas: 0,
      unavailableReplicas: 2,
      terminatingReplicas: 0
    })
  })

  it("of terminating Pods are unknown from the first ReplicaSet on that was looked at and does not say", () => {
    const { terminatingReplicas } = countReplicas(
      aDeployment(),
      [aReplicaSet({ terminatingPods: 2 }), aReplicaSet({ observedGeneration: 1 })],
      undefined
    )
    expect(terminatingReplicas).toBeUndefined()
  })
})

describe("what is said", () => {
  const owned = aReplicaSet({ version: "v3", revision: "4", remembers: { desired: 3, max: 4 } })
  const seen = (revision: string) =>
    anObservation({ deployment: aDeployment({ revision }), replicaSets: [owned] })

  it("with the counts: the revision, when it is another", () => {
    expect(reportCounts(seen("3")).map(({ type }) => type)).toEqual(["report", "showRevision"])
    expect(reportCounts(seen("4")).map(({ type }) => type)).toEqual(["report"])
  })

  it("of a condition: no more than that it holds, unless it is to be told anew", () => {
    const report = { part: "condition", claim: availableCondition }
    expect(reportCondition(availableCondition)).toEqual([
      { type: "report", report: { ...report, refresh: false } }
    ])
    expect(reportCondition(availableCondition, true)).toEqual([
      { type: "report", report: { ...report, refresh: true } }
    ])
  })

  it("of progress that nobody waits for: that it goes, when it is there", () => {
    const progressing: DeploymentCondition = { type: "Progressing", status: "True" }
    const withIt = anObservation({ deployment: aDeployment({ conditions: [progressing] }) })
    expect(forgetProgress(withIt)).toEqual([
      { type: "report", report: { part: "noCondition", conditionType: "Progressing" } }
    ])
    expect(forgetProgress(anObservation({ deployment: aDeployment() }))).toEqual([])
  })

  it("of a number: nothing where it is right, or there is nothing to number", () => {
    expect(renumberNext(anObservation({ deployment: aDeployment() }))).toEqual([])
    expect(renumberNext(seen("3"))).toEqual([])
    expect(
      renumberNext(
        anObservation({
          deployment: aDeployment({ annotations: { team: "shop" }, minReadySeconds: 7 }),
          replicaSets: [owned]
        })
      )
    ).toEqual([
      {
        type: "renumberReplicaSet",
        name: "web-v3",
        annotations: { ...owned.metadata.annotations, team: "shop" },
        minReadySeconds: 7
      }
    ])
    const inStep = aReplicaSet({ version: "v3", revision: "1", remembers: { desired: 3, max: 4 } })
    expect(renumberNext(anObservation({ deployment: aDeployment(), replicaSets: [inStep] }))).toEqual([])
  })
})

describe("a new ReplicaSet is made without", () => {
  it("a namespace, labels of its template or seconds to be ready in, where the Deployment has none", () => {
    const web = aDeployment()
    const { namespace: _namespace, ...metadata } = web.metadata
    const bare = { ...web, metadata, spec: { ...web.spec, template: { spec: { containers: [] } } } }
    const made = draftReplicaSet(anObservation({ deployment: bare }), 3)
    expect(Object.keys(made.metadata)).not.toContain("namespace")
    expect(Object.keys(made.spec)).not.toContain("minReadySeconds")
    expect(Object.keys(made.spec.template.metadata?.labels ?? {})).toEqual(["pod-template-hash"])
  })
})
