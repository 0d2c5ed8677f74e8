import { expect, it } from "vitest"
import { aPodDraft, aReplicaSetDraft, aStore, run, withChanges } from "../store/testStore.ts"
import { approvalGate, completedRevisionAnnotation } from "../../src/kubernetes/steering/steeringNames.ts"
import { controllerReference } from "../../src/kubernetes/meta/ownerReferences.ts"
import { makeSteerMeter } from "../../src/steer/steerMetrics.ts"

const condition = (type: string) => ({ type, status: "True" })
const up = condition("ContainersReady")

it.each([
  { what: "is approved", becomes: [up, condition(approvalGate)], approvals: 1 },
  { what: "becomes unready", becomes: [], approvals: 0 },
  { what: "reports something else", becomes: [up, condition("Noticed")], approvals: 0 }
])("$approvals approvals are counted when a Pod of a complete revision $what", ({ becomes, approvals }) => {
  const { store, view } = aStore()
  const meter = makeSteerMeter(view, () => 0)
  const replicaSet = run(
    store.create(
      aReplicaSetDraft({
        labels: { "pod-template-hash": "abc" },
        annotations: { [completedRevisionAnnotation]: "abc 1 2026-01-01T00:00:00Z" }
      })
    )
  )
  const pod = run(
    store.create(
      aPodDraft(
        { ownerReferences: [controllerReference(replicaSet)] },
        { readinessGates: [{ conditionType: approvalGate }] }
      )
    )
  )
  const upPod = run(store.updateStatus(withChanges(pod, {}, { status: { conditions: [up] } })))
  run(store.updateStatus(withChanges(upPod, {}, { status: { conditions: becomes } })))
  const text = meter.text({ isLeading: true, leaseTransitions: 0, isReady: true, queues: new Map() })
  expect(text).toContain(`charthouse_steer_approval_seconds_count ${approvals}\n`)
})
