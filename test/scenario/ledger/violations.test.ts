import { describe, expect, it } from "vitest"
import { aDeployment, aPod, aReplicaSet, startMillis } from "../../builders.ts"
import { makeLedger } from "../../../src/scenario/ledger/ledger.ts"
import { objectChange } from "./objectChange.ts"
import type { KubeObject } from "../../../src/kubernetes/meta/objects.ts"
import type { LedgerExcuse } from "../../../src/faults/faultKind.ts"
import type { Change } from "../../../src/store/objectStore.ts"

/** Changes that our controllers never make; the ledger must detect them. */

const added = (object: KubeObject): Change => objectChange("ADDED", object)

const web = aDeployment({ replicas: 2 })
const replicaSetOf = (replicas: number) =>
  aReplicaSet({ replicas, owner: web, pods: 2, available: 0, observedGeneration: 1 })
const twoReplicas = replicaSetOf(2)
const pod = (name: string, more: Parameters<typeof aPod>[0] = {}) =>
  aPod({ name, owner: twoReplicas, ...more })

const deleted = (name: string): KubeObject =>
  Object.assign({}, aPod({ name: "an-event" }), {
    kind: "Event",
    reason: "SuccessfulDelete",
    message: `Deleted pod: ${name}`,
    involvedObject: { kind: "ReplicaSet", name: twoReplicas.metadata.name, uid: twoReplicas.metadata.uid }
  })

const violationsOf = (changes: ReadonlyArray<Change>) => {
  const ledger = makeLedger({ startMillis })
  for (const [index, it] of changes.entries()) ledger.observe(it, startMillis + index * 1000)
  ledger.advanceTo(startMillis + changes.length * 1000)
  return ledger.violations().map(({ atMillis, rule, who, broken }) => `${atMillis} ${rule} ${who}: ${broken}`)
}

/** A Deployment with its 2 Pods, one change a second. */
const twoPods: ReadonlyArray<Change> = [
  added(web),
  added(replicaSetOf(0)),
  objectChange("MODIFIED", twoReplicas, replicaSetOf(0)),
  added(pod("a")),
  added(pod("b"))
]
/** Until both Pods exist status.replicas is too large. */
const earlyReports = [1, 2, 3].map(
  (second) =>
    `${second * 1000} statusCounts ReplicaSet controller: what is reported is what is there once an instant is over`
)
const violationsAfter = (...changes: ReadonlyArray<Change>) =>
  violationsOf([...twoPods, ...changes]).slice(earlyReports.length)

it("a status that counts missing Pods is reported at the end of its instant", () => {
  expect(violationsOf(twoPods)).toEqual(earlyReports)
})

it("a controller fault excuses violations until a minute after its end, and none once the cluster has settled", () => {
  const violationsWith = (hindrance: LedgerExcuse, minutes: number, isSettled = false): number => {
    const ledger = makeLedger({ startMillis })
    ledger.advanceTo(startMillis)
    ledger.excuse(hindrance)
    if (isSettled) ledger.checkSettled()
    const beganMillis = startMillis + minutes * 60_000
    for (const [index, it] of twoPods.entries()) ledger.observe(it, beganMillis + index)
    ledger.advanceTo(beganMillis + 60_000)
    return ledger.violations().length
  }
  expect(violationsWith({}, 0)).toBe(0)
  expect(violationsWith({}, 600)).toBe(0)
  expect(violationsWith({}, 1, true)).toBe(earlyReports.length)
  expect(violationsWith({ lastsMillis: 1000 }, 1)).toBe(0)
  expect(violationsWith({ lastsMillis: 1000 }, 2)).toBe(earlyReports.length)
})

describe("a fault of one controller excuses only that controller:", () => {
  const ruleOfReplicas = "asked ReplicaSet controller: Pods <= replicas: 3 <= 2"
  const ceiling = "ceiling Deployment controller: Pods <= desired + maxSurge: 9 <= 3"
  const rows: ReadonlyArray<{
    readonly why: string
    readonly of: NonNullable<LedgerExcuse["controller"]> | undefined
    readonly violationsWith: ReadonlyArray<string>
  }> = [
    { why: "all of them without of", of: undefined, violationsWith: [] },
    { why: "all of them with of: controllers", of: "controllers", violationsWith: [] },
    {
      why: "the Deployment controller, not the ReplicaSet controller",
      of: "deployment",
      violationsWith: [ruleOfReplicas]
    },
    {
      why: "the ReplicaSet controller, not the Deployment controller",
      of: "replicaSet",
      violationsWith: [ceiling]
    },
    { why: "a late kubelet excuses neither", of: "pod", violationsWith: [ruleOfReplicas, ceiling] },
    { why: "a late scheduler excuses neither", of: "scheduler", violationsWith: [ruleOfReplicas, ceiling] },
    { why: "a late node controller excuses neither", of: "node", violationsWith: [ruleOfReplicas, ceiling] }
  ]
  it.for(rows)("$why", ({ of: party, violationsWith }) => {
    const ledger = makeLedger({ startMillis })
    for (const it of twoPods) ledger.observe(it, startMillis)
    ledger.excuse({ isViewLate: true, ...(party === undefined ? {} : { controller: party }) })
    ledger.observe(added(pod("c")), startMillis, "replicaSet")
    ledger.observe(objectChange("MODIFIED", replicaSetOf(9), twoReplicas), startMillis, "deployment")
    expect(ledger.violations().map(({ rule, who, broken }) => `${rule} ${who}: ${broken}`)).toEqual(
      violationsWith
    )
  })
})

it("a lost answer excuses only the ReplicaSet controller, and only for a Pod created twice", () => {
  const violationsWith = (party: NonNullable<LedgerExcuse["controller"]>) => {
    const ledger = makeLedger({ startMillis })
    for (const it of twoPods) ledger.observe(it, startMillis)
    ledger.excuse({ areAnswersLost: true, controller: party })
    ledger.observe(added(pod("c")), startMillis)
    ledger.observe(objectChange("MODIFIED", pod("a", { terminating: true }), pod("a")), startMillis)
    ledger.observe(objectChange("MODIFIED", pod("b", { terminating: true }), pod("b")), startMillis)
    ledger.observe(added(deleted("b")), startMillis)
    return ledger.violations().map(({ what }) => what)
  }
  expect(violationsWith("replicaSet")).toEqual(["deleted Pod b"])
  expect(violationsWith("deployment")).toEqual(["created Pod c", "deleted Pod b"])
})

it("a surplus Pod is reported, and one that fills a gap is not", () => {
  expect(violationsAfter(added(pod("c")))[0]).toBe(
    "5000 asked ReplicaSet controller: Pods <= replicas: 3 <= 2"
  )
  const podDeleted = objectChange("DELETED", pod("a"), pod("a"))
  expect(violationsAfter(podDeleted, added(pod("c"))).filter((text) => text.includes("asked"))).toEqual([])
})

it("a needless deletion is reported only with an event of the ReplicaSet", () => {
  const leaving = objectChange("MODIFIED", pod("a", { terminating: true }), pod("a"))
  const ruleOfReplicas = (...changes: ReadonlyArray<Change>) =>
    violationsAfter(...changes).filter((text) => text.includes("asked"))
  expect(ruleOfReplicas(leaving)).toEqual([])
  expect(ruleOfReplicas(leaving, added(deleted("a")))).toEqual([
    "6000 asked ReplicaSet controller: Pods left >= replicas: 1 >= 2"
  ])
  const podDeleted = objectChange("DELETED", pod("a", { terminating: true }), pod("a", { terminating: true }))
  expect(ruleOfReplicas(leaving, podDeleted, added(deleted("a")))).toEqual([])
  const loose = aPod({ name: "a", owner: aDeployment({ name: "another" }), terminating: true })
  const letGo = objectChange("MODIFIED", loose, pod("a", { terminating: true }))
  expect(ruleOfReplicas(leaving, letGo, objectChange("DELETED", loose, loose), added(deleted("a")))).toEqual(
    []
  )
  const shrunk = objectChange("MODIFIED", replicaSetOf(1), twoReplicas)
  expect(ruleOfReplicas(shrunk, leaving, added(deleted("a")))).toEqual([])
})

it("a Pod with two controllers is reported", () => {
  const controlledPod = pod("a")
  const [owner] = controlledPod.metadata.ownerReferences ?? []
  const references = owner === undefined ? [] : [owner, { ...owner, uid: "another" }]
  const two = { ...controlledPod, metadata: { ...controlledPod.metadata, ownerReferences: references } }
  expect(violationsAfter(objectChange("MODIFIED", two, controlledPod))).toEqual([
    "5000 oneController a client: controllers of a Pod <= 1"
  ])
})

it("a contradictory status is reported", () => {
  const status = { replicas: 2, readyReplicas: 1, availableReplicas: 2, observedGeneration: 1 }
  expect(violationsAfter(objectChange("MODIFIED", aDeployment({ replicas: 2, status }), web))).toEqual([
    "5000 statusSums Deployment controller: available <= ready <= replicas >= updated"
  ])
})
