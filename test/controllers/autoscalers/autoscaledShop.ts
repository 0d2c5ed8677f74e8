import { openCluster } from "../../../src/cluster/openCluster.ts"
import type { Behaviour } from "../../../src/behaviours/behaviour.ts"
import type { Load } from "../../../src/behaviours/load/load.ts"
import type { OpenCluster } from "../../../src/cluster/openCluster.ts"

/** Each request takes 2 ms of a core, so that a Pod with a request of 100m is at 100 % with 50 a second. */
export const webUnder = (perSecond: Load["perSecond"]): Behaviour => ({
  name: "shoppers",
  match: { labels: { app: "web" } },
  usage: { cpu: "0" },
  load: { perSecond, cpuPerRequest: "2m" }
})

const template = {
  metadata: { labels: { app: "web" } },
  spec: { containers: [{ name: "web", image: "web:1", resources: { requests: { cpu: "100m" } } }] }
}

export const webOf = (replicas: number, kind: "Deployment" | "StatefulSet" = "Deployment") => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name: "web" },
  spec: {
    replicas,
    selector: { matchLabels: { app: "web" } },
    template,
    ...(kind === "StatefulSet" ? { serviceName: "web", podManagementPolicy: "Parallel" } : {})
  }
})

export const autoscalerOf = (spec: object = {}, name = "web") => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
    minReplicas: 2,
    maxReplicas: 8,
    metrics: [
      { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } }
    ],
    ...spec
  }
})

export const openShop = async (
  perSecond: Load["perSecond"],
  { autoscaler = {}, replicas = 2 }: { readonly autoscaler?: object; readonly replicas?: number } = {}
): Promise<OpenCluster> => {
  const cluster = await openCluster({ behaviours: [webUnder(perSecond)] })
  await cluster.create(webOf(replicas))
  await cluster.create(autoscalerOf(autoscaler))
  return cluster
}

export const sizeOf = async (cluster: OpenCluster): Promise<number | undefined> => {
  const { spec } = await cluster.get({ resource: "deployments.apps", name: "web" })
  return spec.replicas
}

export const autoscalerIn = async (cluster: OpenCluster, name = "web") =>
  cluster.get({ resource: "horizontalpodautoscalers.autoscaling", name })

/** `REASON: MESSAGE` of its Events, in their order. */
export const eventsOf = async (cluster: OpenCluster, name = "web"): Promise<ReadonlyArray<string>> => {
  const { items } = await cluster.list("events")
  return items
    .filter(({ involvedObject: it }) => it?.kind === "HorizontalPodAutoscaler" && it.name === name)
    .map(({ reason = "", message = "" }) => `${reason}: ${message}`)
}
