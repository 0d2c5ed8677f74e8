import { describe, expect, it } from "vitest"
import { address, imageOf, openSteeredShop, setImage, steeringEvents } from "./steeredShop.ts"
import type { OpenCluster } from "../../src/cluster/openCluster.ts"

const openShop = (steps: string, replicas = 4) =>
  openSteeredShop(`canary: { steps: [${steps}] }`, {
    isGated: true,
    replicas,
    spec: { strategy: { rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } } }
  })

const scaleTo = (cluster: OpenCluster, replicas: number) => cluster.patch(address, { spec: { replicas } })

const deletePodsOf = async (cluster: OpenCluster, image: string) => {
  for (const { metadata, spec } of (await cluster.list("pods")).items)
    if (spec.containers[0]?.image === image)
      await cluster.delete({ resource: "pods", name: metadata.name }, { gracePeriodSeconds: 0 })
}

describe("the time of a step", () => {
  it.each([
    {
      steps: "{ approve: 1 }, { hold: 1m }",
      minutesMax: 25,
      why: "20m, twice progressDeadlineSeconds for each of 1 Pod"
    },
    {
      steps: "{ approve: 100% }",
      minutesMax: 85,
      why: "1h20m, twice progressDeadlineSeconds for each of 4 Pods"
    }
  ])("ends with $steps though its Pods are deleted again and again", async ({ steps, minutesMax, why }) => {
    await using cluster = await openShop(steps)
    await setImage(cluster, "web:hangs")
    for (let minutes = 0; minutes < minutesMax; minutes += 5) {
      await cluster.advance("5m")
      await deletePodsOf(cluster, "web:hangs")
    }
    expect(imageOf(await cluster.get(address))).toBe("web:1")
    expect((await steeringEvents(cluster)).at(-1)).toContain(`its step was not over within ${why}`)
  })

  it("stays as long as it was when a Deployment is scaled down", async () => {
    await using cluster = await openShop("{ approve: 100% }", 8)
    await setImage(cluster, "web:slow")
    await cluster.advance("45m")
    await scaleTo(cluster, 2)
    await cluster.advance("20m")
    const { spec, status } = await cluster.get(address)
    expect([spec.template.spec?.containers[0]?.image, status.availableReplicas]).toEqual(["web:slow", 2])
  })

  it.each(["{ hold: untilPromoted }", "{ analyse: calm }"])(
    "does not end $0 after all Pods are approved, though a Pod is replaced late",
    async (step) => {
      await using cluster = await openSteeredShop(
        `canary: { steps: [{ approve: 100% }, ${step}], analyses: { calm: { pods: restarts, max: 0, count: 90, interval: 1m } } }`,
        {
          isGated: true,
          replicas: 1,
          spec: { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }
        }
      )
      await setImage(cluster, "web:2")
      await cluster.advance("40m")
      await deletePodsOf(cluster, "web:2")
      await cluster.advance("5m")
      expect(imageOf(await cluster.get(address))).toBe("web:2")
    }
  )

  it("stands still at 0 replicas", async () => {
    await using cluster = await openShop("{ approve: 1 }, { hold: untilPromoted }")
    await setImage(cluster, "web:slow")
    await cluster.advance("1m")
    await scaleTo(cluster, 0)
    await cluster.advance("3h")
    await scaleTo(cluster, 4)
    await cluster.advance("19m")
    expect(imageOf(await cluster.get(address))).toBe("web:slow")
    expect((await cluster.get(address)).status.availableReplicas).toBe(4)
  })
})
