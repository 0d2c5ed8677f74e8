import { describe, expect, it } from "vitest"
import { controllerOf, controllerReference } from "../../src/kubernetes/meta/ownerReferences.ts"
import { isPodActive } from "../../src/kubernetes/pods/podState.ts"
import { Conflict, Forbidden } from "../../src/store/storeErrors.ts"
import { isControlledBy } from "../builders.ts"
import { aPodDraft, aReplicaSetDraft } from "../store/aStore.ts"
import { aWorkshop } from "./workloads.ts"
import type { Draft, Pod, ReplicaSet } from "../../src/kubernetes/meta/objects.ts"
import type { Workshop } from "./workloads.ts"

const no = new Forbidden({ resource: "pods", name: "", why: "planted" })
const mine = { labels: { app: "web" } }
const edit = (workshop: Workshop, object: ReplicaSet | Pod, change: object, only?: { status: boolean }) =>
  workshop.modify(object, (it) => ({ ...it, ...change }) as Draft, only)
const activeNames = (workshop: Workshop): ReadonlyArray<string> =>
  workshop
    .pods()
    .filter(isPodActive)
    .map(({ metadata }) => metadata.name)
    .sort()
const withReplicas = (replicaSet: ReplicaSet, replicas: number) => ({
  spec: { ...replicaSet.spec, replicas }
})
const aReplicaSetIn = (workshop: Workshop, replicas: number, metadata: object = {}): ReplicaSet =>
  workshop.create(aReplicaSetDraft({ name: "web", ...metadata }, { replicas })) as ReplicaSet

describe("a Pod that a ReplicaSet makes", () => {
  it("has the template's labels, annotations, finalizers and spec, the owner, and a name that begins with the owner's (TestCreatePods*)", () => {
    const workshop = aWorkshop()
    const template = {
      metadata: { labels: { app: "web", tier: "a" }, annotations: { note: "hi" }, finalizers: ["x.io/y"] },
      spec: { containers: [{ name: "app", image: "registry.example/app:v7" }] }
    }
    const owner = workshop.create(aReplicaSetDraft({ name: "web" }, { replicas: 1, template })) as ReplicaSet
    workshop.pass()
    const [pod] = workshop.pods()
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

describe("a ReplicaSet with as many Pods as it wants", () => {
  it("does nothing, and says nothing twice (TestSyncReplicaSetDoesNothing)", () => {
    const workshop = aWorkshop()
    const owner = aReplicaSetIn(workshop, 3)
    workshop.pass(1000)
    const before = workshop.changes.length
    edit(workshop, owner, { metadata: { ...workshop.present(owner).metadata, annotations: { note: "hi" } } })
    workshop.pass(600_000)
    expect(workshop.changes).toHaveLength(before + 1)
  })
})

describe("a ReplicaSet with too few or too many", () => {
  it("is looked at when it or one of its Pods changes (TestWatchControllers, TestWatchPods)", () => {
    const workshop = aWorkshop()
    const owner = aReplicaSetIn(workshop, 3)
    workshop.pass()
    expect(activeNames(workshop)).toHaveLength(3)
    edit(workshop, owner, withReplicas(owner, 5))
    workshop.pass()
    expect(activeNames(workshop)).toHaveLength(5)
    const [pod] = workshop.pods()
    if (pod !== undefined) edit(workshop, pod, { status: { phase: "Failed" } }, { status: true })
    workshop.pass()
    expect(activeNames(workshop)).toHaveLength(5)
    expect(workshop.pods()).toHaveLength(6)
  })

  it("makes no more than 500 and sends no more than 500 away on one look (TestControllerBurstReplicas)", () => {
    // Each batch waits for the view, which is late: what is done on one look is done at instants of its own.
    const workshop = aWorkshop({ lagMillis: 100 })
    const owner = aReplicaSetIn(workshop, 1203)
    workshop.pass(60_000)
    const made = workshop.perInstant("ADDED")
    const slowStart = [1, 2, 4, 8, 16, 32, 64, 128]
    expect(made).toEqual([...slowStart, 245, ...slowStart, 245, 1, 2, 4, 8, 16, 32, 64, 76])
    edit(workshop, owner, withReplicas(owner, 0))
    workshop.pass(60_000)
    expect(workshop.perInstant("DELETED")).toEqual([500, 500, 203])
  })

  it("replaces a Pod as soon as that is told to go, and not once more when it is gone (TestDeletionTimestamp, TestDeleteFinalStateUnknown)", () => {
    const workshop = aWorkshop()
    aReplicaSetIn(workshop, 2)
    workshop.pass()
    const [pod] = workshop.pods()
    if (pod === undefined) throw new Error("no Pod")
    const metadata = { ...pod.metadata, finalizers: ["x.io/hold"] }
    edit(workshop, pod, { metadata })
    workshop.remove(pod)
    workshop.pass()
    expect([workshop.pods().length, activeNames(workshop).length]).toEqual([3, 2])
    edit(workshop, pod, { metadata: { ...workshop.present(pod).metadata, finalizers: [] } })
    workshop.pass()
    expect([workshop.pods().length, activeNames(workshop).length]).toEqual([2, 2])
  })
})

describe("a ReplicaSet whose Pods are refused", () => {
  it("tries one Pod at a time, says so, and waits longer and longer (TestSyncReplicaSetCreateFailures)", () => {
    const workshop = aWorkshop({
      refuses: (write, what) => (write === "create" && what === "Pod" ? no : undefined)
    })
    aReplicaSetIn(workshop, 40)
    workshop.pass(100)
    // One attempt at once, one more because its own report is a change, the others after 10, 20 and 40 ms.
    expect(workshop.told()).toEqual(["FailedCreate x5"])
    expect(workshop.replicaSet("web")?.status).toMatchObject({
      replicas: 0,
      conditions: [{ type: "ReplicaFailure", status: "True", reason: "FailedCreate" }]
    })
  })

  it("stops the slow start at the first batch with a refusal, and finishes that batch", () => {
    // Batches of 1, 2 and 4, of which the last three are refused; each of the two reports leads to one more try.
    const workshop = aWorkshop({
      refuses: (write, what, times) => (write === "create" && what === "Pod" && times >= 5 ? no : undefined)
    })
    aReplicaSetIn(workshop, 40)
    workshop.pass()
    expect(activeNames(workshop)).toHaveLength(4)
    expect(workshop.told().filter((it) => it.startsWith("FailedCreate"))).toEqual(["FailedCreate x5"])
  })
})

describe("a ReplicaSet that may not delete its Pods", () => {
  it("says in its condition more than in its event: what was tried (RealPodControl.DeletePod)", () => {
    const refusal = new Forbidden({ resource: "pods", name: "web-x", why: "planted" })
    const workshop = aWorkshop({
      refuses: (write, what) => (write === "delete" && what === "pods" ? refusal : undefined)
    })
    const owner = aReplicaSetIn(workshop, 3)
    workshop.pass()
    edit(workshop, owner, withReplicas(owner, 1))
    workshop.pass()
    expect(workshop.messages()).toContain('Error deleting: pods "web-x" is forbidden: planted')
    expect(workshop.replicaSet("web")?.status).toMatchObject({
      replicas: 3,
      conditions: [
        { reason: "FailedDelete", message: 'unable to delete pods: pods "web-x" is forbidden: planted' }
      ]
    })
  })
})

describe("a status that is refused", () => {
  it.each([
    { why: "once", until: 1, error: new Conflict({ resource: "replicasets", name: "web", why: "planted" }) },
    { why: "seven times", until: 7, error: no }
  ])(
    "$why is told again until it is taken (TestControllerUpdateRequeue, TestControllerUpdateStatusWithFailure)",
    (row) => {
      const workshop = aWorkshop({
        refuses: (write, what, times) =>
          write === "updateStatus" && what === "ReplicaSet" && times <= row.until ? row.error : undefined
      })
      aReplicaSetIn(workshop, 3)
      workshop.pass(60_000)
      expect(workshop.replicaSet("web")?.status.replicas).toBe(3)
      expect(workshop.pods()).toHaveLength(3)
    }
  )
})

describe("Pods that a ReplicaSet finds", () => {
  it("are left to another that controls them, though it selects them (TestDoNotPatchPodWithOtherControlRef)", () => {
    const workshop = aWorkshop()
    const other = {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      name: "other",
      uid: "uid-other",
      controller: true
    }
    workshop.create(aPodDraft({ name: "theirs", ...mine, ownerReferences: [other] }))
    const owner = aReplicaSetIn(workshop, 2)
    workshop.pass(60_000)
    expect(workshop.pods().find((it) => it.metadata.name === "theirs")?.metadata.ownerReferences).toEqual([
      other
    ])
    expect(workshop.pods().filter((pod) => isControlledBy(pod, owner))).toHaveLength(2)
  })

  it("are left alone in another namespace", () => {
    const workshop = aWorkshop()
    workshop.create(aPodDraft({ name: "far", namespace: "yard", ...mine }))
    const owner = aReplicaSetIn(workshop, 1)
    workshop.pass(60_000)
    expect(
      workshop
        .pods()
        .filter((pod) => isControlledBy(pod, owner))
        .map((it) => it.metadata.namespace)
    ).toEqual(["shop"])
  })

  it("are adopted in the end, although the first attempts are refused (TestPatchPodFails)", () => {
    const workshop = aWorkshop({
      refuses: (write, what, times) => (write === "modify" && what === "pods" && times <= 3 ? no : undefined)
    })
    workshop.create(aPodDraft({ name: "a", ...mine }))
    workshop.create(aPodDraft({ name: "b", ...mine }))
    const owner = aReplicaSetIn(workshop, 2)
    workshop.pass(60_000)
    expect(activeNames(workshop)).toEqual(["a", "b"])
    expect(workshop.pods().every((pod) => isControlledBy(pod, owner))).toBe(true)
  })

  it("are shared by two that both want them: each is adopted by one, and neither makes too many (TestOverlappingRSs)", () => {
    const workshop = aWorkshop()
    const names = ["p1", "p2", "p3"]
    for (const name of names) workshop.create(aPodDraft({ name, ...mine }))
    const owners = ["a", "b"].map((name) => aReplicaSetIn(workshop, 2, { name }))
    workshop.pass(60_000)
    expect(owners.map((owner) => workshop.pods().filter((pod) => isControlledBy(pod, owner)).length)).toEqual(
      [2, 2]
    )
    expect(activeNames(workshop).filter((name) => names.includes(name)).length).toBeGreaterThan(1)
  })

  it("lose nothing but the reference to their owner when they are let go (TestGeneratePatchBytesForDelete)", () => {
    const workshop = aWorkshop()
    const owner = aReplicaSetIn(workshop, 1)
    workshop.pass()
    const [pod] = workshop.pods()
    if (pod === undefined) throw new Error("no Pod")
    const plain = { apiVersion: "v1", kind: "ConfigMap", name: "c", uid: "uid-c" }
    const metadata = {
      ...pod.metadata,
      finalizers: ["x.io/y"],
      labels: { app: "free" },
      ownerReferences: [plain, controllerReference(owner)]
    }
    edit(workshop, pod, { metadata })
    workshop.pass()
    const { resourceVersion: _version, ...released } = workshop.present(pod).metadata
    const { resourceVersion: _former, ...expected } = { ...metadata, ownerReferences: [plain] }
    expect(released).toEqual(expected)
    expect(workshop.pods().filter((it) => isControlledBy(it, owner))).toHaveLength(1)
  })

  it("stay orphans, and no Pods are made, while it is being deleted (TestDoNotAdoptOrCreateIfBeingDeleted)", () => {
    const workshop = aWorkshop()
    const owner = aReplicaSetIn(workshop, 1, { finalizers: ["x.io/hold"] })
    workshop.pass()
    workshop.remove(owner)
    workshop.create(aPodDraft({ name: "found", ...mine }))
    edit(workshop, owner, withReplicas(owner, 4))
    workshop.pass(60_000)
    expect(workshop.pods()).toHaveLength(2)
    expect(controllerOf(workshop.pods().find((it) => it.metadata.name === "found") ?? owner)).toBeUndefined()
    expect(workshop.replicaSet("web")?.status).toMatchObject({ replicas: 1, observedGeneration: 3 })
  })
})

describe("a Pod that must stay ready for a while", () => {
  it("is counted as available when its time has come, although nothing changes then (TestReplicaSetAvailabilityCheck)", () => {
    const workshop = aWorkshop()
    workshop.create(aReplicaSetDraft({}, { replicas: 3, minReadySeconds: 20 }))
    workshop.pass()
    const [first, second] = workshop.pods()
    if (first !== undefined) workshop.turnReady(first)
    workshop.pass(7000)
    if (second !== undefined) workshop.turnReady(second)
    const counts = [12_999, 1, 6999, 1].map((millis) => {
      workshop.pass(millis)
      const { readyReplicas, availableReplicas = 0 } = workshop.replicaSet("web")?.status ?? {}
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
