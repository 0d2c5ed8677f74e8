import { describe, expect, it } from "vitest"
import { isReleased, planDeletion } from "../../src/store/writes/planDeletion.ts"
import { aDeployment, aPod, aTime, startMillis } from "../builders.ts"
import { aDeploymentDraft, aPodDraft, aStore, changeTexts, refusalOf, run, withChanges } from "./aStore.ts"
import type { PodOptions } from "../builders.ts"
import type { Pod } from "../../src/kubernetes/meta/objects.ts"
import type { DeleteOptions } from "../../src/store/objectStore.ts"

const deleted = (pod: Pod, request: DeleteOptions, seconds: number) =>
  planDeletion({ resource: "pods", object: pod, request, nowMillis: startMillis + seconds * 1000 })

interface GraceRow {
  readonly why: string
  readonly pod: PodOptions
  readonly request?: DeleteOptions
  /** When the containers must be gone, and how long they were given; `gone` at once. */
  readonly left: readonly [endsAt: number, grace: number] | "gone"
}

const graceOf = (seconds: number): PodOptions => ({ spec: { terminationGracePeriodSeconds: seconds } })

describe("a Pod is given time to go (CheckGracefulDelete)", () => {
  it.each<GraceRow>([
    { why: "30 s where nothing is said", pod: {}, left: [40, 30] },
    { why: "its own", pod: graceOf(7), left: [17, 7] },
    { why: "as asked for", pod: graceOf(7), request: { gracePeriodSeconds: 90 }, left: [100, 90] },
    { why: "none asked for", pod: graceOf(7), request: { gracePeriodSeconds: 0 }, left: "gone" },
    { why: "none of its own", pod: graceOf(0), left: "gone" },
    {
      why: "a negative one is a second",
      pod: graceOf(7),
      request: { gracePeriodSeconds: -5 },
      left: [11, 1]
    },
    { why: "no kubelet has it", pod: { node: undefined }, left: "gone" },
    { why: "it has failed", pod: { phase: "Failed" }, left: "gone" },
    {
      why: "it has succeeded",
      pod: { phase: "Succeeded" },
      request: { gracePeriodSeconds: 9 },
      left: "gone"
    },
    { why: "none, but a finalizer holds it", pod: { ...graceOf(0), finalizers: ["x.io/y"] }, left: [10, 0] }
  ])("$left: $why", ({ pod, request = {}, left }) => {
    const going = deleted(aPod(pod), request, 10)
    if (left === "gone") return expect(going).toBeUndefined()
    const [endsAt, grace] = left
    expect(going?.metadata).toMatchObject({
      deletionTimestamp: aTime(endsAt),
      deletionGracePeriodSeconds: grace,
      generation: 2
    })
  })
})

describe("a Pod that is going may only go sooner", () => {
  // Asked to go at 10 with 30 s, so until 40.
  const going = deleted(aPod(), { gracePeriodSeconds: 30 }, 10) as Pod
  it.each<{
    readonly why: string
    readonly request: DeleteOptions
    readonly at: number
    readonly left: GraceRow["left"]
  }>([
    { why: "a longer time is ignored", request: { gracePeriodSeconds: 90 }, at: 12, left: [40, 30] },
    { why: "the same", request: { gracePeriodSeconds: 30 }, at: 12, left: [40, 30] },
    {
      why: "a shorter one counts from the beginning",
      request: { gracePeriodSeconds: 5 },
      at: 12,
      left: [15, 5]
    },
    { why: "but does not end in the past", request: { gracePeriodSeconds: 5 }, at: 33, left: [33, 5] },
    { why: "none removes it", request: { gracePeriodSeconds: 0 }, at: 12, left: "gone" },
    { why: "asking again without a wish changes nothing", request: {}, at: 12, left: [40, 30] }
  ])("$left: $why", ({ request, at, left }) => {
    const again = deleted(going, request, at)
    if (left === "gone") return expect(again).toBeUndefined()
    const [endsAt, grace] = left
    expect(again?.metadata).toMatchObject({
      deletionTimestamp: aTime(endsAt),
      deletionGracePeriodSeconds: grace,
      generation: 2
    })
  })

  it("is held by no wish about its dependents either, once it has been given time", () => {
    expect(deleted(going, { propagationPolicy: "Foreground" }, 12)).toBe(going)
    const sooner = deleted(going, { propagationPolicy: "Foreground", gracePeriodSeconds: 9 }, 12)
    expect(sooner?.metadata).toMatchObject({
      finalizers: ["foregroundDeletion"],
      deletionTimestamp: aTime(19)
    })
  })

  it("is not taken away by a plain request when it has come to its end meanwhile, but by force", () => {
    const ended = { ...going, status: { phase: "Succeeded" } }
    expect(deleted(ended, {}, 12)).toBe(ended)
    expect(deleted(ended, { gracePeriodSeconds: 0 }, 12)).toBeUndefined()
  })

  it("one that was given more than its own is not cut short by a plain request", () => {
    const patient = deleted(aPod(graceOf(7)), { gracePeriodSeconds: 60 }, 10) as Pod
    expect(deleted(patient, {}, 12)).toBe(patient)
  })
})

describe("finalizers hold an object", () => {
  const planned = (finalizers: ReadonlyArray<string>, request: DeleteOptions) =>
    planDeletion({
      resource: "deployments.apps",
      object: aDeployment({ finalizers }),
      request,
      nowMillis: startMillis
    })?.metadata.finalizers
  it.each<{
    readonly why: string
    readonly before: ReadonlyArray<string>
    readonly policy?: DeleteOptions["propagationPolicy"]
    readonly after: ReadonlyArray<string> | undefined
  }>([
    { why: "none: it goes at once", before: [], after: undefined },
    { why: "its own", before: ["x.io/y"], after: ["x.io/y"] },
    { why: "dependents first", before: [], policy: "Foreground", after: ["foregroundDeletion"] },
    { why: "dependents are let go first", before: ["x.io/y"], policy: "Orphan", after: ["x.io/y", "orphan"] },
    {
      why: "another wish replaces the first",
      before: ["orphan"],
      policy: "Foreground",
      after: ["foregroundDeletion"]
    },
    { why: "and takes it away", before: ["foregroundDeletion"], policy: "Background", after: undefined },
    {
      why: "the same wish leaves the order alone",
      before: ["orphan", "x.io/y"],
      policy: "Orphan",
      after: ["orphan", "x.io/y"]
    },
    { why: "without a wish the first one stands", before: ["orphan"], after: ["orphan"] }
  ])("$after: $why", ({ before, policy, after }) => {
    expect(planned(before, policy === undefined ? {} : { propagationPolicy: policy })).toEqual(after)
  })

  it.each([
    { why: "not going at all", options: {}, released: false },
    { why: "going, nothing to wait for", options: { terminating: true }, released: true },
    { why: "a finalizer is left", options: { terminating: true, finalizers: ["x.io/y"] }, released: false },
    { why: "an empty list of them", options: { terminating: true, finalizers: [] }, released: true }
  ])("released $released: $why", ({ options, released }) => {
    expect(isReleased(aDeployment(options))).toBe(released)
  })
})

const web = { resource: "deployments.apps", key: "shop/web" }

describe("deleting from the store", () => {
  it("removes at once what nothing holds, under a version of its own", () => {
    const { store, changes } = aStore()
    run(store.create(aDeploymentDraft()))
    const gone = run(store.delete(web))
    expect(gone.metadata.resourceVersion).toBe("3")
    expect(changeTexts(changes)).toEqual(["ADDED web@2", "DELETED web@3"])
    expect(refusalOf(store.get(web)).message).toBe('deployments.apps "web" not found')
    expect(refusalOf(store.delete(web))).toMatchObject({ _tag: "NotFound" })
  })

  it("the last finalizer taken away removes the object in the same write, and not the one before", () => {
    const { store, changes } = aStore()
    run(store.create(aDeploymentDraft({ finalizers: ["x.io/a", "x.io/b"] })))
    run(store.delete(web))
    const finalizers = (left: ReadonlyArray<string>) =>
      store.modify(web, (it) => withChanges(it, { finalizers: left }))
    run(finalizers(["x.io/b"]))
    expect(run(store.get(web)).metadata.deletionTimestamp).toBe(aTime(0))
    run(finalizers([]))
    expect(refusalOf(store.get(web))).toMatchObject({ _tag: "NotFound" })
    expect(changeTexts(changes)).toEqual(["ADDED web@2", "MODIFIED web@3", "MODIFIED web@4", "DELETED web@5"])
  })

  it("a finalizer taken away from what is not going does not remove it", () => {
    const { store } = aStore()
    run(store.create(aDeploymentDraft({ finalizers: ["x.io/a"] })))
    run(store.modify(web, (it) => withChanges(it, { finalizers: [] })))
    expect(run(store.get(web)).metadata.name).toBe("web")
  })

  it("what is going gets no new finalizers, and is not brought back", () => {
    const { store } = aStore()
    run(store.create(aDeploymentDraft({ finalizers: ["x.io/a"] })))
    run(store.delete(web))
    const more = store.modify(web, (it) => withChanges(it, { finalizers: ["x.io/a", "x.io/b"] }))
    expect(refusalOf(more)).toMatchObject({ _tag: "Invalid" })
    const { deletionTimestamp: _deletion, ...metadata } = run(store.get(web)).metadata
    const back = run(store.update({ ...run(store.get(web)), metadata }))
    expect(back.metadata.deletionTimestamp).toBe(aTime(0))
  })

  it("a second delete while a finalizer holds it makes no version", () => {
    const { store, version } = aStore()
    run(store.create(aDeploymentDraft({ finalizers: ["x.io/a"] })))
    run(store.delete(web))
    run(store.delete(web))
    expect(version()).toBe(3)
  })

  it("a Pod with grace and a finalizer is removed by neither alone", () => {
    const { store } = aStore()
    const pod = { resource: "pods", key: "shop/web" }
    run(store.create(aPodDraft({ finalizers: ["x.io/a"] }, { nodeName: "n1" })))
    run(store.delete(pod))
    run(store.modify(pod, (it) => withChanges(it, { finalizers: [] })))
    expect(run(store.get(pod)).metadata.deletionGracePeriodSeconds).toBe(30)
    run(store.delete(pod, { gracePeriodSeconds: 0 }))
    expect(refusalOf(store.get(pod))).toMatchObject({ _tag: "NotFound" })
  })

  it.each<{ readonly preconditions: { uid?: string; resourceVersion?: string }; readonly message: string }>([
    {
      preconditions: { uid: "another" },
      message: "the UID in the precondition (another) does not match the UID in record (UID)"
    },
    {
      preconditions: { resourceVersion: "1" },
      message: "the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (2)"
    }
  ])("is refused by $preconditions", ({ preconditions, message }) => {
    const { store, version } = aStore()
    const { uid } = run(store.create(aDeploymentDraft())).metadata
    expect(refusalOf(store.delete(web, { preconditions })).message).toContain(
      message.replace("UID)", `${uid})`)
    )
    expect(version()).toBe(2)
    run(store.delete(web, { preconditions: { uid, resourceVersion: "2" } }))
    expect(version()).toBe(3)
  })

  it.each(["default", "kube-system", "kube-public"])("the namespace %s may not be deleted", (name) => {
    const { store } = aStore()
    run(store.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } }))
    expect(refusalOf(store.delete({ resource: "namespaces", key: name })).message).toBe(
      `namespaces "${name}" is forbidden: this namespace may not be deleted`
    )
  })

  it("a namespace goes when its finalizers are taken from its spec", () => {
    const { store } = aStore()
    const shop = { resource: "namespaces", key: "shop" }
    run(store.delete(shop))
    const leaving = run(store.get(shop))
    expect(leaving).toMatchObject({ status: { phase: "Terminating" } })
    expect(leaving.metadata.deletionTimestamp).toBe(aTime(0))
    expect(leaving.metadata.deletionGracePeriodSeconds).toBeUndefined()
    run(store.finalizeNamespace("shop", []))
    expect(refusalOf(store.get(shop))).toMatchObject({ _tag: "NotFound" })
  })
})
