import { describe, expect, it } from "vitest"
import { aDeployment, aPod, aReplicaSet, startMillis } from "../../../builders.ts"
import { groupResourceOf, storedKindOfObject } from "../../../../src/kubernetes/meta/kinds.ts"
import { makeLedger } from "../../../../src/scenario/ledger/ledger.ts"
import { findNewReplicaSet } from "../../../../src/kubernetes/apps/revisions/findNewReplicaSet.ts"
import { objectKeyOf } from "../../../../src/kubernetes/meta/objects.ts"
import type { KubeObject } from "../../../../src/kubernetes/meta/objects.ts"

const web = aDeployment({ replicas: 2, version: "v2" })
const [old, elder, younger, sibling] = [
  aReplicaSet({ name: "web-old", version: "v1", owner: web, created: 0 }),
  aReplicaSet({ name: "web-zzz", uid: "elder", version: "v2", owner: web, created: 60 }),
  aReplicaSet({ name: "web-aaa", uid: "younger", version: "v2", owner: web, created: 61, replicas: 0 }),
  aReplicaSet({ name: "web-bbb", version: "v2", owner: web, created: 61, replicas: 0 })
]

describe("the ReplicaSet of the current template", () => {
  it.each([
    { why: "is absent when no template matches", candidates: [old], next: undefined },
    { why: "is the matching one", candidates: [old, sibling], next: sibling },
    { why: "is the oldest of several, in any order", candidates: [younger, old, elder], next: elder },
    { why: "is the first by name of equally old ones", candidates: [sibling, younger], next: younger }
  ])("$why", ({ candidates, next }) => {
    expect(findNewReplicaSet(web, candidates)).toBe(next)
    expect(findNewReplicaSet(web, candidates.toReversed())).toBe(next)
  })

  it("is the one whose Pods the ledger counts as updated", () => {
    const updated = (replicaSets: ReadonlyArray<KubeObject>): number | undefined => {
      const ledger = makeLedger({ startMillis })
      const pods = ["a", "b"].map((name) => aPod({ name, owner: elder }))
      for (const object of [web, ...replicaSets, ...pods]) {
        const kind = storedKindOfObject(object)
        if (kind === undefined) throw new Error("not a kind")
        const change = { type: "ADDED", resource: groupResourceOf(kind), object, old: undefined } as const
        ledger.observe({ ...change, resourceVersion: 1 }, startMillis)
      }
      return ledger.of(objectKeyOf(web))?.now().updated
    }
    expect(updated([elder, younger, old])).toBe(2)
    expect(updated([younger, elder, old])).toBe(2)
  })
})
