import { expect, it } from "vitest"
import { plan } from "../../src/plan/plan.ts"
import { aManifest } from "../cluster/worlds.ts"
import type { Manifest } from "../../src/kubernetes/meta/objects.ts"

const shop: Manifest = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } }
const inShop = (kind: string): Manifest => ({
  apiVersion: "v1",
  kind,
  metadata: { name: "shop", namespace: "shop" }
})
const web: Manifest = { ...aManifest({ replicas: 1 }), metadata: { name: "web", namespace: "shop" } }

const planned = (manifests: {
  readonly from?: ReadonlyArray<Manifest>
  readonly next: ReadonlyArray<Manifest>
}) =>
  plan({ ...manifests, seeds: 1 }).then(
    ({ rollouts }) => rollouts.map(({ namespace, isNew }) => `${namespace}${isNew ? ", new" : ""}`),
    (error: unknown) => (error instanceof Error ? error.message.split("\n") : [])
  )

const refused = (at: number, maker: number): string =>
  `manifest (document ${at}): Error from server (NotFound): namespaces "shop" not found: documents are applied in the ` +
  `order given, and the one that makes it comes later: manifest (document ${maker})`

it.each<{
  readonly why: string
  readonly from?: ReadonlyArray<Manifest>
  readonly next: ReadonlyArray<Manifest>
  readonly comesTo: ReadonlyArray<string>
}>([
  { why: "is there where nobody makes it", next: [web], comesTo: ["shop, new"] },
  { why: "is there once it has been made", next: [shop, web], comesTo: ["shop, new"] },
  { why: "is not there before it is made", next: [web, shop], comesTo: [refused(1, 2)] },
  {
    why: "is missed by all that stands before it, and by nothing after it",
    next: [inShop("ConfigMap"), web, shop, inShop("Secret")],
    comesTo: [refused(1, 3), refused(2, 3)]
  },
  { why: "is there where it was made before", from: [shop, web], next: [web, shop], comesTo: ["shop"] },
  { why: "is there where it alone was made before", from: [shop], next: [web, shop], comesTo: ["shop, new"] },
  {
    why: "is there where something was in it, whoever makes it once more",
    from: [web],
    next: [shop, web],
    comesTo: ["shop"]
  },
  {
    why: "is there before in whatever order that was written",
    from: [web, shop],
    next: [web],
    comesTo: ["shop"]
  },
  {
    why: "is there from the beginning, if it is one that every cluster has",
    next: [aManifest({}), { ...shop, metadata: { name: "default" } }],
    comesTo: ["default, new"]
  }
])("a namespace $why", async ({ from, next, comesTo }) => {
  expect(await planned(from === undefined ? { next } : { from, next })).toEqual(comesTo)
})
