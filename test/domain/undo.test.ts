import { describe, expect, it } from "vitest"
import { undoRollout } from "../../src/kubernetes/apps/revisions/undoRollout.ts"
import { templateHashLabel } from "../../src/kubernetes/apps/revisions/podTemplates.ts"
import { aDeployment, aReplicaSet, aTemplate } from "../builders.ts"
import type { ReplicaSetOptions } from "../builders.ts"

const present = aDeployment({
  version: "v3",
  revision: "3",
  annotations: { note: "now", "kubectl.kubernetes.io/last-applied-configuration": "{}" }
})
const undo = (sets: ReadonlyArray<ReplicaSetOptions>, toRevision?: number, deployment = present) => {
  const replicaSets = sets.map((it) => aReplicaSet(it))
  const back = undoRollout(deployment, replicaSets, toRevision)
  return "why" in back ? { why: back.why, next: undefined } : { why: undefined, next: back.next }
}
const three = [
  { version: "v1", revision: "1" },
  { version: "v2", revision: "2" },
  { version: "v3", revision: "3" }
]

describe("undoing a rollout (TestGetDeploymentPatch)", () => {
  it.each<{
    readonly why: string
    readonly sets: ReadonlyArray<ReplicaSetOptions>
    readonly to: string | undefined
  }>([
    {
      why: "the revision before the present one",
      sets: three,
      to: "v2"
    },
    {
      why: "by number, not by age",
      sets: [
        { version: "v2", revision: "9", created: 7 },
        { version: "v1", revision: "11", created: 3 },
        { version: "v3", revision: "12", created: 1 }
      ],
      to: "v1"
    },
    { why: "only the present one is left", sets: [{ version: "v3", revision: "3" }], to: undefined },
    { why: "there is none at all", sets: [], to: undefined }
  ])("goes to $to: $why", ({ sets, to }) => {
    const image = undo(sets).next?.spec.template.spec?.containers[0]?.image
    expect(image).toBe(to === undefined ? undefined : `registry.example/app:${to}`)
  })

  it("takes the template without its hash, the annotations of that revision, and leaves what is the Deployment's own", () => {
    const template = aTemplate("v2", {
      labels: { tier: "a", [templateHashLabel]: "abc" },
      annotations: { by: "x" }
    })
    const previous = { version: "v2", revision: "2", template, annotations: { note: "then" } }
    const { next: deployment } = undo([previous, { version: "v3", revision: "3" }])
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

  it("goes to the revision that is named; the present one leaves everything as it is", () => {
    expect(undo(three, 1).next?.spec.template.spec?.containers[0]?.image).toBe("registry.example/app:v1")
    expect(undo(three, 3).next).toBe(present)
  })

  it.each([
    { why: "error: unable to find specified revision 7 in history", sets: three, toRevision: 7 },
    { why: 'error: no rollout history found for deployment "web"', sets: three.slice(2) },
    {
      why:
        "error: you cannot rollback a paused deployment; " +
        "resume it first with 'kubectl rollout resume deployment/web' and try again",
      sets: three,
      deployment: { ...present, spec: { ...present.spec, paused: true } }
    }
  ])("is refused: $why", ({ why, sets, toRevision, deployment }) => {
    expect(undo(sets, toRevision, deployment).why).toBe(why)
  })
})
