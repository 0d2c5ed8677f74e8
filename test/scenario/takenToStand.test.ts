import { describe, expect, it } from "vitest"
import { plan } from "../../src/plan/plan.ts"
import { readManifestObjects } from "../../src/manifests/readManifests.ts"
import { withAssumedObjects } from "../../src/plan/previous/assumedObjects.ts"
import { aManifest } from "../cluster/worlds.ts"
import type { Manifest } from "../../src/kubernetes/meta/objects.ts"

const account: Manifest = {
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: { name: "robot", namespace: "default" }
}
const highClass: Manifest & { readonly value: number } = {
  apiVersion: "scheduling.k8s.io/v1",
  kind: "PriorityClass",
  metadata: { name: "high" },
  value: 1000
}
const naming = (podSpec: object, version = "v1"): Manifest => aManifest({ replicas: 1, podSpec, version })
const byRobot = naming({ serviceAccountName: "robot" })
const robotsNext = naming({ serviceAccountName: "robot" }, "v2")
const plainNext = naming({}, "v2")

const stuckIn = async (manifests: {
  readonly from?: ReadonlyArray<Manifest>
  readonly next: ReadonlyArray<Manifest>
}) =>
  (await plan({ ...manifests, seeds: 1 })).rollouts.flatMap(({ reasons }) => reasons.map((it) => it.reason))

describe("what is taken to be there comes before what runs before", () => {
  const inShop = (podSpec: object): Manifest => ({
    ...aManifest({ podSpec }),
    metadata: { name: "web", namespace: "shop" }
  })
  const both = { serviceAccountName: "robot", priorityClassName: "high" }
  const read = (manifests: ReadonlyArray<Manifest>) => readManifestObjects(manifests).documents
  const shopsRobot = { ...account, metadata: { name: "robot", namespace: "shop" } }
  const shop = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } }

  it.each<{
    readonly why: string
    readonly from?: ReadonlyArray<Manifest>
    readonly next: ReadonlyArray<Manifest>
    readonly stands: ReadonlyArray<object>
  }>([
    {
      why: "its namespace, what Pods name in it, and a class that puts nobody before anybody",
      next: [inShop(both)],
      stands: [shop, shopsRobot, { ...highClass, value: 0 }]
    },
    { why: "not what comes with it", next: [shopsRobot, highClass, inShop(both)], stands: [shop] },
    {
      why: "once, whoever names it",
      from: [inShop(both)],
      next: [inShop(both), account, naming(both)],
      stands: [shop, shopsRobot, { ...highClass, value: 0 }]
    },
    {
      why: "not what was made before",
      from: [shop, shopsRobot, highClass],
      next: [inShop(both)],
      stands: []
    },
    { why: "nothing where nothing is named", from: [naming({})], next: [naming({})], stands: [] }
  ])("$why", ({ from, next, stands }) => {
    const before = from === undefined ? undefined : read(from)
    const standing = withAssumedObjects(before, read(next))
    if (stands.length === 0) expect(standing).toBe(before)
    else
      expect(standing?.map(({ draft }) => draft)).toEqual([
        ...stands,
        ...(before ?? []).map(({ draft }) => draft)
      ])
  })
})

describe("what Pods name is there", () => {
  it.each<{
    readonly why: string
    readonly from?: ReadonlyArray<Manifest>
    readonly next: ReadonlyArray<Manifest>
  }>([
    { why: "where no file makes their ServiceAccount", next: [byRobot] },
    { why: "where no file makes the one of those that run before", from: [byRobot], next: [plainNext] },
    { why: "where it comes with them", next: [account, byRobot] },
    { why: "where it comes after them, as a controller tries again", next: [byRobot, account] },
    { why: "where it runs before and comes again", from: [byRobot], next: [account, robotsNext] },
    { why: "where it was made before", from: [account, byRobot], next: [robotsNext] },
    { why: "where no file makes their PriorityClass", next: [naming({ priorityClassName: "high" })] },
    {
      why: "where their PriorityClass comes with them",
      next: [highClass, naming({ priorityClassName: "high" })]
    },
    { why: "where every cluster has it", next: [naming({ priorityClassName: "system-node-critical" })] }
  ])("$why", async ({ why: _why, ...manifests }) => {
    expect(await stuckIn(manifests)).toEqual([])
  })

  it("for Pods that stand by themselves", async () => {
    const pod: Manifest & { readonly spec: object } = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "lonely", namespace: "default" },
      spec: { serviceAccountName: "robot", containers: [{ name: "app", image: "app" }] }
    }
    expect(await stuckIn({ next: [pod, naming({})] })).toEqual([])
  })

  it("in the namespace that they are in", async () => {
    const elsewhere = { ...account, metadata: { name: "robot", namespace: "kube-system" } }
    expect(await stuckIn({ next: [elsewhere, byRobot] })).toEqual([])
  })
})
