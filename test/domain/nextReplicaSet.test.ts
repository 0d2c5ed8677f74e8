import { describe, expect, it } from "vitest"
import { aDeployment, aPod, aReplicaSet, startMillis } from "../builders.ts"
import { groupResourceOf, kindOfObject } from "../../src/kubernetes/meta/kinds.ts"
import { makeLedger } from "../../src/scenario/ledger/ledger.ts"
import { findNextReplicaSet } from "../../src/kubernetes/apps/revisions/findNextReplicaSet.ts"
import { objectKeyOf } from "../../src/kubernetes/meta/objects.ts"
import type { KubeObject } from "../../src/kubernetes/meta/objects.ts"

const web = aDeployment({ replicas: 2, version: "v2" })
const [old, elder, younger, twin] = [
  aReplicaSet({ name: "web-old", version: "v1", owner: web, created: 0 }),
  aReplicaSet({ name: "web-zzz", uid: "elder", version: "v2", owner: web, created: 60 }),
  aReplicaSet({ name: "web-aaa", uid: "younger", version: "v2", owner: web, created: 61, replicas: 0 }),
  aReplicaSet({ name: "web-bbb", version: "v2", owner: web, created: 61, replicas: 0 })
]

describe("the ReplicaSet of the present template is", () => {
  it.each([
    { why: "none where none has it", of: [old], next: undefined },
    { why: "the one that has it, however young", of: [old, twin], next: twin },
    { why: "the oldest of several, whichever is heard of first", of: [younger, old, elder], next: elder },
    { why: "the first by name of several as old", of: [twin, younger], next: younger }
  ])("$why", ({ of, next }) => {
    expect(findNextReplicaSet(web, of)).toBe(next)
    expect(findNextReplicaSet(web, of.toReversed())).toBe(next)
  })

  it("the one whose Pods the ledger counts as updated", () => {
    const updated = (replicaSets: ReadonlyArray<KubeObject>): number | undefined => {
      const ledger = makeLedger(startMillis)
      const pods = ["a", "b"].map((name) => aPod({ name, owner: elder }))
      for (const object of [web, ...replicaSets, ...pods]) {
        const kind = kindOfObject(object)
        if (kind === undefined) throw new Error("not a kind")
        const change = { type: "ADDED", resource: groupResourceOf(kind), object, old: undefined } as const
        ledger.see({ ...change, resourceVersion: 1 }, startMillis)
      }
      return ledger.of(objectKeyOf(web))?.now().updated
    }
    expect(updated([elder, younger, old])).toBe(2)
    expect(updated([younger, elder, old])).toBe(2)
  })
})
