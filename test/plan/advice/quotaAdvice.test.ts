import { describe, expect, it } from "vitest"
import { aManifest } from "../../builders.ts"
import { deploymentManifest } from "../../cluster/testCluster.ts"
import { blueGreen } from "../../machines/strategies/blueGreen.ts"
import { adviceTexts, planOf } from "../planManifests.ts"

const asking = (cpu: string) => ({ resources: { requests: { cpu } } })
const worker = deploymentManifest({ name: "worker", replicas: 2, container: asking("250m") })

/** The plan of 5 Pods of 1 cpu with maxSurge 2, beside 2 Pods of 250m, under a quota. */
const planWith = async (
  quota: object,
  of: "both are rolled out" | "one is rolled out" = "both are rolled out",
  after = quota,
  besideWeb = worker
) => {
  const spec = {
    strategy: { rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } },
    progressDeadlineSeconds: 60
  }
  const web = { replicas: 5, container: asking("1"), spec }
  const { rollouts } = await planOf({
    from: web,
    next: { ...web, version: "v2" },
    fromBeside: [quota, besideWeb],
    beside: of === "both are rolled out" ? [after, besideWeb] : [after]
  })
  const rollout = rollouts.find(({ name }) => name === "web")
  if (rollout === undefined) throw new Error("there is no rollout of web")
  return { ...rollout, advice: adviceTexts(rollout) }
}

const quotaOf = (cpu: string, annotations: Readonly<Record<string, string>> = {}) =>
  aManifest("ResourceQuota", { name: "compute", annotations }, { spec: { hard: { "requests.cpu": cpu } } })

describe("the advised quota", () => {
  it("has room for the surge and for other Pods", async () => {
    const { stuck, advice } = await planWith(quotaOf("5500m"))
    expect({ stuck, advice: advice.filter((it) => it.startsWith("ResourceQuota")) }).toEqual({
      stuck: 1,
      advice: [
        "ResourceQuota compute has requests.cpu: 5500m, of which 5500m are used; 5 Pods and 2 more (maxSurge: 2) of 1 " +
          "each take 7, and others up to 750m. Say requests.cpu: 7750m there"
      ]
    })
  })

  it("has no alternative when more is used than allowed", async () => {
    const { advice } = await planWith(quotaOf("5500m"), "both are rolled out", quotaOf("5"))
    expect(advice.find((it) => it.startsWith("ResourceQuota"))).toMatch(
      /requests\.cpu: 5, of which 5500m are used; .* Say requests\.cpu: 7750m there$/
    )
  })

  it("is enough", async () => {
    expect(await planWith(quotaOf("7750m"))).toMatchObject({ stuck: 0, late: 0 })
  })

  it("covers every exhausted resource", async () => {
    const quota = quotaOf("5500m")
    const { advice } = await planWith({ ...quota, spec: { hard: { ...quota.spec.hard, pods: "7" } } })
    expect(advice).toContainEqual(expect.stringContaining("Say pods: 10, requests.cpu: 7750m there"))
  })

  it("counts Pods that are not rolled out by their use", async () => {
    const { quotas, advice } = await planWith(quotaOf("5500m"), "one is rolled out")
    expect(quotas).toMatchObject([{ most: "5500m", hard: "5500m", others: "500m" }])
    expect(advice).toContainEqual(expect.stringContaining("others up to 500m. Say requests.cpu: 7500m there"))
  })

  it("has room for the ReplicaSet of the new template", async () => {
    const quota = aManifest(
      "ResourceQuota",
      { name: "few" },
      { spec: { hard: { "count/replicasets.apps": "1" } } }
    )
    const { rollouts } = await planOf({
      from: {},
      next: { version: "v2", spec: { progressDeadlineSeconds: 60 } },
      beside: [quota]
    })
    expect(rollouts.map((rollout) => [rollout.reasons[0]?.reason, adviceTexts(rollout)[0]])).toEqual([
      [
        "the new ReplicaSet is forbidden: exceeded quota: few, requested: count/replicasets.apps=1, " +
          "used: count/replicasets.apps=1, limited: count/replicasets.apps=1",
        "ResourceQuota few has count/replicasets.apps: 1, of which 1 are used; a new template takes one more. " +
          "Say count/replicasets.apps: 2 there"
      ]
    ])
  })

  it("has no room for Pods that the quota does not cover", async () => {
    const bestEffort = deploymentManifest({ name: "worker", replicas: 2 })
    const quota = aManifest(
      "ResourceQuota",
      { name: "compute" },
      { spec: { hard: { pods: "5" }, scopes: ["NotBestEffort"] } }
    )
    const { quotas } = await planWith(quota, "both are rolled out", quota, bestEffort)
    expect(quotas).toMatchObject([{ most: "5", hard: "5", others: "0" }])
  })

  it("counts a BlueGreen Deployment twice", async () => {
    const spec = { strategy: { type: "BlueGreen" }, progressDeadlineSeconds: 60 }
    const web = { replicas: 3, container: asking("1"), spec }
    const { rollouts } = await planOf({
      from: web,
      next: { ...web, version: "v2" },
      beside: [
        quotaOf("3500m"),
        deploymentManifest({ name: "worker", replicas: 2, container: asking("250m"), spec })
      ],
      planWorld: { strategies: [blueGreen] }
    })
    const othersByName = new Map(
      rollouts.map(({ name, quotas }) => [name, quotas.map(({ others }) => others)])
    )
    expect([...othersByName]).toEqual([
      ["web", ["1"]],
      ["worker", ["6"]]
    ])
    expect(rollouts.slice(0, 1).flatMap(adviceTexts)).toContainEqual(
      "ResourceQuota compute has requests.cpu: 3500m, of which 3500m are used; 3 Pods and 3 more (strategy BlueGreen) " +
        "of 1 each take 6, and others up to 1. Say requests.cpu: 7 there"
    )
  })

  it("counts usage elsewhere", async () => {
    const elsewhere = { "charthouse.dev/used-elsewhere": '{"requests.cpu":"2","pods":"3"}' }
    const { quotas, advice } = await planWith(quotaOf("7500m", elsewhere), "one is rolled out")
    expect(quotas).toMatchObject([{ most: "7500m", hard: "7500m", others: "2500m" }])
    expect(advice).toContainEqual(expect.stringContaining("Say requests.cpu: 9500m there"))
  })
})
