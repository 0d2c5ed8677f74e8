import type { Draft, OpenCluster, OpenOptions } from "charthouse"
import type { Checkout } from "./checkout.ts"

export const webManifest = (
  replicas: number,
  version: string,
  name = "web"
): Draft & { readonly spec: object } => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace: "default" },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: "app", image: `registry.example/app:${version}` }] }
    }
  }
})

const podsPerNode = 100
/** A rollout has up to 25% more Pods (maxSurge), beside terminating ones. */
const surgeFactor = 1.3

export const nodesFor = (pods: number): number => Math.ceil((pods * surgeFactor) / podsPerNode) + 1

export const openClusterFor = async (
  checkout: Checkout,
  pods: number,
  options: OpenOptions = {}
): Promise<OpenCluster> => {
  const { openCluster } = await checkout.library()
  return openCluster({ nodes: nodesFor(pods), ...options })
}

/** Throws if the rollout of `web` does not complete. */
export const expectComplete = async (cluster: OpenCluster): Promise<void> => {
  const { outcome, message } = await cluster.rollout("web")
  if (outcome !== "complete") throw new Error(message)
}

export const rollWeb = async (cluster: OpenCluster, pods: number, version: string): Promise<void> => {
  await cluster.patch(
    { resource: "deployments.apps", name: "web" },
    { spec: webManifest(pods, version).spec }
  )
  await expectComplete(cluster)
}

export interface Steering {
  /** The annotation; undefined for a rollout that is not steered. */
  readonly strategy?: string
  readonly isGated?: boolean
}

/** The Deployment as it is steered, one Pod at a time. */
export const steeredManifest = (
  { metadata, spec, ...rest }: ReturnType<typeof webManifest>,
  { strategy, isGated = false }: Steering
) => {
  const { template, ...others } = spec as { readonly template: { readonly spec: object } }
  const gates = isGated ? { readinessGates: [{ conditionType: "charthouse.dev/approved" }] } : {}
  return {
    ...rest,
    metadata: {
      ...metadata,
      ...(strategy === undefined ? {} : { annotations: { "charthouse.dev/strategy": strategy } })
    },
    spec: {
      ...others,
      strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: { ...template, spec: { ...template.spec, ...gates } }
    }
  }
}
