import { describe, expect, it } from "vitest"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { isPodActive } from "../../src/kubernetes/pods/podState.ts"
import { controllerOf } from "../../src/kubernetes/meta/ownerReferences.ts"
import { Forbidden } from "../../src/store/storeErrors.ts"
import { isControlledBy } from "../builders.ts"
import { aDeploymentDraft, aPodDraft, aReplicaSetDraft } from "../store/aStore.ts"
import { aWorkshop } from "./workloads.ts"
import type { KubeObject, ReplicaSet } from "../../src/kubernetes/meta/objects.ts"
import type { Workshop } from "./workloads.ts"

/** A view that learns of a write long after a first retry would be due. */
const lagMillis = 700
const late = { lagMillis }

const scaleTo = (workshop: Workshop, object: KubeObject, replicas: number) =>
  workshop.modify(object, (it) => ({ ...it, spec: { ...(it as ReplicaSet).spec, replicas } }) as ReplicaSet)

/** Pods ever made, and Pods ever told to go. */
const ever = ({ changes }: Workshop): string => {
  const ofPods = changes.filter(({ resource }) => resource === resources.pods)
  const made = ofPods.filter(({ type }) => type === "ADDED").length
  const left = new Set(
    ofPods
      .filter(({ type, object }) => type === "DELETED" || object.metadata.deletionTimestamp !== undefined)
      .map(({ object }) => object.metadata.uid)
  ).size
  return `${made} made, ${left} gone`
}

describe("a view that is late leads nobody to do a thing twice (TestControllerExpectations, TestUIDExpectations)", () => {
  it("as many Pods are made as are asked for, whatever the number and the steps (TestRSSyncExpectations)", () => {
    for (const replicas of [1, 2, 7, 23]) {
      const workshop = aWorkshop(late)
      workshop.create(aReplicaSetDraft({}, { replicas }))
      workshop.pass(60_000)
      expect(ever(workshop)).toBe(`${replicas} made, 0 gone`)
    }
  })

  it("what was refused is made up for, and no more than that (TestSyncReplicaSetDormancy)", () => {
    const no = new Forbidden({ resource: "pods", name: "", why: "planted" })
    for (const refused of [1, 2, 3, 4, 5, 6, 7]) {
      const workshop = aWorkshop({
        ...late,
        refuses: (write, what, times) =>
          write === "create" && what === "Pod" && times === refused ? no : undefined
      })
      workshop.create(aReplicaSetDraft({}, { replicas: 7 }))
      workshop.pass(60_000)
      expect(`refusal ${refused}: ${ever(workshop)}`).toBe(`refusal ${refused}: 7 made, 0 gone`)
    }
  })

  it("a Pod that was told to go is told once, and no other in its place", () => {
    const workshop = aWorkshop(late)
    const replicaSet = workshop.create(aReplicaSetDraft({}, { replicas: 7 }))
    workshop.pass(60_000)
    scaleTo(workshop, replicaSet, 4)
    workshop.pass(60_000)
    expect(ever(workshop)).toBe("7 made, 3 gone")
    expect(workshop.told().filter((it) => it.startsWith("SuccessfulDelete"))).toEqual([
      "SuccessfulDelete x1",
      "SuccessfulDelete x1",
      "SuccessfulDelete x1"
    ])
  })

  it.each([0, 1, 2])(
    "news of Pod %i while one is on its way out does not send another after it",
    (turned) => {
      const workshop = aWorkshop(late)
      const replicaSet = workshop.create(aReplicaSetDraft({}, { replicas: 3 }))
      workshop.pass(60_000)
      scaleTo(workshop, replicaSet, 2)
      workshop.pass(5)
      const pod = workshop.pods()[turned]
      if (pod !== undefined) workshop.turnReady(pod)
      workshop.pass(60_000)
      expect(ever(workshop)).toBe("3 made, 1 gone")
    }
  )

  it("a Pod that is gone before the view has seen it come is replaced, and nobody waits for it for ever", () => {
    const workshop = aWorkshop(late)
    workshop.create(aReplicaSetDraft({}, { replicas: 3 }))
    workshop.pass(lagMillis + 5)
    for (const pod of workshop.pods()) workshop.remove(pod)
    workshop.pass(60_000)
    expect(ever(workshop)).toBe("4 made, 1 gone")
  })

  it("a rollout makes one new ReplicaSet and its Pods once", () => {
    const workshop = aWorkshop(late)
    const deployment = workshop.create(aDeploymentDraft({}, { replicas: 5 }))
    workshop.pass(60_000)
    expect([workshop.replicaSets().length, ever(workshop)]).toEqual([1, "5 made, 0 gone"])
    scaleTo(workshop, deployment, 8)
    workshop.pass(60_000)
    expect([workshop.replicaSets().length, ever(workshop)]).toEqual([1, "8 made, 0 gone"])
  })
})

describe("what the view does not know yet is asked of the store", () => {
  it("an owner that is going adopts nothing, though the view still shows it well", () => {
    const rows = [
      { why: "TestSyncDeploymentDeletionRace", owner: aDeploymentDraft, orphan: aReplicaSetDraft },
      { why: "TestDoNotAdoptOrCreateIfBeingDeletedRace", owner: aReplicaSetDraft, orphan: aPodDraft }
    ]
    for (const { why, owner, orphan } of rows) {
      const workshop = aWorkshop(late)
      const held = workshop.create(owner({ name: "held", finalizers: ["x.io/hold"] }, { replicas: 0 }))
      workshop.pass(60_000)
      const found = workshop.create(orphan({ name: "found", labels: { app: "web" } }, {}))
      workshop.pass(5)
      workshop.remove(held)
      workshop.pass(60_000)
      expect(`${why}: ${String(controllerOf(workshop.present(found))?.name)}`).toBe(`${why}: undefined`)
    }
  })

  it("a Pod that is gone already counts as deleted, and nothing failed (TestDeletePodsAllowsMissing)", () => {
    const workshop = aWorkshop(late)
    const replicaSet = workshop.create(aReplicaSetDraft({}, { replicas: 4 }))
    workshop.pass(60_000)
    scaleTo(workshop, replicaSet, 3)
    workshop.pass(5)
    const [doomed] = workshop.view.pods.firstToDelete({
      ownerUid: replicaSet.metadata.uid,
      familyUids: [],
      count: 1,
      nowMillis: workshop.nowMillis()
    })
    if (doomed !== undefined) workshop.remove(doomed)
    workshop.pass(60_000)
    expect(ever(workshop)).toBe("4 made, 1 gone")
    expect(workshop.told().join(" ")).not.toContain("FailedDelete")
    expect(workshop.replicaSet("web")?.status.conditions).toBeUndefined()
  })

  it("a namesake begins anew: it neither waits for, nor counts, what was asked for its predecessor (TestExpectationsOnRecreate, TestDeleteControllerAndExpectations)", () => {
    const workshop = aWorkshop(late)
    const first = workshop.create(aReplicaSetDraft({}, { replicas: 5 }))
    workshop.pass(lagMillis)
    expect(workshop.pods()).toHaveLength(1)
    workshop.remove(first)
    const second = workshop.create(aReplicaSetDraft({}, { replicas: 3 }))
    workshop.pass(60_000)
    const active = workshop.pods().filter(isPodActive)
    expect(active.filter((pod) => isControlledBy(pod, second))).toHaveLength(3)
    expect(workshop.replicaSet("web")?.status.replicas).toBe(3)
  })
})
