import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { addressOf, deploymentManifest, createObject } from "../../cluster/testCluster.ts"
import { aDeployment, aPod, aReplicaSet, startMillis } from "../../builders.ts"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import { makeLedger } from "../../../src/scenario/ledger/ledger.ts"
import { slow, withLedger } from "./withLedger.ts"
import { objectChange } from "./objectChange.ts"
import type { Change } from "../../../src/store/objectStore.ts"

it("the Pods of a deleted ReplicaSet count as terminating and not as available", async () => {
  const rows = await withLedger({ behaviour: slow }, (cluster, ledger) =>
    Effect.gen(function* () {
      yield* createObject(cluster, deploymentManifest({ replicas: 3 }))
      yield* cluster.rollout("web")
      const from = cluster.nowMillis()
      ledger.restart(from)
      const [replicaSet] = [...cluster.view.all(resources.replicaSets)]
      const key = `default/${replicaSet?.metadata.name ?? ""}` as const
      yield* cluster.delete(addressOf({ resource: resources.replicaSets, key }))
      yield* cluster.advance(60_000)
      ledger.advanceTo(cluster.nowMillis())
      return (ledger.of("default/web")?.rows() ?? []).map(
        ({ atMillis, existing, available, updated, terminating }) =>
          [(atMillis - from) / 1000, existing, available, updated, terminating].join(" ")
      )
    })
  )
  // Seconds, existing, available, updated, terminating.
  expect(rows).toEqual(["0 3 0 3 3", "2 3 3 3 3", "5 3 3 3 0"])
})

const web = aDeployment({ name: "web", replicas: 2, version: "v1" })
const shop = aDeployment({ name: "shop", replicas: 2, version: "v1" })
const ownedReplicaSet = aReplicaSet({ version: "v1", replicas: 2, owner: web })
const { ownerReferences: _, ...ownMetadata } = ownedReplicaSet.metadata
const released = { ...ownedReplicaSet, metadata: ownMetadata }
const { ownerReferences } = aReplicaSet({ version: "v1", replicas: 2, owner: shop }).metadata
const adopted = { ...ownedReplicaSet, metadata: { ...ownMetadata, ownerReferences: ownerReferences ?? [] } }
const pod = (name: string, traits: object = {}) => aPod({ name, owner: ownedReplicaSet, ready: 0, ...traits })

const rows: ReadonlyArray<{
  readonly why: string
  readonly changes: ReadonlyArray<Change>
  /** Existing, available, terminating. */
  readonly web: string
  readonly shop: string
}> = [
  { why: "two owned Pods count", changes: [], web: "2 2 0", shop: "0 0 0" },
  {
    why: "a released ReplicaSet takes its Pods with it",
    changes: [objectChange("MODIFIED", released, ownedReplicaSet)],
    web: "0 0 0",
    shop: "0 0 0"
  },
  {
    why: "an adopting Deployment has the current Pods of the ReplicaSet",
    changes: [
      objectChange("MODIFIED", released, ownedReplicaSet),
      objectChange("ADDED", pod("c")),
      objectChange("DELETED", pod("a"), pod("a")),
      objectChange("MODIFIED", pod("b", { ready: false }), pod("b")),
      objectChange("MODIFIED", adopted, released)
    ],
    web: "0 0 0",
    shop: "2 1 0"
  },
  {
    why: "a ReplicaSet that changes its owner at once counts for the new one",
    changes: [
      objectChange("MODIFIED", adopted, ownedReplicaSet),
      objectChange("DELETED", pod("a"), pod("a"))
    ],
    web: "0 0 0",
    shop: "1 1 0"
  },
  {
    why: "a ReplicaSet adopted again has its Pods back",
    changes: [
      objectChange("MODIFIED", released, ownedReplicaSet),
      objectChange("MODIFIED", ownedReplicaSet, released)
    ],
    web: "2 2 0",
    shop: "0 0 0"
  },
  {
    why: "a deleted ReplicaSet leaves its Pods as terminating",
    changes: [
      objectChange("DELETED", ownedReplicaSet, ownedReplicaSet),
      objectChange("MODIFIED", pod("a", { terminating: true }), pod("a")),
      objectChange("ADDED", pod("c"))
    ],
    web: "0 0 3",
    shop: "0 0 0"
  },
  {
    why: "a released Pod does not count",
    changes: [
      objectChange(
        "MODIFIED",
        { ...pod("a"), metadata: { ...pod("a").metadata, ownerReferences: [] } },
        pod("a")
      ),
      objectChange("DELETED", ownedReplicaSet, ownedReplicaSet)
    ],
    web: "0 0 1",
    shop: "0 0 0"
  },
  {
    why: "the last deleted Pod no longer counts",
    changes: [
      objectChange("DELETED", ownedReplicaSet, ownedReplicaSet),
      objectChange("DELETED", pod("a"), pod("a")),
      objectChange("DELETED", pod("b"), pod("b"))
    ],
    web: "0 0 0",
    shop: "0 0 0"
  }
]
it.for(rows)("$why", ({ changes, ...expected }) => {
  const ledger = makeLedger({ startMillis })
  const there = [web, shop, ownedReplicaSet, pod("a"), pod("b")].map((object) =>
    objectChange("ADDED", object)
  )
  for (const it of [...there, ...changes]) ledger.observe(it, startMillis + 1000)
  ledger.advanceTo(startMillis + 60_000)
  const sums = (name: string): string => {
    const { existing, available, terminating } = ledger.of(`shop/${name}`)?.now() ?? {}
    return `${existing} ${available} ${terminating}`
  }
  expect({ web: sums("web"), shop: sums("shop") }).toEqual({ web: expected.web, shop: expected.shop })
})
