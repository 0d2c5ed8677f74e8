import { expect, it } from "vitest"
import { namespaceManifest } from "../../builders.ts"
import { plan } from "../../../src/plan/plan.ts"
import { deploymentManifest } from "../../cluster/testCluster.ts"
import type { Manifest } from "../../../src/kubernetes/meta/objects.ts"

const shop: Manifest = namespaceManifest("shop")
const inShop = (kind: string): Manifest => ({
  apiVersion: "v1",
  kind,
  metadata: { name: "shop", namespace: "shop" }
})
const web: Manifest = deploymentManifest({ namespace: "shop", replicas: 1 })

const planOutcome = (manifests: {
  readonly from?: ReadonlyArray<Manifest>
  readonly next: ReadonlyArray<Manifest>
}) =>
  plan({ ...manifests, seeds: 1 }).then(
    ({ rollouts }) => rollouts.map(({ namespace, isNew }) => `${namespace}${isNew ? ", new" : ""}`),
    (error: unknown) => (error instanceof Error ? error.message.split("\n") : [])
  )

it.each<{
  readonly why: string
  readonly from?: ReadonlyArray<Manifest>
  readonly next: ReadonlyArray<Manifest>
  readonly outcome: ReadonlyArray<string>
}>([
  { why: "exists when no manifest creates it", next: [web], outcome: ["shop, new"] },
  { why: "exists after the manifest that creates it", next: [shop, web], outcome: ["shop, new"] },
  { why: "exists before the manifest that creates it", next: [web, shop], outcome: ["shop, new"] },
  {
    why: "exists for documents on either side of the one that creates it",
    next: [inShop("ConfigMap"), web, shop, inShop("Secret")],
    outcome: ["shop, new"]
  },
  {
    why: "exists when it was created before the rollout",
    from: [shop, web],
    next: [web, shop],
    outcome: ["shop"]
  },
  {
    why: "exists when only the namespace was there before",
    from: [shop],
    next: [web, shop],
    outcome: ["shop, new"]
  },
  {
    why: "exists when it held an object before the rollout",
    from: [web],
    next: [shop, web],
    outcome: ["shop"]
  },
  {
    why: "exists before the rollout in any order of documents",
    from: [web, shop],
    next: [web],
    outcome: ["shop"]
  },
  {
    why: "exists when every cluster has it",
    next: [deploymentManifest({}), { ...shop, metadata: { name: "default" } }],
    outcome: ["default, new"]
  }
])("a namespace $why", async ({ from, next, outcome }) => {
  expect(await planOutcome(from === undefined ? { next } : { from, next })).toEqual(outcome)
})
