import { describe, expect, it } from "vitest"
import { openCluster } from "../../src/cluster/openCluster.ts"
import { deploymentManifest } from "./testCluster.ts"

describe("a field selector", () => {
  it("lists the objects that have the field", async () => {
    await using cluster = await openCluster()
    await cluster.apply(deploymentManifest({ replicas: 7 }))
    await cluster.rollout("web")
    const all = (await cluster.list("pods")).items
    const some = await cluster.list("pods", { fieldSelector: "spec.nodeName=node-1" })
    expect(some.items).toEqual(all.filter(({ spec }) => spec?.nodeName === "node-1"))
    expect(some.items.length).toBeGreaterThan(0)
    const none = { labelSelector: "app=web", fieldSelector: "status.phase!=Running" }
    expect((await cluster.list("pods", none)).items).toEqual([])
  })

  it("sends DELETED when a watched object no longer has the field", async () => {
    await using cluster = await openCluster()
    await cluster.apply(deploymentManifest({ replicas: 1 }))
    const seen: Array<string> = []
    const watching = (async () => {
      for await (const { type } of cluster.watch("pods", { fieldSelector: "status.phase=Pending" })) {
        seen.push(type)
        if (type === "DELETED") return
      }
    })()
    await cluster.rollout("web")
    await watching
    expect([seen[0], seen.at(-1)]).toEqual(["ADDED", "DELETED"])
  })

  it.each([
    { fieldSelector: "spec.image=x", says: "field label not supported: spec.image" },
    { fieldSelector: "name", says: "invalid selector: 'name'; can't understand 'name'" },
    { fieldSelector: 7, says: "fieldSelector must be a text, not 7" }
  ])("is refused: $fieldSelector", async ({ fieldSelector, says }) => {
    await using cluster = await openCluster()
    const listing = cluster.list("pods", { fieldSelector: fieldSelector as string })
    await expect(listing).rejects.toThrow(says)
  })
})
