import { expect, it } from "vitest"
import { aPod } from "../../builders.ts"
import { workloadOutcomeOf } from "../../../src/cli/rendering/workloadOutcome.ts"
import type { ClusterView } from "../../../src/store/objectStore.ts"

it.each([
  { phase: "Pending", outcome: "waiting" },
  { phase: "Succeeded", outcome: "complete" },
  { phase: "Failed", outcome: "failed" }
])("a Pod on its own that is $phase: $outcome", ({ phase, outcome }) => {
  const pod = aPod({ name: "web" })
  const object = { ...pod, status: { ...pod.status, phase, conditions: [] } }
  const view = { get: () => object } as unknown as ClusterView["Service"]
  const { name, namespace = "default", uid } = pod.metadata
  const workload = { resource: "pods", kind: "Pod", namespace, name, uid } as const
  expect(workloadOutcomeOf(view, workload, 0)).toEqual({ outcome, message: `the Pod is ${phase}` })
})
