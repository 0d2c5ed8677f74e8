import { describe, expect, it } from "vitest"
import { address, imageOf, setImage, shopBehaviours, steeredText, webDeployment } from "./steeredShop.ts"
import { firstCrash } from "./firstCrash.ts"
import { explore, plan } from "../../src/plan/plan.ts"
import { openCluster } from "../../src/cluster/openCluster.ts"

describe("a steering chart of one's own", () => {
  it("steers the Deployments whose annotation names it", async () => {
    await using cluster = await openCluster({ seed: 7, behaviours: shopBehaviours, steering: [firstCrash] })
    await cluster.create(webDeployment("firstCrash"))
    await cluster.advance("1m")
    await setImage(cluster, "web:missing")
    await cluster.advance("5m")
    expect(imageOf(await cluster.get(address))).toBe("web:missing")
    await setImage(cluster, "web:crash")
    await cluster.advance("1m")
    expect(imageOf(await cluster.get(address))).toBe("web:1")
    expect(await steeredText(cluster)).toContain("containers of new Pods restarted")
  })

  it("is planned, and what it does when the new revision crashes is told", async () => {
    const spec = { minReadySeconds: 10 }
    const from = webDeployment("firstCrash", { spec })
    const next = webDeployment("firstCrash", { spec, image: "web:2" })
    const { rollouts } = await plan({ from, next, seeds: 2, steering: [firstCrash] })
    expect(rollouts[0]?.failures).toContainEqual(
      expect.objectContaining({ way: "its containers crash", end: "takenBack" })
    )
  })

  it("is proved in every order of events", async () => {
    const from = webDeployment("firstCrash", { replicas: 2 })
    const next = webDeployment("firstCrash", { replicas: 2, image: "web:2" })
    const [explored] = await explore({ from, next, failures: 1, steering: [firstCrash] })
    expect(explored?.steering).toBe("firstCrash")
    expect(explored?.states).toBeGreaterThan(2000)
    expect(new Set(explored?.claims.map(({ verdict }) => verdict))).toEqual(new Set(["proved"]))
  })

  it("is refused when its chart cannot be composed", async () => {
    const chart = { initial: "nowhere", states: { done: { type: "final" } } } as const
    await expect(openCluster({ steering: [{ ...firstCrash, state: "canary", chart }] })).rejects.toThrow(
      /"canary", which is taken.*goes to "nowhere"/su
    )
  })
})
