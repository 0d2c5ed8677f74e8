import { expect, it } from "vitest"
import { observedAutoscaler } from "../../machines/autoscalerObservations.ts"
import { servedKinds } from "../../../src/kubernetes/meta/kinds.ts"
import { targetKindOf } from "../../../src/kubernetes/autoscaling/scaleTarget.ts"

const targetOf = (apiVersion: string, kind: string) =>
  targetKindOf(
    observedAutoscaler({ spec: { scaleTargetRef: { apiVersion, kind, name: "web" } } }).autoscaler,
    servedKinds
  )

it.each([
  { why: "has two slashes", apiVersion: "a/b/c", problem: "unexpected GroupVersion string: a/b/c" },
  { why: "is missing", apiVersion: "", problem: 'no matches for kind "Deployment" in group ""' }
])("does not find a target whose stored API version $why", ({ apiVersion, problem }) => {
  expect(targetOf(apiVersion, "Deployment")).toEqual({ problem })
})

it("finds a ReplicationController without an API version", () => {
  expect(targetOf("", "ReplicationController")).toMatchObject({
    kind: { kind: "ReplicationController", version: "v1" }
  })
})
