import { describe, expect, it } from "vitest"
import { aDeployment, aPod, aReplicaSet, startMillis } from "../builders.ts"
import { groupResourceOf, kindOfObject, resources } from "../../src/kubernetes/meta/kinds.ts"
import { makeLedger } from "../../src/scenario/ledger/ledger.ts"
import type { KubeObject } from "../../src/kubernetes/meta/objects.ts"
import type { ControllerHindrance } from "../../src/scenario/ledger/faultExcuses.ts"
import type { Change } from "../../src/store/objectStore.ts"

/** What controllers of ours never do, told as changes: the ledger must see it all the same. */

const change = (type: Change["type"], object: KubeObject, old?: KubeObject): Change => {
  const kind = kindOfObject(object)
  const resource = kind === undefined ? resources.events : groupResourceOf(kind)
  return { type, resource, object, old, resourceVersion: 1 }
}
const added = (object: KubeObject): Change => change("ADDED", object)

const web = aDeployment({ replicas: 2 })
const of = (replicas: number) =>
  aReplicaSet({ replicas, owner: web, pods: 2, available: 0, observedGeneration: 1 })
const two = of(2)
const pod = (name: string, more: Parameters<typeof aPod>[0] = {}) => aPod({ name, owner: two, ...more })

const deleted = (name: string): KubeObject =>
  Object.assign({}, aPod({ name: "an-event" }), {
    kind: "Event",
    reason: "SuccessfulDelete",
    message: `Deleted pod: ${name}`,
    involvedObject: { kind: "ReplicaSet", name: two.metadata.name, uid: two.metadata.uid }
  })

const violated = (changes: ReadonlyArray<Change>) => {
  const ledger = makeLedger(startMillis)
  for (const [index, it] of changes.entries()) ledger.see(it, startMillis + index * 1000)
  ledger.passTo(startMillis + changes.length * 1000)
  return ledger.violations().map(({ atMillis, rule, who, broken }) => `${atMillis} ${rule} ${who}: ${broken}`)
}

/** A Deployment of two with its Pods, each step a second after the one before. */
const begun: ReadonlyArray<Change> = [
  added(web),
  added(of(0)),
  change("MODIFIED", two, of(0)),
  added(pod("a")),
  added(pod("b"))
]
/** Before both Pods are there the report is ahead of them. */
const early = [1, 2, 3].map(
  (second) =>
    `${second * 1000} statusCounts ReplicaSet controller: what is reported is what is there once an instant is over`
)
const after = (...changes: ReadonlyArray<Change>) => violated([...begun, ...changes]).slice(early.length)

it("a report of Pods that are not there is told at the end of its instant", () => {
  expect(violated(begun)).toEqual(early)
})

it("what a fault of controllers excuses is excused for a minute after its end, and no longer once all has settled", () => {
  const told = (hindrance: ControllerHindrance, minutes: number, isSettled = false): number => {
    const ledger = makeLedger(startMillis)
    ledger.passTo(startMillis)
    ledger.excuse(hindrance)
    if (isSettled) ledger.checkSettled()
    const beganMillis = startMillis + minutes * 60_000
    for (const [index, it] of begun.entries()) ledger.see(it, beganMillis + index)
    ledger.passTo(beganMillis + 60_000)
    return ledger.violations().length
  }
  expect(told({}, 0)).toBe(0)
  expect(told({}, 600)).toBe(0)
  expect(told({}, 1, true)).toBe(early.length)
  expect(told({ lastsMillis: 1000 }, 1)).toBe(0)
  expect(told({ lastsMillis: 1000 }, 2)).toBe(early.length)
})

describe("a fault of one controller excuses that one alone:", () => {
  const asked = "asked ReplicaSet controller: Pods <= replicas: 3 <= 2"
  const ceiling = "ceiling Deployment controller: Pods <= desired + maxSurge: 9 <= 3"
  const rows: ReadonlyArray<{
    readonly why: string
    readonly of: NonNullable<ControllerHindrance["controller"]> | undefined
    readonly told: ReadonlyArray<string>
  }> = [
    { why: "where nobody is named it is all of them", of: undefined, told: [] },
    { why: "it is all of them where it says so", of: "controllers", told: [] },
    { why: "what a ReplicaSet does is not the Deployment controller's", of: "deployment", told: [asked] },
    { why: "a Deployment's step is not the ReplicaSet controller's", of: "replicaSet", told: [ceiling] },
    { why: "a kubelet that hears late makes no Pods", of: "pod", told: [asked, ceiling] },
    { why: "the scheduler makes none either", of: "scheduler", told: [asked, ceiling] },
    { why: "nor does who looks after nodes", of: "node", told: [asked, ceiling] }
  ]
  it.for(rows)("$why", ({ of: party, told }) => {
    const ledger = makeLedger(startMillis)
    for (const it of begun) ledger.see(it, startMillis)
    ledger.excuse({ isLate: true, ...(party === undefined ? {} : { controller: party }) })
    ledger.see(added(pod("c")), startMillis, "replicaSet")
    ledger.see(change("MODIFIED", of(9), two), startMillis, "deployment")
    expect(ledger.violations().map(({ rule, who, broken }) => `${rule} ${who}: ${broken}`)).toEqual(told)
  })
})

it("an answer that was lost excuses the ReplicaSet controller alone, and of nothing but to make a Pod twice", () => {
  const told = (party: NonNullable<ControllerHindrance["controller"]>) => {
    const ledger = makeLedger(startMillis)
    for (const it of begun) ledger.see(it, startMillis)
    ledger.excuse({ areAnswersLost: true, controller: party })
    ledger.see(added(pod("c")), startMillis)
    ledger.see(change("MODIFIED", pod("a", { terminating: true }), pod("a")), startMillis)
    ledger.see(change("MODIFIED", pod("b", { terminating: true }), pod("b")), startMillis)
    ledger.see(added(deleted("b")), startMillis)
    return ledger.violations().map(({ what }) => what)
  }
  expect(told("replicaSet")).toEqual(["deleted Pod b"])
  expect(told("deployment")).toEqual(["created Pod c", "deleted Pod b"])
})

it("a Pod that nobody asked for is told, and one that fills a gap is not", () => {
  expect(after(added(pod("c")))[0]).toBe("5000 asked ReplicaSet controller: Pods <= replicas: 3 <= 2")
  const gone = change("DELETED", pod("a"), pod("a"))
  expect(after(gone, added(pod("c"))).filter((text) => text.includes("asked"))).toEqual([])
})

it("a Pod is deleted without need only where its ReplicaSet says that it was its own doing", () => {
  const leaving = change("MODIFIED", pod("a", { terminating: true }), pod("a"))
  const asked = (...changes: ReadonlyArray<Change>) =>
    after(...changes).filter((text) => text.includes("asked"))
  expect(asked(leaving)).toEqual([])
  expect(asked(leaving, added(deleted("a")))).toEqual([
    "6000 asked ReplicaSet controller: Pods left >= replicas: 1 >= 2"
  ])
  const gone = change("DELETED", pod("a", { terminating: true }), pod("a", { terminating: true }))
  expect(asked(leaving, gone, added(deleted("a")))).toEqual([])
  const loose = aPod({ name: "a", owner: aDeployment({ name: "another" }), terminating: true })
  const letGo = change("MODIFIED", loose, pod("a", { terminating: true }))
  expect(asked(leaving, letGo, change("DELETED", loose, loose), added(deleted("a")))).toEqual([])
  const shrunk = change("MODIFIED", of(1), two)
  expect(asked(shrunk, leaving, added(deleted("a")))).toEqual([])
})

it("a Pod with two controllers is told", () => {
  const torn = pod("a")
  const [owner] = torn.metadata.ownerReferences ?? []
  const references = owner === undefined ? [] : [owner, { ...owner, uid: "another" }]
  const two = { ...torn, metadata: { ...torn.metadata, ownerReferences: references } }
  expect(after(change("MODIFIED", two, torn))).toEqual([
    "5000 oneController somebody: controllers of a Pod <= 1"
  ])
})

it("a status that cannot be is told", () => {
  const status = { replicas: 2, readyReplicas: 1, availableReplicas: 2, observedGeneration: 1 }
  expect(after(change("MODIFIED", aDeployment({ replicas: 2, status }), web))).toEqual([
    "5000 statusSums Deployment controller: available <= ready <= replicas >= updated"
  ])
})
