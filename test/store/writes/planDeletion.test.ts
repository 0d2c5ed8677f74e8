import { describe, expect, it } from "vitest"
import { isReadyForRemoval, planDeletion } from "../../../src/store/writes/planDeletion.ts"
import { aDeployment, aPod, aTime, namespaceManifest, startMillis } from "../../builders.ts"
import {
  aDeploymentDraft,
  aPodDraft,
  aStore,
  changeTexts,
  refusalOf,
  run,
  withChanges
} from "../testStore.ts"
import type { PodOptions } from "../../builders.ts"
import type { Pod } from "../../../src/kubernetes/meta/objects.ts"
import type { DeleteOptions } from "../../../src/store/objectStore.ts"

const planPodDeletion = (pod: Pod, request: DeleteOptions, seconds: number) =>
  planDeletion({ resource: "pods", object: pod, request, nowMillis: startMillis + seconds * 1000 })

interface GraceRow {
  readonly why: string
  readonly pod: PodOptions
  readonly request?: DeleteOptions
  /** The second of its deletionTimestamp and its grace period; `gone` if removed at once. */
  readonly left: readonly [endsAt: number, grace: number] | "gone"
}

const graceOf = (seconds: number): PodOptions => ({ spec: { terminationGracePeriodSeconds: seconds } })

describe("the grace period of a Pod (CheckGracefulDelete)", () => {
  it.each<GraceRow>([
    { why: "30 s by default", pod: {}, left: [40, 30] },
    { why: "the Pod's own", pod: graceOf(7), left: [17, 7] },
    { why: "the requested one", pod: graceOf(7), request: { gracePeriodSeconds: 90 }, left: [100, 90] },
    { why: "none requested", pod: graceOf(7), request: { gracePeriodSeconds: 0 }, left: "gone" },
    { why: "none by the Pod", pod: graceOf(0), left: "gone" },
    {
      why: "a negative one is a second",
      pod: graceOf(7),
      request: { gracePeriodSeconds: -5 },
      left: [11, 1]
    },
    { why: "it has no node", pod: { node: undefined }, left: "gone" },
    { why: "it has failed", pod: { phase: "Failed" }, left: "gone" },
    {
      why: "it has succeeded",
      pod: { phase: "Succeeded" },
      request: { gracePeriodSeconds: 9 },
      left: "gone"
    },
    { why: "none, but it has a finalizer", pod: { ...graceOf(0), finalizers: ["x.io/y"] }, left: [10, 0] }
  ])("is $left: $why", ({ pod, request = {}, left }) => {
    const terminating = planPodDeletion(aPod(pod), request, 10)
    if (left === "gone") return expect(terminating).toBeUndefined()
    const [endsAt, grace] = left
    expect(terminating?.metadata).toMatchObject({
      deletionTimestamp: aTime(endsAt),
      deletionGracePeriodSeconds: grace,
      generation: 2
    })
  })
})

describe("the grace period of a terminating Pod", () => {
  // Deleted at 10 with 30 s, until 40.
  const terminating = planPodDeletion(aPod(), { gracePeriodSeconds: 30 }, 10) as Pod
  it.each<{
    readonly why: string
    readonly request: DeleteOptions
    readonly at: number
    readonly left: GraceRow["left"]
  }>([
    { why: "a longer one is ignored", request: { gracePeriodSeconds: 90 }, at: 12, left: [40, 30] },
    { why: "an equal one", request: { gracePeriodSeconds: 30 }, at: 12, left: [40, 30] },
    {
      why: "a shorter one counts from the deletion",
      request: { gracePeriodSeconds: 5 },
      at: 12,
      left: [15, 5]
    },
    { why: "but does not end in the past", request: { gracePeriodSeconds: 5 }, at: 33, left: [33, 5] },
    { why: "zero removes it", request: { gracePeriodSeconds: 0 }, at: 12, left: "gone" },
    { why: "a second deletion without options changes nothing", request: {}, at: 12, left: [40, 30] }
  ])("is $left: $why", ({ request, at, left }) => {
    const again = planPodDeletion(terminating, request, at)
    if (left === "gone") return expect(again).toBeUndefined()
    const [endsAt, grace] = left
    expect(again?.metadata).toMatchObject({
      deletionTimestamp: aTime(endsAt),
      deletionGracePeriodSeconds: grace,
      generation: 2
    })
  })

  it("is not changed by foreground deletion", () => {
    expect(planPodDeletion(terminating, { propagationPolicy: "Foreground" }, 12)).toBe(terminating)
    const sooner = planPodDeletion(
      terminating,
      { propagationPolicy: "Foreground", gracePeriodSeconds: 9 },
      12
    )
    expect(sooner?.metadata).toMatchObject({
      finalizers: ["foregroundDeletion"],
      deletionTimestamp: aTime(19)
    })
  })

  it("keeps a finished Pod after a plain deletion, and not after a forced one", () => {
    const ended = { ...terminating, status: { phase: "Succeeded" } }
    expect(planPodDeletion(ended, {}, 12)).toBe(ended)
    expect(planPodDeletion(ended, { gracePeriodSeconds: 0 }, 12)).toBeUndefined()
  })

  it("is not shortened by a plain deletion", () => {
    const longGrace = planPodDeletion(aPod(graceOf(7)), { gracePeriodSeconds: 60 }, 10) as Pod
    expect(planPodDeletion(longGrace, {}, 12)).toBe(longGrace)
  })
})

describe("finalizers of a deleted object", () => {
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
    { why: "none: it is removed at once", before: [], after: undefined },
    { why: "its own", before: ["x.io/y"], after: ["x.io/y"] },
    { why: "foreground deletion", before: [], policy: "Foreground", after: ["foregroundDeletion"] },
    { why: "orphan policy", before: ["x.io/y"], policy: "Orphan", after: ["x.io/y", "orphan"] },
    {
      why: "a later policy replaces an earlier one",
      before: ["orphan"],
      policy: "Foreground",
      after: ["foregroundDeletion"]
    },
    { why: "and removes it", before: ["foregroundDeletion"], policy: "Background", after: undefined },
    {
      why: "the same policy keeps the order",
      before: ["orphan", "x.io/y"],
      policy: "Orphan",
      after: ["orphan", "x.io/y"]
    },
    { why: "no policy keeps the earlier one", before: ["orphan"], after: ["orphan"] }
  ])("are $after: $why", ({ before, policy, after }) => {
    expect(planned(before, policy === undefined ? {} : { propagationPolicy: policy })).toEqual(after)
  })

  it.each([
    { why: "not being deleted", options: {}, released: false },
    { why: "deleted, without finalizers", options: { terminating: true }, released: true },
    { why: "with a finalizer left", options: { terminating: true, finalizers: ["x.io/y"] }, released: false },
    { why: "with an empty list", options: { terminating: true, finalizers: [] }, released: true }
  ])("allow its removal ($released): $why", ({ options, released }) => {
    expect(isReadyForRemoval(aDeployment(options))).toBe(released)
  })
})

const web = { resource: "deployments.apps", key: "shop/web" }

describe("the store's delete", () => {
  it("removes an object without finalizers at once, under a new version", () => {
    const { store, changes } = aStore()
    run(store.create(aDeploymentDraft()))
    const gone = run(store.delete(web))
    expect(gone.metadata.resourceVersion).toBe("3")
    expect(changeTexts(changes)).toEqual(["ADDED web@2", "DELETED web@3"])
    expect(refusalOf(store.get(web)).message).toBe('deployments.apps "web" not found')
    expect(refusalOf(store.delete(web))).toMatchObject({ _tag: "NotFound" })
  })

  it("removes a terminating object with the write that removes its last finalizer", () => {
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

  it("keeps an object that loses its finalizers while it is not being deleted", () => {
    const { store } = aStore()
    run(store.create(aDeploymentDraft({ finalizers: ["x.io/a"] })))
    run(store.modify(web, (it) => withChanges(it, { finalizers: [] })))
    expect(run(store.get(web)).metadata.name).toBe("web")
  })

  it("refuses new finalizers on a terminating object, and keeps its deletionTimestamp", () => {
    const { store } = aStore()
    run(store.create(aDeploymentDraft({ finalizers: ["x.io/a"] })))
    run(store.delete(web))
    const more = store.modify(web, (it) => withChanges(it, { finalizers: ["x.io/a", "x.io/b"] }))
    expect(refusalOf(more)).toMatchObject({ _tag: "Invalid" })
    const { deletionTimestamp: _deletion, ...metadata } = run(store.get(web)).metadata
    const back = run(store.update({ ...run(store.get(web)), metadata }))
    expect(back.metadata.deletionTimestamp).toBe(aTime(0))
  })

  it("makes no new version for a second deletion", () => {
    const { store, version } = aStore()
    run(store.create(aDeploymentDraft({ finalizers: ["x.io/a"] })))
    run(store.delete(web))
    run(store.delete(web))
    expect(version()).toBe(3)
  })

  it("keeps a Pod until both grace period and finalizers have ended", () => {
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

  it.each(["default", "kube-system", "kube-public"])("is refused for the namespace %s", (name) => {
    const { store } = aStore()
    run(store.create(namespaceManifest(name)))
    expect(refusalOf(store.delete({ resource: "namespaces", key: name })).message).toBe(
      `namespaces "${name}" is forbidden: this namespace may not be deleted`
    )
  })

  it("removes a namespace when spec.finalizers becomes empty", () => {
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
