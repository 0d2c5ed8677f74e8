import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { aManifest, begin } from "../cluster/worlds.ts"
import { aDeployment, aPod, aReplicaSet, startMillis } from "../builders.ts"
import { groupResourceOf, kindOfObject, resources } from "../../src/kubernetes/meta/kinds.ts"
import { makeLedger } from "../../src/scenario/ledger/ledger.ts"
import { slow, withLedger } from "./worlds.ts"
import type { KubeObject } from "../../src/kubernetes/meta/objects.ts"
import type { Change } from "../../src/store/objectStore.ts"

it("the Pods of a ReplicaSet that was deleted are available to nobody, on their way out, and then gone", async () => {
  const rows = await withLedger({ behaviour: slow }, (cluster, ledger) =>
    Effect.gen(function* () {
      yield* begin(cluster, aManifest({ replicas: 3 }))
      yield* cluster.rollout("web")
      const from = cluster.nowMillis()
      ledger.restart(from)
      const [replicaSet] = [...cluster.view.all(resources.replicaSets)]
      const key = `default/${replicaSet?.metadata.name ?? ""}` as const
      yield* cluster.delete({ resource: resources.replicaSets, key })
      yield* cluster.advance(60_000)
      ledger.passTo(cluster.nowMillis())
      return (ledger.of("default/web")?.rows() ?? []).map(
        ({ atMillis, existing, available, updated, terminating }) =>
          [(atMillis - from) / 1000, existing, available, updated, terminating].join(" ")
      )
    })
  )
  // Seconds, existing, available, of the present template, terminating.
  expect(rows).toEqual(["0 3 0 3 3", "2 3 3 3 3", "5 3 3 3 0"])
})

const change = (type: Change["type"], object: KubeObject, old?: KubeObject): Change => {
  const kind = kindOfObject(object)
  const resource = kind === undefined ? resources.events : groupResourceOf(kind)
  return { type, resource, object, old, resourceVersion: 1 }
}

const web = aDeployment({ name: "web", replicas: 2, version: "v1" })
const shop = aDeployment({ name: "shop", replicas: 2, version: "v1" })
const owned = aReplicaSet({ version: "v1", replicas: 2, owner: web })
const { ownerReferences: _, ...ownMetadata } = owned.metadata
const free = { ...owned, metadata: ownMetadata }
const { ownerReferences } = aReplicaSet({ version: "v1", replicas: 2, owner: shop }).metadata
const taken = { ...owned, metadata: { ...ownMetadata, ownerReferences: ownerReferences ?? [] } }
const pod = (name: string, traits: object = {}) => aPod({ name, owner: owned, ready: 0, ...traits })

const rows: ReadonlyArray<{
  readonly why: string
  readonly changes: ReadonlyArray<Change>
  /** Existing, available, terminating. */
  readonly web: string
  readonly shop: string
}> = [
  { why: "two Pods of its own", changes: [], web: "2 2 0", shop: "0 0 0" },
  {
    why: "a ReplicaSet that was let go takes its Pods with it",
    changes: [change("MODIFIED", free, owned)],
    web: "0 0 0",
    shop: "0 0 0"
  },
  {
    why: "whoever takes it up has its Pods, as they are by then",
    changes: [
      change("MODIFIED", free, owned),
      change("ADDED", pod("c")),
      change("DELETED", pod("a"), pod("a")),
      change("MODIFIED", pod("b", { ready: false }), pod("b")),
      change("MODIFIED", taken, free)
    ],
    web: "0 0 0",
    shop: "2 1 0"
  },
  {
    why: "one that changes hands at once counts for one of them",
    changes: [change("MODIFIED", taken, owned), change("DELETED", pod("a"), pod("a"))],
    web: "0 0 0",
    shop: "1 1 0"
  },
  {
    why: "one that comes back has its Pods back",
    changes: [change("MODIFIED", free, owned), change("MODIFIED", owned, free)],
    web: "2 2 0",
    shop: "0 0 0"
  },
  {
    why: "one that is gone leaves its Pods behind, as going",
    changes: [
      change("DELETED", owned, owned),
      change("MODIFIED", pod("a", { terminating: true }), pod("a")),
      change("ADDED", pod("c"))
    ],
    web: "0 0 3",
    shop: "0 0 0"
  },
  {
    why: "a Pod that was let go of before is nobody's",
    changes: [
      change("MODIFIED", { ...pod("a"), metadata: { ...pod("a").metadata, ownerReferences: [] } }, pod("a")),
      change("DELETED", owned, owned)
    ],
    web: "0 0 1",
    shop: "0 0 0"
  },
  {
    why: "when the last of them is gone nothing is left",
    changes: [
      change("DELETED", owned, owned),
      change("DELETED", pod("a"), pod("a")),
      change("DELETED", pod("b"), pod("b"))
    ],
    web: "0 0 0",
    shop: "0 0 0"
  }
]
it.for(rows)("$why", ({ changes, ...told }) => {
  const ledger = makeLedger(startMillis)
  const there = [web, shop, owned, pod("a"), pod("b")].map((object) => change("ADDED", object))
  for (const it of [...there, ...changes]) ledger.see(it, startMillis + 1000)
  ledger.passTo(startMillis + 60_000)
  const sums = (name: string): string => {
    const { existing, available, terminating } = ledger.of(`shop/${name}`)?.now() ?? {}
    return `${existing} ${available} ${terminating}`
  }
  expect({ web: sums("web"), shop: sums("shop") }).toEqual({ web: told.web, shop: told.shop })
})
