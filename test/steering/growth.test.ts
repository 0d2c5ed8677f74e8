import { describe, expect, it } from "vitest"
import { address, annotate, approvedPods, openSteeredShop, setImage, steeredText } from "./steeredShop.ts"
import type { OpenCluster } from "../../src/cluster/openCluster.ts"

const openHolding = async (steps: string, maxSurge: number): Promise<OpenCluster> => {
  const cluster = await openSteeredShop(`canary: { steps: [${steps}, { hold: untilPromoted }] }`, {
    isGated: true,
    replicas: 6,
    spec: { strategy: { rollingUpdate: { maxSurge, maxUnavailable: 0 } } }
  })
  await setImage(cluster, "web:2")
  await cluster.advance("1m")
  return cluster
}

const scaleTo = async (cluster: OpenCluster, sizes: ReadonlyArray<number>) => {
  for (const replicas of sizes) {
    await cluster.patch(address, { spec: { replicas } })
    await cluster.advance("1m")
  }
}

describe("a Deployment that is scaled during a hold", () => {
  it.each([
    {
      steps: "{ approve: 1 }",
      sizes: [7, 8, 9, 10],
      available: 10,
      approved: 1,
      because: "one at a time: all old"
    },
    { steps: "{ approve: 1 }", sizes: [12], available: 10, approved: 1 },
    { steps: "{ approve: 1 }", sizes: [2, 6, 12], maxSurge: 2, available: 4, approved: 1 },
    {
      steps: "{ approve: 50% }",
      sizes: [12],
      available: 12,
      approved: 6,
      because: "a percentage grows, too"
    },
    { steps: "{ approve: 50% }", sizes: [12, 6], available: 6, approved: 4 }
  ])(
    "from 6 to $sizes after $steps: $available serve, $approved of them new, and the hold goes on",
    async ({ steps, sizes, maxSurge = 1, available, approved }) => {
      await using cluster = await openHolding(steps, maxSurge)
      await scaleTo(cluster, sizes)
      const replicas = sizes.at(-1) ?? 6
      const { status } = await cluster.get(address)
      expect(status).toMatchObject({ replicas: replicas + maxSurge, availableReplicas: available })
      expect((await approvedPods(cluster))["web:2"]).toBe(approved)
      const text = await steeredText(cluster)
      expect(text).toContain("True Holding: revision 2 (web) is at step 2 of 2: holds until it is promoted.")
      const shortage = `. Only ${available} of ${replicas} Pods may serve before a later step: Kubernetes gave the others`
      expect(text.includes(shortage)).toBe(available < replicas)
    }
  )

  it.each([{ promote: "" }, { abort: "too few" }])("has all its Pods again after %o", async (asked) => {
    await using cluster = await openHolding("{ approve: 1 }", 2)
    await scaleTo(cluster, [2, 6, 12])
    await annotate(cluster, asked)
    await cluster.advance("2m")
    expect((await cluster.get(address)).status).toMatchObject({ replicas: 12, availableReplicas: 12 })
    expect(await steeredText(cluster)).not.toContain("Only")
  })

  it("ends its hold at the time that it was to end before it grew", async () => {
    await using cluster = await openSteeredShop("canary: { steps: [{ approve: 1 }, { hold: 5m }] }", {
      isGated: true,
      spec: { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }
    })
    await setImage(cluster, "web:2")
    await cluster.advance("1m")
    const before = await steeredText(cluster)
    await scaleTo(cluster, [8])
    expect((await steeredText(cluster)).slice(0, before.indexOf("To go on"))).toBe(
      before.slice(0, before.indexOf("To go on"))
    )
    await cluster.advance("5m")
    expect(await approvedPods(cluster)).toEqual({ "web:2": 8 })
  })
})
