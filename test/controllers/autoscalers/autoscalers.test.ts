import { describe, expect, it } from "vitest"
import { autoscalerIn, autoscalerOf, eventsOf, openShop, sizeOf, webOf, webUnder } from "./autoscaledShop.ts"
import { explainAutoscaler } from "../../../src/explain/workloads/explainAutoscaler.ts"
import { openCluster, readSnapshot, snapshotText } from "../../../src/index.ts"
import type { Autoscaler } from "../../../src/kubernetes/autoscaling/autoscalerTypes.ts"
import type { OpenCluster } from "../../../src/index.ts"

const reasonsOf = ({ status }: Autoscaler): string =>
  (status.conditions ?? []).map(({ type, status: is, reason }) => `${type}=${is}(${reason})`).join(" ")

describe("an autoscaler", () => {
  it("looks 15 seconds after its creation and every 15 seconds from then on", async () => {
    await using cluster = await openShop(200)
    const sizes: Array<number | undefined> = []
    for (const time of ["14s", "1s", "15s", "15s"]) {
      await cluster.advance(time)
      sizes.push(await sizeOf(cluster))
    }
    // At the third look the new Pods have not been measured yet.
    expect(sizes).toEqual([2, 4, 4, 8])
  })

  it("scales up with the load, and down five minutes after it is over", async () => {
    await using cluster = await openShop({ from: 50, to: 200, at: "2m" })
    await cluster.advance("1m59s")
    expect(await sizeOf(cluster)).toBe(2)
    await cluster.advance("1m1s")
    expect(await sizeOf(cluster)).toBe(8)
    await cluster.setLoad("shoppers", { perSecond: 25, cpuPerRequest: "2m" })
    await cluster.advance("4m45s")
    expect(await sizeOf(cluster)).toBe(8)
    expect(reasonsOf(await autoscalerIn(cluster))).toBe(
      "AbleToScale=True(ScaleDownStabilized) ScalingActive=True(ValidMetricFound) ScalingLimited=False(DesiredWithinRange)"
    )
    await cluster.advance("1m")
    expect(await sizeOf(cluster)).toBe(2)
    expect(await eventsOf(cluster)).toEqual([
      "SuccessfulRescale: New size: 4; reason: cpu resource utilization (percentage of request) above target",
      // A recommendation of the look before.
      "SuccessfulRescale: New size: 8; reason: ",
      "SuccessfulRescale: New size: 2; reason: All metrics below target"
    ])
  })

  it("goes on through a rollout, whose Pods of both revisions share the load", async () => {
    await using cluster = await openShop(150)
    await cluster.advance("2m")
    expect(await sizeOf(cluster)).toBe(6)
    await cluster.patch(
      { resource: "deployments.apps", name: "web" },
      {
        spec: { template: { spec: { containers: [{ name: "web", image: "web:2" }] } } }
      }
    )
    await cluster.advance("3m")
    expect(await sizeOf(cluster)).toBe(6)
    const { status } = await cluster.get({ resource: "deployments.apps", name: "web" })
    expect(status).toMatchObject({ updatedReplicas: 6, readyReplicas: 6 })
  })

  it.each([
    { apiVersion: "networking.k8s.io/v1", kind: "Ingress", problem: "for ingresses.networking.k8s.io web" },
    { apiVersion: "v1", kind: "Service", problem: "for services web" },
    { apiVersion: "", kind: "Service", problem: "for services web" },
    { apiVersion: "apps/v1beta9", kind: "Deployment", problem: "for deployments.apps web" },
    {
      apiVersion: "networking/v1",
      kind: "Ingress",
      problem: 'no matches for kind "Ingress" in group "networking"'
    },
    // Go's %q escapes a space that is not the plain one.
    {
      apiVersion: "apps/v1",
      kind: "My\u00a0Kind",
      problem: 'no matches for kind "My\\u00a0Kind" in group "apps"'
    }
  ])("says which object has no metric: $kind of $apiVersion", async ({ apiVersion, kind, problem }) => {
    const describedObject = { apiVersion, kind, name: "web" }
    const target = { type: "Value", value: "10" }
    const metrics = [{ type: "Object", object: { describedObject, metric: { name: "requests" }, target } }]
    await using cluster = await openShop(50, { autoscaler: { metrics } })
    await cluster.advance("15s")
    const conditions = (await autoscalerIn(cluster)).status.conditions ?? []
    expect(conditions.find(({ type }) => type === "ScalingActive")?.message).toContain(problem)
  })

  it("does not keep a cluster from settling", async () => {
    await using cluster = await openShop(50)
    expect(await cluster.settle("1m")).toBe(true)
    expect(Number(cluster.now()) - Date.UTC(2026, 0, 1)).toBeLessThan(15_000)
  })

  it("scales a StatefulSet", async () => {
    await using cluster = await openCluster({ behaviours: [webUnder(200)] })
    await cluster.create(webOf(2, "StatefulSet"))
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "StatefulSet", name: "web" }
    await cluster.create(autoscalerOf({ scaleTargetRef }))
    await cluster.advance("2m")
    const { status } = await cluster.get({ resource: "statefulsets.apps", name: "web" })
    expect(status.readyReplicas).toBe(8)
  })

  it("leaves a target of zero replicas alone until it has some", async () => {
    await using cluster = await openShop(200, { replicas: 0 })
    await cluster.advance("1m")
    expect(await sizeOf(cluster)).toBe(0)
    expect(reasonsOf(await autoscalerIn(cluster))).toBe(
      "AbleToScale=True(SucceededGetScale) ScalingActive=False(ScalingDisabled)"
    )
    await cluster.patch({ resource: "deployments.apps", name: "web" }, { spec: { replicas: 1 } })
    await cluster.advance("15s")
    expect(await sizeOf(cluster)).toBe(2)
    expect(await eventsOf(cluster)).toEqual([
      "SuccessfulRescale: New size: 2; reason: Current number of replicas below Spec.MinReplicas"
    ])
  })

  it.each([
    {
      why: "no such Deployment",
      ref: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" },
      message: 'deployments.apps "shop" not found'
    },
    {
      why: "no such kind",
      ref: { apiVersion: "apps/v1", kind: "Gadget", name: "web" },
      message: 'no matches for kind "Gadget" in group "apps"'
    },
    {
      why: "a kind without a scale",
      ref: { apiVersion: "apps/v1", kind: "DaemonSet", name: "web" },
      message: "the server could not find the requested resource"
    }
  ])("says which target it does not find: $why", async ({ ref, message }) => {
    await using cluster = await openShop(200, { autoscaler: { scaleTargetRef: ref } })
    await cluster.advance("20s")
    expect(await eventsOf(cluster)).toEqual([`FailedGetScale: ${message}`])
    const { conditions = [] } = (await autoscalerIn(cluster)).status
    expect(conditions).toMatchObject([
      {
        type: "AbleToScale",
        status: "False",
        reason: "FailedGetScale",
        message: `the HPA controller was unable to get the target's current scale: ${message}`
      }
    ])
  })

  it("leaves Pods alone that a second autoscaler scales, too", async () => {
    await using cluster = await openShop(200)
    await cluster.create(autoscalerOf({}, "other"))
    await cluster.advance("1m")
    expect(await sizeOf(cluster)).toBe(2)
    expect(await eventsOf(cluster)).toContain(
      "AmbiguousSelector: pods by selector app=web are controlled by multiple HPAs: [default/other default/web]"
    )
  })

  it("reports the size that the API server has refused", async () => {
    await using cluster = await openShop(200)
    await cluster.fault({
      fault: "writesRefused",
      of: "horizontalPodAutoscaler",
      code: 409,
      resource: "deployments.apps",
      for: "40s"
    })
    await cluster.advance("35s")
    expect(await sizeOf(cluster)).toBe(2)
    expect((await eventsOf(cluster))[0]).toMatch(
      /^FailedRescale: New size: 4; reason: cpu resource utilization .* above target; error: /
    )
    await cluster.advance("40s")
    expect(await sizeOf(cluster)).toBe(8)
  })

  it.each(["3s", "20s", "2m20s"])("goes on alike from a snapshot after %s", async (time) => {
    await using original = await openShop({ from: 25, to: 150, at: "1m", over: "2m" })
    await original.advance(time)
    const snapshot = readSnapshot(snapshotText(await original.snapshot()))
    await using restored = await openCluster({ from: snapshot })
    const stateOf = async (cluster: OpenCluster) => [await autoscalerIn(cluster), await eventsOf(cluster)]
    for (const cluster of [original, restored]) await cluster.advance("4m")
    expect(await stateOf(restored)).toEqual(await stateOf(original))
  })

  it("forgets its recommendations with the controller", async () => {
    await using cluster = await openShop(200)
    await cluster.advance("2m")
    await cluster.setLoad("shoppers", { perSecond: 0 })
    await cluster.advance("30s")
    expect(await sizeOf(cluster)).toBe(8)
    await cluster.fault({ fault: "controllerRestarted", controller: "horizontalPodAutoscaler" })
    await cluster.advance("40s")
    // The first look after a restart recommends the size that it finds.
    expect(await sizeOf(cluster)).toBe(8)
    await cluster.advance("5m")
    expect(await sizeOf(cluster)).toBe(2)
  })
})

describe("explain", () => {
  const sentencesAfter = async (cluster: OpenCluster, time: string): Promise<ReadonlyArray<string>> => {
    await cluster.advance(time)
    return explainAutoscaler(await autoscalerIn(cluster)).sentences
  }
  it("tells what was measured, and what stands in the way", async () => {
    await using cluster = await openShop(400)
    expect(await sentencesAfter(cluster, "3s")).toEqual([
      'HorizontalPodAutoscaler "web" keeps Deployment "web" between 2 and 8 replicas: 0 are there.',
      "Its controller, which looks every 15 seconds, has not seen it yet, or does not run.",
      "cpu was not measured, the target is 50%."
    ])
    expect(await sentencesAfter(cluster, "2m")).toEqual([
      'HorizontalPodAutoscaler "web" keeps Deployment "web" between 2 and 8 replicas: 8 are there.',
      "Its metrics ask for more than maxReplicas, 8.",
      "cpu is at 100% of the requests, the target is 50%."
    ])
    await cluster.setLoad("shoppers", { perSecond: 0 })
    expect(await sentencesAfter(cluster, "30s")).toEqual([
      'HorizontalPodAutoscaler "web" keeps Deployment "web" between 2 and 8 replicas: 8 are there.',
      "It does not scale down yet: a recommendation of the last 5m was higher (stabilizationWindowSeconds).",
      "cpu is at 0% of the requests, the target is 50%."
    ])
  })
})
