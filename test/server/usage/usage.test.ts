import { describe, expect, it } from "vitest"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { webOf, webUnder } from "../../controllers/autoscalers/autoscaledShop.ts"
import type { OpenCluster } from "../../../src/cluster/openCluster.ts"

const openBusyShop = async (): Promise<OpenCluster> => {
  const cluster = await openCluster({ behaviours: [webUnder(100)] })
  await cluster.create(webOf(2))
  await cluster.create({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "idle", labels: { app: "idle" } },
    spec: { containers: [{ name: "idle", image: "idle:1" }] }
  })
  return cluster
}

const answerOf = async (cluster: OpenCluster, path: string, method = "GET"): Promise<unknown> => {
  const response = await cluster.fetch(`http://cluster/apis/${path}`, { method })
  return response.json()
}

const pods = "metrics.k8s.io/v1beta1/namespaces/default/pods"
const custom = "custom.metrics.k8s.io/v1beta2/namespaces/default"
const external = "external.metrics.k8s.io/v1beta1/namespaces/default"

describe("metrics.k8s.io", () => {
  it("measures a Pod once it has run for 15 seconds", async () => {
    await using cluster = await openBusyShop()
    await cluster.advance("10s")
    expect(await answerOf(cluster, `${pods}/idle`)).toMatchObject({
      code: 404,
      message: 'podmetrics.metrics.k8s.io "default/idle" not found'
    })
    await cluster.advance("10s")
    expect(await answerOf(cluster, `${pods}/idle`)).toEqual({
      kind: "PodMetrics",
      apiVersion: "metrics.k8s.io/v1beta1",
      metadata: {
        name: "idle",
        namespace: "default",
        creationTimestamp: "2026-01-01T00:00:20Z",
        labels: { app: "idle" }
      },
      timestamp: "2026-01-01T00:00:20Z",
      window: "15s",
      containers: [{ name: "idle", usage: { cpu: "1000000n", memory: "16384Ki" } }]
    })
  })

  it("shares the load among the Pods, and lists them by label", async () => {
    await using cluster = await openBusyShop()
    await cluster.advance("20s")
    const query = "labelSelector=app%3Dweb"
    expect(await answerOf(cluster, `${pods}?${query}`)).toMatchObject({
      kind: "PodMetricsList",
      items: [
        { containers: [{ usage: { cpu: "100000000n" } }] },
        { containers: [{ usage: { cpu: "100000000n" } }] }
      ]
    })
  })

  it("adds what the Pods of a node use", async () => {
    await using cluster = await openBusyShop()
    await cluster.advance("20s")
    const { items } = (await answerOf(cluster, "metrics.k8s.io/v1beta1/nodes")) as {
      readonly items: ReadonlyArray<{ readonly usage: { readonly cpu: string } }>
    }
    expect(items.map(({ usage }) => usage.cpu).sort()).toEqual(["150000000n", "150000000n", "51000000n"])
  })

  it("uses no more CPU than a container's limit", async () => {
    await using cluster = await openCluster({ behaviours: [webUnder(1000)] })
    const web = webOf(1)
    const [container] = web.spec.template.spec.containers
    const limited = { ...container, resources: { requests: { cpu: "100m" }, limits: { cpu: "250m" } } }
    await cluster.create({
      ...web,
      spec: { ...web.spec, template: { ...web.spec.template, spec: { containers: [limited] } } }
    } as typeof web)
    await cluster.advance("20s")
    expect(await answerOf(cluster, pods)).toMatchObject({
      items: [{ containers: [{ usage: { cpu: "250000000n" } }] }]
    })
  })

  it("cannot be written", async () => {
    await using cluster = await openBusyShop()
    expect(await answerOf(cluster, pods, "POST")).toMatchObject({ code: 405 })
  })
})

describe("custom and external metrics", () => {
  it("has the requests a second of each Pod that shares a load", async () => {
    await using cluster = await openBusyShop()
    await cluster.advance("20s")
    expect(await answerOf(cluster, `${custom}/pods/*/requests_per_second`)).toMatchObject({
      kind: "MetricValueList",
      items: [
        { describedObject: { kind: "Pod" }, value: "50" },
        { describedObject: { kind: "Pod" }, value: "50" }
      ]
    })
    expect(await answerOf(cluster, `${custom}/pods/*/temperature`)).toMatchObject({
      code: 404,
      message: "the server could not find the metric temperature for pods"
    })
  })

  it("has the metrics that were set", async () => {
    await using cluster = await openBusyShop()
    await cluster.setMetric({ name: "hits", object: "service/web", value: 12.5 })
    await cluster.setMetric({ name: "queue", labels: { topic: "a" }, value: { from: 0, to: 60, over: "1m" } })
    await cluster.setMetric({ name: "queue", labels: { topic: "b" }, value: 5 })
    await cluster.advance("30s")
    expect(await answerOf(cluster, `${custom}/services/web/hits`)).toMatchObject({
      items: [{ describedObject: { kind: "Service", name: "web" }, value: "12500m" }]
    })
    expect(await answerOf(cluster, `${external}/queue`)).toMatchObject({
      items: [{ value: "30" }, { value: "5" }]
    })
    expect(await answerOf(cluster, `${external}/queue?labelSelector=topic%3Db`)).toMatchObject({
      items: [{ metricName: "queue", metricLabels: { topic: "b" }, value: "5" }]
    })
  })

  it("refuses a metric that cannot be", async () => {
    await using cluster = await openBusyShop()
    await expect(cluster.setMetric({ name: "queue", value: -1 })).rejects.toThrow(/metric\.value must be/)
    await expect(cluster.setLoad("nowhere", { perSecond: 1 })).rejects.toThrow(
      'no behaviour is called "nowhere"'
    )
  })
})
