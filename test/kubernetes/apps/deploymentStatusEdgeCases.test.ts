import { describe, expect, it } from "vitest"
import {
  forgetProgress,
  renumberNew,
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
const { lastTransitionTime: _time, ...failureWithoutTime } = failure()

const statusAfter = (
  conditions: ReadonlyArray<DeploymentCondition>,
  report: DeploymentStatusReport
): DeploymentStatus => withStatusReports({ conditions }, [report], startMillis)

describe("the condition ReplicaFailure of a Deployment", () => {
  const available: DeploymentCondition = { type: "Available", status: "True" }

  it("follows other conditions when it is the first", () => {
    const status = statusAfter([available], { part: "replicaFailure", failure: failure() })
    expect(status).toStrictEqual({ conditions: [available, failure()] })
  })

  it("gets a new time when its status changes", () => {
    const stored = failure({ status: "Unknown", lastTransitionTime: aTime(1) })
    const status = statusAfter([stored, available], { part: "replicaFailure", failure: failure() })
    expect(status).toStrictEqual({ conditions: [available, failure()] })
  })

  it("keeps the time of the failure before, even a missing one", () => {
    const another = failure({ reason: "FailedDelete" })
    const report: DeploymentStatusReport = { part: "replicaFailure", failure: another }
    const before = failure({ lastTransitionTime: aTime(1) })
    expect(statusAfter([before], report)).toStrictEqual({
      conditions: [{ ...another, lastTransitionTime: aTime(1) }]
    })
    expect(statusAfter([failureWithoutTime], report)).toStrictEqual({ conditions: [another] })
  })

  it("has no time when the ReplicaSet's condition has none", () => {
    const replicaSet = aReplicaSet({ version: "v1", conditions: [failureWithoutTime] })
    const observe = anObservation({ deployment: aDeployment(), replicaSets: [replicaSet] })
    expect(replicaFailureOf(observe)).toStrictEqual(failureWithoutTime)
  })
})

describe("the counts of a Deployment", () => {
  const withCounts = (status: DeploymentStatus): DeploymentStatus => {
    const counts = countReplicas(aDeployment({ generation: 2 }), [], undefined)
    return withStatusReports(status, [{ part: "counts", counts }], startMillis)
  }

  it("keep other fields of the status and add none", () => {
    expect(withCounts({ replicas: 3 })).toStrictEqual({ observedGeneration: 2, terminatingReplicas: 0 })
    expect(withCounts({ collisionCount: 1, conditions: [failure()] })).toStrictEqual({
      observedGeneration: 2,
      terminatingReplicas: 0,
      collisionCount: 1,
      conditions: [failure()]
    })
  })

  it("are 0 without a generation and without a status of ReplicaSets", () => {
    const { generation: _generation, ...metadata } = aDeployment().metadata
    const withoutStatus = { ...aReplicaSet({ replicas: 2 }), status: { replicas: 0 } }
    expect(countReplicas({ ...aDeployment(), metadata }, [withoutStatus], withoutStatus)).toStrictEqual({
      observedGeneration: 0,
      replicas: 0,
      updatedReplicas: 0,
      readyReplicas: 0,
      availableReplicas: 0,
      unavailableReplicas: 2,
      terminatingReplicas: 0
    })
  })

  it("of terminating Pods are unknown when an observed ReplicaSet lacks them", () => {
    const { terminatingReplicas } = countReplicas(
      aDeployment(),
      [aReplicaSet({ terminatingPods: 2 }), aReplicaSet({ observedGeneration: 1 })],
      undefined
    )
    expect(terminatingReplicas).toBeUndefined()
  })
})

describe("the commands of a Deployment", () => {
  const owned = aReplicaSet({ version: "v3", revision: "4", annotatedSize: { desired: 3, max: 4 } })
  const observe = (revision: string) =>
    anObservation({ deployment: aDeployment({ revision }), replicaSets: [owned] })

  it("report the counts, and the revision when it differs", () => {
    expect(reportCounts(observe("3")).map(({ type }) => type)).toEqual(["report", "showRevision"])
    expect(reportCounts(observe("4")).map(({ type }) => type)).toEqual(["report"])
  })

  it("report a condition, with a refresh on request", () => {
    const report = { part: "condition", condition: availableCondition }
    expect(reportCondition(availableCondition)).toEqual([
      { type: "report", report: { ...report, refresh: false } }
    ])
    expect(reportCondition(availableCondition, true)).toEqual([
      { type: "report", report: { ...report, refresh: true } }
    ])
  })

  it("remove Progressing when there is no deadline", () => {
    const progressing: DeploymentCondition = { type: "Progressing", status: "True" }
    const withIt = anObservation({ deployment: aDeployment({ conditions: [progressing] }) })
    expect(forgetProgress(withIt)).toEqual([
      { type: "report", report: { part: "noCondition", conditionType: "Progressing" } }
    ])
    expect(forgetProgress(anObservation({ deployment: aDeployment() }))).toEqual([])
  })

  it("renumber a new ReplicaSet that is out of date", () => {
    expect(renumberNew(anObservation({ deployment: aDeployment() }))).toEqual([])
    expect(renumberNew(observe("3"))).toEqual([])
    expect(
      renumberNew(
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
    const upToDate = aReplicaSet({ version: "v3", revision: "1", annotatedSize: { desired: 3, max: 4 } })
    expect(renumberNew(anObservation({ deployment: aDeployment(), replicaSets: [upToDate] }))).toEqual([])
  })
})

describe("the new ReplicaSet", () => {
  it("has no namespace, labels or minReadySeconds when the Deployment has none", () => {
    const web = aDeployment()
    const { namespace: _namespace, ...metadata } = web.metadata
    const bare = { ...web, metadata, spec: { ...web.spec, template: { spec: { containers: [] } } } }
    const created = draftReplicaSet(anObservation({ deployment: bare }), 3)
    expect(Object.keys(created.metadata)).not.toContain("namespace")
    expect(Object.keys(created.spec)).not.toContain("minReadySeconds")
    expect(Object.keys(created.spec.template.metadata?.labels ?? {})).toEqual(["pod-template-hash"])
  })
})
