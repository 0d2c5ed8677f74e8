import { describe, expect, it } from "vitest"
import {
  blocksDeletionOf,
  dependentOutcome,
  withoutBlocking
} from "../../src/kubernetes/meta/ownerReferences.ts"
import { aPod, aReplicaSet } from "../builders.ts"
import type { KubeObject } from "../../src/kubernetes/meta/objects.ts"
import type { OwnerState } from "../../src/kubernetes/meta/ownerReferences.ts"

/** A Pod with so many owners, called `uid-0`, `uid-1` and so on. */
const owned = (count: number, finalizers: ReadonlyArray<string> = []): KubeObject => {
  const pod = aPod({ finalizers })
  const ownerReferences = Array.from({ length: count }, (_, index) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    name: `owner-${index}`,
    uid: `uid-${index}`
  }))
  return { ...pod, metadata: { ...pod.metadata, ownerReferences } }
}

const settled = aReplicaSet()
const waiting = aReplicaSet({ name: "waiting", terminating: true, finalizers: ["foregroundDeletion"] })

interface Row {
  readonly why: string
  readonly standings: ReadonlyArray<OwnerState>
  readonly finalizers?: ReadonlyArray<string>
  readonly dependents?: ReadonlyArray<KubeObject>
  /** `keep`, `lose uid-1`, or the policy by which it goes. */
  readonly fate: string
}

const told = (row: Row): string => {
  const fate = dependentOutcome(
    owned(row.standings.length, row.finalizers),
    row.standings,
    row.dependents ?? []
  )
  if (fate.type === "keep") return "keep"
  if (fate.type === "loseReferences") return `lose ${[...fate.uids].join(" ")}`
  return `${fate.propagationPolicy}${fate.unblocks ? ", blocking nobody" : ""}`
}

describe("what becomes of a dependent by how its owners stand", () => {
  it.each<Row>([
    { why: "nobody owns it", standings: [], fate: "keep" },
    { why: "all exist", standings: ["solid", "solid"], fate: "keep" },
    { why: "one of two is gone", standings: ["solid", "dangling"], fate: "lose uid-1" },
    { why: "one of two waits for it", standings: ["waiting", "solid"], fate: "lose uid-0" },
    {
      why: "of three only the middle one stays",
      standings: ["waiting", "solid", "dangling"],
      fate: "lose uid-0 uid-2"
    },
    { why: "nobody can tell", standings: ["unresolvable"], fate: "keep" },
    {
      why: "nobody can tell of one, and the other is gone",
      standings: ["dangling", "unresolvable"],
      fate: "keep"
    },
    { why: "its owner is gone", standings: ["dangling"], fate: "Background" },
    {
      why: "its owner is gone and it has dependents",
      standings: ["dangling"],
      dependents: [settled],
      fate: "Background"
    },
    { why: "it is to leave its dependents", standings: ["dangling"], finalizers: ["orphan"], fate: "Orphan" },
    {
      why: "it is to wait for them",
      standings: ["dangling"],
      finalizers: ["x/y", "foregroundDeletion"],
      fate: "Foreground"
    },
    { why: "its owner waits and it has no dependents", standings: ["waiting"], fate: "Background" },
    {
      why: "its owner waits for all below it",
      standings: ["waiting"],
      dependents: [settled],
      fate: "Foreground"
    },
    {
      why: "its owner waits, even if it was to leave its dependents",
      standings: ["waiting"],
      finalizers: ["orphan"],
      dependents: [settled],
      fate: "Foreground"
    },
    {
      why: "its owner and a dependent wait, perhaps for each other",
      standings: ["waiting", "dangling"],
      dependents: [settled, waiting],
      fate: "Foreground, blocking nobody"
    }
  ])("$fate: $why", (row) => {
    expect(told(row)).toBe(row.fate)
  })
})

describe("references that block", () => {
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
    { uid: "somebody else", blocks: false }
  ])("the owner $uid: $blocks", ({ uid, blocks }) => {
    expect(blocksDeletionOf(object, uid)).toBe(blocks)
  })

  it("are made not to, and the others stay as they are", () => {
    const { ownerReferences } = object.metadata
    const unblocked = withoutBlocking(ownerReferences)
    expect(unblocked.map(({ blockOwnerDeletion }) => blockOwnerDeletion)).toEqual([false, false, undefined])
    expect(withoutBlocking(unblocked)).toBe(unblocked)
  })
})
