import { describe, expect, it } from "vitest"
import { namespaceDeletionConditions } from "../../../src/kubernetes/core/namespaceDeletion.ts"
import { aPod, aTime, startMillis } from "../../builders.ts"
import type { NamespaceContent } from "../../../src/kubernetes/core/namespaceDeletion.ts"
import type { Namespace } from "../../../src/kubernetes/meta/objects.ts"

const aNamespace = (conditions: ReturnType<typeof namespaceDeletionConditions> = []): Namespace => {
  const { metadata } = aPod({ name: "shop", terminating: true })
  const status = { phase: "Terminating", conditions: [...conditions] }
  return { apiVersion: "v1", kind: "Namespace", metadata, spec: {}, status }
}

const contentOf = (
  pods: number,
  deployments: number,
  finalizers: ReadonlyArray<string> = []
): NamespaceContent => {
  const some = (count: number) =>
    Array.from({ length: count }, (_, index) => aPod({ name: `p${index}`, finalizers }))
  return new Map([
    ["pods", some(pods)],
    ["deployments.apps", some(deployments)]
  ])
}

const conditionsAt = (
  seconds: number,
  content: NamespaceContent,
  deletionErrors: ReadonlyArray<string>,
  before: Namespace
) =>
  namespaceDeletionConditions({
    namespace: before,
    content,
    deletionErrors,
    nowMillis: startMillis + seconds * 1000
  })

describe("the conditions of a namespace that is being deleted (TestUpdateConditions)", () => {
  it("are all False when nothing is left", () => {
    const conditions = conditionsAt(4, new Map(), [], aNamespace())
    expect(conditions.map((it) => `${it.type} ${it.status} ${it.reason}: ${it.message}`)).toEqual([
      "NamespaceDeletionDiscoveryFailure False ResourcesDiscovered: All resources successfully discovered",
      "NamespaceDeletionGroupVersionParsingFailure False ParsedGroupVersions: All legacy kube types successfully parsed",
      "NamespaceDeletionContentFailure False ContentDeleted: All content successfully deleted, may be waiting on finalization",
      "NamespaceContentRemaining False ContentRemoved: All content successfully removed",
      "NamespaceFinalizersRemaining False ContentRemoved: All content successfully removed"
    ])
  })

  it.each([
    {
      why: "kinds sorted by name, the core group ends in a dot",
      content: contentOf(2, 3),
      type: "NamespaceContentRemaining",
      expected: [
        "SomeResourcesRemain",
        "Some resources are remaining: deployments.apps has 3 resource instances, pods. has 2 resource instances"
      ]
    },
    {
      why: "finalizers over all kinds",
      content: contentOf(1, 4, ["x.io/y", "a.io/b"]),
      type: "NamespaceFinalizersRemaining",
      expected: [
        "SomeFinalizerRemain",
        "Some finalizers are remaining: a.io/b in 5 resource instances, x.io/y in 5 resource instances"
      ]
    }
  ])("report what remains: $why", ({ content, type, expected }) => {
    const condition = conditionsAt(4, content, [], aNamespace()).find((it) => it.type === type)
    expect([condition?.reason, condition?.message]).toEqual(expected)
  })

  it("leave out a kind without objects and count the last object of another", () => {
    const conditions = conditionsAt(4, contentOf(1, 0, ["x.io/y"]), ["b failed"], aNamespace())
    expect(conditions.filter(({ status }) => status === "True").map(({ message }) => message)).toEqual([
      "Failed to delete all resource types, 1 remaining: b failed",
      "Some resources are remaining: pods. has 1 resource instances",
      "Some finalizers are remaining: x.io/y in 1 resource instances"
    ])
  })

  it("are corrected when another client changed them", () => {
    const first = conditionsAt(4, new Map(), [], aNamespace())
    const turned = first.map((it) => ({ ...it, status: "True" }))
    const second = conditionsAt(9, new Map(), [], aNamespace(turned))
    expect(second.map(({ status, lastTransitionTime }) => [status, lastTransitionTime])).toEqual(
      second.map(() => ["False", aTime(9)])
    )
  })

  it("report failed deletions", () => {
    const conditions = conditionsAt(4, contentOf(2, 0), ["z failed", "b failed"], aNamespace())
    expect(conditions.find(({ type }) => type === "NamespaceDeletionContentFailure")).toMatchObject({
      status: "True",
      reason: "ContentDeletionFailed",
      message: "Failed to delete all resource types, 2 remaining: b failed, z failed"
    })
  })

  it("keep their time while only the message changes, and are the same object when nothing changes", () => {
    const first = conditionsAt(4, contentOf(5, 0), [], aNamespace())
    const second = conditionsAt(9, contentOf(3, 0), [], aNamespace(first))
    const times = second.map(({ lastTransitionTime }) => lastTransitionTime)
    expect(times).toEqual(times.map(() => aTime(4)))
    expect(second.map((it, index) => it === first[index])).toEqual([true, true, true, false, true])
    const last = conditionsAt(11, new Map(), [], aNamespace(second))
    expect(last.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual(
      [4, 4, 4, 11, 4].map((seconds) => aTime(seconds))
    )
  })
})
