import { describe, expect, it } from "vitest"
import { undoRollout } from "../../../../src/kubernetes/apps/revisions/undoRollout.ts"
import { templateHashLabel } from "../../../../src/kubernetes/apps/revisions/podTemplates.ts"
import { aDeployment, aReplicaSet, aTemplate } from "../../../builders.ts"
import type { ReplicaSetOptions } from "../../../builders.ts"

const current = aDeployment({
  version: "v3",
  revision: "3",
  annotations: { note: "now", "kubectl.kubernetes.io/last-applied-configuration": "{}" }
})
const undo = (sets: ReadonlyArray<ReplicaSetOptions>, toRevision?: number, deployment = current) => {
  const replicaSets = sets.map((it) => aReplicaSet(it))
  const result = undoRollout(deployment, replicaSets, toRevision)
  return "refusal" in result
    ? { refusal: result.refusal, updatedObject: undefined }
    : { refusal: undefined, updatedObject: result.updatedObject }
}
const threeReplicaSets = [
  { version: "v1", revision: "1" },
  { version: "v2", revision: "2" },
  { version: "v3", revision: "3" }
]

describe("undoing a rollout (TestGetDeploymentPatch)", () => {
  it.each<{
    readonly why: string
    readonly sets: ReadonlyArray<ReplicaSetOptions>
    readonly expectedVersion: string | undefined
  }>([
    {
      why: "the revision before the current one",
      sets: threeReplicaSets,
      expectedVersion: "v2"
    },
    {
      why: "by number, not by age",
      sets: [
        { version: "v2", revision: "9", created: 7 },
        { version: "v1", revision: "11", created: 3 },
        { version: "v3", revision: "12", created: 1 }
      ],
      expectedVersion: "v1"
    },
    {
      why: "only the current revision exists",
      sets: [{ version: "v3", revision: "3" }],
      expectedVersion: undefined
    },
    { why: "no revision exists", sets: [], expectedVersion: undefined }
  ])("goes to $expectedVersion: $why", ({ sets, expectedVersion }) => {
    const image = undo(sets).updatedObject?.spec.template.spec?.containers[0]?.image
    expect(image).toBe(expectedVersion === undefined ? undefined : `registry.example/app:${expectedVersion}`)
  })

  it("takes template and annotations of the revision, without the hash and the Deployment's own annotations", () => {
    const template = aTemplate("v2", {
      labels: { tier: "a", [templateHashLabel]: "abc" },
      annotations: { by: "x" }
    })
    const previous = { version: "v2", revision: "2", template, annotations: { note: "then" } }
    const { updatedObject: deployment } = undo([previous, { version: "v3", revision: "3" }])
    expect(deployment?.spec.template).toEqual(
      aTemplate("v2", { labels: { tier: "a" }, annotations: { by: "x" } })
    )
    expect(deployment?.metadata.annotations).toEqual({
      note: "then",
      "deployment.kubernetes.io/revision": "3",
      "kubectl.kubernetes.io/last-applied-configuration": "{}"
    })
    expect(deployment?.spec.replicas).toBe(3)
  })

  it("goes to a given revision; the current one changes nothing", () => {
    expect(undo(threeReplicaSets, 1).updatedObject?.spec.template.spec?.containers[0]?.image).toBe(
      "registry.example/app:v1"
    )
    expect(undo(threeReplicaSets, 3).updatedObject).toBe(current)
  })

  it.each([
    { why: "error: unable to find specified revision 7 in history", sets: threeReplicaSets, toRevision: 7 },
    { why: 'error: no rollout history found for deployment "web"', sets: threeReplicaSets.slice(2) },
    {
      why:
        "error: you cannot rollback a paused deployment; " +
        "resume it first with 'kubectl rollout resume deployment/web' and try again",
      sets: threeReplicaSets,
      deployment: { ...current, spec: { ...current.spec, paused: true } }
    }
  ])("fails: $why", ({ why, sets, toRevision, deployment }) => {
    expect(undo(sets, toRevision, deployment).refusal).toBe(why)
  })
})
