import { describe, expect, it } from "vitest"
import { controllerOf, controllerReference } from "../../../src/kubernetes/meta/ownerReferences.ts"
import { isPodActive } from "../../../src/kubernetes/pods/podState.ts"
import { Conflict, Forbidden } from "../../../src/store/storeErrors.ts"
import { isControlledBy } from "../../builders.ts"
import { aPodDraft, aReplicaSetDraft } from "../../store/testStore.ts"
import { workloadControllers } from "./workloadControllers.ts"
import type { Draft, Pod, ReplicaSet } from "../../../src/kubernetes/meta/objects.ts"
import type { WorkloadControllers } from "./workloadControllers.ts"

const forbidden = new Forbidden({ resource: "pods", resourceName: "", why: "planted" })
const appLabels = { labels: { app: "web" } }
const edit = (
  controllers: WorkloadControllers,
  object: ReplicaSet | Pod,
  change: object,
  only?: { status: boolean }
) => controllers.modify(object, (it) => ({ ...it, ...change }) as Draft, only)
const activeNames = (controllers: WorkloadControllers): ReadonlyArray<string> =>
  controllers
    .pods()
    .filter(isPodActive)
    .map(({ metadata }) => metadata.name)
    .sort()
const withReplicas = (replicaSet: ReplicaSet, replicas: number) => ({
  spec: { ...replicaSet.spec, replicas }
})
const aReplicaSetIn = (
  controllers: WorkloadControllers,
  replicas: number,
  metadata: object = {}
): ReplicaSet =>
  controllers.create(aReplicaSetDraft({ name: "web", ...metadata }, { replicas })) as ReplicaSet

describe("a Pod created by a ReplicaSet", () => {
  it("has the template's labels, annotations, finalizers and spec, the owner, and a name with the owner's as prefix (TestCreatePods*)", () => {
    const controllers = workloadControllers()
    const template = {
      metadata: { labels: { app: "web", tier: "a" }, annotations: { note: "hi" }, finalizers: ["x.io/y"] },
      spec: { containers: [{ name: "app", image: "registry.example/app:v7" }] }
    }
    const owner = controllers.create(
      aReplicaSetDraft({ name: "web" }, { replicas: 1, template })
    ) as ReplicaSet
    controllers.pass()
    const [pod] = controllers.pods()
    expect(pod?.metadata).toMatchObject({
      ...template.metadata,
      namespace: "shop",
      generateName: "web-",
      name: expect.stringMatching(/^web-[^-]{5}$/),
      ownerReferences: [controllerReference(owner)]
    })
    expect(pod?.spec.containers[0]?.image).toBe("registry.example/app:v7")
  })
})

describe("a ReplicaSet with as many Pods as desired", () => {
  it("writes nothing (TestSyncReplicaSetDoesNothing)", () => {
    const controllers = workloadControllers()
    const owner = aReplicaSetIn(controllers, 3)
    controllers.pass(1000)
    const before = controllers.changes.length
    edit(controllers, owner, {
      metadata: { ...controllers.present(owner).metadata, annotations: { note: "hi" } }
    })
    controllers.pass(600_000)
    expect(controllers.changes).toHaveLength(before + 1)
  })
})

describe("a ReplicaSet with too few or too many Pods", () => {
  it("is reconciled when it or one of its Pods changes (TestWatchControllers, TestWatchPods)", () => {
    const controllers = workloadControllers()
    const owner = aReplicaSetIn(controllers, 3)
    controllers.pass()
    expect(activeNames(controllers)).toHaveLength(3)
    edit(controllers, owner, withReplicas(owner, 5))
    controllers.pass()
    expect(activeNames(controllers)).toHaveLength(5)
    const [pod] = controllers.pods()
    if (pod !== undefined) edit(controllers, pod, { status: { phase: "Failed" } }, { status: true })
    controllers.pass()
    expect(activeNames(controllers)).toHaveLength(5)
    expect(controllers.pods()).toHaveLength(6)
  })

  it("creates and deletes 500 Pods at most per turn (TestControllerBurstReplicas)", () => {
    // Each batch waits for the late view, so that each turn has an instant of its own.
    const controllers = workloadControllers({ lagMillis: 100 })
    const owner = aReplicaSetIn(controllers, 1203)
    controllers.pass(60_000)
    const made = controllers.perInstant("ADDED")
    const slowStart = [1, 2, 4, 8, 16, 32, 64, 128]
    expect(made).toEqual([...slowStart, 245, ...slowStart, 245, 1, 2, 4, 8, 16, 32, 64, 76])
    edit(controllers, owner, withReplicas(owner, 0))
    controllers.pass(60_000)
    expect(controllers.perInstant("DELETED")).toEqual([500, 500, 203])
  })

  it("replaces a Pod once, when it begins to terminate (TestDeletionTimestamp, TestDeleteFinalStateUnknown)", () => {
    const controllers = workloadControllers()
    aReplicaSetIn(controllers, 2)
    controllers.pass()
    const [pod] = controllers.pods()
    if (pod === undefined) throw new Error("no Pod")
    const metadata = { ...pod.metadata, finalizers: ["x.io/hold"] }
    edit(controllers, pod, { metadata })
    controllers.remove(pod)
    controllers.pass()
    expect([controllers.pods().length, activeNames(controllers).length]).toEqual([3, 2])
    edit(controllers, pod, { metadata: { ...controllers.present(pod).metadata, finalizers: [] } })
    controllers.pass()
    expect([controllers.pods().length, activeNames(controllers).length]).toEqual([2, 2])
  })
})

describe("a ReplicaSet whose Pods are refused", () => {
  it("tries one Pod at a time, reports it, and waits with growing back-off (TestSyncReplicaSetCreateFailures)", () => {
    const controllers = workloadControllers({
      refuses: (write, what) => (write === "create" && what === "Pod" ? forbidden : undefined)
    })
    aReplicaSetIn(controllers, 40)
    controllers.pass(100)
    // One attempt at once, one after its own status change, the others after 10, 20 and 40 ms.
    expect(controllers.eventCounts()).toEqual(["FailedCreate x5"])
    expect(controllers.replicaSet("web")?.status).toMatchObject({
      replicas: 0,
      conditions: [{ type: "ReplicaFailure", status: "True", reason: "FailedCreate" }]
    })
  })

  it("stops the slow start after the first batch with a refusal", () => {
    // Batches of 1, 2 and 4, the last three refused; each of the two reports causes one more attempt.
    const controllers = workloadControllers({
      refuses: (write, what, times) =>
        write === "create" && what === "Pod" && times >= 5 ? forbidden : undefined
    })
    aReplicaSetIn(controllers, 40)
    controllers.pass()
    expect(activeNames(controllers)).toHaveLength(4)
    expect(controllers.eventCounts().filter((it) => it.startsWith("FailedCreate"))).toEqual([
      "FailedCreate x5"
    ])
  })
})

describe("a ReplicaSet whose deletions are refused", () => {
  it("has the attempted deletion in its condition, and only the error in its event (RealPodControl.DeletePod)", () => {
    const refusal = new Forbidden({ resource: "pods", resourceName: "web-x", why: "planted" })
    const controllers = workloadControllers({
      refuses: (write, what) => (write === "delete" && what === "pods" ? refusal : undefined)
    })
    const owner = aReplicaSetIn(controllers, 3)
    controllers.pass()
    edit(controllers, owner, withReplicas(owner, 1))
    controllers.pass()
    expect(controllers.messages()).toContain('Error deleting: pods "web-x" is forbidden: planted')
    expect(controllers.replicaSet("web")?.status).toMatchObject({
      replicas: 3,
      conditions: [
        { reason: "FailedDelete", message: 'unable to delete pods: pods "web-x" is forbidden: planted' }
      ]
    })
  })
})

describe("a refused status write", () => {
  it.each([
    {
      why: "once",
      until: 1,
      error: new Conflict({ resource: "replicasets", resourceName: "web", why: "planted" })
    },
    { why: "seven times", until: 7, error: forbidden }
  ])(
    "$why is retried until it succeeds (TestControllerUpdateRequeue, TestControllerUpdateStatusWithFailure)",
    (row) => {
      const controllers = workloadControllers({
        refuses: (write, what, times) =>
          write === "updateStatus" && what === "ReplicaSet" && times <= row.until ? row.error : undefined
      })
      aReplicaSetIn(controllers, 3)
      controllers.pass(60_000)
      expect(controllers.replicaSet("web")?.status.replicas).toBe(3)
      expect(controllers.pods()).toHaveLength(3)
    }
  )
})

describe("matching Pods", () => {
  it("of another controller are left alone (TestDoNotPatchPodWithOtherControlRef)", () => {
    const controllers = workloadControllers()
    const other = {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      name: "other",
      uid: "uid-other",
      controller: true
    }
    controllers.create(aPodDraft({ name: "theirs", ...appLabels, ownerReferences: [other] }))
    const owner = aReplicaSetIn(controllers, 2)
    controllers.pass(60_000)
    expect(controllers.pods().find((it) => it.metadata.name === "theirs")?.metadata.ownerReferences).toEqual([
      other
    ])
    expect(controllers.pods().filter((pod) => isControlledBy(pod, owner))).toHaveLength(2)
  })

  it("in another namespace are left alone", () => {
    const controllers = workloadControllers()
    controllers.create(aPodDraft({ name: "far", namespace: "yard", ...appLabels }))
    const owner = aReplicaSetIn(controllers, 1)
    controllers.pass(60_000)
    expect(
      controllers
        .pods()
        .filter((pod) => isControlledBy(pod, owner))
        .map((it) => it.metadata.namespace)
    ).toEqual(["shop"])
  })

  it("are adopted although the first attempts are refused (TestPatchPodFails)", () => {
    const controllers = workloadControllers({
      refuses: (write, what, times) =>
        write === "modify" && what === "pods" && times <= 3 ? forbidden : undefined
    })
    controllers.create(aPodDraft({ name: "a", ...appLabels }))
    controllers.create(aPodDraft({ name: "b", ...appLabels }))
    const owner = aReplicaSetIn(controllers, 2)
    controllers.pass(60_000)
    expect(activeNames(controllers)).toEqual(["a", "b"])
    expect(controllers.pods().every((pod) => isControlledBy(pod, owner))).toBe(true)
  })

  it("of two ReplicaSets are adopted by one of them each, and neither creates too many (TestOverlappingRSs)", () => {
    const controllers = workloadControllers()
    const names = ["p1", "p2", "p3"]
    for (const name of names) controllers.create(aPodDraft({ name, ...appLabels }))
    const owners = ["a", "b"].map((name) => aReplicaSetIn(controllers, 2, { name }))
    controllers.pass(60_000)
    expect(
      owners.map((owner) => controllers.pods().filter((pod) => isControlledBy(pod, owner)).length)
    ).toEqual([2, 2])
    expect(activeNames(controllers).filter((name) => names.includes(name)).length).toBeGreaterThan(1)
  })

  it("that are released lose only their owner reference (TestGeneratePatchBytesForDelete)", () => {
    const controllers = workloadControllers()
    const owner = aReplicaSetIn(controllers, 1)
    controllers.pass()
    const [pod] = controllers.pods()
    if (pod === undefined) throw new Error("no Pod")
    const plain = { apiVersion: "v1", kind: "ConfigMap", name: "c", uid: "uid-c" }
    const metadata = {
      ...pod.metadata,
      finalizers: ["x.io/y"],
      labels: { app: "free" },
      ownerReferences: [plain, controllerReference(owner)]
    }
    edit(controllers, pod, { metadata })
    controllers.pass()
    const { resourceVersion: _version, ...released } = controllers.present(pod).metadata
    const { resourceVersion: _former, ...expected } = { ...metadata, ownerReferences: [plain] }
    expect(released).toEqual(expected)
    expect(controllers.pods().filter((it) => isControlledBy(it, owner))).toHaveLength(1)
  })

  it("remain orphans, and no Pods are created, while the ReplicaSet is being deleted (TestDoNotAdoptOrCreateIfBeingDeleted)", () => {
    const controllers = workloadControllers()
    const owner = aReplicaSetIn(controllers, 1, { finalizers: ["x.io/hold"] })
    controllers.pass()
    controllers.remove(owner)
    controllers.create(aPodDraft({ name: "found", ...appLabels }))
    edit(controllers, owner, withReplicas(owner, 4))
    controllers.pass(60_000)
    expect(controllers.pods()).toHaveLength(2)
    expect(
      controllerOf(controllers.pods().find((it) => it.metadata.name === "found") ?? owner)
    ).toBeUndefined()
    expect(controllers.replicaSet("web")?.status).toMatchObject({ replicas: 1, observedGeneration: 3 })
  })
})

describe("a Pod with minReadySeconds", () => {
  it("becomes available by time alone (TestReplicaSetAvailabilityCheck)", () => {
    const controllers = workloadControllers()
    controllers.create(aReplicaSetDraft({}, { replicas: 3, minReadySeconds: 20 }))
    controllers.pass()
    const [first, second] = controllers.pods()
    if (first !== undefined) controllers.turnReady(first)
    controllers.pass(7000)
    if (second !== undefined) controllers.turnReady(second)
    const counts = [12_999, 1, 6999, 1].map((millis) => {
      controllers.pass(millis)
      const { readyReplicas, availableReplicas = 0 } = controllers.replicaSet("web")?.status ?? {}
      return `${readyReplicas} ready, ${availableReplicas} available`
    })
    expect(counts).toEqual([
      "2 ready, 0 available",
      "2 ready, 1 available",
      "2 ready, 1 available",
      "2 ready, 2 available"
    ])
  })
})
