import { describe, expect, it } from "vitest"
import { claimChildren } from "../../src/kubernetes/apps/deploymentObservation.ts"
import { nextReplicaSetName } from "../../src/kubernetes/apps/revisions/newReplicaSet.ts"
import {
  compareByCreation,
  controllerOf,
  controllerReference
} from "../../src/kubernetes/meta/ownerReferences.ts"
import { templateHashLabel } from "../../src/kubernetes/apps/revisions/podTemplates.ts"
import { aDeployment, anObservation, aPod, aReplicaSet, aTemplate } from "../builders.ts"
import type { PodOptions, ReplicaSetOptions } from "../builders.ts"
import type { KubeObject } from "../../src/kubernetes/meta/objects.ts"

const namesOf = (objects: ReadonlyArray<KubeObject>): string =>
  objects.map(({ metadata }) => metadata.name).join(" ")

interface Row {
  readonly why: string
  readonly dying?: boolean
  readonly owned?: ReadonlyArray<PodOptions>
  readonly orphans?: ReadonlyArray<PodOptions>
  readonly said: string
}

const other = { labels: { app: "other" } }

describe("children that match are kept or adopted, others let go (TestClaimPods)", () => {
  it.each<Row>([
    { why: "its own that match", owned: [{ name: "a" }, { name: "b" }], said: "keeps a b" },
    { why: "orphans that match", orphans: [{ name: "a" }], said: "adopts a" },
    { why: "orphans that do not", orphans: [{ name: "a", ...other }], said: "" },
    {
      why: "its own that no longer match",
      owned: [{ name: "a" }, { name: "b", ...other }],
      said: "keeps a; releases b"
    },
    { why: "an orphan that is going", orphans: [{ name: "a", terminating: true }], said: "" },
    { why: "its own that is going", owned: [{ name: "a", terminating: true }], said: "keeps a" },
    {
      why: "controller marked for deletion can not claim new pods",
      dying: true,
      owned: [{ name: "a" }],
      orphans: [{ name: "b" }],
      said: "keeps a"
    },
    {
      why: "its own with a finalizer, matching or not",
      owned: [
        { name: "a", finalizers: ["x.io/y"] },
        { name: "b", finalizers: ["x.io/y"], ...other }
      ],
      said: "keeps a; releases b"
    },
    { why: "nor let any go", dying: true, owned: [{ name: "a", ...other }], said: "" }
  ])("'$said': $why", ({ dying = false, owned = [], orphans = [], said }) => {
    const owner = aReplicaSet({ terminating: dying })
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
    expect(text.join("; ")).toBe(said)
  })

  it("an empty selector takes every orphan, a missing one none", () => {
    const orphans = [aPod({ name: "a" }), aPod({ name: "b", ...other })]
    const owner = aReplicaSet()
    expect(namesOf(claimChildren({ owner, selector: {}, owned: [], orphans }).adopt)).toBe("a b")
  })
})

describe("whose an object is", () => {
  const owner = aReplicaSet({ uid: "uid-1" })
  it("the one owner that is its controller, by uid and not by name", () => {
    const pod = aPod({ owner })
    expect(controllerOf(pod)).toEqual(controllerReference(owner))
    expect(controllerOf(pod)).not.toEqual(controllerReference(aReplicaSet({ uid: "uid-2" })))
  })
  it("owners that are no controllers do not count, wherever they stand", () => {
    const plain = { apiVersion: "v1", kind: "ConfigMap", name: "c", uid: "uid-c" }
    const metadata = {
      ownerReferences: [plain, { ...plain, uid: "d", controller: false }, controllerReference(owner)]
    }
    expect(controllerOf({ metadata })?.uid).toBe("uid-1")
    expect(controllerOf({ metadata: { ownerReferences: [plain] } })).toBeUndefined()
    expect(controllerOf({ metadata: {} })).toBeUndefined()
  })
})

describe("what a Deployment sees of its ReplicaSets (TestGetReplicaSetsForDeployment, TestGetPodMapForReplicaSets)", () => {
  const deployment = aDeployment({ version: "v3" })
  const sets = (options: ReadonlyArray<ReplicaSetOptions>) => options.map((it) => aReplicaSet(it))

  it("those it controls and selects, the oldest first", () => {
    const seen = anObservation({
      deployment,
      replicaSets: sets([
        { name: "c", created: 7 },
        { name: "b", created: 7 },
        { name: "x", created: 1, ...other },
        { name: "a", created: 9 }
      ])
    })
    expect(namesOf(seen.replicaSets)).toBe("b c a")
    expect(namesOf(seen.claims.release)).toBe("x")
  })

  it("an orphan that matches is not counted on before it is adopted (TestGetReplicaSetsForDeploymentAdoptRelease)", () => {
    const seen = anObservation({ deployment, orphans: sets([{ name: "o", version: "v3", owner: null }]) })
    expect(seen.replicaSets).toEqual([])
    expect(seen.next).toBeUndefined()
    expect(namesOf(seen.claims.adopt)).toBe("o")
  })

  it("a Deployment that is going adopts nothing and lets nothing go", () => {
    const seen = anObservation({
      deployment: aDeployment({ terminating: true }),
      replicaSets: sets([{ name: "x", ...other }]),
      orphans: sets([{ name: "o", owner: null }])
    })
    expect(seen.claims).toEqual({ adopt: [], release: [] })
  })

  it("Pods under the new ReplicaSet are not under a previous one", () => {
    const seen = anObservation({
      deployment,
      replicaSets: sets([
        { version: "v1", uid: "a" },
        { version: "v2", uid: "b" },
        { version: "v3", uid: "c" }
      ]),
      unfinished: { a: 2, b: 3, c: 11 }
    })
    expect(seen.podsUnderPrevious).toBe(5)
  })

  it("byCreation orders by whole seconds, then by name", () => {
    const order = sets([
      { name: "b", created: 1.2 },
      { name: "a", created: 1.9 },
      { name: "z", created: 0 }
    ]).sort(compareByCreation)
    expect(namesOf(order)).toBe("z a b")
  })
})

describe("a name that is taken is a collision, unless it is taken by one of ours with our template", () => {
  const deployment = aDeployment({ version: "v3" })
  const name = nextReplicaSetName(deployment)
  it.each([
    { why: "nobody has it", namesake: undefined, taken: undefined },
    { why: "one of ours with another template", namesake: aReplicaSet({ name, version: "v1" }), taken: name },
    {
      why: "somebody else's",
      namesake: aReplicaSet({ name, version: "v3", owner: aDeployment({ uid: "other" }) }),
      taken: name
    },
    { why: "nobody's", namesake: aReplicaSet({ name, version: "v3", owner: null }), taken: name },
    {
      why: "one of ours with our template that is about to be released",
      namesake: aReplicaSet({ name, version: "v3", ...other }),
      taken: undefined
    }
  ])("$taken: $why", ({ namesake, taken }) => {
    const seen = anObservation({ deployment, ...(namesake === undefined ? {} : { namesake }) })
    expect(seen.nameTakenBy).toBe(taken)
  })

  it("is of no interest once the new ReplicaSet is there", () => {
    const next = aReplicaSet({
      name: "adopted",
      template: aTemplate("v3", { labels: { [templateHashLabel]: "x" } })
    })
    const namesake = aReplicaSet({ name, version: "v1" })
    expect(anObservation({ deployment, replicaSets: [next], namesake }).nameTakenBy).toBeUndefined()
  })
})
