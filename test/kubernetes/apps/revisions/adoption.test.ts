import { describe, expect, it } from "vitest"
import { claimChildren } from "../../../../src/kubernetes/apps/deploymentObservation.ts"
import { newReplicaSetName } from "../../../../src/kubernetes/apps/revisions/newReplicaSet.ts"
import { controllerOf, controllerReference } from "../../../../src/kubernetes/meta/ownerReferences.ts"
import { compareByCreation } from "../../../../src/kubernetes/meta/objectOrder.ts"
import { templateHashLabel } from "../../../../src/kubernetes/apps/revisions/podTemplates.ts"
import { aDeployment, anObservation, aPod, aReplicaSet, aTemplate } from "../../../builders.ts"
import type { PodOptions, ReplicaSetOptions } from "../../../builders.ts"
import type { KubeObject } from "../../../../src/kubernetes/meta/objects.ts"

const namesOf = (objects: ReadonlyArray<KubeObject>): string =>
  objects.map(({ metadata }) => metadata.name).join(" ")

interface Row {
  readonly why: string
  readonly terminating?: boolean
  readonly owned?: ReadonlyArray<PodOptions>
  readonly orphans?: ReadonlyArray<PodOptions>
  readonly claimed: string
}

const otherLabels = { labels: { app: "other" } }

describe("claims of a controller (TestClaimPods)", () => {
  it.each<Row>([
    { why: "owned Pods that match", owned: [{ name: "a" }, { name: "b" }], claimed: "keeps a b" },
    { why: "orphans that match", orphans: [{ name: "a" }], claimed: "adopts a" },
    { why: "orphans that do not match", orphans: [{ name: "a", ...otherLabels }], claimed: "" },
    {
      why: "owned Pods that no longer match",
      owned: [{ name: "a" }, { name: "b", ...otherLabels }],
      claimed: "keeps a; releases b"
    },
    { why: "a terminating orphan", orphans: [{ name: "a", terminating: true }], claimed: "" },
    { why: "an owned terminating Pod", owned: [{ name: "a", terminating: true }], claimed: "keeps a" },
    {
      why: "controller marked for deletion can not claim new pods",
      terminating: true,
      owned: [{ name: "a" }],
      orphans: [{ name: "b" }],
      claimed: "keeps a"
    },
    {
      why: "owned Pods with a finalizer, matching or not",
      owned: [
        { name: "a", finalizers: ["x.io/y"] },
        { name: "b", finalizers: ["x.io/y"], ...otherLabels }
      ],
      claimed: "keeps a; releases b"
    },
    {
      why: "a terminating controller releases nothing",
      terminating: true,
      owned: [{ name: "a", ...otherLabels }],
      claimed: ""
    }
  ])("'$claimed': $why", ({ terminating = false, owned = [], orphans = [], claimed }) => {
    const owner = aReplicaSet({ terminating })
    const claims = claimChildren({
      owner,
      selector: owner.spec.selector,
      owned: owned.map((it) => aPod({ owner, ...it })),
      orphans: orphans.map((it) => aPod(it))
    })
    const parts = [
      ["keeps", claims.controlled],
      ["adopts", claims.adopt],
      ["releases", claims.release]
    ] as const
    const text = parts.flatMap(([verb, objects]) =>
      objects.length === 0 ? [] : [`${verb} ${namesOf(objects)}`]
    )
    expect(text.join("; ")).toBe(claimed)
  })

  it("adopt every orphan for an empty selector, and none without a selector", () => {
    const orphans = [aPod({ name: "a" }), aPod({ name: "b", ...otherLabels })]
    const owner = aReplicaSet()
    expect(namesOf(claimChildren({ owner, selector: {}, owned: [], orphans }).adopt)).toBe("a b")
  })
})

describe("the controller of an object", () => {
  const owner = aReplicaSet({ uid: "uid-1" })
  it("is the owner whose reference says so, found by uid", () => {
    const pod = aPod({ owner })
    expect(controllerOf(pod)).toEqual(controllerReference(owner))
    expect(controllerOf(pod)).not.toEqual(controllerReference(aReplicaSet({ uid: "uid-2" })))
  })
  it("is no owner without controller: true, in any order", () => {
    const plain = { apiVersion: "v1", kind: "ConfigMap", name: "c", uid: "uid-c" }
    const metadata = {
      ownerReferences: [plain, { ...plain, uid: "d", controller: false }, controllerReference(owner)]
    }
    expect(controllerOf({ metadata })?.uid).toBe("uid-1")
    expect(controllerOf({ metadata: { ownerReferences: [plain] } })).toBeUndefined()
    expect(controllerOf({ metadata: {} })).toBeUndefined()
  })
})

describe("a Deployment's observation of its ReplicaSets (TestGetReplicaSetsForDeployment, TestGetPodMapForReplicaSets)", () => {
  const deployment = aDeployment({ version: "v3" })
  const sets = (options: ReadonlyArray<ReplicaSetOptions>) => options.map((it) => aReplicaSet(it))

  it("holds the ReplicaSets it controls and selects, the oldest first", () => {
    const observation = anObservation({
      deployment,
      replicaSets: sets([
        { name: "c", created: 7 },
        { name: "b", created: 7 },
        { name: "x", created: 1, ...otherLabels },
        { name: "a", created: 9 }
      ])
    })
    expect(namesOf(observation.replicaSets)).toBe("b c a")
    expect(namesOf(observation.claims.release)).toBe("x")
  })

  it("leaves out a matching orphan until it is adopted (TestGetReplicaSetsForDeploymentAdoptRelease)", () => {
    const observation = anObservation({
      deployment,
      orphans: sets([{ name: "o", version: "v3", owner: null }])
    })
    expect(observation.replicaSets).toEqual([])
    expect(observation.newReplicaSet).toBeUndefined()
    expect(namesOf(observation.claims.adopt)).toBe("o")
  })

  it("neither adopts nor releases while the Deployment is being deleted", () => {
    const observation = anObservation({
      deployment: aDeployment({ terminating: true }),
      replicaSets: sets([{ name: "x", ...otherLabels }]),
      orphans: sets([{ name: "o", owner: null }])
    })
    expect(observation.claims).toEqual({ adopt: [], release: [] })
  })

  it("counts the Pods of previous ReplicaSets without those of the new one", () => {
    const observation = anObservation({
      deployment,
      replicaSets: sets([
        { version: "v1", uid: "a" },
        { version: "v2", uid: "b" },
        { version: "v3", uid: "c" }
      ]),
      unfinished: { a: 2, b: 3, c: 11 }
    })
    expect(observation.unfinishedOldPods).toBe(5)
  })

  it("sorts by creation in whole seconds, then by name", () => {
    const order = sets([
      { name: "b", created: 1.2 },
      { name: "a", created: 1.9 },
      { name: "z", created: 0 }
    ]).sort(compareByCreation)
    expect(namesOf(order)).toBe("z a b")
  })
})

describe("the name for the new ReplicaSet", () => {
  const deployment = aDeployment({ version: "v3" })
  const name = newReplicaSetName(deployment)
  it.each([
    { why: "the name is free", namesake: undefined, takenName: undefined },
    {
      why: "an own ReplicaSet with another template",
      namesake: aReplicaSet({ name, version: "v1" }),
      takenName: name
    },
    {
      why: "a ReplicaSet of another owner",
      namesake: aReplicaSet({ name, version: "v3", owner: aDeployment({ uid: "other" }) }),
      takenName: name
    },
    { why: "an orphan", namesake: aReplicaSet({ name, version: "v3", owner: null }), takenName: name },
    {
      why: "an own ReplicaSet with the same template that is about to be released",
      namesake: aReplicaSet({ name, version: "v3", ...otherLabels }),
      takenName: undefined
    }
  ])("is taken by $takenName: $why", ({ namesake, takenName }) => {
    const observation = anObservation({ deployment, ...(namesake === undefined ? {} : { namesake }) })
    expect(observation.collidingName).toBe(takenName)
  })

  it("is not checked once the new ReplicaSet exists", () => {
    const next = aReplicaSet({
      name: "adopted",
      template: aTemplate("v3", { labels: { [templateHashLabel]: "x" } })
    })
    const namesake = aReplicaSet({ name, version: "v1" })
    expect(anObservation({ deployment, replicaSets: [next], namesake }).collidingName).toBeUndefined()
  })
})
