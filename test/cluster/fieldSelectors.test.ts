import { describe, expect, it } from "vitest"
import { openCluster } from "../../src/cluster/openCluster.ts"
import { aManifest } from "./worlds.ts"

describe("objects that are asked for by their fields", () => {
  it("are listed as the API lists them", async () => {
    await using cluster = await openCluster()
    await cluster.apply(aManifest({ replicas: 7 }))
    await cluster.rollout("web")
    const all = (await cluster.list("pods")).items
    const some = await cluster.list("pods", { fieldSelector: "spec.nodeName=node-1" })
    expect(some.items).toEqual(all.filter(({ spec }) => spec?.nodeName === "node-1"))
    expect(some.items.length).toBeGreaterThan(0)
    const none = { labelSelector: "app=web", fieldSelector: "status.phase!=Running" }
    expect((await cluster.list("pods", none)).items).toEqual([])
  })

  it("are watched: one that no longer has the field so is gone", async () => {
    await using cluster = await openCluster()
    await cluster.apply(aManifest({ replicas: 1 }))
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
  ])("cannot be asked for by $fieldSelector", async ({ fieldSelector, says }) => {
    await using cluster = await openCluster()
    const asked = cluster.list("pods", { fieldSelector: fieldSelector as string })
    await expect(asked).rejects.toThrow(says)
  })
})
