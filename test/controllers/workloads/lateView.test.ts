import { describe, expect, it } from "vitest"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import { isPodActive } from "../../../src/kubernetes/pods/podState.ts"
import { controllerOf } from "../../../src/kubernetes/meta/ownerReferences.ts"
import { Forbidden } from "../../../src/store/storeErrors.ts"
import { isControlledBy } from "../../builders.ts"
import { aDeploymentDraft, aPodDraft, aReplicaSetDraft } from "../../store/testStore.ts"
import { workloadControllers } from "./workloadControllers.ts"
import type { KubeObject, ReplicaSet } from "../../../src/kubernetes/meta/objects.ts"
import type { WorkloadControllers } from "./workloadControllers.ts"

/** Longer than the first retry. */
const lagMillis = 700
const lateOptions = { lagMillis }

const scaleTo = (controllers: WorkloadControllers, object: KubeObject, replicas: number) =>
  controllers.modify(
    object,
    (it) => ({ ...it, spec: { ...(it as ReplicaSet).spec, replicas } }) as ReplicaSet
  )

/** Pods ever created and ever deleted. */
const createdAndDeleted = ({ changes }: WorkloadControllers): string => {
  const ofPods = changes.filter(({ resource }) => resource === resources.pods)
  const made = ofPods.filter(({ type }) => type === "ADDED").length
  const left = new Set(
    ofPods
      .filter(({ type, object }) => type === "DELETED" || object.metadata.deletionTimestamp !== undefined)
      .map(({ object }) => object.metadata.uid)
  ).size
  return `${made} made, ${left} gone`
}

describe("a controller with a late view does nothing twice (TestControllerExpectations, TestUIDExpectations)", () => {
  it("creates as many Pods as desired, for any number and steps (TestRSSyncExpectations)", () => {
    for (const replicas of [1, 2, 7, 23]) {
      const controllers = workloadControllers(lateOptions)
      controllers.create(aReplicaSetDraft({}, { replicas }))
      controllers.pass(60_000)
      expect(createdAndDeleted(controllers)).toBe(`${replicas} made, 0 gone`)
    }
  })

  it("makes up for refused creations, and no more (TestSyncReplicaSetDormancy)", () => {
    const forbidden = new Forbidden({ resource: "pods", resourceName: "", why: "planted" })
    for (const refused of [1, 2, 3, 4, 5, 6, 7]) {
      const controllers = workloadControllers({
        ...lateOptions,
        refuses: (write, what, times) =>
          write === "create" && what === "Pod" && times === refused ? forbidden : undefined
      })
      controllers.create(aReplicaSetDraft({}, { replicas: 7 }))
      controllers.pass(60_000)
      expect(`refusal ${refused}: ${createdAndDeleted(controllers)}`).toBe(
        `refusal ${refused}: 7 made, 0 gone`
      )
    }
  })

  it("deletes each Pod once, and no other in its place", () => {
    const controllers = workloadControllers(lateOptions)
    const replicaSet = controllers.create(aReplicaSetDraft({}, { replicas: 7 }))
    controllers.pass(60_000)
    scaleTo(controllers, replicaSet, 4)
    controllers.pass(60_000)
    expect(createdAndDeleted(controllers)).toBe("7 made, 3 gone")
    expect(controllers.eventCounts().filter((it) => it.startsWith("SuccessfulDelete"))).toEqual([
      "SuccessfulDelete x1",
      "SuccessfulDelete x1",
      "SuccessfulDelete x1"
    ])
  })

  it.each([0, 1, 2])(
    "a change of Pod %i while another is terminating causes no further deletion",
    (turned) => {
      const controllers = workloadControllers(lateOptions)
      const replicaSet = controllers.create(aReplicaSetDraft({}, { replicas: 3 }))
      controllers.pass(60_000)
      scaleTo(controllers, replicaSet, 2)
      controllers.pass(5)
      const pod = controllers.pods()[turned]
      if (pod !== undefined) controllers.turnReady(pod)
      controllers.pass(60_000)
      expect(createdAndDeleted(controllers)).toBe("3 made, 1 gone")
    }
  )

  it("replaces a Pod that was deleted before the view has shown it, without waiting for it", () => {
    const controllers = workloadControllers(lateOptions)
    controllers.create(aReplicaSetDraft({}, { replicas: 3 }))
    controllers.pass(lagMillis + 5)
    for (const pod of controllers.pods()) controllers.remove(pod)
    controllers.pass(60_000)
    expect(createdAndDeleted(controllers)).toBe("4 made, 1 gone")
  })

  it("creates one new ReplicaSet and its Pods once in a rollout", () => {
    const controllers = workloadControllers(lateOptions)
    const deployment = controllers.create(aDeploymentDraft({}, { replicas: 5 }))
    controllers.pass(60_000)
    expect([controllers.replicaSets().length, createdAndDeleted(controllers)]).toEqual([1, "5 made, 0 gone"])
    scaleTo(controllers, deployment, 8)
    controllers.pass(60_000)
    expect([controllers.replicaSets().length, createdAndDeleted(controllers)]).toEqual([1, "8 made, 0 gone"])
  })
})

describe("a controller with a late view reads from the store before it acts", () => {
  it("an owner that is being deleted adopts nothing, though the view does not show it yet", () => {
    const rows = [
      { why: "TestSyncDeploymentDeletionRace", owner: aDeploymentDraft, orphan: aReplicaSetDraft },
      { why: "TestDoNotAdoptOrCreateIfBeingDeletedRace", owner: aReplicaSetDraft, orphan: aPodDraft }
    ]
    for (const { why, owner, orphan } of rows) {
      const controllers = workloadControllers(lateOptions)
      const held = controllers.create(owner({ name: "held", finalizers: ["x.io/hold"] }, { replicas: 0 }))
      controllers.pass(60_000)
      const found = controllers.create(orphan({ name: "found", labels: { app: "web" } }, {}))
      controllers.pass(5)
      controllers.remove(held)
      controllers.pass(60_000)
      expect(`${why}: ${String(controllerOf(controllers.present(found))?.name)}`).toBe(`${why}: undefined`)
    }
  })

  it("a Pod that is already gone counts as deleted, and is no failure (TestDeletePodsAllowsMissing)", () => {
    const controllers = workloadControllers(lateOptions)
    const replicaSet = controllers.create(aReplicaSetDraft({}, { replicas: 4 }))
    controllers.pass(60_000)
    scaleTo(controllers, replicaSet, 3)
    controllers.pass(5)
    const [doomed] = controllers.view.pods.firstToDelete({
      ownerUid: replicaSet.metadata.uid,
      relatedOwnerUids: [],
      count: 1,
      nowMillis: controllers.nowMillis()
    })
    if (doomed !== undefined) controllers.remove(doomed)
    controllers.pass(60_000)
    expect(createdAndDeleted(controllers)).toBe("4 made, 1 gone")
    expect(controllers.eventCounts().join(" ")).not.toContain("FailedDelete")
    expect(controllers.replicaSet("web")?.status.conditions).toBeUndefined()
  })

  it("a new object of the same name ignores its predecessor's expectations (TestExpectationsOnRecreate, TestDeleteControllerAndExpectations)", () => {
    const controllers = workloadControllers(lateOptions)
    const first = controllers.create(aReplicaSetDraft({}, { replicas: 5 }))
    controllers.pass(lagMillis)
    expect(controllers.pods()).toHaveLength(1)
    controllers.remove(first)
    const second = controllers.create(aReplicaSetDraft({}, { replicas: 3 }))
    controllers.pass(60_000)
    const active = controllers.pods().filter(isPodActive)
    expect(active.filter((pod) => isControlledBy(pod, second))).toHaveLength(3)
    expect(controllers.replicaSet("web")?.status.replicas).toBe(3)
  })
})
