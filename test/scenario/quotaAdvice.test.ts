import { describe, expect, it } from "vitest"
import { aManifest } from "../cluster/worlds.ts"
import { blueGreen } from "../machines/blueGreen.ts"
import { planOf } from "./planWorlds.ts"

const asking = (cpu: string) => ({ resources: { requests: { cpu } } })
const worker = aManifest({ name: "worker", replicas: 2, container: asking("250m") })

/** A quota for five of one cpu that surge by two, beside two of a quarter. */
const planWith = async (
  quota: object,
  of: "both are rolled out" | "one is rolled out" = "both are rolled out",
  then = quota
) => {
  const spec = {
    strategy: { rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } },
    progressDeadlineSeconds: 60
  }
  const web = { replicas: 5, container: asking("1"), spec }
  const { rollouts } = await planOf({
    from: web,
    next: { ...web, version: "v2" },
    fromBeside: [quota, worker],
    beside: of === "both are rolled out" ? [then, worker] : [then]
  })
  const rollout = rollouts.find(({ name }) => name === "web")
  if (rollout === undefined) throw new Error("there is no rollout of web")
  return rollout
}

const quotaOf = (cpu: string, annotations: object = {}) => ({
  apiVersion: "v1",
  kind: "ResourceQuota",
  metadata: { name: "compute", annotations },
  spec: { hard: { "requests.cpu": cpu } }
})

describe("what a quota should be", () => {
  it("has room for what others use beside the surge", async () => {
    const { stuck, advice } = await planWith(quotaOf("5500m"))
    expect({ stuck, advice: advice.filter((it) => it.startsWith("ResourceQuota")) }).toEqual({
      stuck: 1,
      advice: [
        "ResourceQuota compute has requests.cpu: 5500m, of which 5500m are used; 5 Pods and 2 more (maxSurge: 2) of 1 " +
          "each take 7, and others up to 750m. Say requests.cpu: 7750m there, or maxSurge: 0 with a maxUnavailable: an " +
          "old Pod then goes first"
      ]
    })
  })

  it("is not made by an old Pod that goes where more is used than may be", async () => {
    const { advice } = await planWith(quotaOf("5500m"), "both are rolled out", quotaOf("5"))
    expect(advice.find((it) => it.startsWith("ResourceQuota"))).toMatch(
      /requests\.cpu: 5, of which 5500m are used; .* Say requests\.cpu: 7750m there$/
    )
  })

  it("is enough", async () => {
    expect(await planWith(quotaOf("7750m"))).toMatchObject({ stuck: 0, late: 0 })
  })

  it("is said of everything there is too little of", async () => {
    const quota = quotaOf("5500m")
    const { advice } = await planWith({ ...quota, spec: { hard: { ...quota.spec.hard, pods: "7" } } })
    expect(advice).toContainEqual(expect.stringContaining("Say pods: 10, requests.cpu: 7750m there"))
  })

  it("counts those who are not rolled out by what they use", async () => {
    const { quotas, advice } = await planWith(quotaOf("5500m"), "one is rolled out")
    expect(quotas).toMatchObject([{ most: "5500m", hard: "5500m", others: "500m" }])
    expect(advice).toContainEqual(expect.stringContaining("others up to 500m. Say requests.cpu: 7500m there"))
  })

  it("counts twice over whoever has all of what is new beside what was before", async () => {
    const spec = { strategy: { type: "BlueGreen" }, progressDeadlineSeconds: 60 }
    const web = { replicas: 3, container: asking("1"), spec }
    const { rollouts } = await planOf({
      from: web,
      next: { ...web, version: "v2" },
      beside: [quotaOf("3500m"), aManifest({ name: "worker", replicas: 2, container: asking("250m"), spec })],
      world: { strategies: [blueGreen] }
    })
    const told = new Map(rollouts.map(({ name, quotas }) => [name, quotas.map(({ others }) => others)]))
    expect([...told]).toEqual([
      ["web", ["1"]],
      ["worker", ["6"]]
    ])
    expect(rollouts[0]?.advice).toContainEqual(
      "ResourceQuota compute has requests.cpu: 3500m, of which 3500m are used; 3 Pods and 3 more (strategy BlueGreen) " +
        "of 1 each take 6, and others up to 1. Say requests.cpu: 7 there"
    )
  })

  it("counts those who are not there", async () => {
    const elsewhere = { "charthouse.dev/used-elsewhere": '{"requests.cpu":"2","pods":"3"}' }
    const { quotas, advice } = await planWith(quotaOf("7500m", elsewhere), "one is rolled out")
    expect(quotas).toMatchObject([{ most: "7500m", hard: "7500m", others: "2500m" }])
    expect(advice).toContainEqual(expect.stringContaining("Say requests.cpu: 9500m there"))
  })
})
