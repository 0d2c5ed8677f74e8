import { describe, expect, it } from "vitest"
import {
  blocksDeletionOf,
  dependentOutcome,
  withoutBlocking
} from "../../../src/kubernetes/meta/ownerReferences.ts"
import { aPod, aReplicaSet } from "../../builders.ts"
import type { KubeObject } from "../../../src/kubernetes/meta/objects.ts"
import type { OwnerState } from "../../../src/kubernetes/meta/ownerReferences.ts"

/** A Pod with this many owners, `uid-0`, `uid-1` and so on. */
const withOwners = (count: number, finalizers: ReadonlyArray<string> = []): KubeObject => {
  const pod = aPod({ finalizers })
  const ownerReferences = Array.from({ length: count }, (_, index) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    name: `owner-${index}`,
    uid: `uid-${index}`
  }))
  return { ...pod, metadata: { ...pod.metadata, ownerReferences } }
}

const staying = aReplicaSet()
const waiting = aReplicaSet({ name: "waiting", terminating: true, finalizers: ["foregroundDeletion"] })

interface Row {
  readonly why: string
  readonly ownerStates: ReadonlyArray<OwnerState>
  readonly finalizers?: ReadonlyArray<string>
  readonly dependents?: ReadonlyArray<KubeObject>
  /** `keep`, `lose uid-1`, or the propagation policy of its deletion. */
  readonly fate: string
}

const fateText = (row: Row): string => {
  const fate = dependentOutcome(
    withOwners(row.ownerStates.length, row.finalizers),
    row.ownerStates,
    row.dependents ?? []
  )
  if (fate.type === "keep") return "keep"
  if (fate.type === "loseReferences") return `lose ${[...fate.uids].join(" ")}`
  return `${fate.propagationPolicy}${fate.unblocks ? ", without blocking" : ""}`
}

describe("the fate of a dependent under garbage collection", () => {
  it.each<Row>([
    { why: "no owner", ownerStates: [], fate: "keep" },
    { why: "all owners exist", ownerStates: ["solid", "solid"], fate: "keep" },
    { why: "one of two owners is gone", ownerStates: ["solid", "dangling"], fate: "lose uid-1" },
    {
      why: "one of two owners waits for its dependents",
      ownerStates: ["waiting", "solid"],
      fate: "lose uid-0"
    },
    {
      why: "one of three owners stays",
      ownerStates: ["waiting", "solid", "dangling"],
      fate: "lose uid-0 uid-2"
    },
    { why: "the owner cannot be resolved", ownerStates: ["unresolvable"], fate: "keep" },
    {
      why: "one owner cannot be resolved, the other is gone",
      ownerStates: ["dangling", "unresolvable"],
      fate: "keep"
    },
    { why: "its owner is gone", ownerStates: ["dangling"], fate: "Background" },
    {
      why: "its owner is gone and it has dependents",
      ownerStates: ["dangling"],
      dependents: [staying],
      fate: "Background"
    },
    { why: "it has the orphan finalizer", ownerStates: ["dangling"], finalizers: ["orphan"], fate: "Orphan" },
    {
      why: "it has the foregroundDeletion finalizer",
      ownerStates: ["dangling"],
      finalizers: ["x/y", "foregroundDeletion"],
      fate: "Foreground"
    },
    { why: "its owner waits and it has no dependents", ownerStates: ["waiting"], fate: "Background" },
    {
      why: "its owner waits and it has dependents",
      ownerStates: ["waiting"],
      dependents: [staying],
      fate: "Foreground"
    },
    {
      why: "its owner waits, despite the orphan finalizer",
      ownerStates: ["waiting"],
      finalizers: ["orphan"],
      dependents: [staying],
      fate: "Foreground"
    },
    {
      why: "its owner and a dependent wait, possibly for each other",
      ownerStates: ["waiting", "dangling"],
      dependents: [staying, waiting],
      fate: "Foreground, without blocking"
    }
  ])("is $fate: $why", (row) => {
    expect(fateText(row)).toBe(row.fate)
  })
})

describe("blockOwnerDeletion", () => {
  const object = {
    ...aPod(),
    metadata: {
      ...aPod().metadata,
      ownerReferences: [
        { apiVersion: "v1", kind: "ConfigMap", name: "a", uid: "a", blockOwnerDeletion: true },
        { apiVersion: "v1", kind: "ConfigMap", name: "b", uid: "b", blockOwnerDeletion: false },
        { apiVersion: "v1", kind: "ConfigMap", name: "c", uid: "c" }
      ]
    }
  }
  it.each([
    { uid: "a", blocks: true },
    { uid: "b", blocks: false },
    { uid: "c", blocks: false },
    { uid: "uid-of-another", blocks: false }
  ])("of the owner $uid: $blocks", ({ uid, blocks }) => {
    expect(blocksDeletionOf(object, uid)).toBe(blocks)
  })

  it("is reset in every reference that has it", () => {
    const { ownerReferences } = object.metadata
    const unblocked = withoutBlocking(ownerReferences)
    expect(unblocked.map(({ blockOwnerDeletion }) => blockOwnerDeletion)).toEqual([false, false, undefined])
    expect(withoutBlocking(unblocked)).toBe(unblocked)
  })
})
