import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { checkChoice, choosePods } from "../../../src/faults/pods/choosePods.ts"
import { controllerReference } from "../../../src/kubernetes/meta/ownerReferences.ts"
import { aDeploymentDraft, aPodDraft, aReplicaSetDraft, aStore, run } from "../../store/testStore.ts"
import type { KubeObject } from "../../../src/kubernetes/meta/objects.ts"
import type { PodChoice } from "../../../src/faults/schemas/faultFields.ts"

/** In `shop` a Deployment `web` with one ReplicaSet and Pod, and Pods with missing or replaced owners. */
const aShop = () => {
  const { store, view } = aStore()
  const owned = (name: string, owner?: KubeObject) => ({
    name,
    ...(owner === undefined ? {} : { ownerReferences: [controllerReference(owner)] })
  })
  const web = run(store.create(aDeploymentDraft()))
  const replicaSet = run(store.create(aReplicaSetDraft(owned("web-1", web))))
  const alone = run(store.create(aReplicaSetDraft(owned("alone"))))
  const withFormerUid = (object: KubeObject): KubeObject => ({
    ...object,
    metadata: { ...object.metadata, uid: "that-of-a-namesake-before" }
  })
  const ofFormer = run(store.create(aReplicaSetDraft(owned("web-2", withFormerUid(web)))))
  run(store.create(aPodDraft(owned("of-one-of-a-former", ofFormer))))
  run(store.create(aPodDraft({ ...owned("good", replicaSet), labels: { app: "web" } })))
  run(store.create(aPodDraft(owned("bare"))))
  run(store.create(aPodDraft(owned("of-a-former", withFormerUid(replicaSet)))))
  const missingOwner = { ...alone, metadata: { ...alone.metadata, name: "gone" } }
  run(store.create(aPodDraft(owned("of-absent", missingOwner))))
  run(store.create(aPodDraft(owned("of-one-alone", alone))))
  return view
}

const chosenNames = (choice: PodChoice): ReadonlyArray<string> =>
  choosePods({ view: aShop(), choice, canAffect: () => true, seed: 1, randomPurpose: [] }).map(
    ({ metadata }) => metadata.name
  )

describe("among orphans and Pods of missing owners,", () => {
  it("a choice by Deployment finds only Pods that it owns by uid", () => {
    expect(chosenNames({ deployment: "web", namespace: "shop" })).toEqual(["good"])
  })

  it("a choice by labels finds the labelled Pods", () => {
    expect(chosenNames({ labels: { app: "web" } })).toEqual(["good"])
  })

  it("a choice by name finds the matching Pods each time", () => {
    expect([chosenNames({ name: "of-one-*" }), chosenNames({ name: "of-one-*" })]).toEqual([
      ["of-one-alone", "of-one-of-a-former"],
      ["of-one-alone", "of-one-of-a-former"]
    ])
  })
})

describe("a choice of Pods", () => {
  it.each<{ readonly choice: PodChoice; readonly why: string | undefined }>([
    { choice: {}, why: undefined },
    { choice: { namespace: "shop" }, why: undefined },
    { choice: { namespace: "shop", deployment: "web", revision: "new" }, why: undefined },
    { choice: { namespace: "mall" }, why: 'namespaces "mall" not found' },
    { choice: { deployment: "web" }, why: 'deployments.apps "web" not found' },
    { choice: { namespace: "shop", node: "n1" }, why: 'nodes "n1" not found' },
    {
      choice: { revision: "old" },
      why: "pods.revision says which Pods of a workload: it needs pods.deployment, statefulSet or daemonSet"
    },
    {
      choice: { job: "sums", revision: "old" },
      why: "pods.revision says which Pods of a workload, and a Job has no revisions"
    },
    {
      choice: { deployment: "web", job: "sums" },
      why: "pods names a Deployment and a Job: a Pod has one owner"
    },
    { choice: { statefulSet: "db" }, why: 'statefulsets.apps "db" not found' },
    { choice: { namespace: "shop", daemonSet: "log" }, why: 'daemonsets.apps "log" not found' }
  ])("of $choice is refused when an object is missing: $why", ({ choice, why }) => {
    const problem = checkChoice(aShop(), "kill", choice).pipe(
      Effect.as(undefined),
      Effect.catch((refused) => Effect.succeed(refused.why))
    )
    expect(run(problem)).toBe(why)
  })
})
